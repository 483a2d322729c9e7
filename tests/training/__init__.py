"""Training: networks, optimisers, data, files. What PyTorch gives is the oracle wherever it can be asked."""
