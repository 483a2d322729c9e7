"""Memory of the engine: freed, and more than there is."""
