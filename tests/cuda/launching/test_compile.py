"""Every kernel becomes PTX and machine code for a Turing and a Hopper GPU, on a computer that has neither."""

from __future__ import annotations

import importlib.util
import re
import weakref
from typing import Any

import numpy
import pytest

from tensorkit import dtypes
from tensorkit.dtypes import dtype
from tensorkit.kernels.cuda import compile as compiler
from tensorkit.kernels.cuda.families import Zip, arranged, zip_kernel
from tensorkit.kernels.cuda.half import identity
from tensorkit.kernels.cuda.runners import GpuRunner, Launch
from tensorkit.kernels.scalars import arithmetic, bessel, elementary, gamma_shares, questions, special
from tensorkit.kernels.scalars.forms import Scalar
from tests.support.garbage import collect

TURING, HOPPER = (7, 5), (9, 0)

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("numba_cuda", "cuda")),
    reason="numba-cuda is not installed: pip install 'tensorkit[cuda13]'",
)


def add(a: Any, b: Any, alpha: Any) -> Any:
    return a + alpha * b


def less(a: Any, b: Any) -> Any:
    return a < b


def check(spec: Zip, capability: tuple[int, int]) -> str:
    """The PTX of a kernel, once PTX and cubin have been looked at."""
    kernel = zip_kernel(spec, True)
    text = compiler.ptx(kernel, capability)
    machine = compiler.cubin(kernel, capability)
    name = f"sm_{capability[0]}{capability[1]}"
    assert f".target {name}" in text
    assert f".visible .entry {kernel.name}(" in text
    assert machine[:4] == b"\x7fELF"
    assert f".text.{kernel.name}".encode() in machine
    # The flags of a cubin's ELF header carry the architecture; which of their bytes has changed with time.
    assert capability[0] * 10 + capability[1] in machine[48:52]
    return text


@pytest.mark.parametrize("capability", [TURING, HOPPER], ids=["sm_75", "sm_90"])
@pytest.mark.parametrize("kind", dtypes.ALL, ids=lambda kind: kind.name)
def test_add(kind: dtype, capability: tuple[int, int]) -> None:
    check(Zip(add, kind, (kind, kind), kind, 0, 1), capability)


@pytest.mark.parametrize("capability", [TURING, HOPPER], ids=["sm_75", "sm_90"])
@pytest.mark.parametrize("dims", [0, 1, 2, 3, 4, 8])
def test_every_number_of_dimensions(dims: int, capability: tuple[int, int]) -> None:
    text = check(Zip(identity, dtypes.uint32, (dtypes.uint32,), dtypes.uint32, dims, 0), capability)
    # Count, two pointers, the size, two strides: plain 64-bit integers, nothing else.
    assert re.findall(r"\.param \.(\w+) \w+_param_\d+", text) == ["u64"] * (3 + 3 * dims)


@pytest.mark.parametrize("kind", dtypes.ALL, ids=lambda kind: kind.name)
def test_a_strided_copy_with_a_cast(kind: dtype) -> None:
    other = dtypes.float16 if kind is not dtypes.float16 else dtypes.complex64
    check(Zip(identity, kind, (other,), kind, 2, 0), TURING if kind.itemsize < 4 else HOPPER)


def test_float16_is_converted_by_the_gpu_itself() -> None:
    half = dtypes.float16
    text = check(Zip(add, half, (half, half), half, 0, 1), TURING)
    assert "cvt.f32.f16" in text
    assert "cvt.rn.f16.f32" in text
    assert "fma.rn.f32" in text


def test_a_comparison_stores_bytes() -> None:
    text = check(Zip(less, dtypes.ALL[12], (dtypes.int32, dtypes.float32), dtypes.float32, 0, 0), HOPPER)
    assert "st.global.u8" in text


def test_a_number_before_the_tensor() -> None:
    check(Zip(arranged(less, "nt"), dtypes.ALL[12], (dtypes.int32,), dtypes.int32, 0, 1), TURING)


BODIES = {
    f"{name}, {form}": (getattr(module, name), kind)
    for module in (arithmetic, bessel, elementary, gamma_shares, questions, special)
    for name in vars(module)
    for form, kind in (("real", dtypes.float32), ("complex", dtypes.complex64), ("whole", dtypes.int32))
    if isinstance(scalar := getattr(module, name), Scalar) and scalar.takes(kind)
    if form != "whole" or not scalar.takes(dtypes.float32)
}
RESULTS = {"COMPLEX": dtypes.complex64, "POLAR": dtypes.complex64}


@pytest.mark.parametrize("name", BODIES)
def test_every_scalar_body_fits_into_registers(name: str) -> None:
    scalar, kind = BODIES[name]
    body = scalar.of(kind)
    out = RESULTS.get(name.partition(",")[0], kind)
    if kind.is_complex and scalar in (arithmetic.ABSOLUTE, elementary.ANGLE):
        out = dtypes.float32
    inputs = (kind,) * body.__code__.co_argcount
    kernel = zip_kernel(Zip(body, out, inputs, kind, 0, 0, name=scalar.name), True)
    said = linked(compiler.ptx(kernel, TURING), kernel.name)
    # Of the kernel itself: a function of NVIDIA's library that it calls, such as lgamma's, saves registers of its own.
    own = said.partition(f"Function properties for {kernel.name}\n")[2].partition("\n")[0]
    assert "0 bytes spill stores, 0 bytes spill loads" in own
    assert not re.search(r"[1-9]\d* bytes spill", own)


