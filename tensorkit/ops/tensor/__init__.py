"""What a `Tensor` has beside the mathematics: queries, Python's protocols, typed constructors, functions that
write in place.

Source: https://docs.pytorch.org/docs/stable/tensors.html
"""
