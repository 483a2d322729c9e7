"""Where the Python of an exported page comes from: Pyodide, which is CPython in WebAssembly.

It lies in a folder, in the user's cache, or in npm's registry. The version is pinned, and what is downloaded is
compared with the hash that the registry publishes for it.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import tarfile
import urllib.error
import urllib.request
from pathlib import Path

from tensorkit.lab.errors import LabError, refused
from tensorkit.process.caches import user_caches
from tensorkit.process.whole_file import beside

VERSION = "0.29.0"
FILES = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
_SHA512 = "ObIvsTmcrxAWKg+FT1GjfSdDmQc5CabnYe/nn5BCuhr9BVVITeQ24DBdZuG5B2tIiAZ9YonBpnDB7cmHZyd2Rw=="
_REGISTRY = "https://registry.npmjs.org"
_PATIENCE_S = 60
_WAYS = (
    "Name a folder that has it with --runtime DIR (`npm pack pyodide@{version}` fetches it), "
    "or write a page that is only read with --no-runtime."
)


def find_runtime(folder: Path | None = None) -> Path:
    """The folder with Pyodide's files.

    Args:
        folder: where they lie; by default the user's cache, into which they are downloaded when it lacks them.

    Raises:
        LabError: when `folder` lacks one of them, or there is neither a cache nor a network.

    Examples:
        >>> find_runtime(Path("nowhere"))  # doctest: +ELLIPSIS, +IGNORE_EXCEPTION_DETAIL
        Traceback (most recent call last):
            ...
        tensorkit.lab.errors.LabError: nowhere has no pyodide.js: ...
    """
    if folder is not None:
        lacking = [name for name in FILES if not (folder / name).is_file()]
        if lacking:
            raise LabError(f"{folder} has no {lacking[0]}: it is not a folder of Pyodide. {_ways()}")
        return folder
    try:
        cache = user_caches() / f"pyodide-{VERSION}"
    except RuntimeError as error:  # the user has no home, or there is no such user
        raise LabError(f"There is no folder for caches ({error}). {_ways()}") from error
    if not all((cache / name).is_file() for name in FILES):
        _unpack(_download(), cache)
    return cache


def _ways() -> str:
    return _WAYS.format(version=VERSION)


def _download() -> bytes:
    surroundings = os.environ
    registry = surroundings.get("npm_config_registry") or surroundings.get("NPM_CONFIG_REGISTRY") or _REGISTRY
    address = f"{registry.rstrip('/')}/pyodide/-/pyodide-{VERSION}.tgz"
    if not address.startswith(("https://", "http://")):
        raise LabError(f"{registry} is no address of a registry: it begins with https://. {_ways()}")
    try:
        with urllib.request.urlopen(address, timeout=_PATIENCE_S) as answer:
            found: bytes = answer.read()
    except (OSError, ValueError) as error:
        reason = error if isinstance(error, urllib.error.HTTPError) else getattr(error, "reason", error)
        raise LabError(
            f"Python for the browser (Pyodide {VERSION}) cannot be downloaded from {registry} ({reason}). {_ways()}"
        ) from error
    if base64.b64encode(hashlib.sha512(found).digest()).decode() != _SHA512:
        raise LabError(
            f"What {address} gave is not Pyodide {VERSION}: its hash is another one. Nothing of it was kept. {_ways()}"
        )
    return found


def _unpack(package: bytes, cache: Path) -> None:
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tarfile.open(fileobj=io.BytesIO(package), mode="r:gz") as archive:
            for name in FILES:
                member = archive.extractfile(f"package/{name}")
                assert member is not None  # the hash says what is in it
                with beside(cache / name) as path:
                    path.write_bytes(member.read())
    except OSError as error:
        raise LabError(refused(error, cache)) from error
