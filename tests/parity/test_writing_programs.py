"""Programs that write in every way: after every step each tensor of the family is what it is in PyTorch.

Compared are whether a step is refused and what it returns; and of each tensor its values, dtype, size, strides,
offset, version, the bits of conjugates and negatives, the size of its storage, and with whom it shares that. Sentences
and warnings are compared of item writes alone: of calls they are for the tests of samples and of wrong calls. Before
the next step ours take the bytes of PyTorch's, so that last digits do not add up.
"""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

import tensorkit
from tests.parity.compare import Operand, same_error
from tests.parity.programs.hypothesis_draws import run_programs
from tests.parity.programs.views import Hand
from tests.parity.programs.writing import Step, built, first_steps, next_step
from tests.parity.programs.writing_run import TALLY, Over, Program, Side, same

pytestmark = pytest.mark.parity

PROGRAMS = 400
MEMBERS = 9


def _play(data: bytes, torch: Any) -> None:
    hand = Hand(data)
    program = Program(torch)
    program.dtype, steps = first_steps(hand)
    for step in steps:
        program.step(step)
    for _ in range(hand.pick((4, 3, 5, 6))):
        full = len(program.members) >= MEMBERS
        for step in next_step(hand, torch, program.theirs.names, program.members, program.dtype, full=full):
            program.step(step)
    TALLY.count("programs")


def _to_its_end(data: bytes, torch: Any) -> None:
    with contextlib.suppress(Over):
        _play(data, torch)


def test_every_step_of_a_program_is_pytorchs(torch: Any) -> None:
    run_programs(
        lambda data: _to_its_end(data, torch), count=PROGRAMS, length=120, seed=5, share="programs that write"
    )
    assert TALLY.never() == []


def _plain(size: tuple[int, ...], dtype: str = "float32", layout: str = "plain") -> Operand:
    return Operand(size, dtype, layout, 7)


