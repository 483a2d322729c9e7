"""The story of a line: every call in order, what it did and why; every ordinary error, its dimension, its way out."""

from __future__ import annotations

import ast
import subprocess
import sys
import traceback
import weakref
from pathlib import Path
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit_widgets.diagnosis.diagnose import Culprit, known_diagnoses
from tensorkit_widgets.tracing.explain_model import Story, explain_line, explain_run
from tensorkit_widgets.tracing.instrument import KEY
from tensorkit_widgets.tracing.text import story_text
from tests.support.garbage import collect
from tests.support.warnings import recorded
from tests.widgets.trace_examples import PROGRAMS

TK = pytest.param("tensorkit", id="tensorkit")
TORCH = pytest.param("torch", id="torch", marks=pytest.mark.parity)
NUMPY = pytest.param("numpy", id="numpy")
every_tensor_library = pytest.mark.parametrize("library", [TK, TORCH])
every_library = pytest.mark.parametrize("library", [TK, TORCH, NUMPY])


def names_of(library: str) -> dict[str, Any]:
    """What the learner has made so far."""
    lib = pytest.importorskip(library)
    made = {"tk": lib, "x": lib.arange(12).reshape(3, 4), "f": lib.ones((3, 4)), "v": lib.ones((3,))}
    if library != "numpy":
        made["w"] = lib.ones(3, requires_grad=True)
    return made


def story_of(code: str, library: str = "tensorkit", **more: Any) -> Story:
    story = explain_line(code, names_of(library) | more)
    assert story.left_out == 0
    return story


def told(story: Story) -> list[tuple[str, str]]:
    return [(step.op, step.kind) for step in story.steps]


# -- lines that run -----------------------------------------------------------------------------------------------

LINES: dict[str, list[tuple[str, str]]] = {
    "x.T": [("T", "view")],
    "x[1:, ::2]": [("[]", "view")],
    "x[[0, 2]]": [("[]", "copy")],
    "x[x > 3]": [("gt", "made"), ("[]", "copy")],
    "x.T.reshape(-1) + 1": [("T", "view"), ("reshape", "copy"), ("add", "made")],
    "x.reshape(4, 3)[0]": [("reshape", "view"), ("[]", "view")],
    "y = x * 2 - x": [("mul", "made"), ("sub", "made")],
    "x += 1": [("add_", "in place")],
    "x[0] = 5": [("[]=", "in place")],
    "x[0] = x[1]": [("[]", "view"), ("[]=", "in place")],
    "f @ f.T": [("T", "view"), ("matmul", "made")],
    "z = f.sum(0)": [("sum", "made")],
    "tk.stack([f, f + 1])": [("add", "made"), ("stack", "copy")],
    "-f": [("neg", "made")],
    "f > 0": [("gt", "made")],
    "v[:, None] + v": [("[]", "view"), ("add", "made")],
    "y = x": [],
    "print(x.shape)": [],
    "'a' + 'b'": [],
    "f if x[0, 0] == 0 else v": [("[]", "view"), ("eq", "made")],
}


@every_tensor_library
@pytest.mark.parametrize("code", LINES)
def test_lines_of_learners(code: str, library: str) -> None:
    assert told(story_of(code, library)) == LINES[code]


@pytest.mark.parametrize("code", [code for code in LINES if "==" not in code])
def test_the_same_lines_with_arrays(code: str) -> None:
    assert told(story_of(code, "numpy")) == LINES[code]


@every_tensor_library
@pytest.mark.parametrize(
    ("code", "steps"),
    [
        ("x.contiguous()", [("contiguous", "same")]),
        ("x.t().contiguous()", [("t", "view"), ("contiguous", "copy")]),
        ("f.clone().add_(1)", [("clone", "copy"), ("add_", "in place")]),
        ("f.to(tk.float64)", [("to", "copy")]),
        ("f.to(tk.float32)", [("to", "same")]),
        ("v.expand(2, 3)", [("expand", "view")]),
        ("f.t_()", [("t_", "in place")]),
        ("f.numpy()", [("numpy", "view")]),
        ("f.sum().item()", [("sum", "made"), ("item", "value")]),
        ("f.detach()", [("detach", "view")]),
        ("(w * w).sum().backward()", [("mul", "made"), ("sum", "made"), ("backward", "value")]),
        ("w.requires_grad_()", [("requires_grad_", "same")]),
        ("x.unsqueeze(0).squeeze()", [("unsqueeze", "view"), ("squeeze", "view")]),
        ("tk.cat([f, f], dim=1).size()", [("cat", "copy"), ("size", "value")]),
    ],
)
def test_lines_that_only_tensors_have(code: str, steps: list[tuple[str, str]], library: str) -> None:
    assert told(story_of(code, library)) == steps


