"""DeviceMap: the memories of the host and of the devices, and what each cell carried from one to another.

What stands in one memory, slot by slot, is MemoryMap's.
"""
