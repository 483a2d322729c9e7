"""Fit a line to noisy points, on whichever device there is.

The program names no device but in one place: what the command line asks for, if it is there. Try

    python device_agnostic.py                 # a GPU if there is one, the CPU if not
    python device_agnostic.py --disable-cuda  # the CPU
    TENSORKIT_CUDA=emulated python device_agnostic.py  # an emulated device, which the CPU imitates
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import tensorkit as tk


def chosen_device(disable_cuda: bool) -> tk.device:
    """A CUDA device where there is one and it does not matter; the CPU otherwise."""
    return tk.device("cuda" if tk.cuda.is_available() and not disable_cuda else "cpu")


def fit(device: tk.device, steps: int) -> tuple[float, float]:
    """Gradient descent from a flat line; returns the slope and the offset."""
    x = tk.linspace(-1, 1, 64, device=device)
    y = 3 * x - 1 + 0.1 * tk.randn(64, device=device)
    line = tk.zeros(2, device=device, requires_grad=True)
    for _ in range(steps):
        loss = ((line[0] * x + line[1] - y) ** 2).mean()
        loss.backward()
        with tk.no_grad():
            line -= 0.3 * line.grad
            line.grad = None
    slope, offset = line.tolist()
    return slope, offset


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, fit, print."""
    parser = argparse.ArgumentParser(description="Fit a line to noisy points, on whichever device there is.")
    parser.add_argument(
        "--disable-cuda", action="store_true", help="use the CPU even where there is a CUDA device"
    )
    parser.add_argument("--steps", type=int, default=100, help="how many steps to take (default: 100)")
    asked = parser.parse_args(arguments)
    device = chosen_device(asked.disable_cuda)
    tk.manual_seed(0)
    slope, offset = fit(device, asked.steps)
    print(f"on {device}: y = {slope:.2f} * x {'+' if offset >= 0 else '-'} {abs(offset):.2f}")


if __name__ == "__main__":
    main()