def test_a_step_says_everything() -> None:
    story = story_of("x.t().reshape(-1) + 1")
    t, reshape, add = story.steps
    assert [step.call for step in story.steps] == ["x.t()", "….reshape(-1)", "… + 1"]
    assert (t.place.line, t.place.column, t.place.code) == (1, 1, "x.t()")
    assert [seen.name for step in story.steps for seen in step.inputs] == ["x", "x.t()", "x.t().reshape(-1)"]
    assert [seen.storage for step in story.steps for seen in step.outputs] == ["A", "B", "C"]
    assert (t.bytes_moved, reshape.bytes_moved, add.bytes_moved) == (0, 96, 0)
    assert (t.bytes_made, reshape.bytes_made, add.bytes_made) == (0, 96, 96)
    assert reshape.inputs[0].meta.stride == (1, 4)
    assert reshape.outputs[0].meta.stride == (1,)
    assert reshape.why.startswith(
        "dimensions 0 and 1 cannot merge: stride[0] is 1 where size[1]·stride[1] is 12"
    )
    assert add.outputs[0].snapshot.grid[:3] == (1, 5, 9)
    assert story.shown == "tensor([ 1,  5,  9,  2,  6, 10,  3,  7, 11,  4,  8, 12])"


@every_library
def test_a_write_shows_before_and_after(library: str) -> None:
    (step,) = story_of("x[1, 2] = 50", library).steps
    (write,) = step.writes
    assert write.changed == ((1, 2),)
    assert write.before.snapshot.grid[6] == 6
    assert write.after.snapshot.grid[6] == 50
    if library == "numpy":
        assert write.sampled
        assert "NumPy counts no writes" in step.why
    else:
        assert (write.before.version, write.after.version) == (0, 1)


def test_a_view_that_is_written_to_is_named_with_its_base() -> None:
    story = story_of("y.add_(x)", y=tk.zeros(3, 4, dtype=tk.int64))
    assert [write.before.name for write in story.steps[0].writes] == ["y"]
    x = tk.arange(4)
    story = explain_line("x.add_(y)", {"x": x, "y": x.view(4)})
    assert [write.before.name for write in story.steps[0].writes] == ["x", "y"]


@every_tensor_library
def test_functions_of_the_learner_are_one_level_deeper(library: str) -> None:
    story = story_of("def g(a):\n    return a.t().reshape(-1)\n\ng(x) + 1", library)
    if library == "torch":  # only the engine tells what happens inside a function
        assert told(story) == [("g", "made"), ("add", "made")]
        return
    assert [(step.op, step.level, step.place.line) for step in story.steps] == [
        ("t", 1, 2),
        ("reshape", 1, 2),
        ("add", 0, 4),
    ]


def test_a_comprehension_and_a_loop_go_round_by_round() -> None:
    story = story_of("[row.sum() for row in x]\nfor row in x:\n    row.add_(1)")
    assert told(story) == [
        ("unbind", "view"),
        *[("sum", "made")] * 3,
        ("unbind", "view"),
        *[("add_", "in place")] * 3,
    ]


def test_a_callable_is_told_by_the_engine() -> None:
    x = tk.arange(6).view(2, 3)
    story = explain_line(lambda: x.t().view(-1))
    assert told(story) == [("t", "view"), ("view", "error")]
    assert story.failure is not None
    assert story.steps[0].inputs[0].name == "x"


def test_a_kernel_on_a_device_is_named() -> None:
    with tk.cuda.emulate(devices=1):
        story = story_of("there = f.to('cuda')\nthere + there")
    to, add = story.steps
    assert (to.kind, to.bytes_moved) == ("copy", 48)
    assert "memory of its own" in to.why
    assert len(add.kernels) == 1
    assert add.kernels[0].endswith("on cuda:0 (emulated)")


