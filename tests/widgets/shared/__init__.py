"""Tests of what all widgets are built on."""
