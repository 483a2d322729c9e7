"""Lesson 16, Linear algebra: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson16.exercises import TASKS
from tensorkit_widgets.lessons.lesson16.questions import QUESTIONS, QUIZZES

__all__ = ["QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Linear algebra"
