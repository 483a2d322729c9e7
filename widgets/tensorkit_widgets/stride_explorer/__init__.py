"""StrideExplorer: storage, offset and stride of one tensor, and a chain of views; several storages are MemoryMap's."""
