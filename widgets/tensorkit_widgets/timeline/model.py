"""How long things take on a device that nobody can measure: a few numbers, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass

from tensorkit.tracing import QueueEvent


@dataclass(frozen=True, slots=True)
class Model:
    """A stated model of a CPU and a GPU, for devices that are emulated: the same program takes the same time each run.

    The numbers are of the order of a data-centre GPU of 2020 in a server: an NVIDIA A100 reads and writes 1.6 TB/s and
    does 19.5 TFLOP/s in float32 (its data sheet), a PCIe 4 slot with 16 lanes carries 32 GB/s, of which pinned memory
    gets about 25 and pageable memory, which is copied twice, about half. A launch costs the CPU about 5 µs and a kernel
    takes a few µs even with nothing to do. Other machines, other numbers: ``timeline(model=Model(pinned=12))``.

    Copies between two memories in one direction take turns, as on a GPU, which has one engine for each. What the model
    leaves out: apart from that, work on two streams does not slow each other down, as if the device had room for any
    number of kernels; the program's own Python takes no time, and neither does memory that is allocated.

    Attributes:
        call: microseconds of the CPU for a call that launches a kernel or asks for a copy.
        library: the same for a call of a library, which chooses among kernels.
        mark: the same for an event that is recorded or waited for.
        kernel: microseconds that any kernel takes.
        memory: a device's own memory, gigabytes a second.
        arithmetic: multiplications and additions, 10¹² a second.
        copy: microseconds that any copy from one memory to another takes.
        pinned, pageable: such a copy from or to the host's memory, gigabytes a second.
        peer: from one device to another, gigabytes a second.

    >>> from tensorkit.tracing import QueueEvent
    >>> product = QueueEvent("library", "mm", "cuda:0", 0, 1, 0, 0, nbytes=12_000_000, flops=2 * 10**9)
    >>> Model().asking(product), Model().working(product)
    (10.0, 103.0)
    """

    call: float = 5.0
    library: float = 10.0
    mark: float = 1.0
    kernel: float = 3.0
    memory: float = 1500.0
    arithmetic: float = 20.0
    copy: float = 10.0
    pinned: float = 25.0
    pageable: float = 12.0
    peer: float = 50.0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            fast = name in ("memory", "arithmetic", "pinned", "pageable", "peer")
            if not isinstance(value, int | float) or not value >= 0 or (fast and not value):
                least = "more than 0" if fast else "0 or more"
                raise ValueError(f"Model({name}=…) must be a number, {least}, not {value!r}")

    def asking(self, event: QueueEvent) -> float:
        """How long the CPU is busy with a call, in microseconds; what it then waits is not counted."""
        if event.kind == "read":
            return 0.0  # the program's own work
        if event.kind in ("record", "wait", "synchronize"):
            return self.mark
        return self.library if event.kind == "library" else self.call

    def working(self, event: QueueEvent) -> float:
        """How long a stream is busy with what it was given, in microseconds."""
        if event.kind in ("record", "wait", "synchronize"):
            return 0.0
        if event.kind == "copy" and event.source != event.target:
            return self.copy + event.nbytes / (1e3 * self._carried(event))
        moved = event.nbytes * (2 if event.kind == "copy" else 1)  # within a device: read and written
        return self.kernel + max(moved / (1e3 * self.memory), event.flops / (1e6 * self.arithmetic))

    def _carried(self, event: QueueEvent) -> float:
        if "cpu" not in (event.source, event.target):
            return self.peer
        return self.pinned if event.pinned else self.pageable

    def said(self) -> str:
        """The model in words."""
        return (
            f"A call costs the CPU {self.call:g} µs, a library’s {self.library:g} µs, an event’s {self.mark:g} µs. "
            f"A kernel takes {self.kernel:g} µs and as long as its bytes at {self.memory:,g} GB/s or its sums at "
            f"{self.arithmetic:g} TFLOP/s, whichever is longer; a copy {self.copy:g} µs and its bytes at "
            f"{self.pinned:g} GB/s from or to pinned memory, {self.pageable:g} GB/s pageable, {self.peer:g} GB/s from "
            "device to device. Copies one way take turns; apart from that, streams do not slow each other down."
        )
