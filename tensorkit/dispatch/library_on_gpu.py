"""Operations that CuPy does on a GPU: the body says what the result will be, CuPy's functions say what is in it.

The body runs on the meta device, where it checks sizes, dtypes and arguments as it always does, and resizes what was
given as ``out=``. Then the function of the operation's name (``kernels.cuda.gpu.libraries.table``) works on the GPU's
own memory, and its arrays are put into tensors of the sizes and strides that the body told. Where the numbers do not
allow it, the body meets copies of them on the host, and raises what it raises.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy

from tensorkit import dtypes, tracing
from tensorkit.conj_bit import CONJ, NEG
from tensorkit.device import CPU, META, device
from tensorkit.errors import MissingKernelError
from tensorkit.kernels import cuda
from tensorkit.storage import UntypedStorage, allocate
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Tensor, fresh, on_storage

_signature = functools.cache(inspect.signature)


@functools.cache
def _unsaid(body: Callable[..., Any]) -> dict[str, Any]:
    """The parameters of a body in order, each with what it is where the call says nothing."""
    return {name: parameter.default for name, parameter in _signature(body).parameters.items()}


#: Arguments whose numbers the bodies look at on the meta device too.
_TOLERANCES = ("atol", "rtol", "rcond", "tol")
_SINGLE = (dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128)


def tensors_in(values: Iterable[Any]) -> Iterator[Tensor]:
    """The tensors among some values, those in lists too."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)


