"""BitView and its scenes: the bits of one number, and what casts do to them; whole tensors are drawn elsewhere."""
