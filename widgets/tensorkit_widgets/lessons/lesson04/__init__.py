"""Lesson 04, View and reshape: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson04.exercises import TASKS
from tensorkit_widgets.lessons.lesson04.questions import QUESTIONS
from tensorkit_widgets.lessons.lesson04.quizzes import QUIZZES

__all__ = ["QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "View and reshape"
