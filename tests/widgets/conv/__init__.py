"""ConvExplorer: the windows, the sums, im2col, and what is refused."""
