"""Tests of what trains models: optimizers, modules, data and files."""
