"""Functions that must pass and fail in the exercises of lesson 20, and what their checks look at on a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorkit as tk
from tensorkit_widgets.practice.checking.functions import Case
from tensorkit_widgets.practice.checking.on_devices import cuda_devices, trips

# -- which lines send numbers over? --------------------------------------------------------------------------------


def crossing(wanted: str = "ABCDE") -> str:
    """The letters of the lines that make numbers cross, found by running them."""
    with cuda_devices():
        g = tk.tensor([1.0, 2.0, 3.0]).to("cuda")
        lines: dict[str, Callable[[], object]] = {
            "A": lambda: g.sum(),
            "B": lambda: g.max().item(),
            "C": lambda: g[2:],
            "D": lambda: tk.zeros(3, device="cuda"),
            "E": lambda: "yes" if g[0] > 1 else "no",
        }
        found = ""
        for letter in wanted:
            with trips() as crossed:
                lines[letter]()
            found += letter if crossed else ""
    return found


# -- a constant beside its tensor ----------------------------------------------------------------------------------


def counted_there(t: Any) -> Any:
    return t * tk.arange(len(t), device=t.device)


def counted_by_new(t: Any) -> Any:
    return t * t.new_tensor(list(range(len(t))))


def counted_by_sums(t: Any) -> Any:
    return t * (tk.ones_like(t).cumsum(0) - 1)


def counted_here(t: Any) -> Any:
    return t * tk.arange(len(t))


def counted_on_cuda(t: Any) -> Any:
    return t * tk.arange(len(t), device="cuda")


def counted_on_cpu(t: Any) -> Any:
    return t.cpu() * tk.arange(len(t))


def counted_and_sent_back(t: Any) -> Any:
    return counted_on_cpu(t).to(t.device)


# -- the same noise everywhere -------------------------------------------------------------------------------------


def noise_moved(n: int, seed: int, device: Any) -> Any:
    tk.manual_seed(seed)
    return tk.rand(n).to(device)


def noise_by_generator(n: int, seed: int, device: Any) -> Any:
    return tk.rand(n, generator=tk.Generator().manual_seed(seed)).to(device)


def noise_on_cpu(n: int, seed: int, device: Any) -> Any:
    tk.manual_seed(seed)
    return tk.rand(n)


def noise_not_kept(n: int, seed: int, device: Any) -> Any:
    tk.manual_seed(seed)
    numbers = tk.rand(n)
    numbers.to(device)
    return numbers


def noise_drawn_there(n: int, seed: int, device: Any) -> Any:
    tk.manual_seed(seed)
    return tk.rand(n, device=device)


def noise_new(n: int, seed: int, device: Any) -> Any:
    return tk.rand(n, generator=tk.Generator().manual_seed(seed + 1)).to(device)


# -- a line through a table ----------------------------------------------------------------------------------------


def line_there(table: Any, device: Any) -> Any:
    table = table.to(device)
    x = tk.ones(len(table), 2, device=device)
    x[:, 0] = table[:, 0]
    a, b = tk.linalg.lstsq(x, table[:, 1:]).solution[:, 0].tolist()
    return a, b


def line_in_double(table: Any, device: Any) -> Any:
    table = table.to(device, tk.float64)
    x = tk.stack([table[:, 0], table.new_ones(len(table))], dim=1)
    found = tk.linalg.lstsq(x, table[:, 1:]).solution
    return found[0, 0].item(), found[1, 0].item()


def line_by_means(table: Any, device: Any) -> Any:
    table = table.to(device)
    x, y = table[:, 0], table[:, 1]
    slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
    return slope.item(), (y.mean() - slope * x.mean()).item()


def line_on_cpu(table: Any, device: Any) -> Any:
    return line_there(table, "cpu")


def line_not_kept(table: Any, device: Any) -> Any:
    table.to(device)
    return line_there(table, "cpu")


def line_half_there(table: Any, device: Any) -> Any:
    table = table.to(device)
    x = tk.ones(len(table), 2)
    x[:, 0] = table[:, 0]
    a, b = tk.linalg.lstsq(x, table[:, 1:]).solution[:, 0].tolist()
    return a, b


def line_as_tensors(table: Any, device: Any) -> Any:
    table = table.to(device)
    x = tk.stack([table[:, 0], tk.ones_like(table[:, 0])], dim=1)
    found = tk.linalg.lstsq(x, table[:, 1:]).solution
    return found[0, 0], found[1, 0]


# -- repair it -----------------------------------------------------------------------------------------------------


def standard_untouched(t: Any, device: Any) -> Any:
    """The function as it is given."""
    t.to(device)
    least = tk.tensor([1e-6])
    return (t - t.mean()) / tk.maximum(t.std(), least)


def standard_there(t: Any, device: Any) -> Any:
    t = t.to(device)
    least = tk.tensor([1e-6], device=device)
    return (t - t.mean()) / tk.maximum(t.std(), least)


def standard_by_like(t: Any, device: Any) -> Any:
    moved = t.to(device)
    return (moved - moved.mean()) / tk.maximum(moved.std(), moved.new_tensor(1e-6))


def standard_by_number(t: Any, device: Any) -> Any:
    t = t.to(device)
    return (t - t.mean()) / t.std().clamp(min=1e-6)


def standard_constant_here(t: Any, device: Any) -> Any:
    t = t.to(device)
    least = tk.tensor([1e-6])
    return (t - t.mean()) / tk.maximum(t.std(), least)


def standard_not_kept(t: Any, device: Any) -> Any:
    t.to(device)
    least = tk.tensor([1e-6], device=device)
    return (t - t.mean()) / tk.maximum(t.std(), least)


def standard_in_place(t: Any, device: Any) -> Any:
    t = t.to(device)
    t -= t.mean()
    t /= t.std().clamp(min=1e-6)
    return t


def standard_on_cuda(t: Any, device: Any) -> Any:
    t = t.cuda()
    return (t - t.mean()) / t.std().clamp(min=1e-6)


def standard_unguarded(t: Any, device: Any) -> Any:
    t = t.to(device)
    return (t - t.mean()) / t.std()


def standard_at_its_ends(t: Any, device: Any) -> Any:
    """Right in its first number and its last, and nowhere between."""
    right = standard_there(t, device)
    right[1:-1] = 0
    return right


def standard_sent_late(t: Any, device: Any) -> Any:
    return ((t - t.mean()) / t.std().clamp(min=1e-6)).to(device)


# -- what a check looks at -----------------------------------------------------------------------------------------


class Watched:
    """One call with a tensor of the CPU and a device, and what the device's memory tells of it afterwards.

    Where something is computed, more than one copy of the tensor has to lie there at some time. With `sent`, the
    call is given the tensor on the device, and nothing else.
    """

    def __init__(self, tensor: Callable[[], Any], device: str, *, sent: bool = False) -> None:
        self.tensor, self.device, self.sent = tensor, tk.device(device), sent
        self._before = self._copy = 0

    def arguments(self) -> tuple[object, ...]:
        """The tensor, fresh, and the device."""
        given = self.tensor()
        if self.device.type == "cuda":
            self._before = tk.cuda.memory_allocated(self.device)
            copy = given.to(self.device)
            self._copy = tk.cuda.memory_allocated(self.device) - self._before
            if self.sent:
                self._before, given = tk.cuda.memory_allocated(self.device), copy
            del copy
            tk.cuda.reset_peak_memory_stats(self.device)
        return (given,) if self.sent else (given, self.device)

    def happened(self) -> str:
        """What happened on the device: "computed", no more than one "copy", or "nothing"."""
        if self.device.type != "cuda":
            return "computed"
        most = tk.cuda.max_memory_allocated(self.device) - self._before
        return "computed" if most > self._copy else "copy" if most else "nothing"

    def case(
        self,
        says: str,
        returns: object,
        looks: Callable[[tuple[Any, ...], Any], object],
        tells: Callable[[Any], str],
    ) -> Case:
        """The case of a check: what `looks` sees, and what happened on the device."""

        def look(given: tuple[Any, ...], got: Any) -> object:
            return looks(given, got), self.happened()

        return Case(says, self.arguments, (returns, "computed"), look, tells)
