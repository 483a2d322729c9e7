"""Tensors in files: PyTorch's own ``.pt`` files, written and read without PyTorch.

`save` and `load` are the front. What belongs here: the archive (`archive`), the pickle in it (`pickler` writes it,
`unpickle` reads it without imports), PyTorch's names and ours (`names`), what makes tensors again (`rebuild`), devices
(`locations`), storages (`storages`), settings (`options`), the format before 1.6 (`legacy`), and files of
`safetensors`. What does not: how a tensor is pickled by Python (``ops.tensor``), and how a file replaces another in one
step (``process``).

>>> tk.serialization.get_safe_globals()
[]

Source: https://docs.pytorch.org/docs/stable/notes/serialization.html
"""

from __future__ import annotations

from tensorkit.serialization.contents import get_unsafe_globals_in_checkpoint
from tensorkit.serialization.loading import load
from tensorkit.serialization.locations import (
    default_restore_location,
    location_tag,
    register_package,
    validate_cuda_device,
)
from tensorkit.serialization.options import (
    LoadEndianness,
    add_safe_globals,
    clear_safe_globals,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    get_safe_globals,
    safe_globals,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
)
from tensorkit.serialization.rebuild import StorageType
from tensorkit.serialization.saving import save

__all__ = [
    "LoadEndianness",
    "StorageType",
    "add_safe_globals",
    "clear_safe_globals",
    "default_restore_location",
    "get_crc32_options",
    "get_default_load_endianness",
    "get_default_mmap_options",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "location_tag",
    "register_package",
    "safe_globals",
    "save",
    "set_crc32_options",
    "set_default_load_endianness",
    "set_default_mmap_options",
    "skip_data",
    "validate_cuda_device",
]


def __dir__() -> list[str]:
    return __all__
