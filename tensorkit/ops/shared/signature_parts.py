"""Parameters that many of PyTorch's signatures end with: what the `forms` of several blocks are written with."""

from __future__ import annotations

MEMORY_FORMAT = "tensorkit.memory_format memory_format = None"
GENERATOR = "tensorkit.Generator generator"
#: Of an operation with several results.
OUTS = "tuple of Tensors out = None"
#: Of a reduction.
REDUCED = "bool keepdim = False, *, tensorkit.dtype dtype = None, Tensor out = None"
#: Of what creates a tensor.
FACTORY = (
    "tensorkit.dtype dtype = None, tensorkit.layout layout = None, tensorkit.device device = None, "
    "bool pin_memory? = False, bool requires_grad? = False"
)
