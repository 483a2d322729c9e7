"""``autograd.profiler``: the profiler of earlier years, which `tensorkit.profiler` has replaced.

>>> with tk.autograd.profiler.profile() as prof:
...     t = tk.ones(3).add(1)
>>> [(entry.key, entry.count) for entry in prof.key_averages()]
[('aten::ones', 1), ('aten::add', 1)]

Source: https://docs.pytorch.org/docs/stable/autograd.html#profiler
"""

from __future__ import annotations

from typing import Any

from tensorkit import cuda, profiler
from tensorkit.errors import warn
from tensorkit.profiler import EventList, FunctionEvent, FunctionEventAvg, record_function

__all__ = ["EventList", "FunctionEvent", "profile", "record_function"]


def __dir__() -> list[str]:
    return __all__


class profile(profiler.profile):
    """Records the operations that a program calls while it is entered, once.

    Args:
        enabled: whether anything is recorded; if not, ``with profile(False) as prof`` gives None.
        use_cuda: warns that it will go, and, as ``use_device="cuda"`` does, where there is no CUDA.
        record_shapes: whether sizes of inputs are kept.
        use_device, with_flops, profile_memory, with_stack, with_modules, and what follows: without effect.

    Raises:
        RuntimeError: when it is entered a second time.

    >>> with profile(record_shapes=True) as prof:
    ...     pass
    >>> prof.total_average().count
    0

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.profiler.profile.html
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(record_shapes=record_shapes or with_flops)
        self.enabled, self.entered, self._left = enabled, False, False
        if enabled and use_cuda:
            warn(
                "The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead.",
                FutureWarning,
            )
        if enabled and (use_cuda or use_device == "cuda") and not cuda.is_available():
            warn("CUDA is not available, disabling CUDA profiling")

    def __enter__(self) -> Any:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self.entered = True
        return super().__enter__()

    def __exit__(self, *exception: object) -> None:
        super().__exit__(*exception)
        self._left = True

    def __str__(self) -> str:
        return str(self.function_events) if self._left else "<unfinished tensorkit.autograd.profile>"

    @property
    def function_events(self) -> EventList:
        """All calls, in their order."""
        return self.events()

    @property
    def self_cpu_time_total(self) -> float:
        """How long all took together, in microseconds."""
        return self.events().self_cpu_time_total

    def table(self, *args: Any, **options: Any) -> str:
        """All calls as text: see `EventList.table`."""
        return self.events().table(*args, **options)

    def total_average(self) -> FunctionEventAvg:
        """All calls together."""
        return self.events().total_average()
