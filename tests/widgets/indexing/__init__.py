"""Tests of `tensorkit_widgets.indexing`."""
