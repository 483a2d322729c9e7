"""Lesson 07, mathematics and broadcasting: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson07.exercises import PUZZLES, TASKS
from tensorkit_widgets.lessons.lesson07.questions import QUESTIONS, QUIZZES

__all__ = ["PUZZLES", "QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Mathematics and broadcasting"
