"""Tests of `tensorkit_widgets.bits`."""
