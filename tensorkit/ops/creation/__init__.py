"""Operations that make a tensor of sizes and numbers: `zeros`, `full`, `arange`, `tril`, windows.

Random ones are in `ops.random`.

Source: https://docs.pytorch.org/docs/stable/torch.html#creation-ops
"""
