"""Every registered operation on an emulated device: its samples give what they give on the CPU, and stay there.

The CPU's own results are compared with PyTorch's elsewhere (`tests.parity`). Here the same calls meet tensors on a
device: the dtype, size, stride, offset and values must be the same, the error of the same class, and no byte may cross
to the host or from it but where PyTorch's own operation waits for the host.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

import tensorkit as tk
from tensorkit import dtypes
from tensorkit.dispatch.registry import Op, Sample, registry
from tensorkit.errors import AcceleratorError, MissingKernelError
from tensorkit.kernels.cuda import emulated_devices
from tensorkit.tensor import on_storage
from tests.parity.compare import Operand, build, compiled
from tests.parity.coverage import Coverage
from tests.support.warnings import recorded

OPS = sorted((op for op in registry.values() if op.samples), key=lambda op: op.name)
LAYOUTS = ("plain", "transposed", "sliced", "expanded", "turned")
DTYPES = tuple(kind.name for kind in dtypes.ALL)
COVERAGE = Coverage("operations that do on an emulated device what they do on the CPU, by dtype")
REFUSED: dict[str, str] = {}
CROSSED: dict[str, str] = {}  # operations whose calls moved bytes between the host and the device

#: What looks at the host's memory by its nature: arrays, buffers, Python functions, texts.
OF_THE_HOST = {
    *(
        "numpy",
        "from_numpy",
        "frombuffer",
        "asarray",
        "apply_",
        "map_",
        "map2_",
        "type",
        "pin_memory",
        "is_pinned",
    ),
    *("cpu", "cuda", "to", "share_memory_"),
    "detach_",  # here the operands of the CPU are views, and those of the device none
}
#: What draws, or reads memory that nobody wrote: on a device the numbers are others than on the CPU.
DRAWN = {op.name for op in OPS if any("manual_seed" in sample.call for sample in op.samples)}
DRAWN |= {op.name for op in OPS if "empty" in op.name or "resize" in op.name} | {"bernoulli"}


#: What does something else with infinities and what is no number, on GPUs in PyTorch too.
TELLING_ELSEWHERE = {
    # what infinities become as int32, C leaves open
    *("int", "cumsum", "cumprod"),
    # added up in more digits here: what overflows on the way on the CPU does not
    *("norm", "linalg_norm", "linalg_vector_norm", "frobenius_norm", "nansum"),
    # of complex numbers: rounded at every step on the CPU
    *("exp2", "exp2_", "ldexp", "ldexp_", "logcumsumexp", "renorm", "renorm_"),
    # the mean of an infinity depends on the order in which a mean is brought up to date
    *("std_mean", "var_mean"),
    # a chance beyond 1 the kernel notices, if anything does
    *("bernoulli", "bernoulli_"),
}
#: What is looked at on the CPU alone, so that a device need not be waited for.
UNCHECKED = (
    *("q values must be in the range", "Expected p_in >= 0"),
    *("should be between 0 and 1", "is out of bounds."),
)


#: What moves bytes between the host and the device, and why; nothing else may.
MAY_CROSS = {
    # the program asks for numbers
    **dict.fromkeys(("item", "tolist", "is_nonzero", "equal", "allclose"), "asks"),
    # how many there are decides the size of the result
    **dict.fromkeys(("nonzero", "argwhere", "masked_select", "combinations", "repeat_interleave"), "counts"),
    # a number on the device is taken as one of the host's, in PyTorch too
    **dict.fromkeys(("masked_fill", "index_fill", "clamp"), "number"),
    # PyTorch looks whether these are chances or deviations
    **dict.fromkeys(("normal", "multinomial"), "checks"),
    # lists, and numbers that the host has worked out, are sent there
    **dict.fromkeys(("tensor", "as_tensor", "__getitem__", "__setitem__"), "sends"),
    **dict.fromkeys(("logspace", "range", "tril_indices", "triu_indices", "kaiser_window"), "sends"),
    **dict.fromkeys(
        ("max", "min"), "sends"
    ),  # into `out=`, the extreme of no element: a number that the host knows
    **dict.fromkeys(("quantile", "nanquantile", "mvlgamma", "unravel_index"), "sends"),
    # how many elements each window counts, and the matrix of a Fourier transform, the host works out
    **dict.fromkeys(
        (op.name for op in OPS if re.search(r"avg_pool|^fft_|^interpolate|^max_unpool", op.name)), "sends"
    ),
    # the slopes are drawn between two numbers
    "rrelu": "asks",
}
#: Sums of large and small numbers, whose rounding depends on the order in which they are added.
TELLING_ELSEWHERE_OF = "fft_"
#: Calls that ask or send by what they are written with, whatever operation they are about.
ASKING = ("tk.tensor(", "tk.equal(", "tk.as_tensor(", "Generator")


@dataclass
class Outcome:
    """What a call gave or raised, the operands afterwards, and the bytes that it moved to the device and from it."""

    value: Any
    error: Exception | None
    operands: dict[str, Any]
    crossed: tuple[int, int] = (0, 0)


def moved(tensor: tk.Tensor) -> tk.Tensor:
    """The same slots in the same layout on a device, the bits of a view included."""
    there = on_storage(tensor.untyped_storage().cuda(), tensor._lay(), tensor._dtype)
    if tensor._bits:
        there._bits = tensor._bits
    return there


def run(call: str, operands: Mapping[str, Operand], *, on_device: bool) -> Outcome:
    """Evaluate a call on the CPU, or on a device: then new tensors are made there too."""
    names: dict[str, Any] = {name: build(tk, operand) for name, operand in operands.items()}
    if on_device:
        names = {name: moved(tensor) for name, tensor in names.items()}
    tk.set_default_device("cuda" if on_device else None)
    value, error = None, None
    before = crossed()
    try:
        with recorded():
            value = eval(compiled(call), {"tk": tk, **names})
            if on_device:
                tk.cuda.synchronize()
    except Exception as problem:
        error = problem
    finally:
        tk.set_default_device(None)
    sent, fetched = (now - then for now, then in zip(crossed(), before, strict=True))
    return Outcome(value, error, names, (sent, fetched))


def crossed() -> tuple[int, int]:
    """Bytes moved so far to the emulated devices and from them."""
    memory = emulated_devices()
    assert memory is not None
    return memory.traffic.h2d, memory.traffic.d2h


def tensors(value: Any) -> Iterator[tk.Tensor]:
    if isinstance(value, tk.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from tensors(part)


def facts(tensor: tk.Tensor) -> tuple[Any, ...]:
    return tensor.dtype, tuple(tensor.size()), tensor.stride(), tensor.storage_offset()


def difference(here: Outcome, there: Outcome, rounded: float) -> str | None:
    """What a call did otherwise on a device; None where it did the same."""
    if any(text in str(here.error) for text in UNCHECKED):
        return None
    if "ZeroDivisionError" in str(here.error):
        return None  # a GPU divides whole numbers by 0 and says nothing, in PyTorch too
    if "for generator but found 'cpu'" in str(there.error):
        return None  # the samples draw from a generator of the CPU's
    if here.error is not None and there.error is not None:
        told = isinstance(there.error, AcceleratorError) and "device-side assert" in str(there.error)
        if told or type(here.error) is type(there.error):
            return None
        return f"raised {there.error!r} instead of {here.error!r}"
    if here.error is not None or there.error is not None:
        return f"raised {there.error!r:.200} where the CPU raised {here.error!r:.200}"
    given = [id(operand) for operand in here.operands.values()]
    pairs = [*zip(tensors(here.value), tensors(there.value), strict=True)]
    pairs += [*zip(here.operands.values(), there.operands.values(), strict=True)]
    for ours, theirs in pairs:
        if theirs.device.type != "cuda" and id(ours) not in given:
            return f"a result on {theirs.device}"
        if facts(ours) != facts(theirs):
            return f"{facts(theirs)} instead of {facts(ours)}"
        back = theirs.detach().cpu()
        if not same_numbers(back, ours.detach(), rounded):
            return f"{back.tolist()!s:.150} instead of {ours.tolist()!s:.150}"
    return None


def same_numbers(a: tk.Tensor, b: tk.Tensor, rounded: float) -> bool:
    if a.dtype is b.dtype and a._nd().tobytes() == b._nd().tobytes():
        return True  # asked first, being quick; their sizes are known to be the same
    if not a.dtype.is_floating_point and not a.dtype.is_complex:
        return bool(tk.equal(a, b))
    digits = {"float64": 1e-12, "complex128": 1e-12, "float16": 4e-3, "bfloat16": 3e-2}.get(
        a.dtype.name, 4e-6
    )
    digits *= max(rounded, 1)
    wide = tk.complex128 if a.dtype.is_complex else tk.float64
    return bool(tk.allclose(a.to(wide), b.to(wide), rtol=digits, atol=digits, equal_nan=True)) or both_odd(
        a, b
    )


def both_odd(a: tk.Tensor, b: tk.Tensor) -> bool:
    """Which part of an infinite complex number is nan is chance."""
    if not a.dtype.is_complex:
        return False
    odd = ~(a.isfinite() | b.isfinite())
    zero = tk.zeros((), dtype=a.dtype)
    return bool(tk.allclose(tk.where(odd, zero, a), tk.where(odd, zero, b), rtol=1e-5, atol=1e-5))


def cases(op: Op, sample: Sample) -> Iterator[dict[str, Operand]]:
    """The sample on plain float32, on every layout, and on some dtypes that the name chooses."""
    rng = random.Random(zlib.crc32(op.name.encode()))
    kinds = rng.sample(DTYPES, 7) if sample.sizes else ["float32"]
    layouts = LAYOUTS if sample.sizes else ("plain",)
    rng.shuffle(kinds)
    for number in range(max(len(layouts), len(kinds))):
        layout, kind = layouts[number % len(layouts)], kinds[number % len(kinds)]
        yield {name: Operand(size, kind, layout, seed=number) for name, size in sample.sizes.items()}
    if sample.sizes:
        for number, kind in enumerate(
            kinds if not op.name.startswith(TELLING_ELSEWHERE_OF) and op.name not in TELLING_ELSEWHERE else ()
        ):
            yield {
                name: Operand(size, kind, "plain", number, "telling") for name, size in sample.sizes.items()
            }
        for size in ((), (0,), (0, 3), (1, 1)):
            yield {name: Operand(size, "float32") for name in sample.sizes}


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_an_operation_does_on_a_device_what_it_does_on_the_cpu(op: Op) -> None:
    if op.name in OF_THE_HOST:
        pytest.skip("it looks at the host's memory")
    wrong = []
    for sample in op.samples:
        drawn = op.name in DRAWN or "rand" in sample.call or "empty" in sample.call
        for operands in cases(op, sample):
            with tk.cuda.emulate(devices=1):
                here, there = (
                    run(sample.call, operands, on_device=False),
                    run(sample.call, operands, on_device=True),
                )
                if isinstance(there.error, MissingKernelError) and not isinstance(
                    here.error, MissingKernelError
                ):
                    REFUSED[op.name] = str(there.error).split("\n")[0]
                    continue
                if there.error is None and any(there.crossed) and not any(t in sample.call for t in ASKING):
                    CROSSED[op.name] = f"{sample.call}: {there.crossed}"
                found = None if drawn and here.error is None else difference(here, there, op.rounded)
            if found:
                wrong.append(f"{sample.call} on {operands}: {found}")
            else:
                COVERAGE.add(op.name, {operand.dtype for operand in operands.values()})
    assert not wrong, f"{len(wrong)} cases, among them:\n" + "\n".join(wrong[:5])


def test_what_has_no_kernel_is_known_by_name() -> None:
    """Runs after the others: what they refused is on the list, or a special function."""
    COVERAGE.notes.append(f"refused by name: {len(REFUSED)}, {', '.join(sorted(REFUSED))}")
    loss = "multilabel_margin_loss"  # its loop refuses what the CPU's refuses in another sentence
    unknown = {name: text for name, text in REFUSED.items() if "special" not in text and name != loss}
    assert unknown == {}


def test_bytes_cross_only_where_they_have_to() -> None:
    """Runs after the others, too: an operation that is on no list left all numbers where they were."""
    COVERAGE.notes.append(f"move bytes between host and device: {len(CROSSED)}, {', '.join(sorted(CROSSED))}")
    assert {
        name: call for name, call in CROSSED.items() if not {name, name.removesuffix("_")} & set(MAY_CROSS)
    } == {}
