"""Operations that a library does on a CUDA device: the body meets the device's own bytes, and no transfer takes place.

On an emulated device the body is the one that the CPU runs: it is given tensors that read the device's memory in place
(which is the computer's own), so that it checks, converts and refuses as it always does. What it returns is kept on the
device. On a GPU a library of the GPU's does the work: see `library_on_gpu`.

Some of these operations the kit's own kernels do as well, where they were chosen or there is no library: their bodies
are then called with the tensors as they are, and know what to do on a device.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from tensorkit import tracing
from tensorkit.device import CPU, META, device
from tensorkit.dispatch.library_on_gpu import GpuCall
from tensorkit.dispatch.library_on_gpu import tensors_in as _tensors
from tensorkit.dispatch.recording import takes_self_alone
from tensorkit.errors import DeviceMismatchError
from tensorkit.kernels import cuda
from tensorkit.storage import UntypedStorage, adopt, allocate, on_buffer
from tensorkit.tensor import Tensor, on_storage

#: The operations that are handed to a library on a CUDA device.
HANDED: set[str] = set()


def through_library(name: str, used: str, body: Callable[..., Any], family: str = "") -> Callable[..., Any]:
    """`body`, which is called on a CUDA device's bytes where its tensors live there.

    Args:
        name: PyTorch's name of the operation, for events and errors.
        used: the library: "LAPACK", "BLAS", "NumPy" or "NumPy sort". Products and sorts of one floating-point dtype are
            queued on the current stream, as the meta device knows the size of the result. All else is waited for:
            what it gives, or refuses, is known when the body has run.
        family: the kit's own kernels that can do it instead, if there are any: see ``kernels.cuda.choice``.
    """

    HANDED.add(name)
    if takes_self_alone(body):

        @functools.wraps(body)
        def alone(input: Any) -> Any:
            __tracebackhide__ = True
            if input.__class__ is not Tensor or input._device.type != "cuda":
                return body(input)
            if family and cuda.choice.is_own(family, input._store()._buffer):
                return body(input)
            return _Call(name, used, input._device).run(body, (input,), {})

        return alone

    @functools.wraps(body)
    def called(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        for value in args:
            if value.__class__ is Tensor:
                if value._device is CPU:
                    continue
                break
            if value.__class__ in _LISTS:
                break
        else:
            if not kwargs:
                return body(*args)
        where = _common(name, used, (*args, *kwargs.values()))
        if where is None or (family and _is_own(family, (*args, *kwargs.values()))):
            return body(*args, **kwargs)
        return _Call(name, used, where).run(body, args, kwargs)

    return called


_LISTS = frozenset((list, tuple))
_QUEUED = ("BLAS", "NumPy sort")


def _common(name: str, used: str, values: Iterable[Any]) -> device | None:
    """The CUDA device that a call's tensors live on; None where none does.

    Raises:
        DeviceMismatchError: when some live elsewhere; 0-d tensors of the CPU count as numbers, but not in a product.
    """
    found = list(_tensors(values))
    where = next((tensor._device for tensor in found if tensor._device.type == "cuda"), None)
    if where is None:
        return None
    for tensor in found:
        if tensor._device != where and (used == "BLAS" or tensor._device.type != "cpu" or tensor._lay().size):
            raise DeviceMismatchError(
                f"Expected all tensors to be on the same device, but found at least two devices, {where} and "
                f"{tensor._device}! (when checking arguments for {name})"
            )
    return where


def _is_own(family: str, values: Iterable[Any]) -> bool:
    there = next(tensor for tensor in _tensors(values) if tensor._device.type == "cuda")
    return bool(cuda.choice.is_own(family, there._store()._buffer))


def _accepted(values: tuple[Any, ...]) -> bool:
    """Whether only sizes can be refused: every product and sort takes real numbers of one floating-point dtype."""
    dtypes = {tensor._dtype for tensor in _tensors(values)}
    return (
        len(dtypes) == 1
        and next(iter(dtypes)).is_floating_point
        and not any(isinstance(value, complex) for value in values)
    )


def _without_data(value: Any) -> Any:
    """A tensor of the same size, dtype and layout on the meta device, or whatever else was given."""
    if isinstance(value, (list, tuple)) and any(True for _ in _tensors(value)):
        return type(value)([_without_data(part) for part in value])
    if not isinstance(value, Tensor) or value._device.type != "cuda":
        return value
    made = on_storage(allocate(value._store().nbytes(), META), value._lay(), value._dtype)
    if value._bits:
        made._bits = value._bits
    return made


def _flops(given: tuple[Any, ...], made: Any) -> int:
    """Additions and multiplications of a product: each element sums over the last dimension of the left factor."""
    factors = list(_tensors(given))
    if len(factors) < 2 or not isinstance(made, Tensor) or not factors[-2]._lay().size:
        return 0
    return int(2 * made.numel() * factors[-2]._lay().size[-1])


class _Call:
    """One call: which tensors read the device's bytes, and in whose place."""

    def __init__(self, name: str, used: str, where: device) -> None:
        self.name, self.used, self.where = name, used, where
        self.storages: dict[int, tuple[UntypedStorage, UntypedStorage, Any]] = {}
        self.pairs: dict[int, tuple[Tensor, Tensor]] = {}

    def run(self, body: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        __tracebackhide__ = True
        first = next(t for t in _tensors((*args, *kwargs.values())) if t._device.type == "cuda")
        if cuda.library.is_gpus(first._store()._buffer):
            return GpuCall(self.name, self.used, self.used not in _QUEUED, self.where, body).run(args, kwargs)
        if self.used in _QUEUED and _accepted((*args, *kwargs.values())) and kwargs.get("out") is None:
            return self._queue(body, args, kwargs)
        given = [self._here(value) for value in args]
        named = {key: self._here(value) for key, value in kwargs.items()}
        beside = next(iter(self.storages.values()))[0]._buffer
        cuda.library.wait(beside)
        try:
            with tracing.silence(), CPU:
                result = body(*given, **named)
        finally:
            for original, alias in self.pairs.values():
                self._follow(original, alias)
        cuda.library.told(self.name, self.used, self._buffers(), waits=True)
        return self._there(result, beside)

    def _buffers(self) -> list[Any]:
        return [storage._buffer for storage, _, _ in self.storages.values()]

    def _queue(self, body: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return at once what will hold the result; the body runs when the stream comes to it."""
        with tracing.silence(), CPU:
            shown = body(
                *map(_without_data, args), **{key: _without_data(value) for key, value in kwargs.items()}
            )
        made = self._empty_like(shown)
        given = [self._here(value) for value in args]
        named = {key: self._here(value) for key, value in kwargs.items()}
        targets = [self._here(tensor) for tensor in _tensors((made,))]

        def work() -> None:
            with tracing.silence(), CPU:
                for target, found in zip(targets, _tensors((body(*given, **named),)), strict=True):
                    target._nd()[...] = found._nd()

        count = _flops((*args, *kwargs.values()), made) if tracing.active and self.used == "BLAS" else 0
        cuda.library.queue(self.name, self.used, work, self._buffers(), count)
        return made

    def _empty_like(self, shown: Any) -> Any:
        """Tensors on the device for those without data that a body gave."""
        if isinstance(shown, (list, tuple)):
            parts = [self._empty_like(part) for part in shown]
            return tuple(parts) if type(shown) is tuple else type(shown)(parts)
        lay = shown._lay()
        return on_storage(allocate(lay.reach() * shown._dtype.itemsize, self.where), lay, shown._dtype)

    def _here(self, value: Any) -> Any:
        """A tensor on the device's bytes, or whatever else was given."""
        if isinstance(value, (list, tuple)) and any(True for _ in _tensors(value)):
            return type(value)([self._here(part) for part in value])
        if not isinstance(value, Tensor) or value._device.type != "cuda":
            return value
        known = self.pairs.get(id(value))
        if known is not None:
            return known[1]
        storage = value._checked_store()
        if id(storage) not in self.storages:
            alias_storage = adopt(cuda.library.bytes_of(storage._buffer))
            self.storages[id(storage)] = storage, alias_storage, alias_storage._buffer
        alias = on_storage(self.storages[id(storage)][1], value._lay(), value._dtype)
        if value._bits:
            alias._bits = value._bits
        if value._counter is None:
            value._counter = [0]
        alias._counter = value._counter
        self.pairs[id(value)] = value, alias
        return alias

    def _follow(self, original: Tensor, alias: Tensor) -> None:
        """What the body has resized is resized on the device too."""
        storage, own, buffer = self.storages[id(original._store())]
        if own._buffer is not buffer:
            storage._replace(cuda.library.keep(own._buffer, storage._buffer))
            self.storages[id(storage)] = storage, own, own._buffer
        if alias._store() is own and alias._lay() != original._lay():
            original._adopt_geometry(storage, alias._lay())

    def _there(self, result: Any, beside: Any) -> Any:
        """A result as it is to be returned: on the device, or the very tensor that was given."""
        if isinstance(result, (list, tuple)):
            parts = [self._there(part, beside) for part in result]
            return tuple(parts) if type(result) is tuple else type(result)(parts)
        if not isinstance(result, Tensor) or result._device.type != "cpu":
            return result
        for original, alias in self.pairs.values():
            if result is alias:
                return original
        for storage, own, _ in self.storages.values():
            if result._storage is own:
                return on_storage(storage, result._lay(), result._dtype)
        held = result._store()
        made = on_storage(
            on_buffer(cuda.library.keep(held._buffer, beside), self.where), result._lay(), result._dtype
        )
        if result._bits:
            made._bits = result._bits
        return made
