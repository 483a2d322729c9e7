"""The layers: one file a kind of them. What they compute is in ``nn.functional`` and in ``ops``.

Source: https://docs.pytorch.org/docs/stable/nn.html
"""

from __future__ import annotations
