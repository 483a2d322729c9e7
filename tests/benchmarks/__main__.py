"""Measure this machine: `python -m tests.benchmarks [--only NAME] [--check] [--save]`, or `make bench ARGS=...`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import date

from tensorkit.lab.ending import command
from tests.benchmarks.chart import chart
from tests.benchmarks.gpu import gpu, gpu_machine
from tests.benchmarks.gradients import gradients
from tests.benchmarks.importing import importing
from tests.benchmarks.launching import launching
from tests.benchmarks.machine import load, this_machine
from tests.benchmarks.measure import Benchmark, Skip
from tests.benchmarks.memory_map import memory_map
from tests.benchmarks.million import million
from tests.benchmarks.networks import networks
from tests.benchmarks.opening import opening
from tests.benchmarks.repaint import repaint
from tests.benchmarks.report import RESULTS, Report, Section, newest, save, table
from tests.benchmarks.sharded import sharded
from tests.benchmarks.small import small
from tests.benchmarks.speed import speed
from tests.benchmarks.tiny import tiny

# In the order of the table, by the names that `--only` takes.
BENCHMARKS = {
    "small": small,
    "tiny": tiny,
    "gradients": gradients,
    "import": importing,
    "opening": opening,
    "repaint": repaint,
    "memory_map": memory_map,
    "million": million,
    "networks": networks,
    "sharded": sharded,
    "speed": speed,
    "launching": launching,
    "gpu": gpu,
}


def _measured(benchmark: Benchmark) -> Section:
    print(f"{benchmark.title} ...", file=sys.stderr, flush=True)
    try:
        return Section(benchmark.title, list(benchmark.measure()))
    except Skip as reason:
        print(f"  skipped: {reason}", file=sys.stderr)
        return Section(benchmark.title, [], str(reason))


@command
def main(words: Sequence[str] | None = None) -> int:
    """Run the benchmarks that are asked for and print the table; 1 if ``--check`` finds a goal missed."""
    parser = argparse.ArgumentParser(
        prog="make bench", description="Measure, and compare with the committed table."
    )
    parser.add_argument(
        "--only", action="append", choices=list(BENCHMARKS), help="just this one; may be repeated"
    )
    parser.add_argument("--check", action="store_true", help="exit with 1 when a goal is missed")
    parser.add_argument("--save", action="store_true", help="write the table into tests/benchmarks/results")
    asked = parser.parse_args(words)
    chosen = [one for name, one in BENCHMARKS.items() if not asked.only or name in asked.only]
    gpu_alone = asked.only == ["gpu"]  # by the name of the chip
    machine, busy = gpu_machine() if gpu_alone else this_machine(), load()
    # What is measured alone has tables of its own: a table of all is compared with tables of all.
    folder = RESULTS / asked.only[0] if asked.only and len(asked.only) == 1 else RESULTS
    sections = [_measured(one) for one in chosen]
    report = Report(date.today().isoformat(), machine, sections, busy, load())
    print(table(report, newest(machine, folder) or newest(machine)))
    if asked.save and any(section.rows for section in sections):
        place = save(report, folder)
        print(f"saved as {place}")
        if gpu_alone:
            faster = [row for row in sections[0].rows if row.unit == "× faster"]
            place.with_suffix(".svg").write_text(chart(machine.processor, faster), encoding="utf-8")
    for row in report.missed:
        values = " and ".join(f"{value:.2f}" for value in row.values)
        print(f"missed: {row.name} is {values} {row.unit}, the goal is {row.goal:g}", file=sys.stderr)
    return 1 if asked.check and report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