#: What generated programs found: the operands of a call with ``out=``, which come last, and the call.
FOUND: dict[str, tuple[tuple[Operand, ...], str, int]] = {
    "a refused one of several": (
        (_plain((3, 3)), _plain((3, 3)), _plain((), "int64")),
        "tk.linalg.inv_ex(m0, out=(m1, m2))",
        2,
    ),
    "shared slots in one of several": (
        (_plain((3, 4)), _plain((3, 4), "float32", "expanded"), _plain((3, 4), "int64")),
        "tk.sort(m0, out=(m1, m2))",
        2,
    ),
    "shared slots of another size": (
        (_plain((2, 3)), _plain((2, 3, 2), "float32", "expanded")),
        "tk.round(m0, out=m1)",
        1,
    ),
    "shared slots that are resized by columns": (
        (_plain((3, 3)), _plain((2, 3, 2), "float32", "expanded")),
        "tk.linalg.inv(m0, out=m1)",
        1,
    ),
    "shared slots of a sum's kin": (
        (_plain((3, 4)), _plain((3,), "int64", "expanded")),
        "tk.argmax(m0, 1, out=m1)",
        1,
    ),
    "shared slots of a mean": (
        (_plain((3, 3)), _plain((3,), "float32", "expanded")),
        "tk.mean(m0, 0, out=m1)",
        1,
    ),
    "resized row by row": ((_plain((3, 2)), _plain((2,)), _plain((3,))), "tk.orgqr(m0, m1, out=m2)", 1),
    "resized row by row, of several": (
        (_plain((3, 2)), _plain((3,)), _plain((0,))),
        "tk.geqrf(m0, out=(m1, m2))",
        2,
    ),
    "an offset that stays": (
        (_plain(()), _plain((1,), "float32", "offset"), _plain((), "int64")),
        "tk.kthvalue(m0, 1, out=(m1, m2))",
        2,
    ),
    "parts that are resized": (
        (_plain((2, 3)), _plain((5,)), _plain((3,))),
        "tk.unbind_copy(m0, out=(m1, m2))",
        2,
    ),
    "a draw that is resized": (
        (_plain((0,)),),
        "tk.rand(3, generator=tk.Generator().manual_seed(3), out=m0)",
        1,
    ),
    "a draw of another dtype": ((_plain((2,)),), "tk.normal(1, 1, (2,), dtype=tk.int64, out=m0)", 1),
    "truth as bytes": ((_plain((2, 3)), _plain((), "uint8")), "tk.all(m0 / 8, out=m1)", 1),
    "the operand seen another way": (
        (_plain((2, 3)),),
        "tk.index_add(m0, 0, tk.tensor([0]), tk.ones(1, 3), out=m0.view(2, 3))",
        0,
    ),
    "places in the operand": ((_plain((), "int64"),), "tk.nonzero(m0, out=m0)", 1),
    "a number before a tensor": (
        (_plain((2, 3), "int64"), _plain((2, 3), "int64")),
        "tk.bitwise_and(2, m0, out=m1)",
        1,
    ),
    "a number among bounds": ((_plain((3,)), _plain((), "int64")), "tk.bucketize(2, m0, out=m1)", 1),
    "an old flag": ((_plain((2, 3)), _plain(())), "tk.var(m0, False, out=m1)", 1),
    "sizes of complex numbers": ((_plain((2, 3), "complex64"),), "tk.abs(m0, out=m0)", 1),
    "sizes in another dtype": (
        (_plain((2, 3), "complex64"), _plain((2, 3), "float64")),
        "tk.abs(m0, out=m1)",
        1,
    ),
    "no difference at all": ((_plain((2, 3)), _plain((5,))), "tk.diff(m0, n=0, out=m1)", 1),
    "a step of another dtype": (
        (_plain((2, 3), "int64"), _plain((2, 3))),
        "tk.heaviside(m0, m0, out=m1)",
        1,
    ),
    "whole numbers, turned": (
        (_plain((2, 3), "int32", "transposed"), _plain((0,), "int32")),
        "tk.nan_to_num(m0, out=m1)",
        1,
    ),
    "negatives, resized": (
        (_plain((2, 3), "float32", "transposed"), _plain((1,), "float32", "turned")),
        "tk.cos(m0, out=m1)",
        1,
    ),
    "the smaller of two": (
        (_plain((2, 3), "int32"), _plain((2, 3), "int32")),
        "tk.minimum(m0, m0, out=m1)",
        1,
    ),
    "narrowed without a word": ((_plain((3,)), _plain((3,))), "tk.narrow_copy(m0, 0, 0, 2, out=m1)", 1),
    "crossed without a word": ((_plain((3,)), _plain((3,))), "tk.cross(m0, m0, out=m1)", 1),
    "one number of bools": ((_plain((2, 3), "bool"),), "tk.linspace(1, 2, 1, out=m0)", 1),
    "one power of bools": ((_plain((2, 3), "bool"),), "tk.logspace(1, 2, 1, out=m0)", 1),
    "a draw that is refused": ((_plain((5,)), _plain((0,))), "tk.normal(m0, 2, out=m1)", 1),
    "a draw of integers, resized": (
        (_plain((0, 3), "int32"),),
        "tk.rand(2, generator=tk.Generator().manual_seed(3), out=m0)",
        1,
    ),
    "a draw of no integers": (
        (_plain((0,), "int32"),),
        "tk.randn(0, generator=tk.Generator().manual_seed(3), out=m0)",
        1,
    ),
    "a draw into negatives": (
        (_plain((3,), "float32", "turned"),),
        "tk.randn(2, generator=tk.Generator().manual_seed(3), out=m0)",
        1,
    ),
    "normal numbers, broadcast": (
        (_plain((2, 3)), _plain((3,))),
        "tk.normal(m0, 2, generator=tk.Generator().manual_seed(3), out=m1)",
        1,
    ),
    "places among complex numbers": (
        (_plain((3,), "complex64"), _plain((3,), "int64")),
        "tk.searchsorted(m0, m0, out=m1)",
        1,
    ),
    "a spread that is infinite": ((_plain((2,)), _plain((), "float64")), "tk.var(m0 * 1e30, out=m1)", 1),
    "a spread in sixteen bits": ((_plain((3,)), _plain((), "float16")), "tk.var(m0 * 1e30, out=m1)", 1),
    "a spread among complex numbers": (
        (_plain((2, 3)), _plain((3,), "complex64")),
        "tk.var(m0, 0, out=m1)",
        1,
    ),
    "a real mean of complex numbers": ((_plain((3,), "complex64"), _plain(())), "tk.mean(m0, out=m1)", 1),
    "sizes in shared slots": (
        (_plain((2, 3), "complex64"), _plain((2, 3, 2), "float32", "expanded")),
        "tk.abs(m0, out=m1)",
        1,
    ),
    "taken in the order of the places": (
        (_plain((3,)), _plain((2, 2, 2))),
        "tk.take(m0, tk.tensor([[0, 2], [1, 1]]).t(), out=m1)",
        1,
    ),
    "not, in uint64": ((_plain((3,)), _plain((3,), "uint64")), "tk.logical_not(m0, out=m1)", 1),
    "a rank in uint64": ((_plain((2, 3)), _plain((), "uint64")), "tk.linalg.matrix_rank(m0, out=m1)", 1),
    "added to in uint64": (
        (_plain((2, 3), "uint64"), Operand((2, 3), "uint64", "plain", 9)),
        "tk.index_add(m0, 0, tk.tensor([0]), m0[:1], out=m1)",
        1,
    ),
    "powers in shared slots": (
        (_plain((2, 3)), _plain((3, 2), "float64", "expanded")),
        "tk.float_power(m0, m0, out=m1)",
        1,
    ),
    "the larger in shared slots": (
        (_plain((2, 3)), _plain((3, 2), "float32", "expanded")),
        "tk.max(m0, m0, out=m1)",
        1,
    ),
    "the least, in its own indices": (
        (_plain((2, 2), "int64"), _plain((2,), "int64")),
        "tk.kthvalue(m0, 1, out=(m1, m0[0]))",
        0,
    ),
    "the middle, in itself": (
        (_plain((3,), "int64"), _plain((), "int64")),
        "tk.median(m0, 0, out=(m0, m1))",
        0,
    ),
    "exponents as the fractions lie": (
        (_plain((2, 3), "float32", "transposed"), _plain((2, 3)), _plain((2, 3, 2), "int32")),
        "tk.frexp(m0, out=(m1, m2))",
        2,
    ),
    "an older name": ((_plain((3,)), _plain((3, 3))), "tk.ger(m0, m0, out=m1)", 1),
    "more than a dtype counts": ((_plain((2, 3), "uint8"),), "tk.randperm(300, dtype=tk.uint8, out=m0)", 1),
    "a sum of products in another dtype": (
        (_plain((2, 2), "bool"), _plain((3, 2, 1), "uint8"), _plain((2, 2), "uint8")),
        "tk.addbmm(m0, m1, m1.mT, out=m2)",
        1,
    ),
    "a complex spread in shared slots": (
        (_plain((2, 3), "complex64"), _plain((2,), "complex64", "expanded")),
        "tk.std(m0, out=m1)",
        1,
    ),
    "the least of nothing": ((_plain((0,), "int64"), _plain((), "int16")), "tk.min(m0, out=m1)", 1),
    "a factor of nothing": (
        (_plain((0, 3), "int64"), _plain((0, 3), "float16")),
        "tk.cholesky(m0, out=m1)",
        1,
    ),
    "a draw that wants a gradient": (
        (_plain((3,), "float32", "turned"),),
        "tk.normal(1, 2, [3], requires_grad=True, generator=tk.Generator().manual_seed(3), out=m0)",
        1,
    ),
    "sizes of columns, resized": (
        (_plain((2, 3), "complex64", "transposed"), _plain((0,))),
        "tk.abs(m0, out=m1)",
        1,
    ),
    "slices into nothing": (
        (_plain((0, 3)), _plain((2, 3)), _plain((0, 3))),
        "tk.index_add(m0, 0, tk.tensor([0, 1]), m1, out=m2)",
        1,
    ),
    "a row times a matrix": (
        (_plain((2,)), _plain((2, 3)), _plain((3,), "float32", "sliced")),
        "tk.matmul(m0, m1, out=m2)",
        1,
    ),
    "fewer reflectors than columns": (
        (_plain((2, 3), "float64"), _plain((2,), "float64"), _plain((2, 3), "float64")),
        "tk.ormqr(m0, m1, m0, out=m2)",
        1,
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_the_programs_found_stays_mended(name: str, torch: Any) -> None:
    operands, call, outs = FOUND[name]
    program = Program(torch)
    for place, operand in enumerate(operands):
        program.step(built(f"m{place}", operand))
    written = tuple(f"m{place}" for place in range(len(operands)))[-outs:] if outs else ("m0",)
    kind = "out= of several" if outs > 1 else "out="
    name = call[3 : call.index("(")].replace(".", "_")
    program.step(Step(kind, call, "", written, tuple({"m0"} - set(written)), name))
    assert len(program.lines) == len(operands) + 1


#: The same for other lines than calls with ``out=``: the only operand, and the line.
FOUND_LINES: dict[str, tuple[Operand, str]] = {
    "filled with its own": (_plain((3,), "int64", "expanded"), "m0[:] = m0[0]"),
    "negatives as bools": (_plain((2,), "bool"), "m0[...] = tk._neg_view(m0.float())"),
    "negatives as large counts": (_plain((2, 3), "uint32"), "m0[...] = tk._neg_view(m0.half())"),
    "batches of nothing": (
        _plain((2, 2), "float32", "expanded"),
        "m0.addbmm_(m0.new_ones(0, 2, 2), m0.new_ones(0, 2, 2))",
    ),
    "pairs of nothing": (
        _plain((3, 2, 2), "float32", "expanded"),
        "m0.baddbmm_(m0.new_ones(3, 2, 0), m0.new_ones(3, 0, 2))",
    ),
    "negatives of itself": (_plain((3,)), "m0[:2].add_(tk._neg_view(m0)[1:])"),
    "into negatives": (_plain((1,), "float32", "turned"), "m0 += m0.flatten()[0]"),
    "conjugates where it points": (_plain((2, 2), "complex64"), "m0[tk.tensor([1])] = m0[0].conj()"),
    "an operand that is too small": (_plain((2,)), "tk.add(m0, tk.ones(2, 2), out=m0)"),
    "a product with nothing": (
        _plain((3,), "int32", "expanded"),
        "m0.addmv_(m0.new_ones(3, 0), m0.new_ones(0), beta=2)",
    ),
}


@pytest.mark.parametrize("name", FOUND_LINES)
def test_what_other_lines_found_stays_mended(name: str, torch: Any) -> None:
    operand, line = FOUND_LINES[name]
    ours, theirs = Side(tensorkit), Side(torch)
    for side in (ours, theirs):
        side.run(built("m0", operand).line)
    mine, reference = ours.run(line), theirs.run(line)
    assert same_error(mine[0], reference[0]) is None
    assert same(ours.names["m0"], theirs.names["m0"], 0.0, True) is None
