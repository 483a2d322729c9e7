"""Tests of `tensorkit_widgets.reduction`."""
