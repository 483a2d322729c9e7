"""Tests of `tensorkit_widgets.stride_explorer`."""
