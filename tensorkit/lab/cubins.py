"""Compile kernels for GPUs into one file, on a computer that needs neither a GPU nor a driver.

``python -m tensorkit.lab.cubins FILE`` runs the samples of the operations with a device that runs nothing and writes
down the kernels requested, compiles each for sm_75, sm_80 and sm_90, and packs them (``kernels.cuda.pack``).
A GPU's computer that finds the pack needs ``cuda.core`` and no compiler.
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import tensorkit
from tensorkit.dispatch.registry import registry
from tensorkit.kernels import cuda
from tensorkit.kernels.cuda import compile as compiler
from tensorkit.kernels.cuda import pack
from tensorkit.kernels.cuda.compile import Kernel
from tensorkit.kernels.cuda.pack import Capability
from tensorkit.kernels.cuda.runners import GpuRunner, Launch
from tensorkit.lab import samples
from tensorkit.lab.ending import command
from tensorkit.lab.errors import LabError
from tensorkit.process.whole_file import beside

_ARCHITECTURES = (75, 80, 86, 87, 89, 90, 100, 103, 120, 121)
CAPABILITIES: tuple[Capability, ...] = ((7, 5), (8, 0), (9, 0))
DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8", "bool", "complex64")
#: Copies and sums that lie otherwise than row by row, in one to four dimensions, on `t` of that many.
LAYOUTS = (
    "t[..., ::2].clone()",
    "t.transpose(0, -1).contiguous()",
    "t.transpose(0, -1) + t",
    "t.transpose(0, -1) * t",
    "t + t[:1]",
    "t.transpose(0, -1).sum()",
)


class _Collector:
    """A runner that runs nothing: it writes down the kernels that a GPU would run."""

    name, native_half, apart = "gpu", GpuRunner.native_half, GpuRunner.apart

    def __init__(self) -> None:
        self.kernels: dict[Kernel, None] = {}

    def pointer(self, operand: Any, first: int, raw: str) -> int:
        return 0

    def launch(self, asked: Launch) -> tuple[int, int]:
        self.kernels[asked.kernel] = None
        return 1, 1

    def typed(self, kernel: Kernel, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        return arguments

    def ready(self, kernel: Kernel, threads: int, device: int) -> None:
        return None

    def parts(self, rows: int, columns: int) -> int:
        return 1


def collect(names: Iterable[str] | None = None, kinds: Sequence[str] = DTYPES) -> list[Kernel]:
    """The kernels that operations ask a GPU for.

    Args:
        names: of the operations; by default all, and copies in other layouts too.
        kinds: the dtypes to try each with.
    """
    runner = _Collector()
    with cuda.emulate(devices=1, capacity=2**28), cuda.using(runner), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = tensorkit.get_default_device()
        tensorkit.set_default_device("cuda")
        for call, given in _calls(names, kinds):
            try:
                eval(call, {"tk": tensorkit, **given})  # noqa: S307 -- our own samples
            except (
                Exception
            ):  # what is refused, and what fails on values that were never computed, has no kernel
                continue
        tensorkit.set_default_device(before)
    return list(runner.kernels)


def _calls(names: Iterable[str] | None, kinds: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    samples.attach()
    chosen = registry.values() if names is None else [registry[name] for name in names]
    for kind in kinds:
        dtype = getattr(tensorkit, kind)
        for op in chosen:
            for sample in op.samples:
                sizes = sample.sizes.items()
                yield sample.call, {n: tensorkit.ones(size).to(dtype) for n, size in sizes}
        for dims in range(1, 5) if names is None else ():
            t = tensorkit.ones((4,) * dims).to(dtype)
            yield from ((call, {"t": t}) for call in LAYOUTS)


def spilled(kernel: Kernel, capability: Capability) -> int:
    """How many bytes of a kernel's own numbers do not fit into registers: what the linker says."""
    from cuda.bindings import nvjitlink

    code = compiler.ptx(kernel, capability).encode()
    handle = nvjitlink.create(2, [f"-arch=sm_{capability[0]}{capability[1]}", "-verbose"])
    try:
        nvjitlink.add_data(handle, nvjitlink.InputType.PTX, code, len(code), kernel.name)
        nvjitlink.complete(handle)
        log = bytearray(nvjitlink.get_info_log_size(handle))
        nvjitlink.get_info_log(handle, log)
    finally:
        nvjitlink.destroy(handle)
    said = log.decode(errors="replace").partition(f"Function properties for {kernel.name}\n")[2]
    return sum(map(int, re.findall(r"(\d+) bytes spill", said.partition("\n")[0])))


def build(path: Path, kernels: Iterable[Kernel], capabilities: Sequence[Capability] = CAPABILITIES) -> int:
    """Compile kernels and write them as a pack; how many pieces of machine code are in it.

    Raises:
        RuntimeError: for a kernel whose numbers do not fit into registers, or that the linker refuses.
    """
    code: dict[tuple[str, Capability], bytes] = {}
    for kernel in kernels:
        name = pack.key(kernel)
        for capability in capabilities if name is not None else ():
            if lost := spilled(kernel, capability):
                raise RuntimeError(f"{kernel.name} spills {lost} bytes on sm_{capability[0]}{capability[1]}")
            code[str(name), capability] = compiler.cubin(kernel, capability)
    pack.write(path, code)
    return len(code)


@command
def main(words: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m tensorkit.lab.cubins", description="Pack kernels for GPUs."
    )
    parser.add_argument("file", type=Path, help="the pack to write")
    parser.add_argument("--arch", type=int, nargs="+", choices=_ARCHITECTURES, default=[75, 80, 90])
    parser.add_argument("--dtype", nargs="+", default=list(DTYPES), help="to try each operation with")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="just the kernels of these operations")
    asked = parser.parse_args(words)
    for name in asked.only or ():
        if name not in registry:
            raise LabError(f"There is no operation called {name!r}; see tensorkit.dispatch.registry.")
    for name in asked.dtype:
        if not isinstance(getattr(tensorkit, name, None), tensorkit.dtype):
            raise LabError(f"There is no dtype called {name!r}; choose of: {', '.join(DTYPES)}.")
    kernels = collect(asked.only, asked.dtype)
    print(f"{len(kernels)} kernels", file=sys.stderr)
    with beside(asked.file) as written:
        count = build(written, kernels, [divmod(number, 10) for number in asked.arch])
    print(f"{asked.file}: {count} pieces of machine code, {asked.file.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
