"""`trace`, `explain` and their pictures: what happened in a line of code, call by call.

The engine's own events are in `tensorkit.tracing`.
"""
