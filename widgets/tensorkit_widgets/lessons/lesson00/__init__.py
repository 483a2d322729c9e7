"""Lesson 00, is the machine ready: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson00.questions import QUESTIONS, TASKS

__all__ = ["QUESTIONS", "TASKS", "TITLE"]

TITLE = "Is your machine ready?"
