"""Lesson 02, Storage and strides: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson02.exercises import TASKS
from tensorkit_widgets.lessons.lesson02.questions import QUESTIONS
from tensorkit_widgets.lessons.lesson02.quizzes import PUZZLES, QUIZZES

__all__ = ["PUZZLES", "QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Storage and strides"
