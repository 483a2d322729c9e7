"""What nvJitLink says of a kernel that it has made machine code of: no driver is needed."""

from __future__ import annotations

import re
from typing import NamedTuple

from tensorkit.kernels.cuda import compile as compiler
from tensorkit.kernels.cuda.compile import Kernel


class Linked(NamedTuple):
    """Registers of a thread; bytes of them that did not fit, stored and loaded; bytes of a thread's own memory."""

    registers: int
    spilled: int
    stack: int


def link(kernel: Kernel, capability: tuple[int, int]) -> Linked:
    """Link a kernel for a compute capability, and read what was said of it."""
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
    said = log.decode(errors="replace")
    # Of the kernel itself: a function of NVIDIA's library that it calls, such as lgamma's, saves registers of its own.
    own = said.partition(f"Function properties for {kernel.name}\n")[2].partition("\n")[0]
    registers = re.search(r"[Uu]sed (\d+) registers", said)
    stack = re.search(r"(\d+) bytes stack frame", own)
    assert registers is not None, said
    assert stack is not None, said
    spilled = sum(int(count) for count in re.findall(r"(\d+) bytes spill", own))
    return Linked(int(registers[1]), spilled, int(stack[1]))
