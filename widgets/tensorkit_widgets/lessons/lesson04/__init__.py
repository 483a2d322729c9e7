"""Lesson 04, dtypes: its questions and exercises, with what proves them; another lesson's do not belong here."""

from tensorkit_widgets.lessons.lesson04.exercises import TASKS
from tensorkit_widgets.lessons.lesson04.questions import QUESTIONS
from tensorkit_widgets.lessons.lesson04.quizzes import PUZZLES, QUIZZES

__all__ = ["PUZZLES", "QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "dtypes"
