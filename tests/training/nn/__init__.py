"""`tensorkit.nn` against PyTorch."""
