"""The table says what was measured, and `--check` fails when a goal is missed. Nothing is timed here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.benchmarks import __main__ as program
from tests.benchmarks import speed
from tests.benchmarks.machine import Machine
from tests.benchmarks.measure import METHOD, Benchmark, Row, Skip
from tests.benchmarks.report import RESULTS, SINGLE, Report, Section, load, newest, save, table
from tests.benchmarks.speed import CASES, LAYOUTS, SIZES, Cell, places, rows, summary

MACHINE = Machine("Some CPU", 2, "Linux", "CPython 3.11.2")
FAST, SLOW = Row("a + b", 0.9, "× PyTorch", "", 1.0), Row("t[1:]", 1.5, "× PyTorch", "", 1.0)
TOLD = Row("rand", 7.0, "× PyTorch", "")
BOTH = Row("sort", 0.9, "× PyTorch", "", 1.0, 3.3)


def test_a_goal_is_missed_only_beyond_it() -> None:
    assert [row.missed for row in (FAST, SLOW, TOLD, BOTH)] == [False, True, False, True]
    assert Row("a", 1.0, "", "", 1.0).missed is False
    assert Row("a", float("nan"), "", "", 1.0).missed is True


MISSED = "missed: t[1:] is 1.50 × PyTorch, the goal is 1\n"
MISSED_ON_ALL = "missed: sort is 0.90 and 3.30 × PyTorch, the goal is 1\n"


@pytest.mark.parametrize(
    ("measured", "told"), [([FAST, TOLD], ""), ([FAST, SLOW], MISSED), ([FAST, BOTH], MISSED_ON_ALL)]
)
def test_check_fails_when_a_goal_is_missed(
    measured: list[Row], told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program, "BENCHMARKS", {"one": Benchmark("One", lambda: iter(measured))})
    assert program.main([]) == 0
    capsys.readouterr()
    assert program.main(["--check"]) == bool(told)
    assert capsys.readouterr().err == f"One ...\n{told}"


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
    sections = [Section("One", [FAST, SLOW, BOTH]), Section("Two", [], "no time")]
    report = Report("2030-01-02", MACHINE, sections, 1.5, 2.5)
    place = save(report, tmp_path)
    assert place.name == "2030-01-02-some-cpu-2-cores.md"
    assert load(place.with_suffix(".json")) == report
    rows = [Row("a + b", 0.5, "× PyTorch", "", 1.0), Row("sort", 0.5, "× PyTorch", "", 1.0, 0.7)]
    later = Report("2030-02-02", MACHINE, [Section("One", rows)])
    beside = table(later, newest(MACHINE, tmp_path))
    assert _lines(beside, "|")[2:] == [
        ["`a + b`", "0.50 × PyTorch", "", "≤ 1", "0.90", ""],
        ["`sort`", "0.50 × PyTorch", "0.70 × PyTorch", "≤ 1", "0.90, 3.30", ""],
    ]
    assert "Before: 2030-01-02, Some CPU, 2 cores, CPython 3.11.2.\n" in beside


def test_the_values_with_one_thread_and_with_all_stand_side_by_side() -> None:
    report = Report("2030-01-02", MACHINE, [Section("One", [FAST, SLOW]), Section("Two", [FAST, BOTH])])
    alone, both = table(report).split("## ")[1:]
    assert _lines(alone, "|") == [
        ["what", "value", "goal", "behind it"],
        ["-"],
        ["`a + b`", "0.90 × PyTorch", "≤ 1", ""],
        ["`t[1:]`", "**1.50 × PyTorch**", "≤ 1", ""],
    ]
    assert _lines(both, "|") == [
        ["what", "1 thread", "all threads", "goal", "behind it"],
        ["-"],
        ["`a + b`", "0.90 × PyTorch", "", "≤ 1", ""],
        ["`sort`", "0.90 × PyTorch", "**3.30 × PyTorch**", "≤ 1", ""],
    ]


def _lines(text: str, start: str) -> list[list[str]]:
    """The cells of the tables in a text; of the line beneath a head, a dash."""
    cells = [line.strip("|").split("|") for line in text.splitlines() if line.startswith(start)]
    return [["-"] if set(line[0]) == {"-"} else [cell.strip() for cell in line] for line in cells]


def test_the_head_tells_the_method_and_how_busy_the_machine_was() -> None:
    busy = "When it began, 1.5 programs wanted one of the 2 cores"
    told = table(Report("2030-01-02", MACHINE, [], 1.5, 2.5))
    assert f"\nMethod: {METHOD}.\n" in told
    assert f"\n{busy}; when it ended, 2.5 did.\n" in told
    assert f"\n{busy}.\n" in table(Report("2030-01-02", MACHINE, [], 1.5))
    assert "cores" not in table(Report("2030-01-02", MACHINE, [])).split("\n", 1)[1]


def test_the_load_is_asked_for_before_the_first_and_after_the_last(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    events: list[str] = []

    def measured() -> Iterator[Row]:
        events.append("measured")
        yield FAST

    def busy() -> float:
        events.append("load")
        return 1.0 + len(events)

    monkeypatch.setattr(program, "BENCHMARKS", {"one": Benchmark("One", measured)})
    monkeypatch.setattr(program, "load", busy)
    assert program.main([]) == 0
    assert events == ["load", "measured", "load"]
    assert "When it began, 2 programs wanted" in (told := capsys.readouterr().out)
    assert "when it ended, 4 did." in told


def test_values_of_another_method_do_not_stand_beside(tmp_path: Path) -> None:
    place = save(Report("2030-01-02", MACHINE, [Section("One", [FAST])], 1.5), tmp_path)
    numbers = json.loads((file := place.with_suffix(".json")).read_text(encoding="utf-8"))
    del numbers["method"], numbers["load_after"]  # as files were, before there were several methods
    for row in numbers["sections"][0]["rows"]:
        del row["threaded"]
    file.write_text(json.dumps(numbers), encoding="utf-8")
    before = newest(MACHINE, tmp_path)
    assert before is not None
    assert before.method == SINGLE
    assert f"\nMethod: {SINGLE}.\n" in table(before)
    told = table(Report("2030-02-02", MACHINE, [Section("One", [FAST])]), before)
    assert "CPython 3.11.2, by another method: not shown.\n" in told
    assert _lines(told, "|")[0] == ["what", "value", "goal", "behind it"]


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
        "networks",
        "sharded",
        "speed",
        "launching",
        "gpu",
    ]


@pytest.mark.parametrize("place", sorted(RESULTS.glob("*.md")), ids=lambda place: place.stem)
def test_a_committed_table_is_what_its_numbers_say(place: Path) -> None:
    assert place.read_text(encoding="utf-8") == table(load(place.with_suffix(".json")))


def test_the_table_of_speed_is_as_large_as_promised() -> None:
    assert len(CASES) >= 45
    assert list(SIZES) == [1, 1_000, 100_000, 1_000_000, 10_000_000]
    assert [rows * columns for rows, columns in SIZES.values()] == list(SIZES)
    assert LAYOUTS == ("contiguous", "transposed", "sliced", "broadcast")
    promised = set(places())
    for name, case in CASES.items():
        for layout in LAYOUTS[: case.layouts]:
            assert {(name, layout, size) for size in (1, 1_000, 100_000, 1_000_000)} <= promised
        largest = [layout for _, layout, size in promised & {(name, kind, 10_000_000) for kind in LAYOUTS}]
        whole = case.largest == 10_000_000
        assert sorted(largest) == (["contiguous", "transposed"][: case.layouts] if whole else [])


def _cells(*ratios: float) -> dict[int, Cell]:
    return {count: Cell(ratio, ratio, 1.0, None) for count, ratio in enumerate(ratios, 1)}


def test_the_means_are_told_by_size_and_by_threads() -> None:
    found = {
        ("add", "contiguous", 1): _cells(9.0, 9.0),
        ("add", "contiguous", 1_000): _cells(1.0, 4.0),
        ("sum", "contiguous", 1_000): _cells(4.0, 9.0),
        ("add", "contiguous", 100_000): _cells(2.0, 6.0),
    }
    means = {row.name: row for row in summary(found)}
    assert list(means) == [
        "geometric mean, a thousand elements and more",
        "geometric mean, 1",
        "geometric mean, 1,000",
        "geometric mean, 100,000",
    ]
    assert [row.values for row in means.values()] == [
        pytest.approx([2.0, 6.0]),
        pytest.approx([9.0, 9.0]),
        pytest.approx([2.0, 6.0]),
        pytest.approx([2.0, 6.0]),
    ]
    assert (
        means["geometric mean, 1,000"].detail
        == "2 cells; 1 thread: the slowest 4.00; 2 threads: the slowest 9.00"
    )
    assert [row.threaded for row in summary({("add", "contiguous", 1): _cells(9.0)})] == [None]


def test_a_row_says_what_its_times_tell_of_a_goal_that_is_missed() -> None:
    alone = {1: Cell(1.5, 3e-6, 2e-6, 1e-6), 2: Cell(1.5, 3e-6, 2e-6, None)}
    large = {1: Cell(2.0, 4e-6, 2e-6, None), 2: Cell(1.2, 4e-6, 3.3e-6, None)}
    found = {("add", "sliced", 1): alone, ("add", "sliced", 1_000): large}
    one, thousand = rows(found)
    assert (one.name, one.goal, one.values) == ("add, sliced, 1", 3.0, [1.5, 1.5])
    assert one.detail == (
        "1 thread: tensorkit 3.00 µs, PyTorch 2.00 µs, NumPy 1.00 µs; 2 threads: tensorkit 3.00 µs, PyTorch 2.00 µs"
    )
    assert (thousand.name, thousand.goal, thousand.values) == ("add, sliced, 1,000", 1.3, [2.0, 1.2])
    assert thousand.detail == (
        "1 thread: tensorkit 4.00 µs, PyTorch 2.00 µs (a call takes 3.00 µs whatever the size: without it the goal is "
        "met); 2 threads: tensorkit 4.00 µs, PyTorch 3.30 µs"
    )


def test_the_slowest_ten_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {
        (name, "contiguous", 1_000): _cells(1.0, 1.0 + number) for number, name in enumerate(list(CASES)[:14])
    }
    monkeypatch.setattr(speed, "cells", lambda torch, counts: found)
    monkeypatch.setattr(speed, "require_torch", lambda: None)
    monkeypatch.setattr(speed, "SQUARE", ())
    told = [row for row in speed.speed.measure() if row.name.startswith("slowest: ")]
    expected = [f"slowest: {name}, contiguous, 1,000" for name in list(CASES)[13:3:-1]]
    assert [row.name for row in told] == expected
    assert [row.values for row in told] == [[1.0, 1.0 + number] for number in range(13, 3, -1)]
    assert {row.goal for row in told} == {None}  # each has one further down


#: What is measured, but was not when the newest committed table was made; networks have a table of their own.
NOT_YET = {"launching", "gpu", "networks", "sharded"}


def test_the_newest_committed_table_is_whole() -> None:
    report = load(max(RESULTS.glob("*.json")))
    assert [section.title for section in report.sections] == [
        one.title for name, one in program.BENCHMARKS.items() if name not in NOT_YET
    ]
    assert not any(section.skipped for section in report.sections)
    if report.method != METHOD:
        pytest.skip(f"the newest table was made by another method: {report.method}")
    table_of_speed = {row.name: row for row in report.sections[-1].rows}
    promised = [f"{name}, {layout}, {size:,}" for name, layout, size in places()]
    assert [name for name in promised if name not in table_of_speed] == []
    assert [name for name in promised if table_of_speed[name].threaded is None] == []
