"""Files from the network: fetched once, with a progress bar, checked and unpacked.

Source: ``torchvision.datasets.utils``.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import tarfile
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

_CHUNK = 1 << 16
_PATIENCE = 30  # seconds without an answer


def calculate_md5(fpath: str | Path, chunk_size: int = 1 << 20) -> str:
    """The checksum of a file, as the publishers of data sets give it."""
    with open(fpath, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def check_md5(fpath: str | Path, md5: str) -> bool:
    """Whether a file has a checksum."""
    return md5 == calculate_md5(fpath)


def check_integrity(fpath: str | Path, md5: str | None = None) -> bool:
    """Whether a file is there, and has its checksum if one is given."""
    return os.path.isfile(fpath) and (md5 is None or check_md5(fpath, md5))


def download_url(url: str, root: str | Path, filename: str | None = None, md5: str | None = None) -> None:
    """Fetch a file, unless it is there.

    Args:
        url: where it is.
        root: the folder that it is written into.
        filename: its name there; by default the last part of `url`.
        md5: its checksum.

    Raises:
        RuntimeError: when it cannot be fetched, or is not what was published.
    """
    folder = Path(root).expanduser()
    path = folder / (filename or os.path.basename(url))
    if check_integrity(path, md5):
        return
    folder.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    try:
        _fetch(url, part)
    except OSError as error:  # of the network; `urllib` says URLError, which is one
        part.unlink(missing_ok=True)
        raise RuntimeError(
            f"{url} cannot be fetched ({error}): is there a network here? Else put the file at {path}"
        ) from error
    if not check_integrity(part, md5):
        part.unlink()
        raise RuntimeError("File not found or corrupted.")
    os.replace(part, path)


def _fetch(url: str, path: Path) -> None:
    request = urllib.request.Request(url, headers={"User-Agent": "tensorkit"})
    columns: Any = (TextColumn(path.stem), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with urllib.request.urlopen(request, timeout=_PATIENCE) as answer, open(path, "wb") as file:
        length = answer.headers.get("Content-Length")
        with Progress(*columns) as progress:
            task = progress.add_task(path.stem, total=int(length) if length else None)
            while chunk := answer.read(_CHUNK):
                file.write(chunk)
                progress.advance(task, len(chunk))


def extract_archive(
    from_path: str | Path, to_path: str | Path | None = None, remove_finished: bool = False
) -> Path:
    """Unpack a ``.tar`` (``.gz``, ``.bz2``, ``.xz``), ``.zip`` or ``.gz`` file, and give back where.

    Args:
        from_path: the file.
        to_path: the folder that it is unpacked into; by default the file's own.
        remove_finished: whether the file is deleted then.

    Raises:
        RuntimeError: for another kind of file, and for one that would be written outside the folder.
    """
    source = Path(from_path)
    target = source.parent if to_path is None else Path(to_path)
    name = source.name
    if tarfile.is_tarfile(source):
        with tarfile.open(source) as packed:
            packed.extractall(target, filter="data")
    elif zipfile.is_zipfile(source):
        with zipfile.ZipFile(source) as zipped:
            zipped.extractall(target)
    elif name.endswith(".gz"):
        target = target / source.stem if target.is_dir() else target
        with gzip.open(source, "rb") as compressed, open(target, "wb") as file:
            shutil.copyfileobj(compressed, file)
    else:
        raise RuntimeError(f"Unknown compression or archive type: '{source.suffix}'.")
    if remove_finished:
        source.unlink()
    return target


def download_and_extract_archive(
    url: str,
    download_root: str | Path,
    extract_root: str | Path | None = None,
    filename: str | None = None,
    md5: str | None = None,
    remove_finished: bool = False,
) -> None:
    """Fetch a packed file and unpack it.

    Raises:
        RuntimeError: when it cannot be fetched, or is not what was published.
    """
    root = Path(download_root).expanduser()
    name = filename or os.path.basename(url)
    download_url(url, root, name, md5)
    extract_archive(root / name, extract_root or root, remove_finished)
