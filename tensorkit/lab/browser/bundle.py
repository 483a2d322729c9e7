"""The Python that a page runs in the browser, as a zip file: the plain engine, the widgets that play on it, traitlets,
and the photo of the lessons.

It is unpacked into a folder that is on the path. Some packages get another front than their own, which imports the
whole kit.

>>> import tempfile
>>> made = write_bundle(Path(tempfile.mkdtemp()) / "kit.zip", lessons=["02"])
>>> with ZipFile(made) as kit:
...     {"tensorkit/plain/view.py", "traitlets/traitlets.py"} <= set(kit.namelist())
True
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import tensorkit
from tensorkit.process.whole_file import beside

FRONTS = {
    "tensorkit": "lab/browser/tensorkit_front.py",
    "tensorkit_widgets": "page/widgets_front.py",
    "tensorkit_widgets/plots": "page/plots_front.py",
    "tensorkit_widgets/puzzles": "page/puzzles_front.py",
}  # fmt: skip
"""The ``__init__.py`` of a package, where its own would import the whole kit."""

ENGINE = (
    "errors.py", "size.py", "tracing.py", "process", "strides", "plain",
    "lab/__init__.py", "lab/console.py", "lab/ending.py", "lab/errors.py",
)  # fmt: skip
"""The last are what `progress` ends with at a command line."""

WIDGETS = (
    "snapshot", "diagnosis", "drawing", "render", "widget", "bits", "broadcast", "indexing", "matmul", "practice",
    "reduction", "stride_explorer", "page", "puzzles/ladder.py", "puzzles/rungs.py", "puzzles/sitting.py", "static",
)  # fmt: skip
TRAITLETS = ("__init__.py", "_version.py", "traitlets.py", "log.py", "utils")

_KINDS = (".py", ".css", ".js")
_MADE = (2020, 1, 1, 0, 0, 0)  # the same bytes whenever it is written


def write_bundle(path: str | Path, lessons: Iterable[str] = ()) -> Path:
    """Write the zip file.

    Args:
        path: the file to write.
        lessons: the lessons whose questions go in, by number, such as ``"02"``.

    Raises:
        LookupError: for a lesson that is not there.
        OSError: when the file cannot be written.
    """
    target, files = Path(path), sorted(_files(lessons))
    with beside(target) as waiting, ZipFile(waiting, "w") as kit:
        for name, source in files:
            _add(kit, name, source.read_bytes())
        names = sorted({*dir(tensorkit), *dir(tensorkit.Tensor)})
        _add(kit, "tensorkit/whole_names.txt", "\n".join(names).encode())
        _add(kit, "matplotlib/__init__.py", (Path(__file__).with_name("matplotlib_front.py")).read_bytes())
        _add(kit, "matplotlib/photo.bytes", _photo())
    return target


def _photo() -> bytes:
    """The numbers of the photo that the lessons read, row by row."""
    from matplotlib import image
    from matplotlib.cbook import get_sample_data

    pixels: bytes = image.imread(str(get_sample_data("grace_hopper.jpg", asfileobj=False))).tobytes()
    return pixels


def _add(kit: ZipFile, name: str, content: bytes) -> None:
    about = ZipInfo(name, _MADE)
    about.external_attr = 0o644 << 16
    kit.writestr(about, content, ZIP_DEFLATED, compresslevel=9)


def _files(lessons: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """Names in the zip file, and where each is read from."""
    for package, front in FRONTS.items():
        yield f"{package}/__init__.py", _folder(package.partition("/")[0]) / front
    yield from _parts("tensorkit", ENGINE)
    yield from _parts("tensorkit_widgets", (*WIDGETS, *_of_lessons(lessons)))
    yield from _parts("traitlets", TRAITLETS)


def _of_lessons(lessons: Iterable[str]) -> list[str]:
    folders = [f"lessons/lesson{number}" for number in lessons]
    missing = [folder for folder in folders if not (_folder("tensorkit_widgets") / folder).is_dir()]
    if missing:
        raise LookupError(f"there is no {missing[0]}: the lessons go by two digits, such as 02")
    return ["lessons/__init__.py", "lessons/photo.py", *folders]


def _parts(package: str, parts: Iterable[str]) -> Iterator[tuple[str, Path]]:
    root = _folder(package)
    for part in parts:
        found = root / part
        files = [found] if found.is_file() else sorted(found.rglob("*.*"))
        for file in files:
            if file.suffix in _KINDS:
                yield f"{package}/{file.relative_to(root).as_posix()}", file


def _folder(package: str) -> Path:
    """Where a package is, without importing it: the widgets import ipywidgets."""
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent
