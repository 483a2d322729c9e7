"""Tests of `tensorkit_widgets.training`."""
