"""TrainingView: loss, weights, gradients and a batch with what the net says of it, while a loop trains."""
