"""Lesson 05, Contiguous: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson05.exercises import TASKS
from tensorkit_widgets.lessons.lesson05.questions import QUESTIONS
from tensorkit_widgets.lessons.lesson05.quizzes import PUZZLES, QUIZZES

__all__ = ["PUZZLES", "QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Contiguous"