class GpuCall:
    """One call of an operation on a GPU.

    Args:
        name: PyTorch's name of the operation.
        used: the library that does it on an emulated device.
        waits: whether the program is held up, since what is given or refused depends on the numbers.
        where: the GPU.
        body: what the CPU runs.
    """

    def __init__(self, name: str, used: str, waits: bool, where: device, body: Callable[..., Any]) -> None:
        self.name, self.used, self.waits, self.where, self.body = name, used, waits, where, body
        self.function = cuda.table.function_for(name)
        self.stands: dict[int, tuple[Tensor, Tensor]] = {}
        self.storages: dict[int, tuple[UntypedStorage, UntypedStorage]] = {}
        self.copies: dict[int, UntypedStorage] = {}
        self.narrow = False

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do it, and return what the operation returns.

        Raises:
            MissingKernelError: where CuPy is missing, or does not do this.
        """
        __tracebackhide__ = True
        beside = self._beside((*args, *kwargs.values()))
        work = cuda.place.Place(beside, self.name)
        if self.waits:
            cuda.library.held()
        given = list(tensors_in((*args, *kwargs.values())))
        kinds = {t._dtype for t in tensors_in(args) if t._dtype.category == 2}
        self.narrow = kinds == {dtypes.bfloat16} and self.used == "BLAS"
        if kwargs.get("out") is None and not any(tensor.numel() for tensor in given):
            return self._of_nothing(args, kwargs)
        made = None if self.name in cuda.table.BY_NUMBERS else self._shown(args, kwargs)
        with cuda.library.timed(beside):
            found = self._computed(work, args, kwargs, made)
        if found is None:
            self._in_words(args, kwargs)
        cuda.library.told(self.name, cuda.table.LIBRARIES[self.used], [beside], "gpu", waits=self.waits)
        return made if self.name not in cuda.table.BY_NUMBERS else found

    def _beside(self, values: tuple[Any, ...]) -> Any:
        """A buffer on the GPU."""
        return next(t for t in tensors_in(values) if t._device.type == "cuda")._store()._buffer

    def _of_nothing(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the body makes of tensors without an element, which need no GPU."""
        __tracebackhide__ = True
        with tracing.silence(), CPU:
            found = self.body(
                *map(self._on_host, args), **{key: self._on_host(value) for key, value in kwargs.items()}
            )
        return self._moved(found)

    def _moved(self, found: Any) -> Any:
        if isinstance(found, (list, tuple)):
            parts = [self._moved(part) for part in found]
            return tuple(parts) if type(found) is tuple else type(found)(parts)
        return found.to(self.where) if isinstance(found, Tensor) else found

    # -- what the result will be --------------------------------------------------------------------------------

    def _shown(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Tensors for the results, of the sizes that the body tells on the meta device, or those given as ``out=``."""
        __tracebackhide__ = True
        given = [self._shown_as(key, value) for key, value in zip(_unsaid(self.body), args, strict=False)]
        named = {key: self._shown_as(key, value) for key, value in kwargs.items()}
        with tracing.silence(), CPU:
            shown = self.body(*given, *args[len(given) :], **named)
        for original, stand in self.stands.values():
            self._follow(original, stand)
        return self._there(shown)

    def _shown_as(self, key: str, value: Any) -> Any:
        """What the body sees of an argument."""
        if key == "sorter":
            return None  # whose numbers the function looks at itself
        if key in _TOLERANCES and isinstance(value, Tensor):
            return fresh(numpy.zeros(value._lay().size, value._dtype.numpy), value._dtype)
        return self._stand(value)

    def _stand(self, value: Any) -> Any:
        """What stands for a tensor on the meta device, on a storage that stands for its storage; else the value."""
        if isinstance(value, (list, tuple)) and any(True for _ in tensors_in(value)):
            return type(value)([self._stand(part) for part in value])
        if not isinstance(value, Tensor) or value._device.type != "cuda":
            return value
        if id(value) not in self.stands:
            storage = value._checked_store()
            if id(storage) not in self.storages:
                self.storages[id(storage)] = storage, allocate(storage.nbytes(), META)
            stand = on_storage(self.storages[id(storage)][1], value._lay(), value._dtype)
            if value._bits:
                stand._bits = value._bits
            if value._counter is None:
                value._counter = [0]
            stand._counter = value._counter
            self.stands[id(value)] = value, stand
        return self.stands[id(value)][1]

    def _follow(self, original: Tensor, stand: Tensor) -> None:
        """What the body has resized is resized on the device too."""
        storage, own = self.storages[id(original._store())]
        if stand._store() is own and stand._lay() != original._lay():
            if own.nbytes() > storage.nbytes():
                storage.resize_(own.nbytes())
            original._adopt_geometry(storage, stand._lay())

    def _there(self, shown: Any) -> Any:
        """A result as it is to be returned: a new tensor on the device, or the very one that was given."""
        if isinstance(shown, (list, tuple)):
            parts = [self._there(part) for part in shown]
            return tuple(parts) if type(shown) is tuple else type(shown)(parts)
        if not isinstance(shown, Tensor):
            return shown
        for original, stand in self.stands.values():
            if shown is stand:
                return original
        lay = shown._lay()
        if self.name in cuda.table.ROW_MAJOR:
            lay = Layout(lay.size, contiguous_stride(lay.size), 0)
        return self._empty(lay, shown._dtype)

    def _empty(self, layout: Layout, kind: dtypes.dtype) -> Tensor:
        return on_storage(allocate(layout.reach() * kind.itemsize, self.where), layout, kind)

    # -- what is in it ------------------------------------------------------------------------------------------

    def _computed(self, work: Any, args: tuple[Any, ...], kwargs: dict[str, Any], made: Any) -> Any:
        """The results with their numbers; None where the numbers, or the arguments, do not allow it."""
        targets = list(tensors_in((made,)))
        if targets and not any(target.numel() for target in targets):
            if kwargs.get("sorter") is not None:
                self._of_nothing(args, kwargs)  # it refuses a wrong sorter
            return made
        given = [id(tensor) for tensor in tensors_in((*args, *kwargs.values()))]
        if any(id(target) in given and target._lay().has_internal_overlap() == "yes" for target in targets):
            return None
        said = self._said(args, kwargs)
        out = said.pop("out", None)
        if self._unknown(said.values()) or (made is None and not self._fits(out, args)):
            return None
        try:
            with work.working():
                call = {key: self._array(work, value) for key, value in said.items()}
                found = self.function(work.cupy, call)
                if made is None:
                    kept = self._kept(work, found, list(tensors_in(said.values())))
                    return kept if out is None else out.resize_(kept.size()).copy_(kept)
                for target, array in zip(
                    targets, found if isinstance(found, tuple) else (found,), strict=True
                ):
                    self._put(work, target, array)
        except (cuda.place.Refused, numpy.linalg.LinAlgError):
            return None
        return made

    def _said(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by name, in the order of the parameters."""
        if self.name in cuda.table.BY_NUMBERS:  # the body has not seen them yet
            _signature(self.body).bind(*args, **kwargs)
        unsaid = _unsaid(self.body)
        return {**unsaid, **dict(zip(unsaid, args, strict=False)), **kwargs}

    def _unknown(self, values: Iterable[Any]) -> bool:
        """Whether CuPy does not know a dtype: cuSOLVER knows neither whole numbers nor those of 16 bits."""
        given = list(tensors_in(values))
        if any(tensor._dtype in dtypes.LIMITED for tensor in given):
            return True
        return (
            self.used == "LAPACK" and self.name not in cuda.table.ANY_DTYPE and given[0]._dtype not in _SINGLE
        )

    def _fits(self, out: Any, args: tuple[Any, ...]) -> bool:
        """Whether what the body has not checked can be written: of these operations one alone takes ``out=``."""
        if out is None:
            return True
        alike = isinstance(out, Tensor) and out._dtype is dtypes.bool and out._device == self.where
        return alike and (not out.numel() or out._lay().size == next(tensors_in(args))._lay().size)

    def _array(self, work: Any, value: Any) -> Any:
        """A tensor as a CuPy array on its own memory; one of the CPU, which has no dimensions, as a number."""
        if not isinstance(value, Tensor):
            return value
        if value._device.type != "cuda":
            return value._nd()[()]
        array = work.read(
            work.slots(value._checked_store()._buffer, value._lay(), value._dtype), value._dtype
        )
        if value._bits & CONJ:
            array = array.conj()
        return -array if value._bits & NEG else array

    def _put(self, work: Any, target: Tensor, array: Any) -> None:
        if not target.numel():
            return
        if self.narrow and target._dtype is not dtypes.bfloat16:
            array = work.narrowed(array)
        if target._bits & CONJ:
            array = array.conj()
        array = -array if target._bits & NEG else array
        work.write(
            work.slots(target._checked_store()._buffer, target._lay(), target._dtype), target._dtype, array
        )

    def _kept(self, work: Any, found: Any, given: list[Tensor]) -> Any:
        """New tensors for arrays whose sizes were not known before."""
        arrays = found if isinstance(found, tuple) else (found,)
        tensors = []
        for number, array in enumerate(arrays):
            kind = cuda.table.kind_of(self.name, number, array, [tensor._dtype for tensor in given])
            tensors.append(self._empty(Layout(array.shape, contiguous_stride(array.shape), 0), kind))
            self._put(work, tensors[-1], array)
        if self.name in cuda.table.WITH_NAMES:  # the type of what it gives
            one = fresh(numpy.ones((1, 1)), dtypes.float64)
            return type(self.body(one, one))(tensors)
        return tuple(tensors) if isinstance(found, tuple) else tensors[0]

    # -- what is wrong with it ----------------------------------------------------------------------------------

    def _in_words(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raise what the body raises of the same numbers on the CPU."""
        __tracebackhide__ = True
        with tracing.silence(), CPU:
            self.body(
                *map(self._on_host, args), **{key: self._on_host(value) for key, value in kwargs.items()}
            )
        raise MissingKernelError(
            f"Could not run 'aten::{self.name}' with arguments from the 'CUDA' backend: CuPy, which does such work on "
            "a GPU, does not do it for these. Move the tensors first: t.cpu() returns a copy on the CPU."
        )

    def _on_host(self, value: Any) -> Any:
        """A copy of a tensor on the CPU: it lies there as it does on the GPU."""
        if isinstance(value, (list, tuple)) and any(True for _ in tensors_in(value)):
            return type(value)([self._on_host(part) for part in value])
        if not isinstance(value, Tensor) or value._device.type != "cuda":
            return value
        storage = value._store()
        copied = self.copies.setdefault(id(storage), storage.cpu())
        there = on_storage(copied, value._lay(), value._dtype)
        if value._bits:
            there._bits = value._bits
        return there
