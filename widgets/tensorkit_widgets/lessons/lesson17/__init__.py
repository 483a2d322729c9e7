"""Lesson 17, Images as tensors: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson17.exercises import TASKS
from tensorkit_widgets.lessons.lesson17.questions import QUESTIONS, QUIZZES

__all__ = ["QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Images as tensors"
