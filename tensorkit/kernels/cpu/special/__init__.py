"""Special functions of one number, by the steps that PyTorch takes: Bessel functions, orthogonal polynomials.

Powers are in `kernels.cpu.pow`, short compiled functions in `kernels.cpu.elementwise_compiled`.
"""
