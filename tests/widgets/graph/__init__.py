"""Tests of `tensorkit_widgets.graph`."""
