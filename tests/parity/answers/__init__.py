"""What PyTorch answers to single calls: strides of results, orders of additions, refusals."""
