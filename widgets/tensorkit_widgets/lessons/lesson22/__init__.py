"""Lesson 22, streams and honest timing: its questions and exercises, with what proves them.

Another lesson's do not belong here.
"""

from tensorkit_widgets.lessons.lesson22.exercises import TASKS
from tensorkit_widgets.lessons.lesson22.questions import QUESTIONS
from tensorkit_widgets.lessons.lesson22.quizzes import QUIZZES

__all__ = ["QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Streams and honest timing"
