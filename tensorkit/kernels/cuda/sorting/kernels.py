"""The bodies that sort and search. All of them work on *keys*: 64-bit integers in the order of the numbers.

One key for all dtypes is one kernel for all dtypes. The bits of a floating point number, read as an integer, are in the
order of the numbers already, as long as they are not negative; of negative ones the order is turned around. -0.0 gets
the key of 0.0, and nan one that is larger than all others.

Rows are sorted in two steps. `sort_chunks`: a block of threads takes a chunk of a row into shared memory and sorts it
there by a network of exchanges (Batcher's bitonic sort): at each stage all pairs are compared at once, and which pairs
these are does not depend on the numbers. `merge_runs`: pairs of sorted runs become one, again and again, until a run is
the row. Each thread writes a slice of the result: a search by halves says where in the two runs its slice begins.

Equal keys stay in the order in which they came: with each key goes its place in the row, which decides between equals.

Beside the names that all bodies are handed (see ``kernels.cuda.kernels``) there is CHUNK, the elements that a block can
sort.
"""

from __future__ import annotations

from typing import Any

from numpy import int64, uint64

cuda: Any = None
read_a: Any = None
write: Any = None
start: Any = None

CHUNK = 1024
_INFINITY = 0x7FF0000000000000  # the bits of that float64: larger ones are nan
_LARGEST = 0x7FFFFFFFFFFFFFFF
LOST = _LARGEST - 1  # the key of nan


def make_keys(count: int, keys: Any, a: Any, floating: int, unsigned: int, falling: int) -> None:
    """The key of each element: `a` holds 64-bit integers, or the bits of float64, or of unsigned integers."""
    i = cuda.grid(1)
    while i < count:
        key = a[i]
        if floating:
            size = key & _LARGEST
            key = LOST if size > _INFINITY else (size if key >= 0 else -size)
        if unsigned:
            key = key ^ (-_LARGEST - 1)
        keys[i] = ~key if falling else key
        i += cuda.gridsize(1)


def sort_chunks(rows: int, columns: int, chunks: int, room: int, keys: Any, order: Any) -> None:
    """Sort each chunk of `room` elements of each row, and write down where each was in its row.

    Args:
        room: a power of two, at most CHUNK. chunks: of a row.
    """
    held = cuda.shared.array(CHUNK, int64)
    places = cuda.shared.array(CHUNK, int64)
    thread, threads = cuda.threadIdx.x, cuda.blockDim.x
    job = cuda.blockIdx.x
    while job < rows * chunks:
        row = job // chunks
        begin = (job - row * chunks) * room
        i = thread
        while i < room:
            # The largest key pads the end of the row.
            held[uint64(i)] = keys[row * columns + begin + i] if begin + i < columns else _LARGEST
            places[uint64(i)] = begin + i
            i += threads
        cuda.syncthreads()
        size = 2
        while size <= room:
            step = size // 2
            while step > 0:
                pair = thread
                while pair < room // 2:
                    low = 2 * pair - (pair & (step - 1))
                    high = low + step
                    one, other = held[uint64(low)], held[uint64(high)]
                    here, there = places[uint64(low)], places[uint64(high)]
                    larger = one > other or (one == other and here > there)
                    if larger == (low & size == 0):
                        held[uint64(low)], held[uint64(high)] = other, one
                        places[uint64(low)], places[uint64(high)] = there, here
                    pair += threads
                cuda.syncthreads()
                step //= 2
            size *= 2
        i = thread
        while i < room and begin + i < columns:
            keys[row * columns + begin + i] = held[uint64(i)]
            order[row * columns + begin + i] = places[uint64(i)]
            i += threads
        cuda.syncthreads()
        job += cuda.gridDim.x


