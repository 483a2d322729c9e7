"""The flat buffer behind every tensor: the only allocator, and the only copier between memories.

A storage is one row of bytes on one device. It knows no size and no stride; a tensor's `Layout` says how to read
it, and several tensors may read one storage. Its two faces are `UntypedStorage`, the bytes, and `TypedStorage`,
the same bytes read as elements of one dtype.

>>> t = tk.arange(4, dtype=tk.int16)
>>> t.untyped_storage().nbytes(), t.t().untyped_storage() is t.untyped_storage()
(8, True)

What belongs here: `memory` (what a kind of device memory must do), `untyped_storage` (the bytes), `typed_storage` (the
bytes as numbers) and `legacy_classes` (`FloatStorage` and its kin), each built on those before it. What does not: sizes
and strides (``strides``), the memory of a GPU (``kernels.cuda``), how numbers are read from lists (``ops.shared``).

Source: names, text and errors are PyTorch 2.13's ``torch.storage``.
"""

from __future__ import annotations

from tensorkit.storage.legacy_classes import (
    BFloat16Storage,
    BoolStorage,
    ByteStorage,
    CharStorage,
    ComplexDoubleStorage,
    ComplexFloatStorage,
    DoubleStorage,
    FloatStorage,
    HalfStorage,
    IntStorage,
    LongStorage,
    ShortStorage,
    Storage,
    legacy_class,
)
from tensorkit.storage.memory import Memory, memory_of, register_memory
from tensorkit.storage.typed_storage import (
    TypedStorage,
    _rebuild_typed,  # pickles know it
    register_reader,
    typed,
    warn_typed_storage,
)
from tensorkit.storage.untyped_storage import (
    NO_PINNED,
    UntypedStorage,
    _rebuild,  # pickles know it
    adopt,
    allocate,
    allocate_pinned,
    copy_bytes,
    lent_storage,
    on_buffer,
    read_only_too,
    storage_text,
)

__all__ = ["Storage", "TypedStorage", "UntypedStorage"]


def __dir__() -> list[str]:
    return __all__
