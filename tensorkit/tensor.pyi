"""`Tensor` with all that `ops/` attaches to it, for editors and type checkers.

Written by `make stubs`; a test keeps it fresh. To learn how it works, read `tensor.py` and `ops/` instead.
"""

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as numpy_module

from tensorkit.autograd.node import Node, RemovableHandle
from tensorkit.device import DeviceLike
from tensorkit.device import device as device_type
from tensorkit.dtypes import dtype as dtype_type
from tensorkit.memory_format import memory_format
from tensorkit.ops.kit import Number as Number_kit
from tensorkit.ops.reduction.norm import Number as Number_norm
from tensorkit.ops.shared.int_args import Dims
from tensorkit.ops.tensor.python_protocols import DLDeviceType
from tensorkit.random import Generator
from tensorkit.size import Size
from tensorkit.storage import TypedStorage, UntypedStorage
from tensorkit.strides.layout import Layout

Array = numpy_module.ndarray[Any, Any]
Number = builtins.bool | builtins.int | builtins.float | complex

class Tensor:
    _array: Array | None
    _autograd: Any
    _base: Tensor | None
    _born: builtins.int
    _counter: list[builtins.int] | None
    _device: device_type
    _dtype: dtype_type
    _layout: Layout | None
    _origin: builtins.int
    _solid: builtins.bool
    _storage: UntypedStorage | None
    _bits: builtins.int
    def _lay(self) -> Layout:
        """The layout; written down now if this is a fresh result."""
    def _store(self) -> UntypedStorage:
        """The storage; made now, over the array's own memory, if this is a fresh result."""
    def _checked_store(self) -> UntypedStorage:
        """The storage, to read or write the elements through it; refused where it does not reach them."""
    def _nd(self, *, physical: builtins.bool = False) -> Array:
        """The NumPy array that shows this CPU tensor's elements in place; built now if this is a view."""
    def _forget_array(self) -> None:
        """The storage's buffer was replaced: what was cached over the old one is wrong now."""
    def _view(self, layout: Layout) -> Tensor:
        """Another tensor on the same storage, with its own layout and the same version counter."""
    def _adopt_geometry(
        self,
        storage: UntypedStorage,
        layout: Layout,
        kind: dtype_type | None = None,
        *,
        apart: builtins.bool = False,
    ) -> None:
        """Point this very tensor at other memory or another layout (`set_`, `resize_`, `t_` and their kin)."""
    def _bump(self) -> None:
        """Count one write; every view of the family sees it."""
    def size(self, dim: builtins.int | None = None) -> Any:
        """The number of elements along each dimension, or along one."""
    @property
    def shape(self) -> Size:
        """The same as `size()`."""
    def stride(self, dim: builtins.int | None = None) -> Any:
        """How many storage slots lie between neighbours along each dimension, or along one."""
    def storage_offset(self) -> builtins.int:
        """The storage slot of the first element."""
    def dim(self) -> builtins.int:
        """The number of dimensions."""
    ndimension = dim
    @property
    def ndim(self) -> builtins.int:
        """The number of dimensions."""
    def numel(self) -> builtins.int:
        """The number of elements."""
    nelement = numel
    def is_contiguous(self, *, memory_format: Any = ...) -> builtins.bool:
        """Whether the elements lie in the storage one after another in row-major order (or in another format)."""
    @property
    def dtype(self) -> dtype_type:
        """The type of the elements."""
    @property
    def device(self) -> device_type:
        """Where the storage lives."""
    @property
    def is_cuda(self) -> builtins.bool:
        """Whether the storage lives in a CUDA device's memory."""
    @property
    def is_cpu(self) -> builtins.bool:
        """Whether the storage lives in the computer's own memory."""
    @property
    def is_meta(self) -> builtins.bool:
        """Whether the tensor has a size but no data."""
    def get_device(self) -> builtins.int:
        """The number of the CUDA device, or -1 on the CPU."""
    def is_floating_point(self) -> builtins.bool:
        """Whether the elements are floating point numbers (complex ones do not count)."""
    def is_complex(self) -> builtins.bool:
        """Whether the elements are complex numbers."""
    def is_signed(self) -> builtins.bool:
        """Whether the elements can be negative."""
    def element_size(self) -> builtins.int:
        """Bytes of one element."""
    @property
    def itemsize(self) -> builtins.int:
        """Bytes of one element."""
    @property
    def nbytes(self) -> builtins.int:
        """Bytes of all elements: numel × itemsize (the storage may be larger, or smaller after `expand`)."""
    def untyped_storage(self) -> UntypedStorage:
        """The bytes that this tensor and its views share."""
    def storage(self) -> TypedStorage:
        """The storage read as elements of this dtype. PyTorch prefers `untyped_storage` today, and says so once."""
    def data_ptr(self) -> builtins.int:
        """The address of the first element in its device's memory; 0 for an empty tensor."""
    def is_set_to(self, tensor: Tensor) -> builtins.bool:
        """Whether the other tensor has the same storage, offset, size and stride."""
    @property
    def _version(self) -> builtins.int:
        """How many times the storage was written to through this tensor's family of views."""
    def _is_view(self) -> builtins.bool:
        """Whether this tensor was made as a view of another."""
    def __len__(self) -> builtins.int: ...
    def __hash__(self) -> builtins.int: ...
    @property
    def H(self) -> Tensor: ...
    @H.setter
    def H(self, value: Any) -> None: ...
    @property
    def T(self) -> Tensor:
        """All dimensions in reverse order; a matrix transposed."""
    @T.setter
    def T(self, value: Any) -> None: ...
    def __abs__(self) -> Tensor: ...
    def __add__(self, other: Any) -> Tensor: ...
    def __and__(self, other: Any) -> Tensor: ...
    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> Any: ...
    def __array_wrap__(
        self, array: Array, context: Any = None, return_scalar: builtins.bool = False
    ) -> Any: ...
    def __bool__(self) -> builtins.bool: ...
    def __complex__(self) -> complex: ...
    def __contains__(self, element: Any) -> builtins.bool: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """What other CUDA libraries read a tensor's address, size and strides from."""
    @__cuda_array_interface__.setter
    def __cuda_array_interface__(self, value: Any) -> None: ...
    def __deepcopy__(self, memo: dict[builtins.int, Any]) -> Tensor: ...
    def __delitem__(self, key: Any) -> None: ...
    def __dir__(self) -> list[str]: ...
    def __div__(self, other: Any) -> Tensor: ...
    def __dlpack__(
        self,
        *,
        stream: Any = -1,
        max_version: tuple[builtins.int, builtins.int] | None = None,
        dl_device: tuple[builtins.int, builtins.int] | None = None,
        copy: builtins.bool | None = None,
    ) -> Tensor: ...
    def __dlpack_device__(self) -> tuple[DLDeviceType, builtins.int]: ...
    def __eq__(self, other: Any) -> Tensor:  # type: ignore[override]
        ...
    def __float__(self) -> builtins.float: ...
    def __floordiv__(self, other: Any) -> Tensor: ...
    def __format__(self, format_spec: str) -> str: ...
    def __ge__(self, other: Any) -> Tensor: ...
    def __getitem__(self, key: Any) -> Tensor: ...
    def __gt__(self, other: Any) -> Tensor: ...
    def __iadd__(self, other: Any) -> Tensor: ...
    def __iand__(self, other: Any) -> Tensor: ...
    def __idiv__(self, other: Any) -> Tensor: ...
    def __ifloordiv__(self, other: Any) -> Tensor: ...
    def __ilshift__(self, other: Any) -> Tensor: ...
    def __imod__(self, other: Any) -> Tensor: ...
    def __imul__(self, other: Any) -> Tensor: ...
    def __index__(self) -> builtins.int: ...
    def __int__(self) -> builtins.int: ...
    def __invert__(self) -> Tensor: ...
    def __ior__(self, other: Any) -> Tensor: ...
    def __ipow__(self, other: Any) -> Tensor: ...
    def __irshift__(self, other: Any) -> Tensor: ...
    def __isub__(self, other: Any) -> Tensor: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __itruediv__(self, other: Any) -> Tensor: ...
    def __ixor__(self, other: Any) -> Tensor: ...
    def __le__(self, other: Any) -> Tensor: ...
    def __lshift__(self, other: Any) -> Tensor: ...
    def __lt__(self, other: Any) -> Tensor: ...
    def __matmul__(self, other: Any) -> Tensor: ...
    def __mod__(self, other: Any) -> Tensor: ...
    def __mul__(self, other: Any) -> Tensor: ...
    def __ne__(self, other: Any) -> Tensor:  # type: ignore[override]
        ...
    def __neg__(self) -> Tensor: ...
    def __new__(cls, *args: Any, **kwargs: Any) -> Tensor: ...
    def __or__(self, other: Any) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __pow__(self, other: Any) -> Tensor: ...
    def __radd__(self, other: Any) -> Tensor: ...
    def __rand__(self, other: Any) -> Tensor: ...
    def __rdiv__(self, other: Any) -> Tensor: ...
    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]: ...
    def __repr__(self, *, tensor_contents: str | None = None) -> str: ...
    def __reversed__(self) -> Tensor: ...
    def __rfloordiv__(self, other: Any) -> Tensor: ...
    def __rlshift__(self, other: Any) -> Tensor: ...
    def __rmatmul__(self, other: Any) -> Tensor: ...
    def __rmod__(self, other: Any) -> Tensor: ...
    def __rmul__(self, other: Any) -> Tensor: ...
    def __ror__(self, other: Any) -> Tensor: ...
    def __rpow__(self, other: Any) -> Tensor: ...
    def __rrshift__(self, other: Any) -> Tensor: ...
    def __rshift__(self, other: Any) -> Tensor: ...
    def __rsub__(self, other: Any) -> Tensor: ...
    def __rtruediv__(self, other: Any) -> Tensor: ...
    def __rxor__(self, other: Any) -> Tensor: ...
    def __setitem__(self, key: Any, value: Any) -> None: ...
    def __sub__(self, other: Any) -> Tensor: ...
    def __truediv__(self, other: Any) -> Tensor: ...
    def __xor__(self, other: Any) -> Tensor: ...
    def _neg_view(self) -> Tensor:
        """The negatives of the elements, as a view: nothing is computed until the elements are read."""
    def abs(self) -> Tensor:
        """The absolute value of every element; of a complex number, its length."""
    def abs_(self) -> Tensor:
        """In-place form of ``abs``: the result is written into this tensor."""
    def absolute(self) -> Tensor:
        """The absolute value of every element; of a complex number, its length."""
    def absolute_(self) -> Tensor:
        """In-place form of ``abs``: the result is written into this tensor."""
    def acos(self) -> Tensor:
        """The angle, from 0 to pi, whose cosine every element is; nan where there is none."""
    def acos_(self) -> Tensor:
        """In-place form of ``acos``: the result is written into this tensor."""
    def acosh(self) -> Tensor:
        """The number from 0 on whose hyperbolic cosine every element is; nan below 1."""
    def acosh_(self) -> Tensor:
        """In-place form of ``acosh``: the result is written into this tensor."""
    def add(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """Add, element by element: ``input + alpha * other``."""
    def add_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """In-place form of ``add``: the result is written into this tensor."""
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """``beta × input + alpha ×`` the sum of the products of a batch's pairs of matrices."""
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In-place form of ``addbmm``: the result is written into this tensor."""
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1) -> Tensor:
        """Add a quotient: ``input + value * tensor1 / tensor2``, element by element."""
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1) -> Tensor:
        """In-place form of ``addcdiv``: the result is written into this tensor."""
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1) -> Tensor:
        """Add a product: ``input + value * tensor1 * tensor2``, element by element."""
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1) -> Tensor:
        """In-place form of ``addcmul``: the result is written into this tensor."""
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """``beta × input + alpha × mat1 @ mat2``."""
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In-place form of ``addmm``: the result is written into this tensor."""
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """``beta × input + alpha × mat @ vec``."""
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In-place form of ``addmv``: the result is written into this tensor."""
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """``beta × input + alpha × outer(vec1, vec2)``; dtypes are promoted."""
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In-place form of ``addr``: the result is written into this tensor."""
    def adjoint(self) -> Tensor:
        """The conjugate transpose of every matrix of a batch."""
    def all(self, dim: Dims | None = None, keepdim: builtins.bool = False) -> Tensor:
        """Whether all elements, or all along the dimensions named, are true: is not zero. nan is not zero."""
    def allclose(
        self,
        other: Tensor,
        rtol: builtins.float = 1e-05,
        atol: builtins.float = 1e-08,
        equal_nan: builtins.bool = False,
    ) -> builtins.bool:
        """Whether all elements of two tensors are close; see `isclose`."""
    def amax(self, dim: Dims | None = (), keepdim: builtins.bool = False) -> Tensor:
        """The largest of all elements, or of those along the dimensions named."""
    def amin(self, dim: Dims | None = (), keepdim: builtins.bool = False) -> Tensor:
        """The smallest of all elements, or of those along the dimensions named."""
    def aminmax(self, *, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Any:
        """The smallest and the largest element, of all or along one dimension, as a named pair ``(min, max)``."""
    def angle(self) -> Tensor:
        """The angle of every complex number with the positive real axis, in radians: 0 or pi for real ones."""
    def any(self, dim: Dims | None = None, keepdim: builtins.bool = False) -> Tensor:
        """Whether some element, or some along the dimensions named, is true: is not zero. nan is not zero."""
    def apply_(self, callable: Any) -> Tensor:
        """Apply a Python function to each element, in place. Slow: whole-tensor operations are faster."""
    def arccos(self) -> Tensor:
        """The angle, from 0 to pi, whose cosine every element is; nan where there is none."""
    def arccos_(self) -> Tensor:
        """In-place form of ``acos``: the result is written into this tensor."""
    def arccosh(self) -> Tensor:
        """The number from 0 on whose hyperbolic cosine every element is; nan below 1."""
    def arccosh_(self) -> Tensor:
        """In-place form of ``acosh``: the result is written into this tensor."""
    def arcsin(self) -> Tensor:
        """The angle, from -pi/2 to pi/2, whose sine every element is; nan where there is none."""
    def arcsin_(self) -> Tensor:
        """In-place form of ``asin``: the result is written into this tensor."""
    def arcsinh(self) -> Tensor:
        """The number whose hyperbolic sine every element is."""
    def arcsinh_(self) -> Tensor:
        """In-place form of ``asinh``: the result is written into this tensor."""
    def arctan(self) -> Tensor:
        """The angle, from -pi/2 to pi/2, whose tangent every element is."""
    def arctan2(self, other: Tensor) -> Tensor:
        """The angle of the point (`other`, `input`), in radians from -pi to pi."""
    def arctan2_(self, other: Tensor) -> Tensor:
        """In-place form of ``atan2``: the result is written into this tensor."""
    def arctan_(self) -> Tensor:
        """In-place form of ``atan``: the result is written into this tensor."""
    def arctanh(self) -> Tensor:
        """The number whose hyperbolic tangent every element is; nan beyond -1 and 1."""
    def arctanh_(self) -> Tensor:
        """In-place form of ``atanh``: the result is written into this tensor."""
    def argmax(self, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Tensor:
        """Where the largest element is: its index along a dimension, or among all in row-major order."""
    def argmin(self, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Tensor:
        """Where the smallest element is: its index along a dimension, or among all in row-major order."""
    def argsort(
        self,
        dim: builtins.int = -1,
        descending: builtins.bool = False,
        *,
        stable: builtins.bool | None = None,
    ) -> Tensor:
        """The indices that would sort the tensor along a dimension, as `sort` gives them."""
    def argwhere(self) -> Tensor:
        """The indices of the elements that are not zero, a row for each: ``nonzero(input)``."""
    def as_strided(
        self,
        size: Sequence[builtins.int],
        stride: Sequence[builtins.int],
        storage_offset: builtins.int | None = None,
    ) -> Tensor:
        """Read the storage with a size, strides and an offset of your own; all must lie inside it."""
    def as_strided_(
        self,
        size: Sequence[builtins.int],
        stride: Sequence[builtins.int],
        storage_offset: builtins.int | None = None,
    ) -> Tensor:
        """In-place form of ``as_strided``: this tensor itself gets the new layout."""
    def as_strided_scatter(
        self,
        src: Tensor,
        size: Sequence[builtins.int],
        stride: Sequence[builtins.int],
        storage_offset: builtins.int | None = None,
    ) -> Tensor:
        """A copy with `src` in the slots that ``input.as_strided(size, stride, storage_offset)`` reads."""
    def asin(self) -> Tensor:
        """The angle, from -pi/2 to pi/2, whose sine every element is; nan where there is none."""
    def asin_(self) -> Tensor:
        """In-place form of ``asin``: the result is written into this tensor."""
    def asinh(self) -> Tensor:
        """The number whose hyperbolic sine every element is."""
    def asinh_(self) -> Tensor:
        """In-place form of ``asinh``: the result is written into this tensor."""
    def atan(self) -> Tensor:
        """The angle, from -pi/2 to pi/2, whose tangent every element is."""
    def atan2(self, other: Tensor) -> Tensor:
        """The angle of the point (`other`, `input`), in radians from -pi to pi."""
    def atan2_(self, other: Tensor) -> Tensor:
        """In-place form of ``atan2``: the result is written into this tensor."""
    def atan_(self) -> Tensor:
        """In-place form of ``atan``: the result is written into this tensor."""
    def atanh(self) -> Tensor:
        """The number whose hyperbolic tangent every element is; nan beyond -1 and 1."""
    def atanh_(self) -> Tensor:
        """In-place form of ``atanh``: the result is written into this tensor."""
    def backward(
        self,
        gradient: Any = None,
        retain_graph: builtins.bool | None = None,
        create_graph: builtins.bool = False,
        inputs: Any = None,
    ) -> None:
        """Compute the gradients of this tensor and add them to the ``.grad`` of the leaves; see `autograd.backward`."""
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """``beta × input + alpha × bmm(batch1, batch2)``: pair by pair."""
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In-place form of ``baddbmm``: the result is written into this tensor."""
    def bernoulli(self, *chance: Any, generator: Generator | None = None, **keyword: Any) -> Tensor:
        """Ones and zeros: one as often as `input` says, element by element, or as often as a number `p` says."""
    def bernoulli_(self, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill with ones and zeros: one as often as `p` says."""
    def bfloat16(self, *, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as ``tensorkit.bfloat16``: itself if it is, otherwise a copy."""
    def bincount(self, weights: Tensor | None = None, minlength: builtins.int = 0) -> Tensor:
        """How often each whole number from 0 up occurs."""
    def bitwise_and(self, other: Tensor | Number) -> Tensor:
        """The bits that both have, element by element; of bools the logical operation."""
    def bitwise_and_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``bitwise_and``: the result is written into this tensor."""
    def bitwise_left_shift(self, other: Tensor | Number) -> Tensor:
        """Shift bits to the left by that many places."""
    def bitwise_left_shift_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``bitwise_left_shift``: the result is written into this tensor."""
    def bitwise_not(self) -> Tensor:
        """Every bit of every element turned round: ``-1 - input`` of integers, not of bools. It serves ``~``."""
    def bitwise_not_(self) -> Tensor:
        """In-place form of ``bitwise_not``: the result is written into this tensor."""
    def bitwise_or(self, other: Tensor | Number) -> Tensor:
        """The bits that one of the two has, element by element; of bools the logical operation."""
    def bitwise_or_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``bitwise_or``: the result is written into this tensor."""
    def bitwise_right_shift(self, other: Tensor | Number) -> Tensor:
        """Shift bits to the right, the sign kept by that many places."""
    def bitwise_right_shift_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``bitwise_right_shift``: the result is written into this tensor."""
    def bitwise_xor(self, other: Tensor | Number) -> Tensor:
        """The bits that just one has, element by element; of bools the logical operation."""
    def bitwise_xor_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``bitwise_xor``: the result is written into this tensor."""
    def bmm(self, mat2: Tensor) -> Tensor:
        """Multiply two batches of matrices, pair by pair."""
    def bool(self, *, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as ``tensorkit.bool``: itself if it is, otherwise a copy."""
    def broadcast_to(self, *sizes: Any, size: Any = None) -> Tensor:
        """`expand`: repeat dimensions of size 1 without copying."""
    def byte(self, *, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as ``tensorkit.uint8``: itself if it is, otherwise a copy."""
    def cauchy_(self, *numbers: Any, generator: Generator | None = None, **keyword: Any) -> Tensor:
        """Fill with Cauchy distributed numbers: ``cauchy_(median=0, sigma=1)``."""
    def cdouble(self, *, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as ``tensorkit.complex128``: itself if it is, otherwise a copy."""
    def ceil(self) -> Tensor:
        """The smallest whole number that is not below, of every element."""
    def ceil_(self) -> Tensor:
        """In-place form of ``ceil``: the result is written into this tensor."""
    def cfloat(self, *, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as ``tensorkit.complex64``: itself if it is, otherwise a copy."""
    def char(self, *, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as ``tensorkit.int8``: itself if it is, otherwise a copy."""
    def cholesky(self, upper: builtins.bool = False) -> Tensor:
        """The old spelling of `tensorkit.linalg.cholesky`."""
    def cholesky_inverse(self, upper: builtins.bool = False) -> Tensor:
        """The inverse of a matrix, from its triangular factor of `tensorkit.linalg.cholesky`."""
    def cholesky_solve(self, input2: Tensor, upper: builtins.bool = False) -> Tensor:
        """Solve ``A @ X = B`` with the triangular factor of ``A`` from `tensorkit.linalg.cholesky`."""
    def chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """At most `chunks` pieces of one length along a dimension; the last may be shorter."""
    def clamp(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """Every element, or the bound that it is beyond."""
    def clamp_(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """In-place form of ``clamp``: the result is written into this tensor."""
    def clamp_max(self, max: Tensor | Number) -> Tensor:
        """Every element, or `max` where it is above."""
    def clamp_max_(self, max: Tensor | Number) -> Tensor:
        """In-place form of ``clamp_max``: the result is written into this tensor."""
    def clamp_min(self, min: Tensor | Number) -> Tensor:
        """Every element, or `min` where it is below."""
    def clamp_min_(self, min: Tensor | Number) -> Tensor:
        """In-place form of ``clamp_min``: the result is written into this tensor."""
    def clip(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """Every element, or the bound that it is beyond."""
    def clip_(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """In-place form of ``clamp``: the result is written into this tensor."""
    def clone(self, *, memory_format: memory_format | None = None) -> Tensor:
        """A copy with a storage of its own; its dimensions keep their order in memory."""
    def conj(self) -> Tensor:
        """The complex conjugate of every element, as a view: nothing is computed until the elements are read."""
    def conj_physical(self) -> Tensor:
        """The complex conjugate of every element, written out; a tensor of real numbers is given back itself."""
    def conj_physical_(self) -> Tensor:
        """In-place form of ``conj_physical``: the result is written into this tensor."""
    def contiguous(self, *, memory_format: memory_format = ...) -> Tensor:
        """The tensor itself if its elements lie in row-major order (or in the format), otherwise a copy in which they do."""
    def copy_(self, src: Tensor, non_blocking: builtins.bool = False) -> Tensor:
        """Write another tensor's elements, broadcast and converted, into this one; from any device."""
    def copysign(self, other: Tensor | Number) -> Tensor:
        """The magnitude of `input` with the sign of `other`, that of a zero included."""
    def copysign_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``copysign``: the result is written into this tensor."""
    def corrcoef(self) -> Tensor:
        """Pearson's correlation of variables, one a row, from their observations, one a column."""
    def cos(self) -> Tensor:
        """The cosine of every element, in radians."""
    def cos_(self) -> Tensor:
        """In-place form of ``cos``: the result is written into this tensor."""
    def cosh(self) -> Tensor:
        """The hyperbolic cosine of every element."""
    def cosh_(self) -> Tensor:
        """In-place form of ``cosh``: the result is written into this tensor."""
    def count_nonzero(self, *dim: Any, **named: Any) -> Tensor:
        """How many elements are not zero; see ``tensorkit.count_nonzero``. Dimensions may be written one by one."""
    def cov(
        self, *, correction: builtins.int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
    ) -> Tensor:
        """The covariance matrix of variables, one a row, from their observations, one a column."""
    def cpu(self, *, memory_format: memory_format | None = None) -> Tensor:
        """The tensor itself if it is on the CPU, otherwise a copy there."""
    def cross(self, other: Tensor, dim: builtins.int | None = None) -> Tensor:
        """The cross product along a dimension: the first of three elements, if none is named, which is deprecated."""
    def cuda(
        self,
        device: Any = None,
        non_blocking: builtins.bool = False,
        *,
        memory_format: memory_format | None = None,
    ) -> Tensor:
        """The tensor itself if it is on that CUDA device, otherwise a copy there."""
    def cummax(self, dim: builtins.int) -> Any:
        """The largest element so far along a dimension, and its index: of equal ones the latest; a nan stays."""
    def cummin(self, dim: builtins.int) -> Any:
        """The smallest element so far along a dimension, and its index: of equal ones the latest; a nan stays."""
    def cumprod(self, dim: builtins.int, *, dtype: dtype_type | None = None) -> Tensor:
        """The products so far along a dimension: each element with all that come before it."""
    def cumprod_(self, dim: builtins.int, *, dtype: dtype_type | None = None) -> Tensor:
        """In-place form of ``cumprod``: the result is written into this tensor."""
    def cumsum(self, dim: builtins.int, *, dtype: dtype_type | None = None) -> Tensor:
        """The sums so far along a dimension: each element with all that come before it."""
    def cumsum_(self, dim: builtins.int, *, dtype: dtype_type | None = None) -> Tensor:
        """In-place form of ``cumsum``: the result is written into this tensor."""
    @property
    def data(self) -> Tensor:
        """The same storage without autograd's knowledge: writes through it are not counted."""
    @data.setter
    def data(self, value: Any) -> None: ...
    def deg2rad(self) -> Tensor:
        """Degrees as radians."""
    def deg2rad_(self) -> Tensor:
        """In-place form of ``deg2rad``: the result is written into this tensor."""
    def det(self) -> Tensor:
        """The determinant of a square matrix: another name for `tensorkit.linalg.det`."""
    def detach(self) -> Tensor:
        """A tensor on the same storage that autograd does not follow."""
    def detach_(self) -> Tensor:
        """Cut this tensor out of the graph: from now on it is a leaf that requires no grad."""
    def diag(self, diagonal: builtins.int = 0) -> Tensor:
        """A matrix with the vector on a diagonal; for a matrix, a copy of its diagonal."""
    def diag_embed(
        self, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1
    ) -> Tensor:
        """Matrices whose diagonals are the vectors along the last dimension; zeros elsewhere."""
    def diagflat(self, offset: builtins.int = 0) -> Tensor:
        """The matrix with all elements of a tensor, in a row, on a diagonal."""
    def diagonal(self, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """The elements whose indices in two dimensions run together, as a new last dimension."""
    def diagonal_scatter(
        self, src: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1
    ) -> Tensor:
        """A copy with `src` on a diagonal, that of ``input.diagonal(offset, dim1, dim2)``."""
    def diff(
        self,
        n: builtins.int = 1,
        dim: builtins.int = -1,
        prepend: Tensor | None = None,
        append: Tensor | None = None,
    ) -> Tensor:
        """The difference of each element to the next along a dimension, taken `n` times; of bools, whether they differ."""
    def digamma(self) -> Tensor:
        """The derivative of `lgamma`, of every element."""
    def digamma_(self) -> Tensor:
        """In-place form of ``digamma``: the result is written into this tensor."""
    def dim_order(
        self, *, ambiguity_check: builtins.bool | list[memory_format] = False
    ) -> tuple[builtins.int, ...]:
        """The dimensions in the order in which they lie in memory: from the longest step to the shortest."""
    def dist(self, other: Tensor, p: Number_norm = 2) -> Tensor:
        """The p-norm of the difference of two tensors of sizes that broadcast together."""
    def div(self, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """Divide, element by element; see the function of the same name."""
    def div_(self, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """In-place form of ``div``: the result is written into this tensor."""
    def divide(self, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """Divide, element by element; see the function of the same name."""
    def divide_(self, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """In-place form of ``div``: the result is written into this tensor."""
    def dot(self, tensor: Tensor) -> Tensor:
        """The sum of the products of two vectors' elements: a tensor without dimensions."""
    def double(self, *, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as ``tensorkit.float64``: itself if it is, otherwise a copy."""
    def dsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Pieces in depth: along dimension 2."""
    def eig(self, eigenvectors: builtins.bool = False) -> tuple[Tensor, Tensor]:
        """Eigenvalues as of 2018, without complex numbers. Today: `tensorkit.linalg.eig`."""
    def eq(self, other: Tensor | Number) -> Tensor:
        """Whether the two are equal, element by element."""
    def eq_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``eq``: the result is written into this tensor."""
    def equal(self, other: Tensor) -> builtins.bool:
        """Whether two tensors have the same size and equal elements."""
    def erf(self) -> Tensor:
        """The error function of every element: from -1 to 1, 0 at 0."""
    def erf_(self) -> Tensor:
        """In-place form of ``erf``: the result is written into this tensor."""
    def erfc(self) -> Tensor:
        """``1 - erf(input)``, exact where erf is near 1 too."""
    def erfc_(self) -> Tensor:
        """In-place form of ``erfc``: the result is written into this tensor."""
    def erfinv(self) -> Tensor:
        """The number whose error function every element is; nan beyond -1 and 1."""
    def erfinv_(self) -> Tensor:
        """In-place form of ``erfinv``: the result is written into this tensor."""
    def exp(self) -> Tensor:
        """e to the power of every element."""
    def exp2(self) -> Tensor:
        """2 to the power of every element."""
    def exp2_(self) -> Tensor:
        """In-place form of ``exp2``: the result is written into this tensor."""
    def exp_(self) -> Tensor:
        """In-place form of ``exp``: the result is written into this tensor."""
    def expand(self, *sizes: Any, size: Any = None, implicit: builtins.bool = False) -> Tensor:
        """Repeat dimensions of size 1 without copying: their stride becomes 0. -1 keeps a dimension as it is."""
    def expand_as(self, other: Tensor) -> Tensor:
        """`expand` to the size of another tensor."""
    def expm1(self) -> Tensor:
        """``exp(input) - 1``, exact near 0 too."""
    def expm1_(self) -> Tensor:
        """In-place form of ``expm1``: the result is written into this tensor."""
    def exponential_(self, *numbers: Any, generator: Generator | None = None, **keyword: Any) -> Tensor:
        """Fill with exponentially distributed numbers of the density lambd * exp(-lambd * x): ``exponential_(lambd=1)``."""
    def fill_(self, value: Tensor | Number) -> Tensor:
        """Set every element to a number, or to the one element of a 0-d tensor."""
    def fill_diagonal_(self, fill_value: Number, wrap: builtins.bool = False) -> Tensor:
        """Write a number onto the main diagonal."""
    def fix(self) -> Tensor:
        """Every element without its fraction: rounded towards zero."""
    def fix_(self) -> Tensor:
        """In-place form of ``trunc``: the result is written into this tensor."""
    def flatten(self, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
        """Merge the dimensions from `start_dim` to `end_dim` into one: a view if they lie in line, else a copy."""
    def flip(self, *places: Any, dims: Any = None) -> Tensor:
        """The elements in reverse order along dimensions: always a copy."""
    def fliplr(self) -> Tensor:
        """The columns from right to left."""
    def flipud(self) -> Tensor:
        """The rows from bottom to top."""
    def float(self, *, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as ``tensorkit.float32``: itself if it is, otherwise a copy."""
    def float_power(self, exponent: Tensor | Number) -> Tensor:
        """Raise to a power, element by element, in double precision whatever the operands are."""
    def float_power_(self, exponent: Tensor | Number) -> Tensor:
        """In-place form of ``float_power``: the result is written into this tensor."""
    def floor(self) -> Tensor:
        """The largest whole number that is not above, of every element."""
    def floor_(self) -> Tensor:
        """In-place form of ``floor``: the result is written into this tensor."""
    def floor_divide(self, other: Tensor | Number) -> Tensor:
        """Divide and round down, element by element."""
    def floor_divide_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``floor_divide``: the result is written into this tensor."""
    def fmax(self, other: Tensor) -> Tensor:
        """The larger of two tensors, element by element; where one of two is nan, the other."""
    def fmin(self, other: Tensor) -> Tensor:
        """The smaller of two tensors, element by element; where one of two is nan, the other."""
    def fmod(self, other: Tensor | Number) -> Tensor:
        """The remainder of a division rounded towards zero: it has the sign of the dividend, as C's ``fmod``."""
    def fmod_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``fmod``: the result is written into this tensor."""
    def frac(self) -> Tensor:
        """The fraction of every element, with its sign: ``input - trunc(input)``."""
    def frac_(self) -> Tensor:
        """In-place form of ``frac``: the result is written into this tensor."""
    def frexp(self) -> Any:
        """Every element as ``mantissa * 2 ** exponent``, with the mantissa from 0.5 on and below 1."""
    def gather(self, dim: builtins.int, index: Tensor, *, sparse_grad: builtins.bool = False) -> Tensor:
        """The elements that `index` names along one dimension: ``out[i, j] = input[index[i, j], j]`` for ``dim=0``."""
    def gcd(self, other: Tensor) -> Tensor:
        """The greatest common divisor, never negative; of 0 and 0 it is 0."""
    def gcd_(self, other: Tensor) -> Tensor:
        """In-place form of ``gcd``: the result is written into this tensor."""
    def ge(self, other: Tensor | Number) -> Tensor:
        """Whether the first is at least the second, element by element."""
    def ge_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``ge``: the result is written into this tensor."""
    def geometric_(self, p: builtins.float, *, generator: Generator | None = None) -> Tensor:
        """Fill with how many tries it takes until one succeeds: ``geometric_(p)``."""
    def geqrf(self) -> Any:
        """`qr` as LAPACK keeps it: the triangle, and below it the reflectors that `orgqr` and `ormqr` multiply."""
    def ger(self, vec2: Tensor) -> Tensor:
        """`outer` by its older name."""
    @property
    def grad(self) -> Tensor | None: ...
    @grad.setter
    def grad(self, value: Any) -> None: ...
    @property
    def grad_dtype(self) -> dtype_type | None: ...
    @grad_dtype.setter
    def grad_dtype(self, value: Any) -> None: ...
    @property
    def grad_fn(self) -> Node | None:
        """The node that made a tensor; None for a leaf."""
    @grad_fn.setter
    def grad_fn(self, value: Any) -> None: ...
    def greater(self, other: Tensor | Number) -> Tensor:
        """Whether the first is larger, element by element."""
    def greater_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``gt``: the result is written into this tensor."""
    def greater_equal(self, other: Tensor | Number) -> Tensor:
        """Whether the first is at least the second, element by element."""
    def greater_equal_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``ge``: the result is written into this tensor."""
    def gt(self, other: Tensor | Number) -> Tensor:
        """Whether the first is larger, element by element."""
    def gt_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``gt``: the result is written into this tensor."""
    def half(self, *, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as ``tensorkit.float16``: itself if it is, otherwise a copy."""
    def hardshrink(self, lambd: Number_kit = 0.5) -> Tensor:
        """0 for elements between -`lambd` and `lambd`, the others as they are: (...) gives (...)."""
    def heaviside(self, values: Tensor) -> Tensor:
        """The unit step: 0 below zero, 1 above, and `values` at zero."""
    def heaviside_(self, values: Tensor) -> Tensor:
        """In-place form of ``heaviside``: the result is written into this tensor."""
    def histc(self, bins: builtins.int = 100, min: Number = 0, max: Number = 0) -> Tensor:
        """How many elements fall into each of a number of bins of one width."""
    def histogram(
        self,
        bins: Any = 100,
        *,
        range: Any = None,
        weight: Tensor | None = None,
        density: builtins.bool = False,
    ) -> Any:
        """How many elements, or how much weight, each bin gets, and the limits of the bins."""
    def hsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Pieces side by side: along dimension 1, or 0 of a vector."""
    def hypot(self, other: Tensor) -> Tensor:
        """The length of the hypotenuse: ``sqrt(input**2 + other**2)`` without overflow on the way."""
    def hypot_(self, other: Tensor) -> Tensor:
        """In-place form of ``hypot``: the result is written into this tensor."""
    def i0(self) -> Tensor:
        """The modified Bessel function of the first kind and order 0, of every element."""
    def i0_(self) -> Tensor:
        """In-place form of ``i0``: the result is written into this tensor."""
    def igamma(self, other: Tensor) -> Tensor:
        """The lower incomplete gamma function as a share of the whole: from 0 to 1 as `other` grows."""
    def igamma_(self, other: Tensor) -> Tensor:
        """In-place form of ``igamma``: the result is written into this tensor."""
    def igammac(self, other: Tensor) -> Tensor:
        """The upper incomplete gamma function as a share of the whole: ``1 - igamma``, exact near 0 too."""
    def igammac_(self, other: Tensor) -> Tensor:
        """In-place form of ``igammac``: the result is written into this tensor."""
    @property
    def imag(self) -> Tensor:
        """The imaginary parts, as a view; of a view of conjugates, one that stands for the negatives (see `is_neg`)."""
    @imag.setter
    def imag(self, value: Any) -> None: ...
    def index_add(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
        """A copy with the slices of `source`, times `alpha`, added to those that `index` names along one dimension."""
    def index_add_(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
        """In-place form of ``index_add``: this tensor itself is written to."""
    def index_copy(self, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
        """A copy with the slices of `source` in place of those that `index` names along one dimension."""
    def index_copy_(self, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
        """In-place form of ``index_copy``: this tensor itself is written to."""
    def index_fill(self, dim: builtins.int, index: Tensor, value: Tensor | Number) -> Tensor:
        """A copy with one number in all slices that `index` names along one dimension."""
    def index_fill_(self, dim: builtins.int, index: Tensor, value: Tensor | Number) -> Tensor:
        """In-place form of ``index_fill``: this tensor itself is written to."""
    def index_put(
        self, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = False
    ) -> Tensor:
        """A copy with values written where tensors of indices point; see `index_put_`."""
    def index_put_(
        self, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = False
    ) -> Tensor:
        """Write values where tensors of indices point: ``t[indices] = values``; or add them to what is there."""
    def index_reduce(
        self,
        dim: builtins.int,
        index: Tensor,
        source: Tensor,
        reduce: str,
        *,
        include_self: builtins.bool = True,
    ) -> Tensor:
        """A copy in which each slice along one dimension is the product, mean, largest or smallest of those sent there."""
    def index_reduce_(
        self,
        dim: builtins.int,
        index: Tensor,
        source: Tensor,
        reduce: str,
        *,
        include_self: builtins.bool = True,
    ) -> Tensor:
        """In-place form of ``index_reduce``: this tensor itself is written to."""
    def index_select(self, dim: builtins.int, index: Tensor) -> Tensor:
        """The slices that a vector of indices names along one dimension, as a copy."""
    def inner(self, other: Tensor) -> Tensor:
        """Multiply two tensors and sum over the last dimension of both; one without dimensions just scales the other."""
    def int(self, *, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as ``tensorkit.int32``: itself if it is, otherwise a copy."""
    def inverse(self) -> Tensor:
        """The inverse of a square matrix: another name for `tensorkit.linalg.inv`."""
    def is_conj(self) -> builtins.bool:
        """Whether the tensor is a view that stands for the conjugates of what is stored."""
    def is_inference(self) -> builtins.bool:
        """Whether the tensor was made in `inference_mode`: it can never be recorded."""
    @property
    def is_ipu(self) -> Tensor: ...
    @is_ipu.setter
    def is_ipu(self, value: Any) -> None: ...
    @property
    def is_leaf(self) -> Tensor: ...
    @is_leaf.setter
    def is_leaf(self, value: Any) -> None: ...
    @property
    def is_maia(self) -> Tensor: ...
    @is_maia.setter
    def is_maia(self, value: Any) -> None: ...
    @property
    def is_mkldnn(self) -> Tensor: ...
    @is_mkldnn.setter
    def is_mkldnn(self, value: Any) -> None: ...
    @property
    def is_mps(self) -> Tensor: ...
    @is_mps.setter
    def is_mps(self, value: Any) -> None: ...
    @property
    def is_mtia(self) -> Tensor: ...
    @is_mtia.setter
    def is_mtia(self, value: Any) -> None: ...
    def is_neg(self) -> builtins.bool:
        """Whether the tensor is a view that stands for the negatives of what is stored."""
    @property
    def is_nested(self) -> Tensor: ...
    @is_nested.setter
    def is_nested(self, value: Any) -> None: ...
    def is_nonzero(self) -> builtins.bool:
        """Whether the one element of a tensor is not zero."""
    def is_pinned(self, device: Any = None) -> builtins.bool:
        """Whether the memory is locked for transfers to a device."""
    @property
    def is_quantized(self) -> Tensor: ...
    @is_quantized.setter
    def is_quantized(self, value: Any) -> None: ...
    def is_same_size(self, other: Tensor) -> builtins.bool:
        """Whether two tensors have the same size."""
    def is_shared(self) -> builtins.bool:
        """Whether processes that are forked from now on see the same memory."""
    @property
    def is_sparse(self) -> Tensor: ...
    @is_sparse.setter
    def is_sparse(self, value: Any) -> None: ...
    @property
    def is_sparse_csr(self) -> Tensor: ...
    @is_sparse_csr.setter
    def is_sparse_csr(self, value: Any) -> None: ...
    @property
    def is_vulkan(self) -> Tensor: ...
    @is_vulkan.setter
    def is_vulkan(self, value: Any) -> None: ...
    @property
    def is_xla(self) -> Tensor: ...
    @is_xla.setter
    def is_xla(self, value: Any) -> None: ...
    @property
    def is_xpu(self) -> Tensor: ...
    @is_xpu.setter
    def is_xpu(self, value: Any) -> None: ...
    def isclose(
        self,
        other: Tensor,
        rtol: builtins.float = 1e-05,
        atol: builtins.float = 1e-08,
        equal_nan: builtins.bool = False,
    ) -> Tensor:
        """Whether two tensors are close, element by element: ``|input - other| <= atol + rtol * |other|``."""
    def isfinite(self) -> Tensor:
        """Whether each element is neither infinite nor nan; of a complex number, both of its parts."""
    def isinf(self) -> Tensor:
        """Whether each element is infinite."""
    def isnan(self) -> Tensor:
        """Whether each element is not a number."""
    def isneginf(self) -> Tensor:
        """Whether each element is minus infinity."""
    def isposinf(self) -> Tensor:
        """Whether each element is plus infinity."""
    def isreal(self) -> Tensor:
        """Whether each element is real: without an imaginary part."""
    def item(self) -> Any:
        """The one element as a Python number."""
    def kron(self, other: Tensor) -> Tensor:
        """The Kronecker product: each element of the first, replaced by itself times the whole second."""
    def kthvalue(self, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False) -> Any:
        """The k-th smallest element along a dimension, counted from 1, and where it is."""
    @property
    def layout(self) -> Tensor: ...
    @layout.setter
    def layout(self, value: Any) -> None: ...
    def lcm(self, other: Tensor) -> Tensor:
        """The least common multiple; of 0 and anything it is 0."""
    def lcm_(self, other: Tensor) -> Tensor:
        """In-place form of ``lcm``: the result is written into this tensor."""
    def ldexp(self, other: Tensor) -> Tensor:
        """``input * 2**other``; of floating point numbers and integers exactly, whatever lies between."""
    def ldexp_(self, other: Tensor) -> Tensor:
        """In-place form of ``ldexp``: the result is written into this tensor."""
    def le(self, other: Tensor | Number) -> Tensor:
        """Whether the first is at most the second, element by element."""
    def le_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``le``: the result is written into this tensor."""
    def lerp(self, end: Tensor, weight: Any) -> Tensor:
        """Mix two tensors: ``input + weight * (end - input)``, a straight line from one to the other."""
    def lerp_(self, end: Tensor, weight: Any) -> Tensor:
        """In-place form of ``lerp``: the result is written into this tensor."""
    def less(self, other: Tensor | Number) -> Tensor:
        """Whether the first is smaller, element by element."""
    def less_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``lt``: the result is written into this tensor."""
    def less_equal(self, other: Tensor | Number) -> Tensor:
        """Whether the first is at most the second, element by element."""
    def less_equal_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``le``: the result is written into this tensor."""
    def lgamma(self) -> Tensor:
        """The logarithm of the absolute value of the gamma function; at ``n + 1`` it is log(n!)."""
    def lgamma_(self) -> Tensor:
        """In-place form of ``lgamma``: the result is written into this tensor."""
    def log(self) -> Tensor:
        """The natural logarithm of every element; of 0 it is -inf, of a negative real number nan."""
    def log10(self) -> Tensor:
        """The logarithm to base 10 of every element."""
    def log10_(self) -> Tensor:
        """In-place form of ``log10``: the result is written into this tensor."""
    def log1p(self) -> Tensor:
        """``log(1 + input)``, exact near 0 too."""
    def log1p_(self) -> Tensor:
        """In-place form of ``log1p``: the result is written into this tensor."""
    def log2(self) -> Tensor:
        """The logarithm to base 2 of every element."""
    def log2_(self) -> Tensor:
        """In-place form of ``log2``: the result is written into this tensor."""
    def log_(self) -> Tensor:
        """In-place form of ``log``: the result is written into this tensor."""
    def log_normal_(self, *numbers: Any, generator: Generator | None = None, **keyword: Any) -> Tensor:
        """Fill with numbers whose logarithms are normally distributed: ``log_normal_(mean=1, std=2)``."""
    def log_softmax(self, dim: builtins.int, dtype: dtype_type | None = None) -> Tensor:
        """The logarithm of `softmax` along a dimension, however large the elements are."""
    def logaddexp(self, other: Tensor) -> Tensor:
        """The logarithm of a sum of exponentials, ``log(exp(input) + exp(other))``, without overflow on the way."""
    def logaddexp2(self, other: Tensor) -> Tensor:
        """The same to the base 2: ``log2(2**input + 2**other)``."""
    def logcumsumexp(self, dim: builtins.int) -> Tensor:
        """The logarithm of the sum so far of exponentials along a dimension, without overflow."""
    def logdet(self) -> Tensor:
        """The logarithm of a determinant; not a number where a real one is negative."""
    def logical_and(self, other: Tensor) -> Tensor:
        """Whether both are true, element by element; whatever is not zero is true."""
    def logical_and_(self, other: Tensor) -> Tensor:
        """In-place form of ``logical_and``: the result is written into this tensor."""
    def logical_not(self) -> Tensor:
        """Whether each element is zero."""
    def logical_not_(self) -> Tensor:
        """In-place form of ``logical_not``: the result is written into this tensor."""
    def logical_or(self, other: Tensor) -> Tensor:
        """Whether at least one is true, element by element; whatever is not zero is true."""
    def logical_or_(self, other: Tensor) -> Tensor:
        """In-place form of ``logical_or``: the result is written into this tensor."""
    def logical_xor(self, other: Tensor) -> Tensor:
        """Whether just one of the two is true, element by element; whatever is not zero is true."""
    def logical_xor_(self, other: Tensor) -> Tensor:
        """In-place form of ``logical_xor``: the result is written into this tensor."""
    def logit(self, eps: builtins.float | None = None) -> Tensor:
        """``log(input / (1 - input))`` of every element: the inverse of `sigmoid`."""
    def logit_(self, eps: builtins.float | None = None) -> Tensor:
        """In-place form of ``logit``: the result is written into this tensor."""
    def logsumexp(self, dim: Dims, keepdim: builtins.bool = False) -> Tensor:
        """The logarithm of the sum of exponentials along the dimensions named, however large the elements are."""
    def long(self, *, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as ``tensorkit.int64``: itself if it is, otherwise a copy."""
    def lstsq(self, A: Tensor) -> tuple[Tensor, Tensor]:
        """Least squares as of 2019: `gels` by another name. Today: `tensorkit.linalg.lstsq`."""
    def lt(self, other: Tensor | Number) -> Tensor:
        """Whether the first is smaller, element by element."""
    def lt_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``lt``: the result is written into this tensor."""
    def lu(self, pivot: builtins.bool = True, get_infos: builtins.bool = False) -> tuple[Tensor, ...]:
        """The old spelling of `tensorkit.linalg.lu_factor_ex`."""
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """The old spelling of `tensorkit.linalg.lu_solve`, its arguments in another order."""
    @property
    def mH(self) -> Tensor: ...
    @mH.setter
    def mH(self, value: Any) -> None: ...
    @property
    def mT(self) -> Tensor:
        """The last two dimensions swapped; a 0-d tensor is given back itself, as in PyTorch."""
    @mT.setter
    def mT(self, value: Any) -> None: ...
    def map2_(self, x: Tensor, y: Tensor, callable: Any) -> Tensor:
        """`map_` with two other tensors."""
    def map_(self, other: Tensor, callable: Any) -> Tensor:
        """Apply a Python function to each element and the one of another tensor at its place, in place."""
    def masked_fill(self, mask: Tensor, value: Tensor | Number) -> Tensor:
        """A copy with one number wherever a mask, which is broadcast, is true."""
    def masked_fill_(self, mask: Tensor, value: Tensor | Number) -> Tensor:
        """In-place form of ``masked_fill``: this tensor itself is written to."""
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """A copy with the elements of `source`, one after the other, where a mask is true."""
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """In-place form of ``masked_scatter``: this tensor itself is written to."""
    def masked_select(self, mask: Tensor) -> Tensor:
        """The elements for which a mask is true, in row-major order, as a vector; tensor and mask are broadcast."""
    def matmul(self, other: Tensor) -> Tensor:
        """Multiply two tensors as matrices: what ``a @ b`` does."""
    def matrix_exp(self) -> Tensor:
        """The exponential of a square matrix: the sum of ``A ** k / k!``."""
    def matrix_power(self, n: builtins.int) -> Tensor:
        """``linalg.matrix_power`` by its older name."""
    def max(
        self, dim: builtins.int = ..., keepdim: builtins.bool = False, *, other: Tensor | Number = ...
    ) -> Any:
        """The largest element; along a dimension, with its index; of two tensors, one by one."""
    def maximum(self, other: Tensor) -> Tensor:
        """The larger of two tensors, element by element; nan wins."""
    def mean(
        self, dim: Dims | None = ..., keepdim: builtins.bool = False, *, dtype: dtype_type | None = None
    ) -> Tensor:
        """The mean of all elements, or of those along the dimensions named. Integers must be converted first."""
    def median(self, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Any:
        """The median, which is nan where there is one: of an even number of elements, the lower of the two in the middle."""
    def min(
        self, dim: builtins.int = ..., keepdim: builtins.bool = False, *, other: Tensor | Number = ...
    ) -> Any:
        """The smallest element; along a dimension, with its index; of two tensors, one by one."""
    def minimum(self, other: Tensor) -> Tensor:
        """The smaller of two tensors, element by element; nan wins."""
    def mm(self, mat2: Tensor) -> Tensor:
        """Multiply two matrices."""
    def mode(self, dim: builtins.int = -1, keepdim: builtins.bool = False) -> Any:
        """The most frequent element along a dimension, the smallest of several, and where it is."""
    def moveaxis(self, source: Dims, destination: Dims) -> Tensor:
        """Move dimensions to other places; the rest keep their order."""
    def movedim(self, source: Dims, destination: Dims) -> Tensor:
        """Move dimensions to other places; the rest keep their order."""
    def msort(self) -> Tensor:
        """The values sorted along the first dimension: ``input.sort(dim=0).values``."""
    def mul(self, other: Tensor | Number) -> Tensor:
        """Multiply, element by element."""
    def mul_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``mul``: the result is written into this tensor."""
    def multinomial(
        self,
        num_samples: builtins.int,
        replacement: builtins.bool = False,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Indices of categories, each drawn as often as its weight says."""
    def multiply(self, other: Tensor | Number) -> Tensor:
        """Multiply, element by element."""
    def multiply_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``mul``: the result is written into this tensor."""
    def mv(self, vec: Tensor) -> Tensor:
        """Multiply a matrix (n × m) by a vector (m): a vector of n elements."""
    def mvlgamma(self, p: builtins.int) -> Tensor:
        """The logarithm of the multivariate gamma function of dimension `p`, of every element."""
    def mvlgamma_(self, p: builtins.int) -> Tensor:
        """In-place form of ``mvlgamma``: the result is written into this tensor."""
    def nan_to_num(
        self,
        nan: builtins.float | None = None,
        posinf: builtins.float | None = None,
        neginf: builtins.float | None = None,
    ) -> Tensor:
        """Replace nan and the infinities by numbers."""
    def nan_to_num_(
        self,
        nan: builtins.float | None = None,
        posinf: builtins.float | None = None,
        neginf: builtins.float | None = None,
    ) -> Tensor:
        """In-place form of ``nan_to_num``: the result is written into this tensor."""
    def nanmean(
        self, dim: Dims | None = None, keepdim: builtins.bool = False, *, dtype: dtype_type | None = None
    ) -> Tensor:
        """The mean of the elements, all or along the dimensions named, of those that are not nan."""
    def nanmedian(self, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Any:
        """The median of what is not nan: of an even number of elements, the lower of the two in the middle."""
    def nanquantile(
        self,
        q: Any,
        dim: builtins.int | None = None,
        keepdim: builtins.bool = False,
        *,
        interpolation: str = "linear",
    ) -> Tensor:
        """The values below which given shares of the elements lie, nan left out."""
    def nansum(
        self, dim: Dims | None = None, keepdim: builtins.bool = False, *, dtype: dtype_type | None = None
    ) -> Tensor:
        """Add up the elements, all or along the dimensions named, as if nan were 0."""
    def narrow(self, dim: builtins.int, start: builtins.int | Tensor, length: builtins.int) -> Tensor:
        """Keep `length` positions of one dimension from `start` on."""
    def narrow_copy(self, dim: builtins.int, start: builtins.int, length: builtins.int) -> Tensor:
        """`narrow`, as a copy."""
    def ne(self, other: Tensor | Number) -> Tensor:
        """Whether the two differ, element by element."""
    def ne_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``ne``: the result is written into this tensor."""
    def neg(self) -> Tensor:
        """Change the sign of every element. Refused for bool."""
    def neg_(self) -> Tensor:
        """In-place form of ``neg``: the result is written into this tensor."""
    def negative(self) -> Tensor:
        """Change the sign of every element. Refused for bool."""
    def negative_(self) -> Tensor:
        """In-place form of ``neg``: the result is written into this tensor."""
    def new(self, *args: Any, **kwargs: Any) -> Tensor:
        """A tensor of this one's dtype and device: ``t.new(2, 3)`` uninitialised, ``t.new([1, 2])`` with data."""
    def new_empty(self, *args: Any, dtype: Any = None, device: DeviceLike = None, **kwargs: Any) -> Tensor:
        """``empty`` with this tensor's dtype and device unless told otherwise."""
    def new_empty_strided(
        self, *args: Any, dtype: Any = None, device: DeviceLike = None, **kwargs: Any
    ) -> Tensor:
        """``empty_strided`` with this tensor's dtype and device unless told otherwise."""
    def new_full(self, *args: Any, dtype: Any = None, device: DeviceLike = None, **kwargs: Any) -> Tensor:
        """``full`` with this tensor's dtype and device unless told otherwise."""
    def new_ones(self, *args: Any, dtype: Any = None, device: DeviceLike = None, **kwargs: Any) -> Tensor:
        """``ones`` with this tensor's dtype and device unless told otherwise."""
    def new_tensor(self, *args: Any, dtype: Any = None, device: DeviceLike = None, **kwargs: Any) -> Tensor:
        """``tensor`` with this tensor's dtype and device unless told otherwise."""
    def new_zeros(self, *args: Any, dtype: Any = None, device: DeviceLike = None, **kwargs: Any) -> Tensor:
        """``zeros`` with this tensor's dtype and device unless told otherwise."""
    def nextafter(self, other: Tensor) -> Tensor:
        """The next number of the dtype after `input`, in the direction of `other`."""
    def nextafter_(self, other: Tensor) -> Tensor:
        """In-place form of ``nextafter``: the result is written into this tensor."""
    def nonzero(self, *, as_tuple: builtins.bool = False) -> Any:
        """The indices of the elements that are not zero: a row for each of them, row by row in the input."""
    def nonzero_static(self, *, size: builtins.int, fill_value: builtins.int = -1) -> Tensor:
        """`nonzero` with `size` rows: the first ones found, then rows of `fill_value` if there are fewer."""
    def norm(
        self, p: Any = "fro", dim: Any = None, keepdim: builtins.bool = False, dtype: dtype_type | None = None
    ) -> Tensor:
        """The p-norm of all elements, or of those along the dimensions named."""
    def normal_(self, *numbers: Any, generator: Generator | None = None, **keyword: Any) -> Tensor:
        """Fill with normally distributed numbers: ``normal_(mean=0, std=1)``."""
    def not_equal(self, other: Tensor | Number) -> Tensor:
        """Whether the two differ, element by element."""
    def not_equal_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``ne``: the result is written into this tensor."""
    def numpy(self, *, force: builtins.bool = False) -> Array:
        """A NumPy array on the same memory: writing to one changes the other."""
    def orgqr(self, input2: Tensor) -> Tensor:
        """Another name for `tensorkit.linalg.householder_product`."""
    def ormqr(
        self, input2: Tensor, input3: Tensor, left: builtins.bool = True, transpose: builtins.bool = False
    ) -> Tensor:
        """The ``Q`` of what `geqrf` gave times a matrix, without forming it."""
    def outer(self, vec2: Tensor) -> Tensor:
        """Every element of one vector times every element of another: n and m give n × m. Dtypes are promoted."""
    @property
    def output_nr(self) -> Tensor: ...
    @output_nr.setter
    def output_nr(self, value: Any) -> None: ...
    def permute(self, *places: Any, dims: Any = None) -> Tensor:
        """Put the dimensions in another order. No element moves."""
    def pin_memory(self, device: Any = None) -> Tensor:
        """A copy in memory that is locked for transfers to a device; the tensor itself if it lies there."""
    def pinverse(self, rcond: builtins.float = 1e-15) -> Tensor:
        """The pseudoinverse: the old spelling of `tensorkit.linalg.pinv`, with a smaller tolerance."""
    def polygamma(self, n: builtins.int) -> Tensor:
        """The n-th derivative of ``digamma``: the function takes the tensor last, the method first."""
    def polygamma_(self, n: builtins.int) -> Tensor:
        """In-place form of ``polygamma``: the result is written into this tensor."""
    def positive(self) -> Tensor:
        """The tensor itself (``+t``); refused for bool."""
    def pow(self, exponent: Tensor | Number) -> Tensor:
        """Raise to a power, element by element."""
    def pow_(self, exponent: Tensor | Number) -> Tensor:
        """In-place form of ``pow``: the result is written into this tensor."""
    def prelu(self, weight: Tensor) -> Tensor:
        """`leaky_relu` with a learned slope, or one for each channel: (n, channels, ...) and (1) or (channels)."""
    def prod(
        self, dim: builtins.int = ..., keepdim: builtins.bool = False, *, dtype: dtype_type | None = None
    ) -> Tensor:
        """Multiply all elements, or those along one dimension; of no elements the product is 1."""
    def put(self, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """A copy with the elements of `source` at the given places, counted in row-major order over the whole tensor."""
    def put_(self, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """In-place form of ``put``: this tensor itself is written to."""
    def qr(self, some: builtins.bool = True) -> Any:
        """The old spelling of `tensorkit.linalg.qr`; `some` means the mode "reduced"."""
    def quantile(
        self,
        q: Any,
        dim: builtins.int | None = None,
        keepdim: builtins.bool = False,
        *,
        interpolation: str = "linear",
    ) -> Tensor:
        """The values below which given shares of the elements lie; nan where an element is nan."""
    def rad2deg(self) -> Tensor:
        """Radians as degrees."""
    def rad2deg_(self) -> Tensor:
        """In-place form of ``rad2deg``: the result is written into this tensor."""
    def random_(self, *ends: Any, generator: Generator | None = None, **keyword: Any) -> Tensor:
        """Fill with whole numbers: ``random_(to)`` from [0, to), ``random_(from, to)`` from [from, to)."""
    def ravel(self) -> Tensor:
        """All elements in one row: a view if they lie in order, else a copy."""
    @property
    def real(self) -> Tensor:
        """The real parts, as a view; a tensor of real numbers is its own."""
    @real.setter
    def real(self, value: Any) -> None: ...
    def reciprocal(self) -> Tensor:
        """``1 / input``, element by element; integers give floating point numbers."""
    def reciprocal_(self) -> Tensor:
        """In-place form of ``reciprocal``: the result is written into this tensor."""
    def record_stream(self, stream: Any) -> None:
        """Another stream uses this tensor too: its memory is reused only when that stream has passed its end."""
    def register_hook(self, hook: Callable[[Tensor], Any]) -> RemovableHandle:
        """Call ``hook(grad)`` with each gradient on its way to this tensor; it may return another."""
    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call ``hook(tensor)`` after the gradient of this leaf was added up."""
    def relu(self) -> Tensor:
        """Every element, but 0 instead of negative ones: the rectified linear unit."""
    def relu_(self) -> Tensor:
        """In-place form of ``relu``: the result is written into this tensor."""
    def remainder(self, other: Tensor | Number) -> Tensor:
        """The remainder of a division rounded down: it has the sign of the divisor, as Python's ``%``."""
    def remainder_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``remainder``: the result is written into this tensor."""
    def renorm(self, p: Number, dim: builtins.int, maxnorm: Number) -> Tensor:
        """Every slice along `dim` scaled down so that its p-norm is at most `maxnorm`; shorter ones stay."""
    def renorm_(self, p: Number, dim: builtins.int, maxnorm: Number) -> Tensor:
        """In-place form of ``renorm``: the result is written into this tensor."""
    def repeat(self, *repeats: Any, **named: Any) -> Tensor:
        """Repeat the tensor along each dimension; dimensions may be added in front."""
    def repeat_interleave(
        self,
        repeats: builtins.int | Tensor,
        dim: builtins.int | None = None,
        *,
        output_size: builtins.int | None = None,
    ) -> Tensor:
        """Each element, or each slice along a dimension, several times in a row."""
    @property
    def requires_grad(self) -> builtins.bool:
        """Whether gradients flow to or through a tensor."""
    @requires_grad.setter
    def requires_grad(self, value: Any) -> None: ...
    def requires_grad_(self, requires_grad: builtins.bool = True) -> Tensor:
        """Ask for this leaf's gradient (or no longer); returns the tensor."""
    def reshape(self, *sizes: Any, shape: Any = None) -> Tensor:
        """The same elements with another size: a view when strides can express it, otherwise a copy."""
    def reshape_as(self, other: Tensor) -> Tensor:
        """`reshape` with the size of another tensor."""
    def resize(self, *sizes: Any) -> Tensor:
        """`reshape` as it was once spelled; PyTorch warns of it."""
    def resize_(self, *sizes: Any, memory_format: memory_format | None = None) -> Tensor:
        """Give the tensor another size, row-major, on the same storage, which grows if it is too small."""
    def resize_as(self, tensor: Tensor) -> Tensor:
        """`reshape_as` as it was once spelled; PyTorch warns of it."""
    def resize_as_(self, the_template: Tensor, *, memory_format: memory_format | None = None) -> Tensor:
        """Give the tensor the size of another: `resize_` to ``the_template.size()``."""
    def resolve_conj(self) -> Tensor:
        """A tensor whose elements are stored as they are: a copy of a view of conjugates, else the tensor itself."""
    def resolve_neg(self) -> Tensor:
        """A tensor whose elements are stored as they are: a copy of a view of negatives, else the tensor itself."""
    def retain_grad(self) -> None:
        """Collect the gradient of a tensor that is not a leaf, too."""
    @property
    def retains_grad(self) -> Tensor: ...
    @retains_grad.setter
    def retains_grad(self, value: Any) -> None: ...
    def roll(self, shifts: Dims, dims: Dims | None = None) -> Tensor:
        """Move the elements along dimensions; those pushed out at the end come in again at the front."""
    def rot90(self, k: builtins.int = 1, dims: Sequence[builtins.int] = (0, 1)) -> Tensor:
        """Turn a tensor by quarter turns in the plane of two dimensions, from the first towards the second."""
    def round(self, *, decimals: builtins.int = ...) -> Tensor:
        """Round to the nearest number with `decimals` decimals; of two that are equally near, to the even one."""
    def round_(self, *, decimals: builtins.int = ...) -> Tensor:
        """In-place form of ``round``: the result is written into this tensor."""
    def rsqrt(self) -> Tensor:
        """The reciprocal of the square root of every element."""
    def rsqrt_(self) -> Tensor:
        """In-place form of ``rsqrt``: the result is written into this tensor."""
    def scatter(
        self,
        dim: builtins.int,
        index: Tensor,
        src: Any = None,
        *,
        value: Tensor | Number | None = None,
        reduce: str | None = None,
    ) -> Tensor:
        """A copy with the elements of `src`, or one number, at the places that `index` names along one dimension."""
    def scatter_(
        self,
        dim: builtins.int,
        index: Tensor,
        src: Any = None,
        *,
        value: Tensor | Number | None = None,
        reduce: str | None = None,
    ) -> Tensor:
        """In-place form of ``scatter``: this tensor itself is written to."""
    def scatter_add(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """A copy with the elements of `src` added at the places that `index` names along one dimension."""
    def scatter_add_(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """In-place form of ``scatter_add``: this tensor itself is written to."""
    def scatter_reduce(
        self,
        dim: builtins.int,
        index: Tensor,
        src: Tensor,
        reduce: str,
        *,
        include_self: builtins.bool = True,
    ) -> Tensor:
        """A copy in which each place holds the sum, product, mean, largest or smallest of what `src` sends there."""
    def scatter_reduce_(
        self,
        dim: builtins.int,
        index: Tensor,
        src: Tensor,
        reduce: str,
        *,
        include_self: builtins.bool = True,
    ) -> Tensor:
        """In-place form of ``scatter_reduce``: this tensor itself is written to."""
    def select(self, dim: builtins.int, index: builtins.int) -> Tensor:
        """Fix one index: the dimension goes, the storage offset moves."""
    def select_scatter(self, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
        """A copy with `src` in place of the slice ``input.select(dim, index)``; it lies in memory as `input` does."""
    def set_(
        self,
        source: Any = None,
        storage_offset: builtins.int = 0,
        size: Sequence[builtins.int] | None = None,
        stride: Sequence[builtins.int] | None = None,
    ) -> Tensor:
        """Point this tensor at another storage, with a size, strides and an offset of its own."""
    def sgn(self) -> Tensor:
        """The sign of every element, and of a complex number its direction: the number of length 1 that way."""
    def sgn_(self) -> Tensor:
        """In-place form of ``sgn``: the result is written into this tensor."""
    def share_memory_(self) -> Tensor:
        """Move the storage to memory that processes forked from now on share."""
    def short(self, *, memory_format: memory_format | None = None) -> Tensor:
        """The tensor as ``tensorkit.int16``: itself if it is, otherwise a copy."""
    def sigmoid(self) -> Tensor:
        """The logistic function ``1 / (1 + exp(-input))`` of every element: from 0 to 1, 0.5 at 0."""
    def sigmoid_(self) -> Tensor:
        """In-place form of ``sigmoid``: the result is written into this tensor."""
    def sign(self) -> Tensor:
        """-1, 0 or 1: the sign of every element; 0 for nan. Complex numbers have `sgn`."""
    def sign_(self) -> Tensor:
        """In-place form of ``sign``: the result is written into this tensor."""
    def signbit(self) -> Tensor:
        """Whether each element carries a minus sign, zeros and nan included."""
    def sin(self) -> Tensor:
        """The sine of every element, in radians."""
    def sin_(self) -> Tensor:
        """In-place form of ``sin``: the result is written into this tensor."""
    def sinc(self) -> Tensor:
        """``sin(pi input) / (pi input)`` of every element; 1 at 0."""
    def sinc_(self) -> Tensor:
        """In-place form of ``sinc``: the result is written into this tensor."""
    def sinh(self) -> Tensor:
        """The hyperbolic sine of every element."""
    def sinh_(self) -> Tensor:
        """In-place form of ``sinh``: the result is written into this tensor."""
    def slice_scatter(
        self,
        src: Tensor,
        dim: builtins.int = 0,
        start: builtins.int | None = None,
        end: builtins.int | None = None,
        step: builtins.int = 1,
    ) -> Tensor:
        """A copy with `src` in place of the positions ``start:end:step`` along one dimension."""
    def slogdet(self) -> Any:
        """The sign and the logarithm of a determinant: another name for `tensorkit.linalg.slogdet`."""
    def softmax(self, dim: builtins.int, dtype: dtype_type | None = None) -> Tensor:
        """The exponentials of the elements as shares of their sum along a dimension, however large the elements are."""
    def solve(self, A: Tensor) -> tuple[Tensor, Tensor]:
        """A system of equations as of 2019: the right-hand side comes first. Today: `tensorkit.linalg.solve`."""
    def sort(
        self,
        dim: builtins.int = -1,
        descending: builtins.bool = False,
        *,
        stable: builtins.bool | None = None,
    ) -> Any:
        """Sort along a dimension, the last one if none is named."""
    def split(self, split_size: Any, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """Pieces of `split_size` positions along a dimension (the last may be smaller), or of the sizes listed."""
    def split_with_sizes(
        self, split_sizes: Sequence[builtins.int], dim: builtins.int = 0
    ) -> tuple[Tensor, ...]:
        """Pieces of the sizes listed, which must add up."""
    def sqrt(self) -> Tensor:
        """The square root of every element; of a negative real number it is nan."""
    def sqrt_(self) -> Tensor:
        """In-place form of ``sqrt``: the result is written into this tensor."""
    def square(self) -> Tensor:
        """The square of every element: ``input ** 2``, and recorded as such."""
    def square_(self) -> Tensor:
        """In-place form of ``square``: the result is written into this tensor."""
    def squeeze(self, *places: Any, dim: Any = None) -> Tensor:
        """Drop dimensions of size 1: all of them, or those named."""
    def squeeze_(self, *places: Any, dim: Any = None) -> Tensor:
        """In-place form of ``squeeze``: this tensor itself gets the new layout."""
    def std(
        self,
        dim: Dims | None = None,
        unbiased: builtins.bool = ...,
        keepdim: builtins.bool = False,
        *,
        correction: Any = None,
    ) -> Tensor:
        """The standard deviation of all elements, or of those along the dimensions named."""
    def storage_type(self) -> Any:
        """The class of earlier years that this tensor's `storage` is recognised by: such as ``FloatStorage``."""
    def sub(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """Subtract, element by element: ``input - alpha * other``. Refused for bool, as in PyTorch."""
    def sub_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """In-place form of ``sub``: the result is written into this tensor."""
    def subtract(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """Subtract, element by element: ``input - alpha * other``. Refused for bool, as in PyTorch."""
    def subtract_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """In-place form of ``sub``: the result is written into this tensor."""
    def sum(
        self, dim: Dims | None = ..., keepdim: builtins.bool = False, *, dtype: dtype_type | None = None
    ) -> Tensor:
        """Add up all elements, or those along the dimensions named."""
    def sum_to_size(self, *size: Any, **named: Any) -> Tensor:
        """Add up what `expand` to this tensor's size would repeat of a tensor of size `size`: its gradient's way back."""
    def svd(self, some: builtins.bool = True, compute_uv: builtins.bool = True) -> Any:
        """The old spelling of `tensorkit.linalg.svd`; it gives ``V`` itself, and by default no superfluous vectors."""
    def swapaxes(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Swap two dimensions: their sizes and their strides. No element moves."""
    def swapaxes_(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """In-place form of ``transpose``: this tensor itself gets the new layout."""
    def swapdims(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Swap two dimensions: their sizes and their strides. No element moves."""
    def swapdims_(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """In-place form of ``transpose``: this tensor itself gets the new layout."""
    def symeig(
        self, eigenvectors: builtins.bool = False, upper: builtins.bool = True
    ) -> tuple[Tensor, Tensor]:
        """Eigenvalues of a symmetric matrix as of 2018. Today: `tensorkit.linalg.eigh`."""
    def t(self) -> Tensor:
        """Transpose a matrix by swapping its two sizes and its two strides; a vector stays as it is."""
    def t_(self) -> Tensor:
        """In-place form of ``t``: this tensor itself gets the new layout."""
    def take(self, index: Tensor) -> Tensor:
        """The elements at the given places, counted in row-major order over the whole tensor; of the size of `index`."""
    def take_along_dim(self, indices: Tensor, dim: builtins.int | None = None) -> Tensor:
        """The elements at the places that `indices`, broadcast against `input`, names along one dimension."""
    def tan(self) -> Tensor:
        """The tangent of every element, in radians."""
    def tan_(self) -> Tensor:
        """In-place form of ``tan``: the result is written into this tensor."""
    def tanh(self) -> Tensor:
        """The hyperbolic tangent of every element: from -1 to 1."""
    def tanh_(self) -> Tensor:
        """In-place form of ``tanh``: the result is written into this tensor."""
    def tensor_split(self, indices_or_sections: Any, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """As many pieces as asked, as even as they can be; or cut before each index listed."""
    def tile(self, *counts: Any, dims: Any = None) -> Tensor:
        """Copies of the tensor side by side, counted from the last dimension: missing numbers are 1."""
    def to(self, *args: Any, **kwargs: Any) -> Tensor:
        """The tensor as another dtype and on another device: itself if nothing changes, otherwise a copy."""
    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers; a 0-d tensor gives the number itself."""
    def topk(
        self,
        k: builtins.int,
        dim: builtins.int = -1,
        largest: builtins.bool = True,
        sorted: builtins.bool = True,
    ) -> Any:
        """The k largest, or smallest, elements along a dimension, and where they are."""
    def trace(self) -> Tensor:
        """The sum of the diagonal of a matrix; of integers as int64."""
    def transpose(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Swap two dimensions: their sizes and their strides. No element moves."""
    def transpose_(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """In-place form of ``transpose``: this tensor itself gets the new layout."""
    def triangular_solve(
        self,
        A: Tensor,
        upper: builtins.bool = True,
        transpose: builtins.bool = False,
        unitriangular: builtins.bool = False,
    ) -> Any:
        """The old spelling of `tensorkit.linalg.solve_triangular`: the right-hand side comes first."""
    def tril(self, diagonal: builtins.int = 0) -> Tensor:
        """The lower triangle of a matrix, or of each matrix of a batch; zeros elsewhere."""
    def tril_(self, diagonal: builtins.int = 0) -> Tensor:
        """In-place form of `tril`: only the lower triangle of this tensor is left."""
    def triu(self, diagonal: builtins.int = 0) -> Tensor:
        """The upper triangle of a matrix, or of each matrix of a batch; zeros elsewhere."""
    def triu_(self, diagonal: builtins.int = 0) -> Tensor:
        """In-place form of `triu`: only the upper triangle of this tensor is left."""
    def true_divide(self, other: Tensor | Number) -> Tensor:
        """Divide, element by element; integers give floating point numbers."""
    def true_divide_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``true_divide``: the result is written into this tensor."""
    def trunc(self) -> Tensor:
        """Every element without its fraction: rounded towards zero."""
    def trunc_(self) -> Tensor:
        """In-place form of ``trunc``: the result is written into this tensor."""
    def type(
        self, dtype: dtype_type | str | builtins.type | None = None, non_blocking: builtins.bool = False
    ) -> Any:
        """The legacy name of the tensor's type; or, given a dtype or such a name, the tensor converted to it."""
    def type_as(self, other: Tensor) -> Tensor:
        """The tensor converted to the dtype and device of another."""
    def unbind(self, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """One view for each index of a dimension, which goes."""
    def unflatten(self, dim: builtins.int, sizes: Sequence[builtins.int]) -> Tensor:
        """Split one dimension into several."""
    def unfold(self, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
        """Windows of `size` positions along a dimension, `step` apart, as a new last dimension; they may overlap."""
    def uniform_(self, *numbers: Any, generator: Generator | None = None, **keyword: Any) -> Tensor:
        """Fill with numbers drawn evenly from [from, to): ``uniform_(from=0, to=1)``."""
    def unique(
        self, sorted: Any = True, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
    ) -> Any:
        """The distinct elements, in order; along a dimension, the distinct parts."""
    def unique_consecutive(
        self, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
    ) -> Any:
        """One element for each run of equal neighbours; along a dimension, one part."""
    def unsafe_chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """`chunk` without autograd's protection."""
    def unsafe_split(self, split_size: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """`split` without autograd's protection: the pieces do not count as views."""
    def unsafe_split_with_sizes(
        self, split_sizes: Sequence[builtins.int], dim: builtins.int = 0
    ) -> tuple[Tensor, ...]:
        """`split_with_sizes` without autograd's protection."""
    def unsqueeze(self, dim: builtins.int) -> Tensor:
        """Put a dimension of size 1 at place `dim`."""
    def unsqueeze_(self, dim: builtins.int) -> Tensor:
        """In-place form of ``unsqueeze``: this tensor itself gets the new layout."""
    def var(
        self,
        dim: Dims | None = None,
        unbiased: builtins.bool = ...,
        keepdim: builtins.bool = False,
        *,
        correction: Any = None,
    ) -> Tensor:
        """The variance of all elements, or of those along the dimensions named."""
    def vdot(self, other: Tensor) -> Tensor:
        """`dot` of the first vector's complex conjugate and the second."""
    def view(self, *size: Any, dtype: dtype_type | None = None, **named: Any) -> Tensor:
        """The same elements, read with another size, when strides can express it; or the same bytes as another dtype."""
    def view_as(self, other: Tensor) -> Tensor:
        """`view` with the size of another tensor."""
    def vsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Pieces one above the other: along dimension 0."""
    def where(self, condition: Any = ..., other: Any = ...) -> Tensor:
        """This tensor's elements where the condition holds, those of `other` elsewhere; see ``tensorkit.where``."""
    def xlogy(self, other: Tensor | Number) -> Tensor:
        """``input * log(other)``, and 0 where `input` is 0, as entropies need it."""
    def xlogy_(self, other: Tensor | Number) -> Tensor:
        """In-place form of ``xlogy``: the result is written into this tensor."""
    def zero_(self) -> Tensor:
        """Set every element to zero."""

def fresh(array: Array, kind: dtype_type) -> Tensor:
    """A CPU tensor that owns a new C-contiguous array: what every out-of-place kernel returns."""

def fresh_strided(array: Array, kind: dtype_type) -> Tensor:
    """A CPU tensor that owns a new array whose elements fill a block of memory, in whatever order."""

def on_storage(storage: UntypedStorage, layout: Layout, kind: dtype_type) -> Tensor:
    """A tensor, not a view of another, over a storage on any device."""

def push_marker(marker: Callable[[Tensor], None]) -> None:
    """From now on show each new view to `marker`: some thread does not record."""

def pop_marker() -> None:
    """Undo one `push_marker`."""

def attach(name: str, member: Any, *, again: builtins.bool = False) -> None:
    """Give `Tensor` a method, operator or property that a higher module defines: the only way to do so."""
