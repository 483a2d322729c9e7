"""Operations that make one tensor of several: `cat`, `stack` and their kin.

What splits is in `ops.views`.

Source: https://docs.pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops
"""
