"""An error of tensor code explained by sizes and values; what happened before it is in the trace."""