def test_numbers_and_arrays_of_one_namespace() -> None:
    array = numpy.zeros(3)
    story = explain_line("t = tk.from_numpy(a)\nt[0] = 7\na + 1", {"tk": tk, "a": array})
    assert told(story) == [("from_numpy", "view"), ("[]=", "in place"), ("add", "made")]
    assert {seen.storage for step in story.steps[:2] for seen in step.outputs} == {"A"}
    assert story.steps[0].why == "both libraries look at the same memory; nothing was copied"


# -- errors -------------------------------------------------------------------------------------------------------

Wanted = tuple[str, str, tuple[Culprit, ...], str, str]

ERRORS: list[Wanted] = [
    ("x.t().view(-1)", "view-strides", (Culprit(0, 0), Culprit(0, 1)), "stride[0] = 1 slots", "reshape"),
    ("x.view(5, 2)", "view-count", (), "room for 10, and x has 12", "-1"),
    ("x.view(5, -1)", "view-count", (), "12 / 5 is no whole number", "divide 12"),
    ("x.view(-1, -1)", "view-two-unknown", (), "one size only", "keep one -1"),
    ("x.expand(3, 5)", "expand", (Culprit(0, 1),), "dimension 1 has size 4", "repeat"),
    ("x.expand(2, 3, 5)", "expand", (Culprit(0, 1),), "dimension 2 has size 4", "repeat"),
    (
        "f + v",
        "broadcast",
        (Culprit(0, 1), Culprit(1, 0)),
        "f (3, 4) and v (3,) meet in 4 and 3",
        "v[:, None]",
    ),
    ("v.add_(f.t())", "in-place-size", (), "v's own slots", "x = x + y"),
    ("f @ f", "matmul", (Culprit(0, 1), Culprit(1, 0)), "a row of (3, 4) has 4", "f @ f.t()"),
    ("f @ v", "matmul", (Culprit(0, 1), Culprit(1, 0)), "a column of (3,) has 3", "f.t() @ v"),
    ("f.mm(v)", "matmul-dims", (), "mm takes two matrices", "v[:, None]"),
    ("v @ tk.ones(4)", "matmul", (Culprit(0, 0), Culprit(1, 0)), "3 numbers", "last size"),
    ("x[3]", "index-range", (Culprit(0, 0),), "0 to 2", "count from 0"),
    ("x[0, -5]", "index-range", (Culprit(0, 1),), "-4 to -1", "slice"),
    ("x[[0, 7]]", "index-range", (Culprit(0, 0),), "7 is not among them", "slice"),
    ("x[0, 0, 0]", "too-many-indices", (), "x has 2 dimensions", ".size()"),
    ("x[0][0][0]", "index-0d", (), "no dimension left", ".item()"),
    ("x[1.5]", "index-kind", (), "whole number", "int"),
    ("x[v > 0, 0, 0]", "too-many-indices", (), "x has 2 dimensions", ".size()"),
    ("x[tk.ones(2).bool()]", "mask-size", (), "yes or no to each element", "t[t > 0]"),
    ("x[::-1]", "negative-step", (), "negative stride", "flip"),
    ("f.mm(f.t().double())", "dtype-mismatch", (), "takes both operands as they are", "b.to(a.dtype)"),
    ("x.mean()", "integer-mean", (), "seldom whole", ".float().mean()"),
    ("x += 1.5", "result-cast", (), "hold Long", "x = x + 1.5"),
    ("w.add_(1)", "leaf-in-place", (), "w is a leaf", "no_grad"),
    ("w[0] = 5", "leaf-in-place", (), "w is a leaf", "no_grad"),
    ("e = tk.ones(1, 3).expand(2, 3)\ne.add_(1)", "shared-write", (), "stride 0", ".clone()"),
    (
        "y = (w * w).sum()\ny.backward()\ny.backward()",
        "second-backward",
        (),
        "let them go",
        "retain_graph=True",
    ),
    ("y = w.exp()\ny.add_(1)\ny.sum().backward()", "saved-changed", (), "at version 0", "y = y + 1"),
    ("(w * 2).backward()", "backward-size", (), "several", ".sum().backward()"),
    ("v.sum().backward()", "no-graph", (), "no graph was kept", "requires_grad=True"),
    ("w.numpy()", "numpy-grad", (), "share w's memory", ".detach().numpy()"),
    ("tk.tensor([1, 2], requires_grad=True)", "grad-dtype", (), "small change", "floats"),
    ("v + tk.ones(3, device='meta')", "device", (), "memory of its own", "b.to(a.device)"),
    ("v.squeeze(2)", "dim-range", (), "v of size (3,) has 1 dimension, so the dimensions are 0 to 0", "-1"),
    ("v.unsqueeze(3)", "dim-range", (), "places for a new one are 0 to 1", "-1"),
    ("f.sum(dim=2)", "dim-range", (), "0 to 1, or -2 to -1", "-1"),
    (
        "tk.cat([f, f[:, :2].t()])",
        "cat-sizes",
        (Culprit(0, 1), Culprit(1, 1)),
        "3 where the first has 4",
        "dim=1",
    ),
    ("tk.cat([f, v])", "cat-dims", (), "they all have", "unsqueeze"),
    ("tk.stack([f, f.t()])", "stack-sizes", (), "one size", "cat"),
    ("v.item()", "item-several", (), "v has several", ".tolist()"),
    ("float(v)", "item-several", (), "has several", ".tolist()"),
    ("if v > 0: pass", "bool-ambiguous", (), "one yes or no", ".any()"),
    ("v and f", "bool-ambiguous", (), "one yes or no", "&"),
    ("not v", "bool-ambiguous", (), "one yes or no", ".all()"),
    ("tk.tensor([[1, 2], [3]])", "ragged", (), "as long as the first", "fill"),
    ("tk.ones(2, 3, 4).t()", "t-dims", (), "which two", ".transpose(0, 1)"),
    ("f.permute(0)", "permute-dims", (), "every dimension once", ".permute(2, 0, 1)"),
    ("-(v > 0)", "bool-arithmetic", (), "no quantities", "~mask"),
    ("f.to('nowhere')", "device-name", (), "nowhere", "'cpu'"),
    ("tk.linalg.inv(f)", "square", (), "square matrix", "pinv"),
    ("tk.linalg.inv(tk.zeros(2, 2))", "singular", (), "undoes it", "lstsq"),
    ("f.vieww(2)", "no-attribute", (), "nothing called vieww", "view"),
    ("f.astype(int)", "no-attribute", (), "astype", "to(dtype)"),
    ("f.view('a')", "wrong-call", (), "none of the ways", "help"),
    ("unknown + 1", "no-name", (), "the name unknown", "run the cell"),
    ("len(tk.tensor(3))", "len-0d", (), "one number", ".item()"),
    ("f.as_strided((4, 4), (4, 1))", "as-strided", (), "behind the end", "smaller"),
    ("tk.from_numpy(tk.ones(3).numpy()[::-1])", "negative-stride", (), "backwards", "array.copy()"),
    ("tk.ones(2, device='meta').tolist()", "meta-data", (), "no numbers", "real device"),
]


