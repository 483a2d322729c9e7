"""Tests of `tensorkit_widgets.broadcast`."""
