"""KernelTracer: which thread of a kernel touches which slot, step by step. What is wrong, ``tensorkit.cuda`` finds."""
