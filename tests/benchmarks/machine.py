"""The kind of machine that was measured; never its name."""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = {"numpy": "NumPy", "torch": "PyTorch", "jupyterlab": "JupyterLab"}


@dataclass(frozen=True)
class Machine:
    """What a reader must know to compare numbers with their own."""

    processor: str
    cores: int
    system: str
    software: str

    @property
    def kind(self) -> str:
        """A file name's worth of it.

        >>> Machine("AMD EPYC 7B13 64-Core", 2, "Linux", "").kind
        'amd-epyc-7b13-64-core-2-cores'
        """
        return re.sub(r"[^a-z0-9]+", "-", f"{self.processor} {self.cores} cores".lower()).strip("-")


def this_machine() -> Machine:
    """This machine and the versions that are installed."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    packages = [f"{name} {found}" for package, name in PACKAGES.items() if (found := _version(package))]
    return Machine(_processor(), os.cpu_count() or 1, platform.system(), ", ".join([python, *packages]))


def load() -> float | None:
    """How many programs wanted a core during the last minute, where the system tells."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    """The processor's model; Linux tells it in a file, other systems through `platform`."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    named = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return named[1].strip() if named else platform.processor() or platform.machine()
