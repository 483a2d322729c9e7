"""The families of distributions, a chapter a file: discrete choices, counts, and what lies on a line or among vectors.

Source: https://docs.pytorch.org/docs/stable/distributions.html
"""

from __future__ import annotations
