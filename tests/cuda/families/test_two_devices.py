"""Every operation with operands on two devices does what is asked, or refuses as PyTorch does and writes nothing.

Each sample of each operation is called with every operand elsewhere than the others, the one written to included, and
with what the call itself makes (an index, what is given as ``out=``) elsewhere than the operands.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.dispatch.registry import Op, Sample
from tensorkit.errors import AcceleratorError, DeviceMismatchError, MissingKernelError
from tensorkit.kernels.cuda.memory import EmulatedMemory
from tests.cuda.elsewhere import Elsewhere
from tests.cuda.families.test_every_operation import OF_THE_HOST, OPS, moved
from tests.parity.compare import Operand, build
from tests.torch_oracle import fuzz_seconds

pytestmark = pytest.mark.fuzz

TOGETHER = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
#: How many samples of an operation meet two devices in an ordinary run.
FEW = 4
#: What PyTorch says of two devices in words of its own.
WORDS = (
    *("same device", "device type for generator", "scalar tensor and on CPU", "too many CPU scalars"),
    "the devices must match",
)
MAKING = ("tk.empty(", "tk.tensor(", "tk.zeros(", "tk.ones(", "tk.eye(", "tk.full(", "tk.arange(")


def places(sample: Sample) -> Iterator[tuple[bool, tuple[bool, ...]]]:
    """Whether what the call makes is on the device, and which operands are; not all of them, and not none."""
    count, making = len(sample.sizes), any(text in sample.call for text in MAKING)
    found = {
        tuple((n == apart) is there for n in range(count))
        for apart in range(count)
        for there in (True, False)
    }
    for where in sorted(found):
        for made in (False, True) if making else (where[0],):
            if len({made, *where}) == 2:
                yield made, where


def outcome(call: str, lib: Any, operands: dict[str, tk.Tensor]) -> tuple[Exception | None, bool]:
    """The error of a call, and whether the operands hold what they held before."""
    before = {name: repr(tensor.cpu()) for name, tensor in operands.items()}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            eval(call, {"tk": lib, **operands})
            tk.cuda.synchronize()
    except AcceleratorError as error:
        return error, True  # the device is lost, and what it held
    except Exception as error:
        return error, before == {name: repr(tensor.cpu()) for name, tensor in operands.items()}
    return None, True


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_operands_on_two_devices_are_refused_before_anything_is_written(op: Op) -> None:
    if op.name in OF_THE_HOST:
        pytest.skip("it looks at the host's memory")
    wrong, done = [], 0
    for sample in op.samples:
        if done >= FEW and not fuzz_seconds():
            break
        for made, where in places(sample):
            with tk.cuda.emulate(devices=1):
                plain = {name: build(tk, Operand(size, "float32")) for name, size in sample.sizes.items()}
                pairs = zip(plain.items(), where, strict=True)
                operands = {name: moved(tensor) if there else tensor for (name, tensor), there in pairs}
                error, kept = outcome(sample.call, Elsewhere("cuda") if made else tk, operands)
                usual = outcome(sample.call, tk, plain)[0] if error and not _is_pytorchs(error) else error
            if type(usual) is not type(error) or not kept:
                wrong.append(f"{sample.call}, on the device {where}, {made}: {error!r}, {kept=}")
            done += isinstance(error, DeviceMismatchError)
    assert not wrong, f"{len(wrong)} cases, among them:\n" + "\n".join(wrong[:4])


def _is_pytorchs(error: Exception) -> bool:
    known = isinstance(error, (DeviceMismatchError, AcceleratorError, MissingKernelError))
    return known or (isinstance(error, RuntimeError) and any(words in str(error) for words in WORDS))


@pytest.mark.parametrize(
    "written",
    [
        lambda t, g: t.__iadd__(g),
        lambda t, g: t.add_(g),
        lambda t, g: t[:1].__iadd__(g[:1]),
        lambda t, g: t.lerp_(g, 0.5),
        lambda t, g: t.addcmul_(g, g),
        lambda t, g: t.masked_scatter_(t > 0, g),
        lambda t, g: t.index_put_((tk.tensor([0, 1]),), g),
        lambda t, g: t.index_add_(0, tk.tensor([0, 1]), g),
        lambda t, g: t.scatter_(0, tk.tensor([0, 1]), g),
        lambda t, g: t.put_(tk.tensor([0, 1]), g),
        lambda t, g: tk.add(t, g, out=t),
        lambda t, g: tk.sub(g, g, out=t),
        lambda t, g: tk.exp(g, out=t),
        lambda t, g: tk.where(g > 0, g, g, out=t),
        lambda t, g: tk.sum(g, 0, out=t),
        lambda t, g: tk.cumsum(g, 0, out=t),
        lambda t, g: tk.max(g, 0, out=(t, tk.empty(0, dtype=tk.int64))),
        lambda t, g: tk.sort(g, out=(t, tk.empty(0, dtype=tk.int64))),
        lambda t, g: tk.cat((g, g), out=t),
        lambda t, g: tk.mv(g.view(1, 2), g, out=t),
        lambda t, g: tk.tril(g.view(1, 2), out=t),
    ],
)
def test_what_is_written_to_is_on_the_device_of_what_is_read(written: Any, memory: EmulatedMemory) -> None:
    for here, there in (("cpu", "cuda"), ("cuda", "cpu")):
        target, gradient = tk.zeros(2, device=here), tk.ones(2, device=there)
        with pytest.raises(RuntimeError) as caught:
            written(target, gradient)
        assert "on the same device" in str(caught.value)
        assert target.tolist() == [0, 0]


def test_a_number_on_the_cpu_joins_tensors_on_a_device_and_not_the_other_way(memory: EmulatedMemory) -> None:
    energy, row, part = tk.tensor(0.0), tk.zeros(2), tk.tensor(1.0, device="cuda")
    with pytest.raises(RuntimeError) as caught:
        energy += part
    assert str(caught.value).startswith(TOGETHER)
    with pytest.raises(RuntimeError) as caught:
        row[0] += part
    assert str(caught.value).startswith(TOGETHER)
    with pytest.raises(RuntimeError, match="same device"):
        tk.add(part, part, out=energy)
    assert (energy.item(), energy._version) == (0, 0)
    part += tk.tensor(2.0)
    assert (part + tk.tensor(0.5)).item() == (tk.tensor(0.5) + part).item() == 3.5
    assert tk.where(part > 0, tk.tensor(4.0), part).item() == 4
    with pytest.raises(RuntimeError, match="too many CPU scalars"):
        part.addcmul_(tk.tensor(1.0), tk.tensor(1.0))
