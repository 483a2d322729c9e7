"""IndexExplorer: what stands between the brackets, what it selects, and where a write goes.

Slices of a view chain are StrideExplorer's.
"""
