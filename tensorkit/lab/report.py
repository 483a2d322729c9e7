"""Is this machine ready? What `tensorkit check` and lesson 00 print, as data.

A row says what was looked at, what was found, whether that is well, and what to do when it is not.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import tensorkit as tk

from .errors import LabError, installing
from .lessons import lesson_source

OLDEST_PYTHON = (3, 11)

_CORE = ("numpy", "numba", "scipy", "ml_dtypes", "safetensors", "ipywidgets", "anywidget", "matplotlib")
_LAB = ("jupyterlab", "ipykernel")
_OPTIONAL = ("torch", "numba-cuda", "sidecar")


@dataclass(frozen=True)
class Row:
    """One line of the report.

    Attributes:
        group: "Python", "packages", "devices" or "widgets".
        name: what was looked at.
        found: what was found, in words.
        state: "ok", "missing" (something needed), or "optional" (absent, and nothing is lost).
        advice: what to do when it is missing, else an empty string.

    Examples:
        >>> Row("packages", "numpy", "2.2.0").state
        'ok'
    """

    group: str
    name: str
    found: str
    state: str = "ok"
    advice: str = ""


def report() -> list[Row]:
    """Look at Python, the packages, the devices and what the widgets need.

    Returns:
        The rows, in the order in which they are shown.

    Examples:
        >>> [row.group for row in report()][0]
        'Python'
        >>> {row.state for row in report()} <= {"ok", "missing", "optional"}
        True
    """
    return [*_python(), *_packages(), *_devices(), *_widgets()]


def _python() -> Iterator[Row]:
    version = platform.python_version()
    place = f"{version}, {sys.executable}"
    if sys.version_info < OLDEST_PYTHON:
        oldest = ".".join(map(str, OLDEST_PYTHON))
        yield Row("Python", "Python", place, "missing", f"Install Python {oldest} or newer.")
    else:
        yield Row("Python", "Python", place)
    yield Row("Python", "system", f"{platform.system()} {platform.machine()}")


def _packages() -> Iterator[Row]:
    yield _engine()
    for name in (*_CORE, *_LAB):
        yield _package(name)
    for name in _OPTIONAL:
        yield _package(name, needed=False)


def _engine() -> Row:
    """It is there, or this could not run; whether it was installed or runs from its folder does not matter."""
    installed = _package("tensorkit", needed=False).state == "ok"
    return Row("packages", "tensorkit", tk.__version__ + ("" if installed else ", run from its folder"))


def _package(name: str, *, needed: bool = True) -> Row:
    try:
        return Row("packages", name, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        if not needed:
            return Row("packages", name, "not installed (not needed)", "optional")
        return Row("packages", name, "not installed", "missing", installing())


def _devices() -> Iterator[Row]:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    yield Row("devices", "cpu", "1 thread" if usable == 1 else f"{usable} threads")
    yield Row("devices", "cuda", *_cuda())


def _cuda() -> tuple[str, str]:
    """What the engine says about CUDA: (found, state)."""
    if not tk.cuda.is_available():
        return "no GPU found; tk.cuda.emulate() gives a pretended one", "optional"
    count = tk.cuda.device_count()
    names = ", ".join(tk.cuda.get_device_name(index) for index in range(count))
    return f"{count} × {names}" if count > 1 else names, "ok"


def _widgets() -> Iterator[Row]:
    yield _try("tensorkit_widgets", _widget_package)
    yield _try("JupyterLab part", _widget_manager)
    yield _try("notebook kernel", _kernel)
    yield _try("lessons", _lessons)


def _try(name: str, look: Callable[[], str]) -> Row:
    try:
        return Row("widgets", name, look())
    except (ImportError, OSError) as error:
        return Row("widgets", name, str(error), "missing", installing())
    except LabError as error:
        return Row("widgets", name, "not found", "missing", str(error))


def _widget_package() -> str:
    module = _import("tensorkit_widgets")
    static = Path(module.__file__ or "").parent / "static"
    scripts = len(list(static.glob("*.js")))
    if not scripts:
        raise FileNotFoundError(f"no browser scripts in {static}")
    return f"importable, {scripts} browser scripts"


def _widget_manager() -> str:
    """JupyterLab draws widgets through an extension that must lie on its search path."""
    core_paths = _import("jupyter_core.paths")
    places = [Path(place, "labextensions") for place in core_paths.jupyter_path()]
    for name in ("@jupyter-widgets/jupyterlab-manager", "anywidget"):
        if not any((place / name / "package.json").is_file() for place in places):
            raise FileNotFoundError(f"JupyterLab extension {name} not found")
    return "widget manager and anywidget found"


def _kernel() -> str:
    _import("ipykernel")
    specs = _import("jupyter_client.kernelspec")
    try:
        return f"python3 ({specs.KernelSpecManager().get_kernel_spec('python3').display_name})"
    except specs.NoSuchKernel as error:
        raise FileNotFoundError("no kernel called python3") from error


def _lessons() -> str:
    source = lesson_source()
    return f"{len(list(source.glob('*.ipynb')))} in {source}"


def _import(name: str) -> ModuleType:
    """Import what may be missing here; its absence is a finding, not a fault."""
    return importlib.import_module(name)
