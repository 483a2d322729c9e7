"""Threads, blocks and slots by their names, and what went astray in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from tensorkit.kernels.cuda.traced.notes import Dims, Divergence, Notes, Stray


def coordinates(number: int, dims: Dims) -> Dims:
    """The coordinates of a thread in its block, or of a block in its grid.

    >>> coordinates(7, (4, 2, 1))
    (3, 1, 0)
    """
    x, y, _ = dims
    return number % x, number // x % y, number // (x * y)


def _named(number: int, dims: Dims) -> str:
    """Its number, or its coordinates where there are several dimensions."""
    x, y, z = coordinates(number, dims)
    if dims[2] > 1:
        return f"({x}, {y}, {z})"
    return f"({x}, {y})" if dims[1] > 1 else str(x)


def block_name(notes: Notes, block: int) -> str:
    """A block: ``"block 1"``, or ``"block (1, 0)"`` of a grid of two dimensions."""
    return f"block {_named(block, notes.grid)}"


def who(notes: Notes, block: int, thread: int) -> str:
    """A thread: ``"thread 3 of block 1"``."""
    return f"thread {_named(thread, notes.block)} of {block_name(notes, block)}"


def thread_names(notes: Notes, threads: Sequence[int]) -> str:
    """Several threads of a block: ``"threads 0 to 3"``, ``"threads 0, 2 and 5"``."""
    names = [_named(t, notes.block) for t in threads]
    if len(threads) == 1:
        return f"thread {names[0]}"
    if len(threads) > 2 and list(threads) == list(range(threads[0], threads[-1] + 1)):
        return f"threads {names[0]} to {names[-1]}"
    if len(threads) > 6:
        return f"threads {', '.join(names[:4])} and {len(threads) - 4} more"
    return f"threads {', '.join(names[:-1])} and {names[-1]}"


def at_line(line: int) -> str:
    """`` in line 5``; nothing where the line is not known."""
    return f" in line {line}" if line else ""


def element(array: str, index: Sequence[int]) -> str:
    """An element as a kernel writes it.

    >>> element("a", (3,)), element("tile", (0, 2))
    ('a[3]', 'tile[0, 2]')
    """
    return f"{array}[{', '.join(map(str, index))}]"


def strayed(notes: Notes, stray: Stray) -> str:
    """Which thread accessed which element, and how large the array is."""
    size = " x ".join(map(str, stray.shape)) or "1 element"
    what = "update" if stray.kind == "atomic" else stray.kind
    place = at_line(stray.line)
    return (
        f"{who(notes, stray.block, stray.thread)} asked to {what} {element(stray.array, stray.indices)}{place}; "
        f"{stray.array} has size {size}"
    )


def diverged(notes: Notes, found: Divergence) -> str:
    """Which threads of a block wait where, and which never arrive."""
    barrier = "barrier of their warp" if found.warp else "barrier"
    groups = [
        f"{thread_names(notes, threads)} {'wait' if len(threads) > 1 else 'waits'} at the {barrier}{at_line(line)}"
        for line, threads in found.waiting
    ]
    if found.returned:
        have = "have" if len(found.returned) > 1 else "has"
        groups.append(f"{thread_names(notes, found.returned)} {have} returned")
    rest = "lanes that are named in the mask" if found.warp else "threads of a block"
    return (
        f"in {block_name(notes, found.block)}, {', while '.join(groups)}: "
        f"all {rest} have to reach the same barrier"
    )
