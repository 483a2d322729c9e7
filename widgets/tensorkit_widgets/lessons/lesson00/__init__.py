"""Lesson 00, is the machine ready: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson00.questions import QUESTIONS, TASKS
from tensorkit_widgets.lessons.lesson00.quizzes import QUIZZES

__all__ = ["QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Is your machine ready?"
