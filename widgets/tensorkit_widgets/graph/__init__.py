"""GraphView: the graph that autograd records, its backward pass step by step.

Derivatives are computed by the library alone.
"""
