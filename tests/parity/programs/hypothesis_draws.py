"""Programs drawn from random bytes: each is run, and one that fails is made smaller before it is shown."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.torch_oracle import exhaust, fuzz_seconds

Program = Callable[[bytes], None]


def run_programs(program: Program, *, count: int, length: int, seed: int, share: str) -> None:
    """Run `count` programs, or as many as there is time for.

    Args:
        program: runs what some bytes say, and raises an AssertionError when something differs.
        length: how many bytes one program may read.
        seed: of the bytes, where they are to be the same every time.
        share: which part of the time that is given to fuzzing, by its name in `tests.torch_oracle.SHARES`.

    Raises:
        AssertionError: the failure of the smallest program that was found to fail.
    """
    rng = random.Random(seed if fuzz_seconds() == 0 else None)

    def programs() -> None:
        for _ in range(count):
            data = rng.randbytes(length)
            if _failure(program, data):
                smaller = _smallest(program, data)
                raise _failure(program, smaller) or AssertionError("it failed once, and then no more")

    exhaust(programs, share)


def _failure(program: Program, data: bytes) -> AssertionError | None:
    try:
        program(data)
    except AssertionError as error:
        return error.with_traceback(None)  # its frames hold the program's tensors
    return None


def _smallest(program: Program, data: bytes) -> bytes:
    """The same failure with as many choices as possible at their first option."""
    for place in range(len(data)):
        simpler = data[:place] + bytes(1) + data[place + 1 :]
        if data[place] and _failure(program, simpler):
            data = simpler
    return data
