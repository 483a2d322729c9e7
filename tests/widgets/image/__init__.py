"""Tests of `tensorkit_widgets.image`."""
