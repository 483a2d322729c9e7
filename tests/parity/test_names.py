"""Nothing that the engine is to cover is missing: every name, in every form in which PyTorch has it."""

from __future__ import annotations

import importlib
import operator
from typing import Any

import pytest

import tensorkit
from tests.parity import names
from tests.structure.test_names import namespaces

pytestmark = pytest.mark.parity


def forms(torch: Any, name: str) -> list[str]:
    """In which forms PyTorch has an operation."""
    spelled = {"tk." + name: hasattr(torch, name)}
    for method in (name, name + "_"):
        spelled["tk.Tensor." + method] = hasattr(torch.Tensor, method) and not name.startswith("_")
    return [form for form, there in spelled.items() if there]


def missing(wanted: list[str]) -> list[str]:
    """Those of the dotted names that tensorkit does not have."""
    absent = []
    for form in wanted:
        place: Any = tensorkit
        for part in form.split(".")[1:]:
            place = getattr(place, part, None)
        if place is None and form != "tk.newaxis":
            absent.append(form)
    return absent


def test_every_operation_is_there_in_every_form(torch: Any) -> None:
    wanted = [form for name in names.NAMES.split() for form in forms(torch, name)]
    assert len(wanted) > 750
    assert missing(wanted) == []


def test_a_name_of_the_list_is_one_of_pytorchs(torch: Any) -> None:
    assert [name for name in names.NAMES.split() if not forms(torch, name)] == []


@pytest.mark.parametrize(
    ("place", "listed"),
    [
        ("Tensor", names.TENSOR),
        ("TypedStorage", names.STORAGE),
        ("", names.DTYPES),
        ("", names.CONSTRUCTORS),
        ("linalg", names.LINALG),
        ("special", names.SPECIAL),
    ],
    ids=["tensor", "storage", "dtypes", "constructors", "linalg", "special"],
)
def test_every_listed_name_is_there(torch: Any, place: str, listed: str) -> None:
    theirs = getattr(torch, place) if place else torch
    known = [name for name in listed.split() if hasattr(theirs, name)]
    assert missing([f"tk.{place}.{name}" if place else f"tk.{name}" for name in known]) == []


@pytest.mark.parametrize("module", names.BACKENDS)
def test_every_backend_is_there(torch: Any, module: str) -> None:
    listed, theirs = names.BACKENDS[module].split(), getattr(torch.backends, module)
    assert [name for name in listed if not hasattr(theirs, name)] == []
    assert missing([f"tk.backends.{module}.{name}" for name in listed]) == []


def test_code_of_earlier_years_finds_its_names() -> None:
    assert missing([f"tk.{name}" for name in names.GONE.split()]) == []


def test_a_missing_name_would_be_seen() -> None:
    assert missing(["tk.add", "tk.no_such_thing", "tk.Tensor.add", "tk.Tensor.nothing"]) == [
        "tk.no_such_thing",
        "tk.Tensor.nothing",
    ]


_RESIZING = {  # one file of ours is three of PyTorch's
    "ChannelShuffle",
    "PixelShuffle",
    "PixelUnshuffle",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
}

#: What public namespaces have that PyTorch's have not: the kit's own, and names that PyTorch keeps under another one.
OURS = {
    "": {"errors", "tracing", "vision"},
    "autograd.function": {"Error", "FunctionNode"},
    "autograd.grad_mode": {"is_grad_enabled", "is_inference_mode_enabled"},
    "backends.cuda": {"BlasBackend", "SortBackend", "own_kernels", "preferred_sort_library"},
    "cuda": {"DeviceProperties", "Emulation", "emulate", "jit", "launch", "trace"},
    "distributed": {"cluster"},
    "multiprocessing": {"ProcessException"},
    "nn.modules.batchnorm": {"LazyNormBase"},
    "nn.modules.channelshuffle": _RESIZING,
    "nn.modules.container": {"Numbered", "pairs"},
    "nn.modules.conv": {"own_init"},
    "nn.modules.flatten": {"Identity"},  # one file of ours is two of PyTorch's
    "nn.modules.linear": {"Flatten", "Unflatten"},
    "nn.modules.pixelshuffle": _RESIZING,
    "nn.modules.upsampling": _RESIZING,
    "profiler": {"EventList", "FunctionEvent", "FunctionEventAvg"},
    "utils.benchmark": {"set_torch_threads"},
    "utils.hooks": {"BackwardHookFunction"},
    "version": {"TensorkitVersion"},
}


def test_a_public_namespace_has_pytorchs_names(torch: Any) -> None:
    """And no others, which a learner would look for in PyTorch in vain."""
    for late in ("utils.benchmark", "distributed.checkpoint", "distributed.tensor"):
        importlib.import_module(f"torch.{late}")
    unknown = {}
    for name, module in namespaces(tensorkit, "tensorkit").items():
        place = name.partition(".")[2]
        if place.partition(".")[0] in ("errors", "tracing", "vision") or place == "distributed.cluster":
            continue
        theirs = operator.attrgetter(place)(torch) if place else torch
        found = {one for one in dir(module) if not hasattr(theirs, one)} - OURS.get(place, set())
        if found:
            unknown[place] = sorted(found)
    assert unknown == {}
