"""Tests of `tensorkit_widgets.timeline`."""
