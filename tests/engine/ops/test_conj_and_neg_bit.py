"""Views that stand for conjugates or negatives, and real views of complex numbers: as in PyTorch, question by question.

Every operation meets such operands in `tests/parity/test_samples.py` too (the layout "turned").
"""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk
from tests.parity.questions import disagreement, lines

#: What the questions speak of.
WORLD = """
lambda z, w, r: (lambda n, c, v, q, m, d, e: ({question}))(
    z.conj().imag, z.conj(), w * 1, r * 1, tk.tensor([1 + 2j]).conj().imag,
    tk.tensor([[1 + 2j, 3 - 4j]], dtype=tk.complex128).mH, tk.zeros(0, 3, dtype=tk.cfloat).conj().imag)
"""
ROOTS = """(
    tk.tensor([1 + 2j, 3 - 4j, 5 + 0j]), tk.tensor([1 + 2j, 3 - 4j, 5 + 0j], requires_grad=True),
    tk.tensor([[1., 2], [3, 4], [5, 6]], requires_grad=True))"""


@pytest.mark.parity
@pytest.mark.parametrize("question", lines("bits"))
def test_the_answer_is_pytorchs(both_warn: Any, question: str) -> None:
    asked = f"({WORLD.format(question=question)}){ROOTS}".replace("\n", " ")
    for library in (both_warn, tk):
        library.manual_seed(0)
    assert disagreement(both_warn, tk, asked) is None


def test_what_is_written_to_the_conjugates_imaginary_parts_arrives() -> None:
    z = tk.tensor([1 + 2j, 3 - 4j])
    imaginary = z.conj().imag
    imaginary[0] = 7.0
    imaginary += 1
    assert imaginary.tolist() == [8.0, 5.0]
    assert z.tolist() == [1 - 8j, 3 - 5j]


def test_a_write_through_a_real_view_of_complex_numbers_is_differentiated() -> None:
    def written(w: tk.Tensor, x: tk.Tensor) -> tk.Tensor:
        v = w * 1
        tk.view_as_real(v)[:, 0].mul_(x)
        v.conj().imag[1:].add_(x[1:])
        return v * v

    def paired(r: tk.Tensor, x: tk.Tensor) -> tk.Tensor:
        q = r * 1
        tk.view_as_complex(q)[1:].mul_(x)
        return q * q

    w = tk.tensor([1 + 2j, 3 - 4j, 5 + 1j], dtype=tk.complex128, requires_grad=True)
    x = tk.tensor([2.0, 3.0, 4.0], dtype=tk.float64, requires_grad=True)
    assert tk.autograd.gradcheck(written, (w, x))
    assert tk.autograd.gradgradcheck(written, (w, x))
    r = tk.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=tk.float64, requires_grad=True)
    y = tk.tensor([2 + 1j], dtype=tk.complex128, requires_grad=True)
    assert tk.autograd.gradcheck(paired, (r, y))
    assert tk.autograd.gradgradcheck(paired, (r, y))
