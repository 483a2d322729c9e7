"""Questions, exercises, quizzes and puzzles: asked, checked, drawn, remembered; what a lesson asks is in `lessons`."""
