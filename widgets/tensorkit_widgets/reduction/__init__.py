"""ReductionExplorer: which dimensions are folded, and into what; cumulative operations are not drawn here."""
