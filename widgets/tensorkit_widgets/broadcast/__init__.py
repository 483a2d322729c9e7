"""BroadcastExplorer: sizes aligned from the right, and which elements are read again; arithmetic is not drawn here."""
