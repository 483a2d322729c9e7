"""`tk.cuda.jit`: ``kernel[grid, block](…)`` on an emulated device, and by Numba on a GPU."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit.kernels import cuda as kernels
from tensorkit.kernels.cuda.compile import _as_if_on
from tests.cuda.learners import cuda


@tk.cuda.jit(device=True)
def square(x: float) -> float:
    return x * x


@tk.cuda.jit
def squares(x: Any, out: Any) -> None:
    """Each number times itself."""
    i = cuda.grid(1)
    if i < out.size:
        out[i] = square(x[i])


@pytest.fixture(autouse=True)
def devices() -> Iterator[None]:
    with tk.cuda.emulate():
        yield


def tensors(n: int = 5) -> tuple[tk.Tensor, tk.Tensor]:
    return tk.arange(float(n), device="cuda"), tk.zeros(n, device="cuda")


@pytest.mark.parametrize(
    "configuration", [(2, 4), ((2,), (4, 1)), (numpy.int64(2), [4]), (2, 4, 0), (2, 4, None, 64)]
)
def test_it_is_called_as_in_every_tutorial(configuration: Any) -> None:
    x, out = tensors()
    squares[configuration](x, out)
    assert out.tolist() == [0, 1, 4, 9, 16]


def test_arrays_of_numpy_hold_the_result() -> None:
    x, out = numpy.arange(5.0), numpy.zeros(5)
    squares[2, 4](x, out)
    assert out.tolist() == [0, 1, 4, 9, 16]


def test_it_is_queued_on_the_stream_that_is_given() -> None:
    side = tk.cuda.Stream()
    x, out = tensors()
    tk.cuda.synchronize()
    with side._queue.held():
        squares[2, 4, side](x, out)
        assert not out._store()._buffer._bytes.any()
    side.synchronize()
    assert out.tolist() == [0, 1, 4, 9, 16]


def test_shared_memory_whose_size_the_launch_says() -> None:
    @tk.cuda.jit
    def sizes(out: Any) -> None:
        out[0] = cuda.shared.array(0, numpy.float32).size

    out = numpy.zeros(1)
    sizes[1, 1, 0, 48](out)
    assert out[0] == 12


def test_for_all() -> None:
    x, out = tensors(300)
    squares.forall(300)(x, out)
    assert out.tolist() == (x * x).tolist()
    squares.forall(0)(x, None)
    with pytest.raises(ValueError, match="Can't create ForAll with negative task count: -1"):
        squares.forall(-1)


@pytest.mark.parametrize("decorate", [
    tk.cuda.jit, tk.cuda.jit(), tk.cuda.jit("void(float32[:], float32[:])"), tk.cuda.jit(["(float64[:], float64[:])",
    "(float32[:], float32[:])"]), tk.cuda.jit(fastmath=True, opt=True, debug=False, lineinfo=True, max_registers=32),
])  # fmt: skip
def test_it_decorates_in_every_form(decorate: Any) -> None:
    kernel = decorate(squares.py_func)
    x, out = tensors()
    kernel[2, 4](x, out)
    assert out.tolist() == [0, 1, 4, 9, 16]


def test_numbers_are_of_the_types_of_the_signature() -> None:
    def store(x: Any, number: Any) -> None:
        x[0] = number

    x = numpy.zeros(1)
    tk.cuda.jit("void(float64[:], int32)")(store)[1, 1](x, 2.7)
    assert x[0] == 2
    tk.cuda.jit("void(float64[:], float32)")(store)[1, 1](x, 0.1)
    assert x[0] == numpy.float32(0.1)
    with pytest.raises(
        TypeError, match=r"^No matching definition for argument .* float32\[:\], int64: store is "
    ):
        tk.cuda.jit("void(float64[:], int32)")(store)[1, 1](numpy.zeros(1, numpy.float32), 2)


def test_it_is_still_the_function() -> None:
    assert inspect.signature(squares) == inspect.signature(squares.py_func)
    assert (squares.__name__, squares.__doc__) == ("squares", "Each number times itself.")
    assert squares.py_func.__name__ == "squares"
    assert repr(squares) == "<tensorkit.cuda.jit of squares>"
    assert pickle.loads(pickle.dumps(squares)) is squares


def test_launch_and_trace_take_it() -> None:
    x, out = numpy.arange(5.0), numpy.zeros(5)
    assert tk.cuda.trace(squares, 2, 4, x, out).findings == ()
    tk.cuda.launch(squares, 2, 4, 2 * x, out)
    assert out.tolist() == [0, 4, 16, 36, 64]


def test_numbas_own_kernels_may_call_it_and_it_may_be_made_of_one() -> None:
    @cuda.jit  # type: ignore[untyped-decorator]
    def fourth(x: Any, out: Any) -> None:
        out[0] = square(square(x[0]))

    out = numpy.zeros(1)
    tk.cuda.jit(fourth)[1, 1](numpy.full(1, 2.0), out)
    assert out[0] == 16
    types = import_module("numba.cuda.types")
    for kernel in (fourth, squares):
        with _as_if_on((7, 5)):
            signature = types.void(types.float64[:], types.float64[:])
            text, _ = cuda.compile(kernel.py_func, signature, device=False, abi="numba", cc=(7, 5))
        assert ".visible .entry" in str(text)


def test_what_is_refused() -> None:
    x, out = tensors()
    with pytest.raises(ValueError, match=r"^Kernel launch .*\n\nsquares\[blockspergrid, .*\]\(x, out\)$"):
        squares(x, out)
    for wrong in ((2,), (1, 1, 0, 0, 0)):
        with pytest.raises(ValueError, match="must specify at least the griddim and blockdim"):
            squares[wrong]
    with pytest.raises(TypeError, match="square is a device function"):
        square[1, 1](x)
    with pytest.raises(TypeError, match=r"the third thing in kernel\[…\] is a stream, or 0, not str"):
        squares[1, 1, "side"](x, out)
    with pytest.raises(TypeError, match=r"cuda\.jit has no option fastmat: it knows boundscheck, cache"):
        tk.cuda.jit(fastmat=True)
    with pytest.raises(TypeError, match="a kernel is a Python function"):
        tk.cuda.jit(3)


def test_without_a_device_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorkit.kernels.cuda.emulator._emulated", None)
    if tk.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(AssertionError, match=r"tk.cuda.emulate\(\)"):
        squares[1, 1](numpy.ones(1), numpy.ones(1))


def test_on_a_gpu_numba_is_handed_the_function_and_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Numba is asked for: `test_gpu` runs it where there is a GPU."""
    asked: list[Any] = []

    class Compiled:
        py_func = squares.py_func

        def __getitem__(self, configuration: Any) -> Any:
            asked.append(configuration)
            return lambda *args: asked.append(args)

    def numbas(*signatures: Any, **options: Any) -> Any:
        asked.append((signatures, options))
        return lambda function: Compiled()

    stream = SimpleNamespace(current=lambda: SimpleNamespace(handle=0))
    monkeypatch.setattr("tensorkit.kernels.cuda.emulator._emulated", None)
    monkeypatch.setattr("tensorkit.kernels.cuda.emulator._gpus", lambda: (1, ""))
    monkeypatch.setattr(kernels, "streams_of", lambda index: stream)
    monkeypatch.setattr(cuda, "jit", numbas)
    kernel = tk.cuda.jit("void(float64[:], float64[:])", fastmath=True)(squares.py_func)
    kernel[2, (3, 4)]("x", "out")
    kernel[1, 1]("x", "out")
    assert asked == [
        ((["void(float64[:], float64[:])"],), {"fastmath": True}),
        ((2,), (3, 4), 0, 0), ("x", "out"), ((1,), (1,), 0, 0), ("x", "out"),
    ]  # fmt: skip
