"""What is read of a tensor, once, and kept: no widget, no drawing.

All libraries' tensors become the same `Snapshot` here.
"""
