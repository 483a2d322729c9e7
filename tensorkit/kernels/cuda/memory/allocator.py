"""The caching allocator of a device: large pieces from the device, cut into blocks, kept when tensors go.

The rules are PyTorch's. Requests are rounded up to 512 bytes. Up to 1 MiB they come from segments of 2 MiB (the
small pool); more than that, from segments of 20 MiB, and from 10 MiB on from one of their own size, rounded up to
2 MiB (the large pool). The smallest free block that fits is taken, and what is left over is cut off. A freed block
merges with its free neighbours and waits for the next tensor *of the same stream*: work on one stream is done in
order, so the new tensor's work cannot overtake the old one's. A block that other streams use as well
(``record_stream``) waits until they have passed the point at which it was freed.

Source: https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable, Hashable
from typing import Any, Protocol

from tensorkit.errors import OutOfMemoryError
from tensorkit.process import forks

BLOCK = 512
MIB = 2**20
SMALL_REQUEST = MIB
SMALL_SEGMENT = 2 * MIB
LARGE_SEGMENT = 20 * MIB
OWN_SEGMENT = 10 * MIB  # a request of this size has a segment to itself
ROUND_SEGMENT = 2 * MIB
POOLS = ("all", "large_pool", "small_pool")
COUNTED = (
    "allocation",
    "segment",
    "active",
    "inactive_split",
    "allocated_bytes",
    "reserved_bytes",
    "active_bytes",
    "inactive_split_bytes",
    "requested_bytes",
)


class Source(Protocol):
    """What an allocator takes segments from: a device."""

    def reserve(self, nbytes: int) -> tuple[int, Any]:
        """`nbytes` of the device's memory: their address, and what holds them. MemoryError when it has no room."""

    def give_back(self, segment: Segment) -> None:
        """A segment is no longer needed, once its stream has done what it was given."""

    def finish(self) -> None:
        """Wait for work that holds on to memory."""

    def memory(self) -> tuple[int, int]:
        """Free and total bytes of the device."""


class Count:
    """One quantity that goes up and down: how much there is, the most there was, what came and what went."""

    __slots__ = ("allocated", "current", "freed", "peak")

    def __init__(self) -> None:
        self.current = self.peak = self.allocated = self.freed = 0

    def up(self, amount: int) -> None:
        self.allocated += amount
        now = self.current = self.current + amount
        if now > self.peak:
            self.peak = now

    def down(self, amount: int) -> None:
        self.current -= amount
        self.freed += amount

    def told(self) -> dict[str, int]:
        """As PyTorch's statistics have it."""
        return {
            "current": self.current,
            "peak": self.peak,
            "allocated": self.allocated,
            "freed": self.freed,
        }


class Segment:
    """One piece of memory that the device gave.

    Attributes:
        address: of its first byte.
        holder: what keeps it; dropped when the segment goes back.
        nbytes: how long it is.
        pool: "small_pool" or "large_pool".
        stream: whose tensors it serves.
        first: its first block.
    """

    __slots__ = ("address", "first", "holder", "nbytes", "pool", "stream")

    def __init__(self, address: int, holder: Any, nbytes: int, pool: str, stream: Hashable) -> None:
        self.address = address
        self.holder = holder
        self.nbytes = nbytes
        self.pool = pool
        self.stream = stream
        self.first = Block(self, 0, nbytes)


class Block:
    """A stretch of a segment: a tensor's memory, or free.

    Attributes:
        start: where in the segment it begins.
        size: its length, a multiple of 512.
        requested: the number of requested bytes.
        after, before: its neighbours in the segment.
        passed: for each other stream that uses it, a question: is it through with it?
    """

    __slots__ = ("after", "before", "free", "passed", "requested", "segment", "size", "start", "users")

    def __init__(self, segment: Segment, start: int, size: int) -> None:
        self.segment = segment
        self.start = start
        self.size = size
        self.requested = 0
        self.free = True
        self.before: Block | None = None
        self.after: Block | None = None
        self.users: dict[Hashable, Callable[[], Callable[[], bool]]] = {}
        self.passed: list[Callable[[], bool]] = []

    @property
    def address(self) -> int:
        """The address of its first byte."""
        return self.segment.address + self.start

    @property
    def is_split(self) -> bool:
        """Whether it is not the whole of its segment."""
        return self.before is not None or self.after is not None


