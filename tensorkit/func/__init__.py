"""Functions of functions: gradients, Jacobians, a function over a batch, and a module with other parameters.

>>> tk.func.grad(lambda x: (x**3).sum())(tk.tensor([1.0, 2.0]))
tensor([ 3., 12.])
>>> tk.func.vmap(tk.func.grad(lambda x: x**3))(tk.tensor([1.0, 2.0]))
tensor([ 3., 12.])

They are built on `autograd`: derivatives are those of the backward pass, and `vmap` calls the function for one sample
after the other. The numbers are PyTorch's; it takes the time of all these calls.

Source: https://docs.pytorch.org/docs/stable/func.api.html
"""

from __future__ import annotations

from tensorkit.func.batched import vmap
from tensorkit.func.derivatives import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp
from tensorkit.func.stateless import functional_call, stack_module_state

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "stack_module_state",
    "vjp",
    "vmap",
]


def __dir__() -> list[str]:
    return __all__
