"""Programs that hypothesis makes and both libraries run."""
