"""What a file would name, found without loading it."""

from __future__ import annotations

import io
import os
import pickle
import pickletools
from typing import IO, Any

from tensorkit.serialization.archive import ArchiveReader, is_archive
from tensorkit.serialization.names import CONSTANTS, FUNCTIONS
from tensorkit.serialization.options import trusted_names
from tensorkit.serialization.unpickle import current_name


def get_unsafe_globals_in_checkpoint(f: str | os.PathLike[str] | IO[bytes]) -> list[str]:
    """The full names of functions and classes in a file that `load` would refuse.

    Args:
        f: the path of a file that `save` wrote, or an open file.

    Raises:
        ValueError: for another kind of file.
        pickle.UnpicklingError: when the pickle is damaged, or has a protocol that mentions names otherwise.

    >>> import io, fractions, tensorkit as tk
    >>> file = io.BytesIO()
    >>> tk.save(fractions.Fraction(1, 2), file)
    >>> _ = file.seek(0)
    >>> tk.serialization.get_unsafe_globals_in_checkpoint(file)
    ['fractions.Fraction']

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html
    """
    if isinstance(f, str | os.PathLike):
        with open(f, "rb") as file:
            return _unsafe(file)
    return _unsafe(f)


def _unsafe(file: IO[bytes]) -> list[str]:
    if not is_archive(file):
        raise ValueError("Expected input to be a checkpoint returned by tensorkit.save")
    archive = ArchiveReader(file)
    if "constants.pkl" in archive:
        raise ValueError(
            "Expected input to be a checkpoint returned by tensorkit.save but got a torchscript checkpoint"
        )
    admitted = {*FUNCTIONS, *CONSTANTS, *trusted_names(), "torch.nn.parameter.Parameter"}
    return [name for name in dict.fromkeys(_globals(archive.read("data.pkl"))) if name not in admitted]


def _globals(pickled: bytes) -> list[str]:
    """Every name in a pickle."""
    found = []
    try:
        for instruction, argument, _ in pickletools.genops(io.BytesIO(pickled)):
            if instruction.name == "GLOBAL":
                found.append(".".join(current_name(*_parts(argument))))
            elif instruction.name == "STACK_GLOBAL":
                raise pickle.UnpicklingError(f"Unsupported operand {ord(instruction.code)}")
    except ValueError as error:
        raise pickle.UnpicklingError(f"the pickle is damaged: {error}") from error
    return found


def _parts(argument: Any) -> tuple[str, str]:
    module, _, name = str(argument).partition(" ")
    return module, name
