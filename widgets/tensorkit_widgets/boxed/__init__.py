"""BoxedMemory: Python's lists of boxed numbers beside a tensor's storage; other storages are in `memory`."""
