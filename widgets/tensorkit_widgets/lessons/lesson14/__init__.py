"""Lesson 14, Copies and lifetimes: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson14.exercises import TASKS
from tensorkit_widgets.lessons.lesson14.questions import QUESTIONS

__all__ = ["QUESTIONS", "TASKS", "TITLE"]

TITLE = "Copies and lifetimes"
