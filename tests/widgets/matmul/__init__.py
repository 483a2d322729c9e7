"""Tests of `tensorkit_widgets.matmul`."""
