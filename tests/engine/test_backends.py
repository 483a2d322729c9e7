"""What scripts ask of ``backends`` and ``version`` first: true of tensorkit, and kept as PyTorch keeps it."""

from __future__ import annotations

import importlib.util
import operator
import os
import random
import subprocess
import sys
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit.backends import cpu
from tests.parity.questions import disagreement, lines
from tests.torch_oracle import require_torch


@pytest.mark.parity
@pytest.mark.parametrize("question", lines("backends"))
def test_the_answer_is_pytorchs(question: str) -> None:
    assert disagreement(require_torch(), tk, question) is None


_PRECISIONS = [
    *("backends", "backends.mkldnn", "backends.mkldnn.conv", "backends.mkldnn.rnn", "backends.mkldnn.matmul"),
    *("backends.cudnn", "backends.cudnn.conv", "backends.cudnn.rnn", "backends.cuda.matmul"),
]


def _steps(count: int) -> list[tuple[str, str, Any]]:
    """What is said at random: which object, which attribute (none: the precision of products), which value."""
    draw = random.Random(20261123)
    steps: list[tuple[str, str, Any]] = []
    for _ in range(count):
        kind = draw.randrange(5)
        if kind < 2:
            said = draw.choice(("none", "ieee", "tf32", "bf16", "double"))
            steps.append((draw.choice(_PRECISIONS), "fp32_precision", said))
        elif kind == 2:
            steps.append(("", "", draw.choice(("highest", "high", "medium"))))
        else:
            steps.append(
                (("backends.cuda.matmul", "backends.cudnn")[kind - 3], "allow_tf32", draw.random() < 0.5)
            )
    return steps


def _answer(what: Any) -> Any:
    try:
        return what()
    except (RuntimeError, TypeError) as error:
        return f"{type(error).__name__} {error}"


def _say(lib: Any, place: str, name: str, value: Any) -> Any:
    if not place:
        return lib.set_float32_matmul_precision(value)
    return setattr(operator.attrgetter(place)(lib), name, value)


def _state(lib: Any) -> list[Any]:
    asked = [*(f"{place}.fp32_precision" for place in _PRECISIONS)]
    asked += ["backends.cuda.matmul.allow_tf32", "backends.cudnn.allow_tf32"]
    found = [_answer(lambda name=name: operator.attrgetter(name)(lib)) for name in asked]
    return [*found, _answer(lib.get_float32_matmul_precision)]


@pytest.mark.parity
def test_precisions_that_are_said_in_every_way_are_kept_together_as_pytorch_keeps_them() -> None:
    torch = require_torch()
    ends = [*((place, "fp32_precision", "none") for place in _PRECISIONS), ("", "", "highest")]
    ends += [("backends.cudnn", "allow_tf32", True)]
    refused = 0
    for step in [*ends, *_steps(600), *ends]:
        said = [_answer(lambda lib=lib, step=step: _say(lib, *step)) for lib in (tk, torch)]
        assert said[0] == said[1], step
        assert _state(tk) == _state(torch), step
        refused += "RuntimeError" in str(_state(tk))
    assert 100 < refused < 600
    assert _state(tk)[-3:] == [False, True, "highest"]


def test_a_precision_changes_no_product() -> None:
    a = tk.rand(40, 40)
    before = a @ a
    try:
        for said in ("medium", "high"):
            tk.set_float32_matmul_precision(said)
            assert (a @ a).equal(before)
    finally:
        tk.set_float32_matmul_precision("highest")


def test_what_is_asked_of_the_machine_is_true_of_tensorkit() -> None:
    assert not tk.backends.mkldnn.is_available()
    assert not tk.backends.openmp.is_available()
    built: Any = numpy.show_config(mode="dicts")
    assert tk.backends.mkl.is_available() == ("mkl" in built["Build Dependencies"]["blas"]["name"].lower())
    assert tk.backends.cuda.is_built() == (tk.version.cuda is not None or tk.cuda.is_available())
    if importlib.util.find_spec("cuda") is None:
        assert tk.version.cuda is None
    with tk.cuda.emulate():
        assert tk.backends.cuda.is_built()
        with pytest.warns(UserWarning, match="tensorkit was compiled without cuDNN"):
            assert not tk.backends.cudnn.is_acceptable(tk.ones(2, device="cuda"))
        with tk.backends.cudnn.flags(enabled=False):
            assert not tk.backends.cudnn.is_acceptable(tk.ones(2, device="cuda"))


@pytest.mark.parametrize(
    ("found", "machine", "word"),
    [
        ({"X86_V2", "X86_V3", "X86_V4"}, "x86_64", "AVX512"),
        ({"SSE", "AVX2", "FMA3", "AVX512F", "AVX512_SKX"}, "AMD64", "AVX512"),
        ({"SSE", "AVX", "AVX2"}, "x86_64", "AVX2"),
        ({"X86_V2"}, "x86_64", "NO AVX"),
        ({"VSX", "VSX2"}, "ppc64le", "VSX"),
        ({"VX"}, "s390x", "Z VECTOR"),
        ({"NEON", "ASIMD"}, "arm64", "DEFAULT"),
    ],
)
def test_the_processor_is_named_in_pytorchs_words(found: set[str], machine: str, word: str) -> None:
    assert cpu._best(found, machine) == word


@pytest.mark.parity
def test_this_processor_has_the_name_that_pytorch_gives_it() -> None:
    require_torch()
    # In a process of its own: each library can be told to use less than the processor can.
    told = {"NPY_DISABLE_CPU_FEATURES", "ATEN_CPU_CAPABILITY"}
    code = "import tensorkit, torch; print(*[lib.backends.cpu.get_cpu_capability() for lib in (tensorkit, torch)])"
    environment = {name: value for name, value in os.environ.items() if name not in told}
    said = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    ours, theirs = said.stdout.split(" ", 1)
    assert ours == theirs.strip()


@pytest.mark.parity
@pytest.mark.parametrize("mine", ["2.13.0+cpu", "0.1.0", "1.10", "parrot"])
@pytest.mark.parametrize("way", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_versions_compare_as_pytorchs(mine: str, way: str) -> None:
    compare = getattr(operator, way)
    theirs, ours = require_torch().torch_version.TorchVersion(mine), tk.version.TensorkitVersion(mine)
    others = (
        "1.9",
        "2.13.0+cpu",
        "2.13",
        "0.1.0",
        "0.1",
        "zebra",
        (1, 9),
        [2, 13, 0],
        (0, 1),
        ("1", "x"),
        (),
        2.0,
        None,
    )
    for other in others:
        said = [_answer(lambda v=v, other=other: compare(v, other)) for v in (ours, theirs)]
        assert str(said[0]).replace("TensorkitVersion", "TorchVersion") == str(said[1]), other


def test_the_version_is_text() -> None:
    assert isinstance(tk.__version__, str)
    assert tk.__version__ == tk.version.__version__
    assert (str(tk.__version__), repr(tk.__version__)) == ("0.1.0", "'0.1.0'")
    assert {tk.__version__: 1}["0.1.0"] == 1
    assert tk.__version__ >= (0, 1)
    assert tk.__version__ < "1.0"
