"""MatmulExplorer's numbers are the library's, for vectors, batches, dtypes and windows."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit_widgets import MatmulExplorer


def shown(widget: MatmulExplorer, step: int) -> dict[str, str]:
    """The texts of the result at a step, by index."""
    table = widget._sheet(step).tables[2]
    return {tile.key[2:]: tile.text for tile in table.tiles}


@pytest.mark.parametrize(
    ("one", "other", "keys"),
    [
        ((2, 3), (3, 4), "0,0 1,3"),
        ((3,), (3,), "0,0"),
        ((3,), (3, 2), "0,0 0,1"),
        ((2, 3), (3,), "0,0 1,0"),
        ((2, 2, 3), (3, 2), "0,0,0 0,1,1"),
        ((2, 1, 2, 3), (4, 3, 2), "0,0,0,0 0,0,1,1"),
        ((1, 1), (1, 1), "0,0"),
    ],
)
def test_the_result_is_the_librarys(one: Any, other: Any, keys: str) -> None:
    a, b = (tk.arange(float(tk.empty(size).numel())).view(size) for size in (one, other))
    w = MatmulExplorer(a, b)
    texts = shown(w, w.steps)
    whole = (a @ b).reshape(-1)
    for key in keys.split():
        assert texts[key] != "·"
    first = next(iter(texts.values()))
    assert float(first) == whole[0].item()
    assert set(shown(w, 0).values()) == {"·"}
    w.close()


def test_the_tiled_order_ends_with_the_same_numbers() -> None:
    a, b = tk.arange(12.0).view(3, 4), tk.arange(20.0).view(4, 5)
    plain, tiled = MatmulExplorer(a, b), MatmulExplorer(a, b, tile=2)
    assert shown(plain, plain.steps) == shown(tiled, tiled.steps)
    assert tiled.steps == 2 * 3 * 2
    partial = shown(tiled, 1)
    assert partial["1,1"] == f"{(a[1, :2] @ b[:2, 1]).item():.0f}."
    assert partial["2,0"] == "·"
    plain.close()
    tiled.close()


def test_each_step_multiplies_a_row_and_a_column() -> None:
    w = MatmulExplorer(tk.arange(6.0).view(2, 3), tk.arange(12.0).view(3, 4)).goto(6)
    assert "3·1 + 4·5 + 5·9 = 68" in w.text()
    kin = [t.key for table in w._sheet(6).tables[:2] for t in table.tiles if "kin" in t.kinds]
    assert kin == ["a:1,0", "a:1,1", "a:1,2", "b:0,1", "b:1,1", "b:2,1"]
    w.close()


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ((2, 3), (2, 4), "has 3 numbers, and a column of b has 2"),
        ((3,), (4,), "3"),
        ((2, 2), (), "two sizes"),
    ],
)
def test_a_refusal_names_the_inner_sizes(one: Any, other: Any, told: str) -> None:
    w = MatmulExplorer(tk.ones(one), tk.ones(other))
    assert (w.status, w.steps) == ("refused", 0)
    assert told in w.text()
    assert "RuntimeError" in w.text()
    w.close()


def test_large_matrices_show_a_window_of_the_true_result() -> None:
    a = tk.ones(1).expand(2000, 2000)
    w = MatmulExplorer(a[:50], a).run()
    assert shown(w, w.steps)["4,4"] == "2000."
    assert "Only the first 5" in w.text()
    w.close()


@pytest.mark.parametrize("dtype", ["int64", "float16", "bfloat16", "complex64", "float64"])
def test_of_every_kind_of_number(dtype: str) -> None:
    a = tk.arange(4).view(2, 2).to(getattr(tk, dtype))
    w = MatmulExplorer(a, a, tile=1)
    assert shown(w, w.steps)["1,1"].startswith("11")
    assert w.goto(3).svg()
    w.close()


def test_special_numbers_and_empty_matrices() -> None:
    w = MatmulExplorer(tk.tensor([[float("nan"), float("inf")]]), tk.ones(2, 1))
    assert shown(w, 1) == {"0,0": "nan"}
    w.close()
    for one, other in (((0, 3), (3, 2)), ((2, 0), (0, 2))):
        w = MatmulExplorer(tk.ones(one), tk.ones(other))
        assert w.run().svg()
        w.close()


def test_numpy_and_pytorch_matrices() -> None:
    a = numpy.arange(6.0).reshape(2, 3)
    w = MatmulExplorer(a, a.T)
    assert shown(w, 4)["1,1"] == "50."
    w.close()
    with pytest.raises(TypeError, match="of one library"):
        MatmulExplorer(a, tk.ones(3, 2))


@pytest.mark.parity
def test_a_torch_tensor_that_requires_grad() -> None:
    torch = pytest.importorskip("torch")
    a = torch.arange(4.0, requires_grad=True).view(2, 2)
    w = MatmulExplorer(a, a)
    assert shown(w, 4)["1,1"] == "11."
    w.close()


def test_the_leading_dimension_is_chosen() -> None:
    a, b = tk.arange(24.0).view(4, 2, 3), tk.eye(3)
    w = MatmulExplorer(a, b)
    w._heard(None, {"kind": "lead-0", "value": 3}, [])
    assert shown(w, w.steps)["3,0,0"] == "18."
    w._heard(None, {"kind": "lead-0", "value": 99}, [])
    assert w.run().text()
    w.close()


@pytest.mark.parametrize("tile", [0, 5, "2", 1.5])
def test_wrong_tiles_are_refused(tile: Any) -> None:
    with pytest.raises(ValueError, match="tile must be 1, 2, 3 or 4"):
        MatmulExplorer(tk.ones(1, 1), tk.ones(1, 1), tile=tile)


@pytest.mark.parametrize(
    ("one", "other", "size", "arrows"),
    [
        ((3,), (3,), "()", {"a": [0], "b": [0], "c": []}),
        ((3,), (3, 2), "(2,)", {"a": [0], "b": [0, 1], "c": [0]}),
        ((2, 3), (3,), "(2,)", {"a": [0, 1], "b": [0], "c": [0]}),
        ((3,), (4, 3, 2), "(4, 2)", {"a": [0], "b": [0, 1, 2], "c": [0, 1]}),
    ],
)
def test_a_vector_keeps_its_one_dimension(one: Any, other: Any, size: str, arrows: Any) -> None:
    a, b = tk.ones(*one), tk.ones(*other)
    w = MatmulExplorer(a, b).run()
    assert f"a @ b, size {size}, float32" in w.text()
    for width in (960, 400):
        w._heard(None, {"kind": "room", "value": width}, [])
        sheet = w._sheet(w.at)
        assert {table.key: sorted(axis.dim for axis in table.axes) for table in sheet.tables} == arrows
        real = {"a": a, "b": b, "c": a @ b}
        for table in sheet.tables:
            assert {axis.dim: axis.stride for axis in table.axes} == dict(enumerate(real[table.key].stride()))
    assert "vector" in MatmulExplorer(a, b).text()
