"""Lesson 08, reductions: its questions and exercises, with what proves them; another lesson's do not belong here."""

from tensorkit_widgets.lessons.lesson08.exercises import PUZZLES, TASKS
from tensorkit_widgets.lessons.lesson08.questions import QUESTIONS, QUIZZES

__all__ = ["PUZZLES", "QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Reductions"
