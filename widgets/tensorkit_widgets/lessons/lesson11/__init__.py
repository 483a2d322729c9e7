"""Lesson 11, Reductions: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson11.exercises import TASKS
from tensorkit_widgets.lessons.lesson11.questions import QUESTIONS, QUIZZES

__all__ = ["QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Reductions"
