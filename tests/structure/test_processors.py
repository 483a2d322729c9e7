"""The suite under other processors' settings and on other Pythons: each setting reaches pytest, a failure is told."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests import processors
from tests.processors import MACHINES, SETTINGS, main
from tests.pythons import SELECTION, found, lowest

ROOT = Path(__file__).resolve().parents[2]


def test_a_setting_reaches_pytest_and_its_failure_the_exit_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = "import os; assert os.environ['ATEN_CPU_CAPABILITY'] == 'default'"
    test = tmp_path / "test_it.py"
    test.write_text(f"def test_it():\n    {asked}\n")
    words = ["--logs", str(tmp_path / "logs"), "aten-default", "aten-avx2", "--", str(test)]
    assert main(words) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("aten-default: 1 passed")
    assert told[1].startswith("aten-avx2: 1 failed")
    assert told[1].endswith("ATEN_CPU_CAPABILITY='avx2'")
    assert main([*words[:3], "--", str(test)]) == 0


def test_a_setting_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["pentium"])
    assert "no setting is called 'pentium'" in capsys.readouterr().err


def test_every_setting_belongs_to_a_machine() -> None:
    assert {part for parts in MACHINES.values() for part in parts} == set(SETTINGS)


def test_without_the_loops_of_newer_processors_numpy_keeps_those_of_older_ones() -> None:
    baseline = processors.SETTINGS["numpy-baseline"]["NPY_DISABLE_CPU_FEATURES"].split()
    without = processors.SETTINGS["numpy-without-avx512"]["NPY_DISABLE_CPU_FEATURES"].split()
    assert set(without) <= set(baseline)
    assert "X86_V3" not in without


# -- other Pythons ------------------------------------------------------------------------------------------------


def test_all_that_is_selected_is_there() -> None:
    assert [path for path in SELECTION if not (ROOT / path).exists()] == []


def test_this_python_is_found() -> None:
    assert sys.version_info[:2] in found()


def test_each_package_has_a_lowest_version() -> None:
    assert [one for one in lowest() if not re.fullmatch(r"[\w-]+==[\d.]+", one)] == []
    assert any(one.startswith("numpy==") for one in lowest())
