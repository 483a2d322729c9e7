"""Layers of ``nn`` against PyTorch's: activations and losses."""
