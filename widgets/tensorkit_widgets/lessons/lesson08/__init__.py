"""Lesson 08, Creating tensors: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson08.exercises import TASKS
from tensorkit_widgets.lessons.lesson08.questions import QUESTIONS
from tensorkit_widgets.lessons.lesson08.quizzes import QUIZZES

__all__ = ["QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Creating tensors"
