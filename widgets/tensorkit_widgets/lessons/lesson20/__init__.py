"""Lesson 20, devices: its questions and exercises, with what proves them; another lesson's do not belong here."""

from tensorkit_widgets.lessons.lesson20.exercises import TASKS
from tensorkit_widgets.lessons.lesson20.questions import QUESTIONS, QUIZZES

__all__ = ["QUESTIONS", "QUIZZES", "TASKS", "TITLE"]

TITLE = "Devices"
