"""How much of a device's memory tensors hold, and how much the allocator keeps for the next.

>>> with tk.cuda.emulate():
...     t = tk.zeros(1000, device="cuda")
...     tk.cuda.memory_allocated(), tk.cuda.memory_reserved()
...     del t
...     tk.cuda.memory_allocated(), tk.cuda.memory_reserved()
...     tk.cuda.empty_cache()
...     tk.cuda.memory_reserved()
(4096, 2097152)
(0, 2097152)
0

Source: names and keys follow https://docs.pytorch.org/docs/stable/cuda.html#memory-management.
"""

from __future__ import annotations

import collections
from typing import Any

from tensorkit.cuda.devices import DeviceLike, checked_index, device_count, is_available, need_cuda
from tensorkit.errors import warn
from tensorkit.kernels import cuda as kernels
from tensorkit.kernels.cuda.memory.allocator import Allocator, size_text


def _allocator(device: DeviceLike) -> Allocator:
    return kernels.ledger(checked_index(device))


def memory_allocated(device: DeviceLike = None) -> int:
    """Bytes that tensors hold on a device now, in blocks of 512; 0 without any device, as in PyTorch.

    >>> with tk.cuda.emulate():
    ...     t = tk.zeros(10, device="cuda")
    ...     memory_allocated()
    512
    """
    return _allocator(device).allocated if is_available() else 0


def max_memory_allocated(device: DeviceLike = None) -> int:
    """The most bytes that tensors have held on a device so far, in blocks of 512."""
    return _allocator(device).peak if is_available() else 0


def memory_reserved(device: DeviceLike = None) -> int:
    """Bytes that the allocator has taken from a device: what tensors hold, and what it keeps for the next.

    >>> with tk.cuda.emulate():
    ...     t = tk.zeros(10, device="cuda")
    ...     memory_reserved() // 2**20
    2
    """
    return _allocator(device).reserved if is_available() else 0


def max_memory_reserved(device: DeviceLike = None) -> int:
    """The most bytes that the allocator has held of a device so far."""
    return _allocator(device).reserved_peak if is_available() else 0


def _renamed(old: str, new: str) -> None:
    warn(f"`tensorkit.cuda.{old}` has been renamed to `tensorkit.cuda.{new}`", FutureWarning)


def memory_cached(device: DeviceLike = None) -> int:
    """The old name of `memory_reserved`."""
    _renamed("memory_cached", "memory_reserved")
    return memory_reserved(device)


def max_memory_cached(device: DeviceLike = None) -> int:
    """The old name of `max_memory_reserved`."""
    _renamed("max_memory_cached", "max_memory_reserved")
    return max_memory_reserved(device)


def empty_cache() -> None:
    """Give memory back to all devices that the allocator keeps and no tensor lies in.

    >>> with tk.cuda.emulate():
    ...     t = tk.zeros(10, device="cuda")
    ...     del t
    ...     empty_cache()
    ...     memory_reserved()
    0
    """
    for index in range(device_count()):
        kernels.ledger(index).release()


def mem_get_info(device: DeviceLike = None) -> tuple[int, int]:
    """Free and total bytes of a device, whatever holds the rest.

    Raises:
        NoCudaError: without any device.

    >>> with tk.cuda.emulate(capacity=2**30):
    ...     mem_get_info()
    (1073741824, 1073741824)
    """
    return _allocator(device).memory()


# -- statistics -----------------------------------------------------------------------------------------


def memory_stats_as_nested_dict(device: DeviceLike = None) -> dict[str, Any]:
    """`memory_stats` as dictionaries in dictionaries; empty without any device."""
    return _allocator(device).statistics() if is_available() else {}


