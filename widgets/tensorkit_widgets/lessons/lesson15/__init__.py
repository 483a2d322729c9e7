"""Lesson 15, Tensors and NumPy: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson15.exercises import TASKS
from tensorkit_widgets.lessons.lesson15.questions import QUESTIONS, QUIZZES

__all__ = ["QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Tensors and NumPy"
