"""Lesson 24, Sharded tensors: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson24.exercises import TASKS
from tensorkit_widgets.lessons.lesson24.questions import QUESTIONS, QUIZZES

__all__ = ["QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Sharded tensors"
