"""Tests of the device map."""
