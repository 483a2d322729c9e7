"""What networks are made of: activations, convolution, pooling, normalisation, losses, embeddings, attention.

A layer of ``nn`` keeps parameters and calls one of these. In the chapter of PyTorch's documentation:
https://docs.pytorch.org/docs/stable/nn.functional.html
"""

from __future__ import annotations

__all__: list[str] = []
