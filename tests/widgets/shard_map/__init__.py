"""Tests of `tensorkit_widgets.shard_map`."""
