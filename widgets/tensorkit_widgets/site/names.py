"""The public names of both packages, each with the page and the section of the reference that it belongs to."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import tensorkit
import tensorkit_widgets
from tensorkit.dispatch.registry import registry

# The chapters of `tensorkit.ops`, as a learner meets them, and the namespaces that share a page with one.
CHAPTERS = {
    "creation": "Creating tensors",
    "views": "Views",
    "indexing": "Indexing",
    "joining": "Joining",
    "rearranging": "Rearranging",
    "pointwise": "Element by element",
    "reduction": "Reductions",
    "matrix_products": "Products",
    "linalg": "Linear algebra",
    "sorting": "Sorting, counting, searching",
    "random": "Random numbers",
    "complex": "Complex numbers",
    "fft": "Fourier transforms",
    "special": "Special functions",
    "nn.functional": "Functions of networks",
    "questions": "Questions about a tensor, and the rest",
}

# The namespaces on the page of a chapter.
_SHARED = ("linalg", "fft", "special", "nn.functional")

# The namespaces with a page of their own, and what it is called.
NAMESPACES = {
    "nn": "Layers",
    "nn.init": "Initial values of layers",
    "nn.utils": "Tools for layers",
    "optim": "Optimisers",
    "optim.lr_scheduler": "Schedules of the learning rate",
    "autograd": "Autograd",
    "autograd.functional": "Jacobians and Hessians",
    "func": "Functions of functions",
    "distributions": "Distributions",
    "utils.data": "Data",
    "utils.benchmark": "Timing",
    "utils.checkpoint": "Checkpoints of activations",
    "serialization": "Files",
    "cuda": "CUDA",
    "accelerator": "Accelerators",
    "amp": "Mixed precision",
    "distributed": "Several processes",
    "distributed.tensor": "Sharded tensors",
    "distributed.cluster": "Clusters of workers",
    "distributed.checkpoint": "Files of sharded tensors",
    "vision": "Images",
    "testing": "Testing",
    "tracing": "Tracing",
}

SETTINGS = "settings"
"""The page of what `tensorkit` itself has beside the operations: dtypes, devices, gradients, threads."""


@dataclass(frozen=True)
class Entry:
    """One entry of the reference.

    Attributes:
        name: the name that it is imported by, such as ``tensorkit.nn.Linear``.
        value: what has this name.
        page: the page that it is on.
        section: the heading that it comes under; empty where the page has no headings.
    """

    name: str
    value: Any
    page: str
    section: str = ""


@cache
def entries() -> tuple[Entry, ...]:
    """Every public function and class, in the order of the pages.

    >>> next(entry.page for entry in entries() if entry.name == "tensorkit.transpose")
    'views'
    """
    found = list(_of(tensorkit, "", SETTINGS))
    for spelled in [*_SHARED, *NAMESPACES]:
        found += _of(importlib.import_module(f"tensorkit.{spelled}"), spelled, spelled)
    return (*found, *_of(tensorkit_widgets, "", "widgets"))


def _of(module: ModuleType, prefix: str, page: str) -> Iterator[Entry]:
    for name in sorted(getattr(module, "__all__", ())):
        value = getattr(module, name)
        if not (isinstance(value, type) or inspect.isroutine(value)):
            continue
        home = getattr(value, "__module__", "") or ""
        chapter = "" if prefix else _chapter(home)
        headed = chapter or prefix in _SHARED
        own = "Tensor" if value is tensorkit.Tensor else chapter or page
        yield Entry(f"{module.__name__}.{name}", value, own, _heading(home) if headed else "")


def _chapter(home: str) -> str:
    """The chapter of a module in `tensorkit.ops`; empty for another module.

    >>> _chapter("tensorkit.ops.views.split"), _chapter("tensorkit.dtypes")
    ('views', '')
    """
    folders = home.split(".")
    if folders[:2] != ["tensorkit", "ops"]:
        return ""
    chapter = {"nn": "nn.functional", "shared": "questions", "tensor": "questions"}.get(
        folders[2], folders[2]
    )
    return chapter if chapter in CHAPTERS else ""


@cache
def _heading(home: str) -> str:
    """What the docstring of a module says that it has: its first words.

    >>> _heading("tensorkit.ops.views.transpose_permute")
    'Dimensions in another order, as views'
    """
    told = inspect.getdoc(importlib.import_module(home)) or ""
    return told.partition("\n")[0].partition(":")[0].rstrip(".")


@cache
def methods() -> tuple[Entry, ...]:
    """The public methods and properties of `Tensor`, under the chapter of their operation.

    >>> {entry.name: entry.section for entry in methods()}["tensorkit.Tensor.transpose_"]
    'Views'
    """
    home = {
        method: (record.function or vars(tensorkit.Tensor)[method]).__module__
        for record in registry.values()
        for method in record.methods
    }
    found = []
    for name in sorted(dir(tensorkit.Tensor)):
        value = inspect.getattr_static(tensorkit.Tensor, name)
        if not name.startswith("_") and (inspect.isroutine(value) or isinstance(value, property)):
            chapter = CHAPTERS[_chapter(home.get(name, "")) or "questions"]
            found.append(Entry(f"tensorkit.Tensor.{name}", value, "Tensor", chapter))
    return tuple(found)


@cache
def first_with() -> dict[str, str]:
    """The name under which each docstring is printed in full: the first that has it, an operation's own before others.

    >>> [name for text, name in first_with().items() if text.startswith("Swap two dimensions: their sizes")]
    ['tensorkit.transpose']
    """
    further = {f"tensorkit.{name}" for record in registry.values() for name in record.functions[1:]}
    first: dict[str, str] = {}
    for entry in sorted((*entries(), *methods()), key=lambda entry: entry.name in further):
        first.setdefault(inspect.getdoc(entry.value) or "", entry.name)
    return first


@cache
def known() -> dict[str, str]:
    """What a docstring may call each entry, and its full name.

    >>> known()["transpose"], known()["view"], known()["StrideExplorer"]
    ('tensorkit.transpose', 'tensorkit.Tensor.view', 'tensorkit_widgets.StrideExplorer')
    """
    found: dict[str, str] = {}
    for entry in (*entries(), *methods()):
        for called in (
            entry.name,
            entry.name.partition(".")[2],
            entry.name.removeprefix("tensorkit.Tensor."),
        ):
            found.setdefault(called, entry.name)
    return found