def merge_runs(
    rows: int,
    columns: int,
    slices: int,
    width: int,
    run: int,
    keys: Any,
    order: Any,
    merged: Any,
    merged_order: Any,
) -> None:
    """Merge neighbouring sorted runs of each row; a thread writes a slice of `width` elements, which divides `run`."""
    job = cuda.grid(1)
    while job < rows * slices:
        row = job // slices
        first = (job - row * slices) * width
        base = first // (2 * run) * (2 * run)  # where the two runs begin
        middle = min(base + run, columns)
        last = min(base + 2 * run, columns)
        taken = first - base  # how many elements of the two runs come before this slice
        low = max(0, taken - (last - middle))
        high = min(taken, middle - base)
        from_row = row * columns
        while low < high:
            half = (low + high) // 2
            if keys[from_row + base + half] <= keys[from_row + middle + taken - 1 - half]:
                low = half + 1
            else:
                high = half
        left = base + low
        right = middle + taken - low
        i = first
        while i < min(first + width, columns):
            source = left
            if left >= middle or (right < last and keys[from_row + right] < keys[from_row + left]):
                source = right
                right += 1
            else:
                left += 1
            merged[from_row + i] = keys[from_row + source]
            merged_order[from_row + i] = order[from_row + source]
            i += 1
        job += cuda.gridsize(1)


# -- what is read off sorted rows -----------------------------------------------------------------------------------


def choose_middle(
    rows: int, columns: int, found: Any, keys: Any, order: Any, floating: int, ignoring: int
) -> None:
    """The index of each sorted row's lower median: the median of its numbers, or its first nan."""
    row = cuda.grid(1)
    while row < rows:
        low, high = 0, columns
        while low < high:
            half = (low + high) // 2
            if not floating or keys[row * columns + half] < LOST:
                low = half + 1
            else:
                high = half
        middle = low if low < columns and not ignoring else max(low - 1, 0) // 2
        found[row] = order[row * columns + middle]
        row += cuda.gridsize(1)


def choose_mode(rows: int, columns: int, found: Any, keys: Any, order: Any, floating: int) -> None:
    """The last index of the longest run of equal elements in each sorted row, the first run of several."""
    row = cuda.grid(1)
    while row < rows:
        base = row * columns
        longest, best, length, i = 0, 0, 0, 0
        while i < columns:
            key = keys[base + i]
            alike = i > 0 and key == keys[base + i - 1] and not (floating and key == LOST)
            length = length + 1 if alike else 1
            if length > longest:
                longest = length
                best = i
            i += 1
        found[row] = order[base + best]
        row += cuda.gridsize(1)


def mark_runs(count: int, marks: Any, keys: Any, floating: int) -> None:
    """Where a run of equal keys begins; nan equals nothing."""
    i = cuda.grid(1)
    while i < count:
        lost = floating and keys[i] == LOST
        marks[i] = 1 if i == 0 or lost or keys[i] != keys[i - 1] else 0
        i += cuda.gridsize(1)


# -- searching and counting -----------------------------------------------------------------------------------------


def bisect_rows(
    rows: int, asked: int, columns: int, found: Any, edges: Any, a: Any, row_step: int, right: int
) -> None:
    """For each number the place in its row of rising `edges` where it can be put in: a thread searches by halves.

    Args:
        row_step: from one row of edges to the next; 0 if all ask in the same one.
        right: behind those that are equal to it, rather than before them.
    """
    i = cuda.grid(1)
    while i < rows * asked:
        from_row = i // asked * row_step
        value = a[i]
        low, high = 0, columns
        while low < high:
            half = (low + high) // 2
            edge = edges[from_row + half]
            beyond = edge > value if right else edge >= value
            if beyond:
                high = half
            else:
                low = half + 1
        found[i] = low
        i += cuda.gridsize(1)


def sum_segments(count: int, out: Any, ends: Any, order: Any, a: Any) -> None:
    """``out[i]`` is the sum of what `order` names between the ends of segment i - 1 and segment i, in that order."""
    i = cuda.grid(1)
    while i < count:
        place = ends[i - 1] if i > 0 else 0
        total = start
        while place < ends[i]:
            total += a[order[place]]
            place += 1
        out[i] = total
        i += cuda.gridsize(1)
