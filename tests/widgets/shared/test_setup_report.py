"""The setup report of lesson 00: what is there, what is not, and nobody's folders."""

from __future__ import annotations

from tensorkit.lab.report import Row
from tensorkit_widgets import SetupReport

MISSING = Row("packages", "numba", "not installed", "missing", "Run: pip install <numba>")


def test_a_missing_package_is_said_with_what_to_do() -> None:
    report = SetupReport([Row("Python", "Python", "3.12.1, /home/ada/bin/python"), MISSING])
    assert not report.ready
    assert "✗ numba   not installed\nnumba: Run: pip install <numba>\nSomething is missing" in repr(report)
    html = report._repr_html_()
    assert "Run: pip install &lt;numba&gt;" in html
    assert "<numba>" not in html


def test_no_folder_of_this_machine_is_shown() -> None:
    rows = [
        Row("Python", "Python", "3.12.1, /home/ada/bin/python"),
        Row("widgets", "lessons", "2 in C:\\Users\\ada\\lessons"),
    ]
    for text in (repr(SetupReport(rows)), SetupReport(rows)._repr_html_()):
        assert "ada" not in text
        assert "3.12.1" in text


def test_this_machine_is_reported_and_every_row_is_shown() -> None:
    report = SetupReport()
    for row in report._rows:
        assert row.name in repr(report)
        assert f"<strong>{row.name}</strong>" in report._repr_html_()
    assert "This machine is ready." in repr(report) or not report.ready


def test_an_empty_report_is_no_error() -> None:
    assert SetupReport([]).ready
    assert repr(SetupReport([])) == "This machine is ready."
    assert SetupReport([])._repr_html_()
