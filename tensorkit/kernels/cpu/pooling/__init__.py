"""Pooling on the CPU: `windows` of an array, which are compiled in `windows_compiled`."""

from __future__ import annotations
