"""What tensorkit costs, measured side by side with what it is compared to; `python -m tests.benchmarks`."""

from __future__ import annotations
