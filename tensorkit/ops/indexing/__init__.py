"""Operations that read or write at indices: ``t[...]``, `gather`, `scatter`, `index_select`, masks, `take`.

Source: https://docs.pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops
"""
