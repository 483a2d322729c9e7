"""Lesson 12, Vectorised, and timed: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson12.exercises import TASKS
from tensorkit_widgets.lessons.lesson12.questions import QUESTIONS, QUIZZES

__all__ = ["QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Vectorised, and timed"
