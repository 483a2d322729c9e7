"""What every operation does with a tensor whose storage was freed: in a process of its own, which a fault would end.

``python -m tests.engine.memory.freed_memory WHERE`` prints each call before it is tried, and below it, after ``!``,
what is wrong. A call must be refused in the words of `REFUSED`, or need nothing of what is in the tensor: then it gives
the same for other numbers, or a view of the freed memory.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import tensorkit as tk
from tensorkit.dispatch.registry import Op, Sample, registry
from tensorkit.lab import samples
from tests.parity.compare import Operand, build

REFUSED = "are out of bounds for storage of size "
samples.attach()
OPS = sorted((op for op in registry.values() if op.samples), key=lambda op: op.name)
LAYOUTS = ("plain", "transposed", "sliced")
#: How many samples of an operation are tried on an emulated device.
FEW = 2

#: What no sample says: large tensors (compiled loops and threads), Python's protocols, other libraries, other routes.
ROUTES = """
    t.sum(); t.mean(); t.var(); t.max(); t.argmax(); t.cumsum(0); t.softmax(0); t.sort(); t.topk(3); t.unique()
    t.nonzero(); t.fill_(3); t.zero_(); t.add_(t); t.exp_(); t.copy_(tk.ones_like(t)); t.random_(); t.normal_()
    t.uniform_(); t + 1; 1 - t; t @ t; -t; t == t; t.exp(); t.clone(); t.double(); t.to(tk.int32); t.bool()
    tk.where(t > 0, t, 0); t.view(1000, 1000).t() + 1; t.view(1000, 1000).t().contiguous()
    t.view(1000, 1000) @ tk.ones_like(t).view(1000, 1000)
    t[0] + 1; t[3:5] * 2; t[::2].sum(); t[t > 0]; t[[1, 2]]; t[tk.arange(2, device=t.device)]; tk.ones_like(t)[t.long()]
    t.__setitem__(0, 3); t.__setitem__(slice(None), 3); t.__setitem__([1, 2], 3); tk.cat([t, t]); tk.stack([t, t])
    tk.add(tk.ones_like(t), 1, out=t); tk.exp(tk.ones_like(t), out=t); tk.ones_like(t).copy_(t); tk.ones_like(t).add_(t)
    t.view(tk.int32).sum(); tk.view_as_complex(t.view(-1, 2)).conj().sum(); tk.view_as_complex(t.view(-1, 2)).imag.sum()
    tk.empty(0, device=t.device).set_(t).sum(); t.expand(3, 1000000).sum(); t.unfold(0, 2, 1).sum(); tk.tensor(t)
    t.tolist(); t[0].item(); float(t[0]); int(t[0]); bool(t[0]); complex(t[0]); 3 in t; [1, 2][t[0].long()]
    repr(t); str(t); f"{t}"; format(t[0], ".2f"); [x.item() for x in t[:3]]
    pickle.dumps(t); copy.deepcopy(t); copy.deepcopy({"a": t[1:]}); copy.copy(t).sum(); t.to("cpu") + 1; t.__dlpack__()
"""
#: Those of the CPU's memory alone.
OF_THE_HOST = """
    t.numpy(); t[3:].numpy(); numpy.asarray(t); numpy.array(t); numpy.add(t, 1); numpy.from_dlpack(t); tk.from_dlpack(t)
    t.apply_(float); t.map_(t, max); t.share_memory_().sum(); t.as_strided((3,), (1,))
"""


def calls(text: str) -> Iterator[str]:
    for call in text.replace("\n", ";").split(";"):
        if call.strip():
            yield call.strip()


def freed(where: str, left: int) -> tk.Tensor:
    """A large tensor in a storage of so few bytes."""
    t = tk.arange(1_000_000.0, device=where)
    t.sum()
    t.untyped_storage().resize_(left)
    return t


def told(call: str, names: dict[str, Any]) -> tuple[Exception | None, Any]:
    """The error of a call and its result."""
    try:
        result = eval(call, {"tk": tk, **names})
        tk.cuda.synchronize() if tk.cuda.is_available() else None
    except Exception as error:
        return error, None
    return None, result


def _tensors(result: Any) -> list[tk.Tensor]:
    if isinstance(result, (tuple, list)):
        return [tensor for part in result for tensor in _tensors(part)]
    return [result] if isinstance(result, tk.Tensor) else []


def operands(sample: Sample, layout: str, where: str, seed: int = 0) -> dict[str, Any]:
    made = {
        name: build(tk, Operand(size, "float32", layout, seed + place))
        for place, (name, size) in enumerate(sample.sizes.items())
    }
    return {name: tensor.to(where) if where != "cpu" else tensor for name, tensor in made.items()}


def try_sample(sample: Sample, layout: str, where: str) -> Iterator[tuple[str, str | None]]:
    """The call with each operand freed in turn, and what is wrong with it."""
    if told(sample.call, operands(sample, layout, where))[0] is not None:
        return  # it is refused whatever is in memory
    for name in sample.sizes:
        given, others = operands(sample, layout, where), operands(sample, layout, where)
        if not given[name].numel():
            continue
        storage = given[name].untyped_storage()
        storage.resize_(0)
        yield f"{sample.call}, freed {name}", None
        error, result = told(sample.call, given)
        if error is not None:
            if type(error) is not RuntimeError or REFUSED not in str(error):
                yield sample.call, repr(error)
            continue
        if any(part.untyped_storage() is storage for part in _tensors(result)):
            continue  # a view of it
        plain = told(sample.call, others)[1]
        others = operands(sample, layout, where)
        others[name] = operands(sample, layout, where, seed=7)[name]
        other = told(sample.call, others)[1]
        if repr(plain) != repr(other):
            yield sample.call, f"gave {type(result).__name__}, which depends on what was freed"


def try_operation(op: Op, where: str) -> Iterator[tuple[str, str | None]]:
    for turn, sample in enumerate(op.samples if where == "cpu" else op.samples[:FEW]):
        yield from try_sample(sample, LAYOUTS[turn % len(LAYOUTS)], where)


def try_routes(where: str) -> Iterator[tuple[str, str | None]]:
    import copy
    import pickle

    import numpy

    names = {"copy": copy, "pickle": pickle, "numpy": numpy}
    for call in calls(ROUTES if where != "cpu" else ROUTES + OF_THE_HOST):
        yield call, None
        error, _ = told(call, {**names, "t": freed(where, 0)})
        if type(error) is not RuntimeError or REFUSED + "0" not in str(error):
            yield call, repr(error)


def main(where: str) -> None:
    warnings.simplefilter("ignore")
    for found in (try_routes(where), *(try_operation(op, where) for op in OPS)):
        with contextlib.nullcontext() if where == "cpu" else tk.cuda.emulate(devices=1):
            for call, wrong in found:
                print(call if wrong is None else f"! {call}: {wrong}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
