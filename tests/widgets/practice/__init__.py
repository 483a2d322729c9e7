"""Tests of questions, exercises, quizzes and puzzles."""
