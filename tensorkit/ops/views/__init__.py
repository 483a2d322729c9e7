"""Operations that share their storage: slices, transposes, expansions, splits, `view` and `reshape`; and their
copies.

Source: https://docs.pytorch.org/docs/stable/tensor_view.html
"""
