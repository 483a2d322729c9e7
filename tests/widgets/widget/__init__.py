"""Tests of `tensorkit_widgets.widget`."""