def linked(text: str, name: str) -> str:
    """What the linker says of a kernel: its registers, and what did not fit into them."""
    from cuda.bindings import nvjitlink

    code, handle = text.encode(), nvjitlink.create(2, ["-arch=sm_75", "-verbose"])
    try:
        nvjitlink.add_data(handle, nvjitlink.InputType.PTX, code, len(code), name)
        nvjitlink.complete(handle)
        log = bytearray(nvjitlink.get_info_log_size(handle))
        nvjitlink.get_info_log(handle, log)
        return log.decode(errors="replace")
    finally:
        nvjitlink.destroy(handle)


def test_halves_are_rounded_between_the_steps_of_a_quotient() -> None:
    body = arithmetic.DOWN_QUOTIENT.of(dtypes.bfloat16)
    check(Zip(body, dtypes.bfloat16, (dtypes.bfloat16,) * 2, dtypes.bfloat16, 0, 0), TURING)


def test_each_input_has_a_dtype_to_compute_in() -> None:
    kinds = (dtypes.ALL[12], dtypes.float16, dtypes.int32)
    computes = (dtypes.ALL[12], dtypes.float32, dtypes.float32)
    check(Zip(questions.WHERE.of(dtypes.float32), dtypes.float32, kinds, computes, 2, 0), TURING)


def test_numba_cuda_is_left_as_it_was() -> None:
    dispatcher = importlib.import_module("numba.cuda.dispatcher")
    before = dispatcher.get_current_device
    check(Zip(add, dtypes.int8, (dtypes.int8, dtypes.int8), dtypes.int8, 1, 1), HOPPER)
    assert dispatcher.get_current_device is before


def test_what_the_linker_refuses_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = zip_kernel(Zip(add, dtypes.uint8, (dtypes.uint8, dtypes.uint8), dtypes.uint8, 4, 1), True)
    monkeypatch.setattr(compiler, "ptx", lambda kernel, capability: "this is no PTX")
    with pytest.raises(RuntimeError, match=r"^nvJitLink cannot link add_uint8\w+ for sm_75: .*PTX"):
        compiler.cubin(kernel, TURING)


class Notebook:
    """Something that a notebook holds in a global name."""


def test_a_bound_function_keeps_only_what_it_names_alive() -> None:
    notebook = {"factor": 3, "big": Notebook(), "__name__": "notebook"}
    exec("def body(x):\n    return (lambda y: factor * y)(x)", notebook)
    big = weakref.ref(notebook["big"])
    copy = compiler.bind(notebook["body"], {}, lambda function: function)  # type: ignore[arg-type]
    notebook.clear()
    collect()
    assert copy(7) == 21
    assert big() is None


class Launches:
    """A GPU and its streams that only write down what they are told: what ``cuda.core`` would be handed."""

    compute_capability = HOPPER
    core = "default stream"

    def __init__(self) -> None:
        self.seen: list[tuple[Any, ...]] = []

    def select(self) -> Launches:
        self.seen.append(("current",))
        return self

    def current(self) -> Launches:
        return self

    def most_blocks(self, per_unit: int) -> int:
        return 2 * per_unit

    def launch(self, *what: Any) -> None:
        self.seen.append(what)


@pytest.mark.parametrize(("count", "blocks"), [(1, 1), (256, 1), (257, 2), (10**6, 32)])
def test_the_gpu_runner_launches_with_plain_numbers(count: int, blocks: int) -> None:
    gpu, runner = Launches(), GpuRunner()
    runner._streams = lambda index: gpu  # type: ignore
    runner._launch = gpu.launch
    runner._load = lambda kernel, index, device: "code"  # type: ignore[method-assign]
    kernel = zip_kernel(Zip(add, dtypes.float32, (dtypes.float32,) * 2, dtypes.float32, 2, 1), True)
    arguments = (count, 4096, 8192, 12288, (2, 3), (3, 1), (1, 2), (0, 1), (0.1,))
    assert runner.launch(Launch(kernel, arguments, 0, (), count)) == (blocks, 256)
    current, (stream, config, code, *values) = gpu.seen
    assert (current, stream, code) == (("current",), "default stream", "code")
    assert (config.grid, config.block) == ((blocks, 1, 1), (256, 1, 1))
    assert values[:-1] == [count, 4096, 8192, 12288, 2, 3, 3, 1, 1, 2, 0, 1]
    assert all(type(value) is int for value in values[:-1])
    assert type(values[-1]) is numpy.float32
    parameters = re.findall(r"\.param \.\w+ \w+_param_\d+", compiler.ptx(kernel, TURING))
    assert len(parameters) == len(values)
