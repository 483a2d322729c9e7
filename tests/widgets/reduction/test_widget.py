"""ReductionExplorer: the engine's own values, whatever is reduced, and what a learner can do."""

from __future__ import annotations

import itertools
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit_widgets.reduction.model import OPS, Request, code_of, normal_dims
from tensorkit_widgets.reduction.widget import ReductionExplorer
from tests.torch_oracle import require_torch


def tiles(w: ReductionExplorer) -> dict[str, Any]:
    return {tile.key: tile for table in w._sheet(w.at).tables for tile in table.tiles}


def send(w: ReductionExplorer, kind: str, value: Any = None, key: str | None = None) -> ReductionExplorer:
    w._heard(None, {"kind": kind, "value": value, "key": key}, [])
    return w


def shown(w: ReductionExplorer) -> list[str]:
    """The cells of the result, at full precision."""
    return [tile.full for key, tile in tiles(w.run()).items() if key.startswith("r:")]


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize(("dim", "keepdim"), list(itertools.product([0, -1, (0, 1), None], [False, True])))
def test_values_and_refusals_are_the_engines(op: str, dim: Any, keepdim: bool) -> None:
    t = tk.tensor([[3.0, -1.0, 2.5], [0.0, 4.0, 1.0]])
    w = ReductionExplorer(t, op, dim, keepdim)
    named: dict[str, Any] = {} if dim is None and not keepdim else {"dim": dim}
    named.update({"keepdim": True} if keepdim else {})
    try:
        found = getattr(t, op)(**named)
    except Exception as error:
        found = error
    if isinstance(found, Exception):
        assert w.error == f"{type(found).__name__}: {found}"
        assert w.size is None
        assert w.status == "refused"
        assert w.steps == 0
        return
    values = found[0] if isinstance(found, tuple) else found
    assert w.size == tuple(values.size())
    assert w.dtype == str(values.dtype).rpartition(".")[2]
    texts = shown(w)
    flat = values.reshape(-1).tolist()
    assert [eval(text) for text in texts] == pytest.approx(flat, rel=1e-6)


def test_which_numbers_go_into_the_lit_cell() -> None:
    w = ReductionExplorer(tk.arange(12.0).view(3, 4), "sum", 1).goto(2)
    lit = {key for key, tile in tiles(w).items() if "lit" in tile.kinds}
    assert {"t:1,0", "t:1,1", "t:1,2", "t:1,3", "r:1"} <= lit
    assert not any(key.startswith(("t:0", "t:2")) for key in lit)
    assert tiles(w)["r:2"].text == "·"
    assert set(tiles(w)["r:1"].kin) == {"t:1,0", "t:1,1", "t:1,2", "t:1,3"}
    assert tiles(w)["t:0,3"].kin == ("r:0",)
    assert tiles(w)["size:1"].kinds == ("freed",)
    assert "after:1" not in tiles(w)
    assert "result[1] is 22. (from 4 numbers)" in w.text()


def test_one_cell_number_by_number() -> None:
    w = ReductionExplorer(tk.arange(1.0, 7).view(2, 3), "prod", 1)
    send(w, "open", key="r:1")
    assert (w.at, w.steps) == (0, 3)
    assert [(send(w, "step") and tiles(w)[f"w:{k}"].below) for k in range(3)] == ["4.", "20.", "120."]
    assert tiles(w)["w:="].text == "120."
    w.goto(2)
    assert tiles(w)["w:="].text == "·"
    assert tiles(w)["r:1"].text == "20."
    assert "20. so far, after 2 of 3 numbers" in w.text()
    send(w, "whole")
    assert (w.at, w.steps) == (2, 2)


def test_toggles_write_the_call() -> None:
    w = ReductionExplorer(tk.arange(24.0).view(2, 3, 4), "sum", 0)
    send(w, "dim-2", True)
    assert (w.code, w.size) == ("t.sum(dim=(0, 2))", (3,))
    send(w, "keepdim", True)
    assert (w.code, w.size) == ("t.sum(dim=(0, 2), keepdim=True)", (1, 3, 1))
    send(send(w, "dim-0", False), "dim-2", False)
    assert (w.code, w.size) == ("t.sum(dim=None, keepdim=True)", (1, 1, 1))
    send(w, "keepdim", False)
    assert w.code == "t.sum()"
    send(w, "op", "max")
    assert w.code == "t.max()"
    w.undo().undo()
    assert w.code == "t.sum(dim=None, keepdim=True)"


def test_a_number_typed_into_a_cell_is_written_and_added() -> None:
    t = tk.arange(6.0).view(2, 3)
    w = ReductionExplorer(t, "sum", 1).run()
    send(w, "edit", "100", "t:0,1")
    assert t[0, 1].item() == 100
    assert tiles(w)["r:0"].full == "102."
    send(w, "edit", "__import__('os')", "t:0,0")
    assert "is not a number" in w.frame["facts"]["wrong"]["words"]
    assert w.frame["facts"]["complaint"] == ""
    send(w, "edit", "1", "t:9,9")
    assert w.frame["facts"]["wrong"] is None
    assert t.sum().item() == 114
    send(w, "undo", None)
    assert t.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert tiles(w)["r:0"].full == "3."


@pytest.mark.parametrize(
    ("dtype", "op", "after", "sentence"),
    [
        ("bool", "sum", "int64", "True counts as 1"),
        ("int32", "sum", "int64", "int32 would overflow"),
        ("uint8", "prod", "int64", "would overflow"),
        ("bfloat16", "sum", "bfloat16", "rounded to bfloat16 once"),
        ("float32", "argmax", "int64", "positions, not values"),
        ("float32", "any", "bool", "yes or no"),
        ("uint8", "all", "uint8", "keeps its own dtype"),
        ("float64", "std", "float64", "n − 1"),
        ("float32", "median", "float32", "lower of the two"),
        ("complex64", "sum", "complex64", "stays complex64"),
    ],
)
def test_the_dtype_of_the_result_and_why(dtype: str, op: str, after: str, sentence: str) -> None:
    w = ReductionExplorer(tk.ones(2, 3, dtype=getattr(tk, dtype)), op, 1)
    assert w.dtype == after
    assert sentence in w.text()


