"""Lesson 03, Transpose and permute: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson03.exercises import TASKS
from tensorkit_widgets.lessons.lesson03.questions import QUESTIONS
from tensorkit_widgets.lessons.lesson03.quizzes import PUZZLES, QUIZZES

__all__ = ["PUZZLES", "QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Transpose and permute"
