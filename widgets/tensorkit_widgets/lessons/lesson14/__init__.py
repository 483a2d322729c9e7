"""Lesson 14, Copies and lifetimes: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson14.exercises import TASKS
from tensorkit_widgets.lessons.lesson14.questions import QUESTIONS, QUIZZES

__all__ = ["QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Copies and lifetimes"
