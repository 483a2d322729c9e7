"""MemoryMap: the tensors of a namespace by storage, and what each cell changed.

One tensor alone is StrideExplorer's.
"""
