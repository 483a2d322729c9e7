"""The practice of each lesson, a folder for each; what asks, checks and draws it is in `practice`."""
