"""Tests of `tensorkit_widgets.boxed`."""