def test_an_integer_mean_is_refused_by_the_engine() -> None:
    w = ReductionExplorer(tk.arange(6).view(2, 3), "mean", 1)
    assert w.status == "refused"
    assert "could not infer output dtype" in w.text()
    assert "t:0,0" in tiles(w), "the tensor stays in sight"


def test_a_dimension_that_is_not_there() -> None:
    w = ReductionExplorer(tk.ones(2, 3), "sum", 5)
    assert w.error.startswith("IndexError: Dimension out of range")
    assert ReductionExplorer(tk.ones(2, 3), "sum", (0, 0)).error.startswith("RuntimeError: dim 0 appears")


def test_special_numbers_and_sizes() -> None:
    nan = ReductionExplorer(tk.tensor([[float("nan"), 1.0], [float("inf"), -0.0]]), "max", 1)
    assert shown(nan) == ["nan", "inf"]
    empty = ReductionExplorer(tk.ones(0, 3), "sum", 0).run()
    assert shown(empty) == ["0.", "0.", "0."]
    assert "what the operation starts from" in empty.text()
    assert ReductionExplorer(tk.ones(0, 3), "max", 0).status == "refused"
    assert ReductionExplorer(tk.ones(3, 0), "sum", 1).run().size == (3,)
    assert ReductionExplorer(tk.ones(3, 0), "sum", 0).run().size == (0,)
    alone = ReductionExplorer(tk.tensor(3.0), "sum", None).run()
    assert (alone.size, shown(alone)) == ((), ["3."])
    many = ReductionExplorer(tk.ones((2,) * 10), "sum", 9).run()
    assert (many.size, set(shown(many))) == ((2,) * 9, {"2."})
    assert many.frame["svg"]
    meta = ReductionExplorer(tk.empty(3, 4, device="meta"), "sum", 1).run()
    assert meta.frame["svg"]
    assert meta.size == (3,)


def test_leading_dimensions_are_held() -> None:
    w = ReductionExplorer(tk.arange(120.0).view(2, 3, 4, 5), "sum", 3)
    assert "lead-0" in {c.role for c in w._controls()}
    send(w, "lead-0", 1)
    assert tiles(w.run())["t:1,0,0,0"].full == "60."
    assert tiles(w)["r:1,0,0"].full == "310."


def test_a_billion_numbers_open_at_once_and_are_computed_when_asked() -> None:
    w = ReductionExplorer(tk.ones(1).expand(1000, 1_000_000), "sum", 1)
    assert w.status == "unknown"
    assert w.size == (1000,)
    assert tiles(w.run())["r:0"].text == "?"
    small = ReductionExplorer(tk.ones(1).expand(4, 300_000), "sum", 1)
    send(small, "compute")
    assert small.status == "ok"
    assert tiles(small.run())["r:3"].full == "300000."
    send(small, "keepdim", True)
    assert small.status == "unknown", "another call has another answer"


def test_numpy_is_asked_in_its_own_words() -> None:
    a = numpy.arange(6).reshape(2, 3)
    w = ReductionExplorer(a, "mean", 0)
    assert (w.code, w.dtype) == ("numpy.mean(a, axis=0)", "float64")
    assert shown(w) == ["1.5", "2.5", "3.5"]
    assert "PyTorch would refuse" in w.text()
    assert ReductionExplorer(a, "std", 0).code == "numpy.std(a, axis=0)"
    assert ReductionExplorer(a, "sum", (0, 1), True).code == "numpy.sum(a, axis=(0, 1), keepdims=True)"
    assert ReductionExplorer(a, "sum", 4).error.startswith("AxisError")


@pytest.mark.parity
def test_pytorch_tensors() -> None:
    torch = require_torch()
    t = torch.arange(6.0, requires_grad=True).view(2, 3)
    w = ReductionExplorer(t, "max", 1)
    assert shown(w) == ["2.", "5."]
    assert ReductionExplorer(torch.arange(6).view(2, 3), "mean", 1).error == (
        ReductionExplorer(tk.arange(6).view(2, 3), "mean", 1).error
    )


def test_nothing_is_recorded_and_nothing_warns() -> None:
    t = tk.ones(2, 3, requires_grad=True)
    ReductionExplorer(t, "std", (0, 1)).run()
    w = ReductionExplorer(tk.tensor([1.0, 2.0]), "std", 0)
    send(w, "open", key="r:").goto(1)
    assert tiles(w)["w:0"].below == "nan"
    assert t.grad_fn is None


def test_hostile_names_stay_text() -> None:
    w = ReductionExplorer(tk.ones(2, 2), name="<script>alert(1)</script>\n\0 & co")
    assert "<script>" not in w.svg()


def test_what_is_no_call_is_refused() -> None:
    with pytest.raises(ValueError, match="op must be one of"):
        ReductionExplorer(tk.ones(2), "softmax")
    for dim in ("0", 1.5, True, (0, None)):
        with pytest.raises(TypeError, match="dim must be"):
            ReductionExplorer(tk.ones(2), "sum", dim)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="cannot draw list"):
        ReductionExplorer([1, 2])
    assert normal_dims((), 2) == (0, 1)
    assert code_of("t", Request("sum", (), False), "torch") == "t.sum(dim=())"