def rounded(nbytes: int) -> int:
    """What an allocation of `nbytes` takes of its device.

    >>> rounded(1), rounded(513)
    (512, 1024)
    """
    return -(-nbytes // BLOCK) * BLOCK


def _segment_size(size: int) -> int:
    if size <= SMALL_REQUEST:
        return SMALL_SEGMENT
    if size < OWN_SEGMENT:
        return LARGE_SEGMENT
    return -(-size // ROUND_SEGMENT) * ROUND_SEGMENT


class Allocator:
    """The memory of a device that is in use, and where the next tensor goes.

    Args:
        index: the device's number.
        capacity: its memory in bytes.
        source: what gives segments.
    """

    def __init__(self, index: int, capacity: int, source: Source) -> None:
        self.index = index
        self.capacity = capacity
        self.fraction = 1.0
        self._source = source
        self._counts = {name: {pool: Count() for pool in POOLS} for name in COUNTED}
        # What every allocation changes, for both pools, without looking the names up each time.
        self._taken = {
            pool: self._pairs(pool, "allocation", "allocated_bytes", "requested_bytes") for pool in POOLS
        }
        self._active = {pool: self._pairs(pool, "active", "active_bytes") for pool in POOLS}
        self._free: dict[tuple[Hashable, str], list[tuple[int, int, Block]]] = {}
        self._segments: list[Segment] = []
        self._lock = forks.lock()
        self._returned: deque[Block] = deque()  # given back, and not yet looked at
        self._cycles: dict[Block, int] = {}  # how often each was taken again at once: see `_comes_next`
        self._in_use: list[Block] = []  # given back, and still used by a recorded stream
        self.retries = self.failures = self.asked = self.gave_back = 0

    # -- how much ---------------------------------------------------------------------------------------

    def _count(self, name: str) -> Count:
        with self._lock:
            self._settle()
        return self._counts[name]["all"]

    @property
    def allocated(self) -> int:
        """Bytes that tensors hold now, in blocks of 512."""
        return self._count("allocated_bytes").current

    @property
    def peak(self) -> int:
        """The most bytes that tensors have held."""
        return self._count("allocated_bytes").peak

    @property
    def reserved(self) -> int:
        """Bytes that the allocator has taken from the device, held by tensors or free for the next."""
        return self._count("reserved_bytes").current

    @property
    def reserved_peak(self) -> int:
        """The most bytes that the allocator has held."""
        return self._count("reserved_bytes").peak

    def memory(self) -> tuple[int, int]:
        """Free and total bytes of the device itself."""
        return self._source.memory()

    def statistics(self) -> dict[str, Any]:
        """PyTorch's nested statistics."""
        with self._lock:
            self._settle()
            told: dict[str, Any] = {
                name: {pool: count.told() for pool, count in pools.items()}
                for name, pools in self._counts.items()
            }
        told.update(
            oversize_allocations=Count().told(),
            oversize_segments=Count().told(),
            max_split_size=-1,
            num_alloc_retries=self.retries,
            num_device_alloc=self.asked,
            num_device_free=self.gave_back,
            num_ooms=self.failures,
            num_sync_all_streams=0,
        )
        return told

    def snapshot(self) -> list[dict[str, Any]]:
        """Every segment and the blocks that it is cut into, as PyTorch tells of them."""
        with self._lock:
            self._settle()
            return [self._told(segment) for segment in self._segments]

    def _told(self, segment: Segment) -> dict[str, Any]:
        blocks: list[dict[str, Any]] = []
        block: Block | None = segment.first
        while block is not None:
            taken = "active_pending_free" if block in self._in_use else "active_allocated"
            blocks.append(
                {
                    "address": block.address,
                    "size": block.size,
                    "requested_size": 0 if block.free else block.requested,
                    "state": "inactive" if block.free else taken,
                }
            )
            block = block.after
        return {
            "device": self.index,
            "address": segment.address,
            "total_size": segment.nbytes,
            "allocated_size": sum(b["size"] for b in blocks if b["state"] == "active_allocated"),
            "active_size": sum(b["size"] for b in blocks if b["state"] != "inactive"),
            "requested_size": sum(b["requested_size"] for b in blocks),
            "stream": getattr(segment.stream, "handle", 0),
            "segment_type": segment.pool.partition("_")[0],
            "blocks": blocks,
        }

    def reset_peaks(self) -> None:
        """Reset every peak to the current use."""
        with self._lock:
            self._settle()
            for pools in self._counts.values():
                for count in pools.values():
                    count.peak = count.current

    def reset_totals(self) -> None:
        """Let what came and what went be counted from now on."""
        with self._lock:
            self._settle()
            self.retries = self.failures = self.asked = self.gave_back = 0
            for pools in self._counts.values():
                for count in pools.values():
                    count.allocated = count.freed = 0

    # -- taking -----------------------------------------------------------------------------------------

    def take(self, nbytes: int, stream: Hashable) -> Block:
        """A block of at least `nbytes` for a tensor of `stream`.

        Raises:
            OutOfMemoryError: when the device has no room, even after everything free went back to it.
        """
        size = rounded(nbytes)
        pool = "small_pool" if size <= SMALL_REQUEST else "large_pool"
        with self._lock:
            if len(self._returned) == 1 and not self._in_use:
                block = self._returned[0]
                if block.requested == nbytes and block.size == size and self._comes_next(block, stream, pool):
                    self._returned.popleft()
                    self._cycles[block] = self._cycles.get(block, 0) + 1
                    return block
            self._settle()
            block = self._best_fit(size, stream, pool) or self._more(size, stream, pool)
            self._hand_out(block, size, nbytes, pool)
        return block

    def _comes_next(self, block: Block, stream: Hashable, pool: str) -> bool:
        """Whether a block that was given back is the very one, cut as it is, that the next tensor of its size gets.

        A loop frees and takes the same block again and again. The statistics are corrected for that when
        they are read (`_make_up`).
        """
        before, after = block.before, block.after
        if block.passed or block.segment.stream is not stream or (before is not None and before.free):
            return False
        size, whole = block.size, block.size
        if after is not None and after.free:
            if pool != "small_pool" and after.size <= SMALL_REQUEST:
                return False
            whole += after.size
        waiting = self._free.get((stream, pool), ())
        place = bisect_left(waiting, (size,))
        for others, address, other in waiting[place : place + 2]:
            if other is not after:
                return (others, address) > (whole, block.address)
        return True

    def _make_up(self) -> None:
        """Count what the blocks that were taken again at once have gone through: every time the same."""
        cycles, self._cycles = self._cycles, {}
        counts = [count for pools in self._counts.values() for count in pools.values()]
        for block, times in cycles.items():
            before = [(count.allocated, count.freed) for count in counts]
            pool, nbytes, size = block.segment.pool, block.requested, block.size
            _count_down(self._taken[pool], (1, size, nbytes))
            self._put_away(block)
            again = self._best_fit(size, block.segment.stream, pool)
            assert again is block
            self._hand_out(block, size, nbytes, pool)
            for count, (allocated, freed) in zip(counts, before, strict=True):
                count.allocated += (times - 1) * (count.allocated - allocated)
                count.freed += (times - 1) * (count.freed - freed)

    def _hand_out(self, block: Block, size: int, nbytes: int, pool: str) -> None:
        self._cut(block, size, pool)
        block.free = False
        block.requested = nbytes
        _count_up(self._taken[pool], (1, block.size, nbytes))
        _count_up(self._active[pool], (1, block.size))

    def _best_fit(self, size: int, stream: Hashable, pool: str) -> Block | None:
        waiting = self._free.get((stream, pool))
        if not waiting:
            return None
        place = bisect_left(waiting, (size,))
        if place == len(waiting):
            return None
        return waiting.pop(place)[2]

    def _more(self, size: int, stream: Hashable, pool: str) -> Block:
        """A block of a new segment; if there is no room for one, after everything free went back to the device."""
        got = self._reserve(size)
        if got is None:
            self._source.finish()
            self._settle()
            block = self._best_fit(size, stream, pool)
            if block is not None:
                return block
            if self._release_unused():
                self.retries += 1
                got = self._reserve(size)
        if got is None:
            raise self._full(size)
        nbytes, address, holder = got
        segment = Segment(address, holder, nbytes, pool, stream)
        self._segments.append(segment)
        self._note("segment", pool, 1)
        self._note("reserved_bytes", pool, nbytes)
        return segment.first

    def _full(self, size: int) -> OutOfMemoryError:
        self.failures += 1
        free, total = self._source.memory()
        allocated, reserved = (
            self._counts[name]["all"].current for name in ("allocated_bytes", "reserved_bytes")
        )
        allowed = int(total * self.fraction) if self.fraction < 1 else None
        return OutOfMemoryError(out_of_memory(size, self.index, total, free, allocated, reserved, allowed))

    def _reserve(self, size: int) -> tuple[int, int, Any] | None:
        """A segment of the usual size; where that does not fit (emulated devices may be small), of just this one."""
        held = self._counts["reserved_bytes"]["all"].current
        room = int(self.capacity * self.fraction) - held
        nbytes = _segment_size(size) if _segment_size(size) <= room else size
        if nbytes > room:
            return None
        self.asked += 1
        try:
            return nbytes, *self._source.reserve(nbytes)
        except MemoryError:
            return None

    def _cut(self, block: Block, size: int, pool: str) -> None:
        """Cut off what is left over, if that is worth a block."""
        was_split = block.is_split
        left = block.size - size
        if left >= BLOCK if pool == "small_pool" else left > SMALL_REQUEST:
            rest = Block(block.segment, block.start + size, left)
            rest.before, rest.after = block, block.after
            if block.after is not None:
                block.after.before = rest
            block.after = rest
            block.size = size
            self._offer(rest)
            self._note("inactive_split_bytes", pool, -size if was_split else left)
            if not was_split:
                self._note("inactive_split", pool, 1)
        elif was_split:
            self._note("inactive_split_bytes", pool, -block.size)
            self._note("inactive_split", pool, -1)

    # -- giving back ------------------------------------------------------------------------------------

    def give_back(self, block: Block) -> None:
        """A tensor's block is free. It may be called at any moment, by the garbage collector too."""
        if block.users:
            block.passed = [ask() for ask in block.users.values()]
            block.users = {}
        self._returned.append(block)

    def _settle(self) -> None:
        """Look at what was given back since the last time."""
        if self._cycles:
            self._make_up()
        while self._returned:
            block = self._returned.popleft()
            pool = block.segment.pool
            _count_down(self._taken[pool], (1, block.size, block.requested))
            if block.passed:
                self._in_use.append(block)
            else:
                self._put_away(block)
        if self._in_use:
            waiting, self._in_use = self._in_use, []
            for block in waiting:
                if all(ask() for ask in block.passed):
                    block.passed = []
                    self._put_away(block)
                else:
                    self._in_use.append(block)

    def _put_away(self, block: Block) -> None:
        """Merge a block with its free neighbours and keep it for the next tensor."""
        pool, own = block.segment.pool, block.size
        _count_down(self._active[pool], (1, own))
        block.free = True
        blocks, nbytes = 0, 0
        for other in (block.before, block.after):
            if other is not None and other.free:
                self._withdraw(other)
                blocks, nbytes = blocks - 1, nbytes - other.size
                block = _merged(block, other)
        if block.is_split:
            blocks, nbytes = blocks + 1, nbytes + block.size
        self._note("inactive_split", pool, blocks)
        self._note("inactive_split_bytes", pool, nbytes)
        self._offer(block)

    def _offer(self, block: Block) -> None:
        key = block.segment.stream, block.segment.pool
        insort(self._free.setdefault(key, []), (block.size, block.address, block))

    def _withdraw(self, block: Block) -> None:
        waiting = self._free[block.segment.stream, block.segment.pool]
        del waiting[bisect_left(waiting, (block.size, block.address))]

    def release(self) -> None:
        """Give every segment that no tensor lies in back to the device."""
        with self._lock:
            self._settle()
            self._release_unused()

    def _release_unused(self) -> bool:
        found = False
        for waiting in self._free.values():
            for entry in [entry for entry in waiting if not entry[2].is_split]:
                waiting.remove(entry)
                segment = entry[2].segment
                self._segments.remove(segment)
                self._note("segment", segment.pool, -1)
                self._note("reserved_bytes", segment.pool, -segment.nbytes)
                self.gave_back += 1
                self._source.give_back(segment)
                found = True
        return found

    def _pairs(self, pool: str, *names: str) -> tuple[tuple[Count, Count], ...]:
        return tuple((self._counts[name]["all"], self._counts[name][pool]) for name in names)

    def _note(self, name: str, pool: str, amount: int) -> None:
        if not amount:
            return
        for count in (self._counts[name]["all"], self._counts[name][pool]):
            if amount >= 0:
                count.up(amount)
            else:
                count.down(-amount)


def _count_up(pairs: tuple[tuple[Count, Count], ...], amounts: tuple[int, ...]) -> None:
    for (total, own), amount in zip(pairs, amounts, strict=True):
        total.up(amount)
        own.up(amount)


def _count_down(pairs: tuple[tuple[Count, Count], ...], amounts: tuple[int, ...]) -> None:
    for (total, own), amount in zip(pairs, amounts, strict=True):
        total.down(amount)
        own.down(amount)


def _merged(block: Block, other: Block) -> Block:
    """Two neighbours as one block."""
    first, second = (other, block) if other is block.before else (block, other)
    first.size += second.size
    first.after = second.after
    if second.after is not None:
        second.after.before = first
    first.free = True
    return first


# -- sentences ------------------------------------------------------------------------------------------


def out_of_memory(
    wanted: int,
    index: int,
    capacity: int,
    free: int,
    allocated: int,
    reserved: int,
    allowed: int | None = None,
) -> str:
    """PyTorch's sentences for a device that is full."""
    limit = "" if allowed is None else f"{size_text(allowed)} allowed; "
    return (
        f"CUDA out of memory. Tried to allocate {size_text(wanted)}. GPU {index} has a total capacity of "
        f"{size_text(capacity)} of which {size_text(free)} is free. {limit}Of the allocated memory "
        f"{size_text(allocated)} is allocated by tensorkit, and {size_text(reserved - allocated)} is reserved by "
        "tensorkit but unallocated."
    )


def size_text(nbytes: int) -> str:
    """Bytes as PyTorch writes them.

    >>> size_text(20 * 2**20), size_text(3 * 2**29), size_text(512)
    ('20.00 MiB', '1.50 GiB', '512 bytes')
    """
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if nbytes >= unit:
            return f"{nbytes / unit:.2f} {name}"
    return f"{nbytes} bytes"
