"""Tests of the memory map."""