@every_tensor_library
@pytest.mark.parametrize("wanted", ERRORS, ids=[error[0] for error in ERRORS])
def test_every_ordinary_error_is_diagnosed(wanted: Wanted, library: str) -> None:
    code, name, culprits, why, then = wanted
    story = story_of(code, library)
    step = story.failed
    assert step is not None, story.failure
    assert step.failure is not None
    found = step.failure.diagnosis
    assert found is not None, step.failure
    assert found.name == name
    assert found.culprits == culprits
    assert step.inputs or name not in ("bool-ambiguous", "broadcast", "matmul", "leaf-in-place")
    assert why in found.why
    assert any(then in line for line in found.then), found.then
    assert story.failure == step.failure


ARRAY_ERRORS: list[tuple[str, str, tuple[Culprit, ...], str]] = [
    ("x.reshape(5, 2)", "view-count", (), "x has 12"),
    ("f + v", "broadcast", (Culprit(0, 1), Culprit(1, 0)), "meet in 4 and 3"),
    ("f @ f", "matmul", (Culprit(0, 1), Culprit(1, 0)), "a column of (3, 4) has 3"),
    ("f.dot(f)", "matmul", (Culprit(0, 1), Culprit(1, 0)), "a column of (3, 4) has 3"),
    ("x[3]", "index-range", (Culprit(0, 0),), "0 to 2"),
    ("x[0, 0, 0]", "too-many-indices", (), "x has 2 dimensions"),
    ("f.sum(axis=2)", "dim-range", (), "0 to 1"),
    ("tk.concatenate([f, f[:, :2]])", "cat-sizes", (Culprit(0, 1), Culprit(1, 1)), "2 where the first has 4"),
    ("x += 1.5", "result-cast", (), "hold int64"),
    ("if v > 0: pass", "bool-ambiguous", (), "yes or no"),
    ("v.item()", "item-several", (), "several"),
    ("f.T.view_as(v)", "no-attribute", (), "view_as"),
    ("tk.broadcast_to(v, (2, 3))[0] = 1", "read-only", (), "may not be written"),
    ("tk.linalg.inv(f)", "square", (), "square"),
]


