"""Lesson 06, dtypes and bits: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson06.exercises import TASKS
from tensorkit_widgets.lessons.lesson06.questions import QUESTIONS
from tensorkit_widgets.lessons.lesson06.quizzes import QUIZZES

__all__ = ["QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "dtypes and bits"