def memory_stats(device: DeviceLike = None) -> dict[str, Any]:
    """What the allocator of a device has counted, by PyTorch's keys: quantity, pool, and which number.

    The quantities are ``allocation``, ``segment``, ``active`` and ``inactive_split`` and the same in bytes
    (``allocated_bytes``, ``reserved_bytes``, …), and ``requested_bytes``. The pools are ``all``,
    ``small_pool`` (requests up to 1 MiB) and ``large_pool``. The numbers are ``current``, ``peak``,
    ``allocated`` (all that ever came) and ``freed`` (all that ever went).

    >>> with tk.cuda.emulate():
    ...     t = tk.zeros(1000, device="cuda")
    ...     stats = memory_stats()
    >>> stats["allocated_bytes.all.current"], stats["requested_bytes.small_pool.current"]
    (4096, 4000)
    """
    found: list[tuple[str, Any]] = []

    def open_up(prefix: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                open_up(f"{prefix}.{key}" if prefix else str(key), inner)
        else:
            found.append((prefix, value))

    open_up("", memory_stats_as_nested_dict(device))
    return collections.OrderedDict(sorted(found))


def reset_peak_memory_stats(device: DeviceLike = None) -> None:
    """Reset the peaks of a device to the current use.

    Raises:
        NoCudaError: without any device.

    >>> with tk.cuda.emulate():
    ...     t = tk.zeros(10, device="cuda")
    ...     del t
    ...     reset_peak_memory_stats()
    ...     max_memory_allocated()
    0
    """
    _allocator(device).reset_peaks()


def reset_accumulated_memory_stats(device: DeviceLike = None) -> None:
    """Let all that came and went on a device be counted from now on.

    Raises:
        NoCudaError: without any device.
    """
    _allocator(device).reset_totals()


def _reset(name: str, device: DeviceLike) -> None:
    warn(
        f"tensorkit.cuda.{name} now calls tensorkit.cuda.reset_peak_memory_stats, which resets /all/ peak memory "
        "stats.",
        FutureWarning,
    )
    reset_peak_memory_stats(device)


def reset_max_memory_allocated(device: DeviceLike = None) -> None:
    """An old way to say `reset_peak_memory_stats`."""
    _reset("reset_max_memory_allocated", device)


def reset_max_memory_cached(device: DeviceLike = None) -> None:
    """An old way to say `reset_peak_memory_stats`."""
    _reset("reset_max_memory_cached", device)


def memory_snapshot() -> list[dict[str, Any]]:
    """Every segment of every device and the blocks that it is cut into, by PyTorch's keys.

    >>> with tk.cuda.emulate(devices=1):
    ...     t = tk.zeros(1000, device="cuda")
    ...     (segment,) = memory_snapshot()
    >>> segment["segment_type"], [(block["size"], block["state"]) for block in segment["blocks"]]
    ('small', [(4096, 'active_allocated'), (2093056, 'inactive')])
    """
    return [segment for index in range(device_count()) for segment in kernels.ledger(index).snapshot()]


_ROWS = (
    ("allocated_bytes", "Allocated memory"),
    ("active_bytes", "Active memory"),
    ("requested_bytes", "Requested memory"),
    ("reserved_bytes", "GPU reserved memory"),
    ("inactive_split_bytes", "Non-releasable memory"),
    ("allocation", "Allocations"),
    ("active", "Active allocs"),
    ("segment", "GPU reserved segments"),
    ("inactive_split", "Non-releasable allocs"),
)


def memory_summary(device: DeviceLike = None, abbreviated: bool = False) -> str:
    """The statistics of a device as a table to print.

    Args:
        device: by default the current one.
        abbreviated: whether to leave out the rows of the two pools.

    Raises:
        NoCudaError: without any device.
    """
    index = checked_index(device)
    stats = memory_stats_as_nested_dict(index)
    pools = ("all",) if abbreviated else ("all", "large_pool", "small_pool")
    width = 75
    lines = [
        "=" * width,
        f"tensorkit CUDA memory summary, device ID {index}".center(width),
        "-" * width,
        f"CUDA OOMs: {stats['num_ooms']} | retries: {stats['num_alloc_retries']}".center(width),
        "=" * width,
        f" {'Metric':<21} | {'Cur Usage':>10} | {'Peak Usage':>10} | {'Tot Alloc':>10} | {'Tot Freed':>10} ",
    ]
    for key, name in _ROWS:
        lines.append("-" * width)
        for pool in pools:
            label = name if pool == "all" else f"      from {pool.replace('_', ' ')}"
            numbers = [stats[key][pool][part] for part in ("current", "peak", "allocated", "freed")]
            shown = [size_text(number) if key.endswith("bytes") else str(number) for number in numbers]
            lines.append(f" {label:<21} | " + " | ".join(f"{text:>10}" for text in shown) + " ")
    lines.append("=" * width)
    return "".join(f"|{line}|\n" for line in lines)


# -- limits ---------------------------------------------------------------------------------------------


def set_per_process_memory_fraction(fraction: float, device: DeviceLike = None) -> None:
    """Let this program use no more than a part of a device's memory.

    Raises:
        NoCudaError: without any device.
        TypeError, ValueError: when `fraction` is not a float between 0 and 1.

    >>> with tk.cuda.emulate(capacity=2**30):
    ...     set_per_process_memory_fraction(0.5)
    ...     tk.empty(600 * 2**20, dtype=tk.uint8, device="cuda")
    Traceback (most recent call last):
    tensorkit.errors.OutOfMemoryError: CUDA out of memory. Tried to allocate 600.00 MiB. ...
    """
    need_cuda()
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if fraction < 0 or fraction > 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    _allocator(device).fraction = fraction


def get_per_process_memory_fraction(device: DeviceLike = None) -> float:
    """The part of a device's memory that this program may use.

    Raises:
        NoCudaError: without any device.

    >>> with tk.cuda.emulate():
    ...     get_per_process_memory_fraction()
    1.0
    """
    return _allocator(device).fraction