@pytest.mark.parametrize("wanted", ARRAY_ERRORS, ids=[error[0] for error in ARRAY_ERRORS])
def test_errors_of_arrays_are_diagnosed_too(wanted: tuple[str, str, tuple[Culprit, ...], str]) -> None:
    code, name, culprits, why = wanted
    step = story_of(code, "numpy").failed
    assert step is not None
    assert step.failure is not None
    found = step.failure.diagnosis
    assert found is not None, step.failure
    assert (found.name, found.culprits) == (name, culprits)
    assert why in found.why


def test_every_diagnosis_is_met_by_a_line_of_this_file() -> None:
    met = {error[1] for error in ERRORS} | {error[1] for error in ARRAY_ERRORS}
    assert set(known_diagnoses()) - met == {
        "condition",
        "expand-fewer",
        "float-index",
        "index-in-self",
        "resize-grad",
    }


@every_tensor_library
@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("tk.where(f, 1.0, 2.0)", "condition"),
        ("f.expand(4)", "expand-fewer"),
        ("f.gather(0, f)", "float-index"),
        ("tk.ones(4).index_select(0, tk.tensor([5]))", "index-in-self"),
        ("w.resize_(2)", "resize-grad"),
    ],
)
def test_rarer_errors_are_diagnosed(code: str, name: str, library: str) -> None:
    step = story_of(code, library).failed
    assert step is not None
    assert step.failure is not None
    assert step.failure.diagnosis is not None
    assert step.failure.diagnosis.name == name


def test_the_failing_call_is_found_inside_a_long_line() -> None:
    story = story_of("(x.t() + x.t()).sum(0).view(3) @ f.t().view(-1)")
    assert [step.op for step in story.steps] == ["t", "t", "add", "sum", "view", "t", "view"]
    failed = story.failed
    assert failed is not None
    assert (failed.place.code, failed.inputs[0].name) == ("f.t().view(-1)", "f.t()")


def test_the_error_inside_a_function_is_the_step_that_raised() -> None:
    story = story_of("def g(a):\n    b = a.t()\n    return b.view(-1)\ng(x)")
    assert told(story) == [("t", "view"), ("view", "error")]
    assert story.failed is not None
    assert (story.failed.level, story.failed.place.line, story.failed.place.code) == (1, 3, "b.view(-1)")


@pytest.mark.parity
def test_an_error_inside_a_function_of_another_library_is_not_blamed_on_its_operands() -> None:
    story = story_of("def g(a):\n    b = a.t()\n    return b.view(-1)\ng(x)", "torch")
    failed = story.failed
    assert failed is not None
    assert failed.failure is not None
    assert failed.failure.diagnosis is not None
    assert (failed.failure.diagnosis.name, failed.failure.diagnosis.culprits) == ("view-strides", ())


@every_library
def test_an_error_that_was_caught_is_a_step_and_the_story_goes_on(library: str) -> None:
    story = story_of("try:\n    x.reshape(5)\nexcept Exception:\n    y = -x\nz = y + 1", library)
    assert told(story) == [("reshape", "error"), ("neg", "made"), ("add", "made")]
    assert (story.failure, story.failed) == (None, None)
    code = (
        "try:\n    try:\n        x.reshape(5)\n    finally:\n        y = -x\nexcept Exception:\n    z = y + 1"
    )
    story = story_of(code, library)
    assert told(story) == [("reshape", "error"), ("neg", "made"), ("add", "made")]
    assert story.steps[0].failure is not None
    assert story.steps[0].failure.message


