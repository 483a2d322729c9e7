"""Tests of the puzzles: the ladder, the functions under a rule, the comparison of layouts."""
