"""Lesson 13, Writing in place: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson13.exercises import TASKS
from tensorkit_widgets.lessons.lesson13.questions import QUESTIONS, QUIZZES

__all__ = ["QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Writing in place"