def test_an_error_that_a_block_swallows_is_a_step() -> None:
    story = story_of("import contextlib\nwith contextlib.suppress(RuntimeError):\n    x.view(5)\nz = x + 1")
    assert told(story) == [("view", "error"), ("add", "made")]


def test_a_cell_that_is_no_python_runs_nothing() -> None:
    names = names_of("tensorkit")
    with pytest.raises(SyntaxError):
        explain_line("x.add_(1)\nx.view(", names)
    assert names["x"][0, 0].item() == 0


# -- what the code does is what it would do -----------------------------------------------------------------------


def plainly(code: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(code, "<plain>", "exec", dont_inherit=True), names)
    return names


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_watched_does_what_it_would_do(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = PROGRAMS[name]
    names: dict[str, Any] = {}
    story, error = explain_run(code, names)
    printed = capsys.readouterr().out
    plain = plainly(code)
    assert error is None, "".join(traceback.format_exception(error))
    assert story.left_out == 0
    assert capsys.readouterr().out == printed
    assert KEY not in names
    assert _texts(names) == _texts(plain)


def _texts(names: dict[str, Any]) -> dict[str, str]:
    kinds = (int, str, list, tuple, dict, set)
    own = {k: repr(v) for k, v in names.items() if isinstance(v, kinds) and not k.startswith("__")}
    assert own
    return own | {"__annotations__": repr(names.get("__annotations__"))}


def test_the_order_of_evaluation_is_pythons() -> None:
    code = (
        "def n(k):\n    log.append(k)\n    return box\n"
        "n('f')(n('a'), *n('b'), k=n('c'), **n('d'))\n"
        "n('o')[n('i'):n('j'), n('k')]\n"
        "n('t')[n('u')] = n('v')\n"
        "n('x')[n('y')] += n('z')\n"
        "n('l') + n('r') * n('s')\n"
        "n(1) < n(2)\n"
        "{n('q'): n('w')}"
    )

    class Box(dict[Any, Any]):
        def __call__(self, *args: Any, **kwargs: Any) -> Box:
            return self

        __getitem__ = __add__ = __mul__ = __iadd__ = __lt__ = lambda self, other: self  # type: ignore[assignment]
        __hash__ = lambda self: 1  # type: ignore[assignment]  # noqa: E731
        __setitem__ = lambda self, key, value: None  # type: ignore[assignment]  # noqa: E731

    orders = []
    for watched in (True, False):
        names: dict[str, Any] = {"log": [], "box": Box()}
        if watched:
            assert explain_run(code, names)[1] is None
        else:
            exec(compile(code, "<plain>", "exec"), names)
        orders.append(names["log"])
    assert orders[0] == orders[1]
    assert len(orders[0]) == 22


def test_the_names_that_a_cell_makes_stay_and_the_hooks_go() -> None:
    names = names_of("tensorkit")
    story = explain_line("y = x + 1\ndef g(a):\n    return a.t()\nh = lambda a: a.neg()", names)
    assert KEY not in names
    assert names["y"].tolist()[0] == [1, 2, 3, 4]
    assert names["g"](names["x"]).size() == (4, 3)
    assert names["h"](names["x"])[0, 1].item() == -1
    assert not tk.tracing.active
    assert len(story.steps) == 1


def test_a_traceback_shows_the_learners_line_and_none_of_ours() -> None:
    _, error = explain_run("a = x.t()\nb = a.view(-1)", names_of("tensorkit"))
    shown = "".join(traceback.format_exception(error))
    assert "b = a.view(-1)" in shown
    assert "stepper" not in shown
    assert "watching" not in shown


def test_a_warning_is_given_at_the_learners_line() -> None:
    with recorded() as seen:
        explain_line("y = 1\ntk.add(f, 1, out=tk.empty(2))", names_of("tensorkit"))
    assert [(w.filename[:9], w.lineno) for w in seen] == [("<explain ", 2)]


def test_interrupts_and_exits_pass_through_and_leave_nothing_behind() -> None:
    for name in (KeyboardInterrupt, SystemExit):
        names = {"stop": name}
        with pytest.raises(name):
            explain_line("raise stop", names)
        assert KEY not in names
        assert not tk.tracing.active


def test_nothing_is_kept_alive() -> None:
    class Held(numpy.ndarray):  # an ndarray that can be watched
        pass

    array = numpy.zeros(1000).view(Held)
    gone = weakref.ref(array)
    names: dict[str, Any] = {"a": array}
    story, error = explain_run("b = a + 1\nc = a[5:]\nc.nope", names)
    assert error is not None
    storage = tk.zeros(1000)
    freed = weakref.ref(storage.untyped_storage())
    other = explain_line("t = s + 1\nu = s.view(10, 100)\nu.view(3)", {"s": storage})
    del array, names, error, storage
    sys.exc_info()
    collect()
    assert gone() is None
    assert freed() is None
    assert len(story.steps) == 3
    assert len(other.steps) == 3


def test_a_story_keeps_a_bounded_number_of_steps_and_the_one_that_raised() -> None:
    story = explain_line("for k in range(50):\n    x = x + 1\nx.view(7)", names_of("tensorkit"), limit=10)
    assert len(story.steps) == 10
    assert story.left_out == 41
    assert story.failed is not None
    assert story.failed.op == "view"
    assert [step.number for step in story.steps] == list(range(1, 11))
    assert "41 more calls left out" in story_text(story)


def test_a_broken_repr_or_operand_never_breaks_the_cell() -> None:
    class Odd:
        def __repr__(self) -> str:
            raise ValueError("no")

        def __getattr__(self, name: str) -> Any:
            raise RuntimeError("nothing here")

    story = explain_line("(odd, t.sum())[0]", {"odd": Odd(), "t": tk.ones(2)})
    assert story.failure is None
    assert story.shown == "<its text raised ValueError>"


IN_A_SHELL = """
from IPython.core.interactiveshell import InteractiveShell
from tensorkit_widgets.tracing.explain_model import explain_line
shell = InteractiveShell.instance()
assert shell.run_cell("import tensorkit as tk; x = tk.arange(6).view(2, 3)").success
story = explain_line("%timeit -n1 -r1 -q pass\\ny = x.t()\\n%time z = y.contiguous()\\nz.sum()")
print([(step.op, step.kind) for step in story.steps], story.left_out, story.shown)
print(shell.user_ns["y"].size(), sorted(name for name in shell.user_ns if "steps" in name))
"""


def test_in_a_notebook_the_code_runs_as_a_cell_does() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_A_SHELL], capture_output=True, text=True, check=True, timeout=120
    )
    lines = done.stdout.strip().splitlines()
    assert lines[-2] == "[('t', 'view'), ('contiguous', 'copy'), ('sum', 'made')] 0 tensor(15)"
    assert lines[-1] == "tensorkit.Size([3, 2]) []"


