"""Tests of `tensorkit_widgets.generator_stream`."""
