"""`save`: a pickle whose names are PyTorch's, and the bytes of storages beside it.

>>> import io
>>> file = io.BytesIO()
>>> t = tk.arange(4.0)
>>> tk.save({"all": t, "end": t[2:]}, file)
>>> _ = file.seek(0)
>>> loaded = tk.load(file)
>>> loaded["end"][0] = 9
>>> loaded["all"]
tensor([0., 1., 9., 3.])

Source: the format is PyTorch 2.13's: https://docs.pytorch.org/docs/stable/notes/serialization.html
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from tensorkit.process.whole_file import beside, is_regular
from tensorkit.serialization import legacy
from tensorkit.serialization.archive import ALIGNMENT, ArchiveWriter, archive_name
from tensorkit.serialization.options import SKIP, get_crc32_options
from tensorkit.serialization.pickler import Storages, pickler


def save(
    obj: object,
    f: str | os.PathLike[str] | IO[bytes],
    pickle_module: Any = pickle,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Save an object to a file that PyTorch's ``torch.load`` reads as well as `load`.

    Tensors of any dtype, storages, what Python itself is made of, and containers of them, such as the state of a model
    or an optimiser, are written so that loading weights only gives them back: tensors that share a storage share it
    again. Any other object that Python can pickle is written too, its class or function by name: it takes
    ``weights_only=False``, or `add_safe_globals`, to load it. A file that was there is replaced in one step, when all
    is written: an error or an interrupt leaves it as it was.

    Args:
        obj: what to save.
        f: the path of a file, or an open file; it needs ``write`` and ``flush``.
        pickle_module: what pickles the object; names are PyTorch's where it has a pickler in Python (``_Pickler``).
        pickle_protocol: Python's protocol number.

    Raises:
        RuntimeError: when the folder is missing, or tensors of two dtypes share a storage.
        pickle.PicklingError: for what cannot be pickled, such as a lambda.

    >>> import io, tensorkit as tk
    >>> file = io.BytesIO()
    >>> tk.save([tk.tensor([1, 2], dtype=tk.bfloat16), "text"], file)
    >>> _ = file.seek(0)
    >>> tk.load(file)
    [tensor([1., 2.], dtype=tensorkit.bfloat16), 'text']

    Source: https://docs.pytorch.org/docs/stable/generated/torch.save.html
    """
    if not isinstance(f, str | os.PathLike) and not hasattr(f, "write"):
        raise AttributeError(
            "expected 'f' to be string, path, or a file-like object with a 'write' attribute"
        )
    if not _use_new_zipfile_serialization:
        if SKIP.asked:
            raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False")
        pieces = legacy.written(obj, pickle_module, pickle_protocol)
        with _opened(f) as (file, _):
            for piece in pieces:
                file.write(piece)
        return
    content, storages = io.BytesIO(), Storages()
    pickler(pickle_module, content, pickle_protocol, storages).dump(obj)
    with _opened(f, archived=True) as (file, name):
        writer = ArchiveWriter(file, name, checksums=get_crc32_options())
        writer.record("data.pkl", content.getbuffer())
        writer.record(".format_version", b"1")
        writer.record(".storage_alignment", str(ALIGNMENT).encode())
        if not _disable_byteorder_record:
            writer.record("byteorder", sys.byteorder.encode())
        for key, storage in storages.held.items():
            if SKIP.asked:
                writer.gap(f"data/{key}", storage.nbytes())
            else:
                writer.record(f"data/{key}", storage.read(0, storage.nbytes()).data)
        writer.close()


save.__module__ = "tensorkit.serialization"


@contextlib.contextmanager
def _opened(f: Any, *, archived: bool = False) -> Iterator[tuple[IO[bytes], str]]:
    """A file to write to, and what an archive in it is called."""
    if not isinstance(f, str | os.PathLike):
        yield f, "archive"
        f.flush()
        return
    text = os.fsdecode(f)
    name = archive_name(text) if archived else ""
    path = Path(text)
    if not path.parent.exists():
        raise RuntimeError(f"Parent directory {os.path.dirname(text)} does not exist.")
    if path.is_dir():
        raise RuntimeError(
            "[enforce fail at inline_container.cc:747] . open file failed with strerror: Is a directory"
        )
    if is_regular(path):
        with beside(path) as waiting, open(waiting, "wb") as file:
            yield file, name
    else:  # a device or a pipe, which is not replaced
        with open(path, "wb") as file:
            yield file, name
