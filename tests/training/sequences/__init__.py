"""Layers of weights, recurrent layers, attention and transformers, against PyTorch."""
