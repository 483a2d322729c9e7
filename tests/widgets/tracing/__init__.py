"""Tests of `trace` and `explain`."""
