"""Lesson 07, Casting and promotion: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson07.exercises import TASKS
from tensorkit_widgets.lessons.lesson07.questions import QUESTIONS
from tensorkit_widgets.lessons.lesson07.quizzes import QUIZZES

__all__ = ["QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Casting and promotion"