# -- text ---------------------------------------------------------------------------------------------------------


def test_the_text_is_the_same_every_time_and_holds_no_address() -> None:
    code = "y = x.t().reshape(-1)\ny += 1\ny[0] = 7\nx.sum().item()\nx.t().view(-1)"
    texts = {story_text(story_of(code)) for _ in range(3)}
    assert len(texts) == 1
    (text,) = texts
    assert "0x" not in text
    assert text.splitlines()[5] == "it raised at step 8 of 8"
    assert "   changed: [0] 1 → 7" in text
    assert "   next: write .reshape(…) in place of .view(…): it copies when it must" in text


def test_hostile_names_and_texts_are_only_text() -> None:
    story = explain_line(
        "s.replace('<', '<script>') + t.sum().item().__repr__()", {"s": "</div><img src=x>", "t": tk.ones(2)}
    )
    assert "<script>" in story_text(story)  # plain text: what draws it escapes it


def test_code_is_run_for_a_learners_own_cell_alone() -> None:
    """Python's interpreter is reached in one module, and nothing that hears a browser's message knows it."""
    package = Path(__file__).resolve().parents[3] / "widgets" / "tensorkit_widgets"
    runs = []
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in (
                "runcode",
                "runsource",
                "InteractiveInterpreter",
            ):
                runs.append(path.name)
    assert set(runs) == {"explain_model.py"}
