"""Lesson 01, What is a tensor?: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson01.exercises import TASKS
from tensorkit_widgets.lessons.lesson01.parsons import PUZZLES
from tensorkit_widgets.lessons.lesson01.questions import QUESTIONS, QUIZZES

__all__ = ["PUZZLES", "QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "What is a tensor?"
