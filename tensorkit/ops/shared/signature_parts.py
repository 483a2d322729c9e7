"""Parameters that many of PyTorch's signatures end with: what the `forms` of several blocks are written with."""

from __future__ import annotations

MEMORY_FORMAT = "tensorkit.memory_format memory_format = None"
GENERATOR = "tensorkit.Generator generator"
#: For operations with several results.
OUTS = "tuple of Tensors out = None"
#: For reductions.
REDUCED = "bool keepdim = False, *, tensorkit.dtype dtype = None, Tensor out = None"
#: For functions that create a tensor.
FACTORY = (
    "tensorkit.dtype dtype = None, tensorkit.layout layout = None, tensorkit.device device = None, "
    "bool pin_memory? = False, bool requires_grad? = False"
)
