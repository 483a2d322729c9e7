"""MatmulExplorer: which row meets which column; other products are not drawn here."""
