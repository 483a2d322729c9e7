"""The table says what was measured, and `--check` fails when a goal is missed. Nothing is timed here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.benchmarks import __main__ as program
from tests.benchmarks.machine import Machine
from tests.benchmarks.measure import Benchmark, Pair, Row, Skip, by_turns
from tests.benchmarks.report import RESULTS, Report, Section, load, newest, save, table
from tests.benchmarks.speed import CASES, LAYOUTS, REASONS, SIZES, accounted, reason

MACHINE = Machine("Some CPU", 2, "Linux", "CPython 3.11.2")
FAST, SLOW = Row("a + b", 0.9, "× PyTorch", "", 1.0), Row("t[1:]", 1.5, "× PyTorch", "", 1.0)
TOLD = Row("rand", 7.0, "× PyTorch", "")


def test_a_goal_is_missed_only_beyond_it() -> None:
    assert [row.missed for row in (FAST, SLOW, TOLD)] == [False, True, False]
    assert Row("a", 1.0, "", "", 1.0).missed is False
    assert Row("a", float("nan"), "", "", 1.0).missed is True


def test_the_sides_take_turns_and_change_places() -> None:
    calls: list[str] = []

    def side(name: str) -> float:
        calls.append(name)
        return {"ours": 3.0, "theirs": 2.0}[name]

    pair = by_turns(lambda: side("ours"), lambda: side("theirs"), rounds=3)
    assert pair == Pair([3.0] * 3, [2.0] * 3)
    assert pair.ratio == 1.5
    assert calls[2:] == ["theirs", "ours", "ours", "theirs", "theirs", "ours"]


@pytest.mark.parametrize(("rows", "code"), [([FAST, TOLD], 0), ([FAST, SLOW], 1)])
def test_check_fails_when_a_goal_is_missed(
    rows: list[Row], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program, "BENCHMARKS", {"one": Benchmark("One", lambda: iter(rows))})
    assert program.main([]) == 0
    assert program.main(["--check"]) == code
    assert ("missed: t[1:] is 1.50 × PyTorch, the goal is 1" in capsys.readouterr().err) == bool(code)


def test_what_cannot_run_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nothing() -> Iterator[Row]:
        raise Skip("no chromium on the PATH")
        yield

    monkeypatch.setattr(program, "BENCHMARKS", {"one": Benchmark("One", nothing)})
    assert program.main(["--check"]) == 0
    assert "Skipped: no chromium on the PATH." in capsys.readouterr().out


def test_a_report_survives_its_file_and_stands_beside_the_next(tmp_path: Path) -> None:
    report = Report("2030-01-02", MACHINE, [Section("One", [FAST, SLOW]), Section("Two", [], "no time")], 1.5)
    place = save(report, tmp_path)
    assert place.name == "2030-01-02-some-cpu-2-cores.md"
    assert load(place.with_suffix(".json")) == report
    later = Report("2030-02-02", MACHINE, [Section("One", [Row("a + b", 0.5, "× PyTorch", "", 1.0)])])
    assert "| `a + b` | 0.50 × PyTorch | ≤ 1  | 0.90" in table(later, newest(MACHINE, tmp_path))
    assert "| **1.50 × PyTorch** |" in table(report)


def test_every_goal_of_the_project_is_measured() -> None:
    assert list(program.BENCHMARKS) == [
        "small",
        "tiny",
        "gradients",
        "import",
        "opening",
        "repaint",
        "memory_map",
        "million",
        "speed",
    ]


@pytest.mark.parametrize("place", sorted(RESULTS.glob("*.md")), ids=lambda place: place.stem)
def test_a_committed_table_is_what_its_numbers_say(place: Path) -> None:
    assert place.read_text(encoding="utf-8") == table(load(place.with_suffix(".json")))


def test_the_table_of_speed_is_as_large_as_promised() -> None:
    assert len(CASES) >= 45
    assert list(SIZES) == [1, 1_000, 1_000_000, 10_000_000]
    assert LAYOUTS == ("contiguous", "transposed", "sliced", "broadcast")
    assert all(reason(start) == text for start, text in REASONS.items())


def test_the_newest_committed_table_is_whole_and_tells_why_a_goal_is_missed() -> None:
    report = load(max(RESULTS.glob("*.json")))
    found_out = [row for row in report.missed if not accounted(row)]
    assert [row.name for row in found_out if not (reason(row.name) and reason(row.name) in row.detail)] == []
    assert [start for start in REASONS if not any(row.name.startswith(start) for row in found_out)] == []
    assert [section.title for section in report.sections] == [
        one.title for one in program.BENCHMARKS.values()
    ]
    assert not any(section.skipped for section in report.sections)
