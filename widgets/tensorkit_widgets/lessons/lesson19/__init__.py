"""Lesson 19, Autograd in practice: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson19.exercises import TASKS
from tensorkit_widgets.lessons.lesson19.questions import QUESTIONS, QUIZZES

__all__ = ["QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Autograd in practice"
