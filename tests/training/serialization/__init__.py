"""Files: what is saved comes back, from PyTorch and to it, and a bad file does no harm."""
