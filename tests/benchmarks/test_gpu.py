"""The machinery of the GPU's table, with tensorkit on both sides of an emulated device; nothing of it is a time."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import Any

import pytest

import tensorkit
from tensorkit.kernels import cuda
from tests.benchmarks import __main__ as program
from tests.benchmarks import gpu, measure, report
from tests.benchmarks.chart import chart
from tests.benchmarks.measure import Row, Skip


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[gpu.Bench]:
    monkeypatch.setattr(measure, "_TURN", 0.0)
    monkeypatch.setattr(measure, "_LEAST", 1)
    monkeypatch.setattr(measure, "_FIRST", 0.0)
    monkeypatch.setattr(measure, "_PATIENCE", 0.0)
    monkeypatch.setattr(measure, "_STRETCH", 1e-6)
    with cuda.emulate(devices=1):
        yield gpu.Bench(tensorkit, tensorkit, rounds=1, seconds=1e-9)


def test_every_case_runs_and_has_a_row(bench: gpu.Bench) -> None:
    rows = {row.name: row for row in bench.rows([16, 32], [3])}
    sized = [f"{code}, {size}" for size in ("2⁴", "2⁵") for code in gpu.CASES]
    products = [f"m @ m, 3², {kind}" for kind in ("float32", "float16")]
    hosts = [f"{code}, the host's part" for code in gpu.ON_FEW]
    waits = [f"{code}, waits" for code in gpu.WAITING]
    assert list(rows) == sized + products + hosts + waits
    assert "% of PyTorch's copy" in rows["a + b, 2⁴"].detail
    assert {row.unit for name, row in rows.items() if name not in waits} == {"× PyTorch"}
    assert rows["e + 1, waits"].value == 0
    assert rows["e.item(), waits"].value == rows["e.cpu(), waits"].value == 1
    assert rows["e.unique(), waits"].value >= 1


def test_a_turn_is_timed_by_the_device_s_events(bench: gpu.Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    class Event:
        def __init__(self, enable_timing: bool) -> None:
            assert enable_timing

        def record(self) -> None:
            calls.append("record")

        def synchronize(self) -> None:
            calls.append("synchronize")

        def elapsed_time(self, end: Any) -> float:
            return 8.0

    monkeypatch.setattr(tensorkit.cuda, "Event", Event)
    turn = gpu._Turn(tensorkit, "count_me()", {"count_me": lambda: calls.append("run")}, 0.016)
    assert turn() == 0.004
    once = ["record", "run", "record", "synchronize"]
    assert calls == [*once, "record", *["run"] * 2, "record", "synchronize"]


def test_the_headlines_are_two_tables(bench: gpu.Bench) -> None:
    rows = list(gpu.headlines(None, 10, (2, 3)))
    assert [row.name for row in rows] == [
        "10 numbers, t.sum() on the CPU",
        "10 numbers, t.sum() on the GPU",
        "matrices of 2², the GPU",
        "matrices of 3², the GPU",
    ]
    drawn = ElementTree.fromstring(chart("A chip", rows))
    texts = ["".join(text.itertext()) for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0] == "A chip"
    assert texts[1::2] == [row.name for row in rows]
    assert all("× faster" in text for text in texts[2::2])


def test_a_bar_is_as_long_as_its_logarithm() -> None:
    drawn = chart("", [Row(str(value), value, "", "") for value in (10.0, 100.0, 10_000.0)])
    bars = [
        float(bar.get("width", "0"))
        for bar in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}rect")
    ]
    assert bars == [90.0, 180.0, 360.0]
    assert chart("nothing", []).startswith("<svg")


def test_an_emulated_device_is_not_measured(bench: gpu.Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "gpu_missing", lambda: "")
    with pytest.raises(Skip, match="emulated, whose times say nothing about a GPU"):
        list(gpu.gpu.measure())


def test_without_a_gpu_one_sentence_is_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cuda, "gpu_missing", lambda: "no driver")
    monkeypatch.setattr(program, "save", lambda *_: pytest.fail("there is nothing to save"))
    assert program.main(["--only", "gpu", "--check", "--save"]) == 0
    told = capsys.readouterr().out
    assert told.count("Skipped: there is no GPU to measure (no driver).") == 1
    assert "|" not in told


def test_a_gpu_s_table_is_saved_by_the_name_of_the_chip(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = program.this_machine()
    monkeypatch.setattr(program, "gpu_machine", lambda: gpu.replace(machine, processor="Some Chip", cores=4))
    rows = [Row("matrices of 500², the GPU", 30.0, "× faster", ""), Row("a + b", 1.0, "× PyTorch", "")]
    monkeypatch.setitem(program.BENCHMARKS, "gpu", measure.Benchmark("On a GPU", lambda: iter(rows)))
    monkeypatch.setattr(program, "RESULTS", tmp_path)
    assert program.main(["--only", "gpu", "--save"]) == 0
    (place,) = (tmp_path / "gpu").glob("*-some-chip-4-cores.md")
    assert report.load(place.with_suffix(".json")).machine.processor == "Some Chip"
    assert place.with_suffix(".svg").read_text(encoding="utf-8").count("<rect") == 1
    assert "saved as" in capsys.readouterr().out
