"""Compare every bit of every optimizer with PyTorch, without the two things that make its last digits the machine's.

Its vector loops multiply and add in one rounding: ``ATEN_CPU_CAPABILITY=default`` does without them. And its square
roots are MKL's, of which some are one unit off; here they are NumPy's. Prints what differs: nothing.
"""

from __future__ import annotations

from typing import Any

import numpy

import tensorkit
from tests.torch_oracle import require_torch
from tests.training.optim.training import CASES, distance, trained


def main() -> None:
    """Run all cases."""
    torch = require_torch()
    assert torch.backends.cpu.get_cpu_capability() == "DEFAULT"
    theirs = torch.Tensor.sqrt

    def root(own: Any) -> Any:
        exact = own.dtype in (torch.float32, torch.float64)
        return torch.from_numpy(numpy.asarray(numpy.sqrt(own.detach().numpy()))) if exact else theirs(own)

    torch.Tensor.sqrt, torch.Tensor.sqrt_ = root, lambda own: own.copy_(root(own))
    for name, cases in CASES.items():
        for options in cases:
            for kind in ("float64", "complex64"):
                own, expected = (trained(lib, name, options, kind, 3) for lib in (tensorkit, torch))
                if distance(own, expected, kind):
                    print(name, options, kind)


if __name__ == "__main__":
    main()
