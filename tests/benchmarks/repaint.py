"""From a change in the browser to the repainted picture, in a real JupyterLab and a real Chromium.

The page itself looks at its clock: from the input event that a learner's hand would cause, by way of the kernel, until
the frame that shows the new picture has been painted.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from tests.benchmarks.measure import Row, Skip, benchmark

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome")
CELL = """import tensorkit as tk
from IPython.display import display
from tensorkit_widgets import BroadcastExplorer, GraphView, StrideExplorer
display(StrideExplorer(tk.arange(48.0).view(6, 8)), BroadcastExplorer(tk.arange(6.0).view(6, 1), tk.arange(8.0)))
w, b, x = tk.tensor([1.0, 2.0, 3.0], requires_grad=True), tk.tensor(0.5, requires_grad=True), tk.tensor([1.0, 1.0, 2.0])
z = w
for _ in range(60):
    z = z * b + x
display(GraphView(z.sum()).unfold())"""
BOARD = '[data-tk-widget="broadcast-explorer"][data-revision]'
GRAPH = '[data-tk-widget="graph-view"][data-revision]'
WIDGET = '[data-tk-widget="stride-explorer"][data-revision]'
TURNS = 30  # of each kind of change

# A painted frame is one after whose animation callback the event loop comes back.
TIMED = """
    const root = document.querySelector(widget);
    const at = (role) => root.querySelector(`[data-role="${role}"]`);
    const picture = at("picture");
    const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const after = (act) => new Promise((done, fail) => {
        const before = picture.firstElementChild;
        const late = setTimeout(() => fail(new Error("no answer within 20 s")), 20000);
        const watcher = new MutationObserver(async () => {
            watcher.disconnect();
            clearTimeout(late);
            await painted();
            const took = performance.now() - start;
            if (picture.firstElementChild === before) fail(new Error("the picture is still the old one"));
            done(took);
        });
        watcher.observe(root, { attributes: true, attributeFilter: ["data-revision"] });
        const start = performance.now();
        act();
    });
"""
# Steps to the end and back again.
STEPS = f"""async ([widget, turns]) => {{ {TIMED}
    const times = [];
    for (let turn = -3; turn < turns; turn += 1) {{
        const took = await after(() => at(at("step").disabled ? "back" : "step").click());
        if (turn >= 0) times.push(took);
    }}
    return times;
}}"""
# Every kind of change by turns.
MEASURE = (
    "async ([widget, turns]) => {"
    + TIMED
    + """
    const kinds = {
        slider: (turn) => {
            const input = at("slice-start");
            input.value = String(1 + (turn % 4));
            input.dispatchEvent(new Event("input", { bubbles: true }));
        },
        expression: (turn) => {
            const input = at("expression");
            input.value = turn % 2 ? "[1:, ::2].t()" : "[:, 1:].t()[2:]";
            input.dispatchEvent(new Event("change", { bubbles: true }));
        },
        step: () => {
            root.querySelector('[data-code=".t()"]').click();
        },
    };
    const times = { slider: [], expression: [], step: [] };
    for (let turn = -3; turn < turns; turn += 1) {
        for (const [kind, act] of Object.entries(kinds)) {
            const took = await after(() => act(turn + 4));
            if (turn >= 0) times[kind].push(took);
        }
        await after(() => at("reset").click());
    }
    return times;
}"""
)


@benchmark("From a change in the browser to the repainted picture")
def repaint() -> Iterator[Row]:
    times, steps, graph = _times(*_tools())
    every = [took for some in times.values() for took in some]
    detail = f"{len(every)} changes: " + ", ".join(f"{kind} {median(t):.1f} ms" for kind, t in times.items())
    yield Row("median", median(every), "ms", detail, 50.0)
    yield Row("95th percentile", quantiles(every, n=20)[-1], "ms", f"slowest {max(every):.1f} ms", 100.0)
    yield Row("a board's step, median", median(steps), "ms", f"{len(steps)} steps of BroadcastExplorer", 50.0)
    late = quantiles(steps, n=20)[-1]
    yield Row("a board's step, 95th percentile", late, "ms", f"slowest {max(steps):.1f} ms", 100.0)
    told = f"{len(graph)} steps of GraphView with 120 operations one by one"
    yield Row("a graph's step, median", median(graph), "ms", told, 100.0)
    late = quantiles(graph, n=20)[-1]
    yield Row("a graph's step, 95th percentile", late, "ms", f"slowest {max(graph):.1f} ms")


def _tools() -> tuple[str, Any]:
    """A Chromium and what drives it."""
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    if found is None:
        raise Skip("no chromium on the PATH")
    try:
        from playwright import sync_api
    except ImportError as error:
        raise Skip("playwright is not installed (make test installs it)") from error
    return found, sync_api


def _times(chromium: str, playwright: Any) -> tuple[dict[str, list[float]], list[float], list[float]]:
    """Milliseconds of every change of a StrideExplorer, by its kind, of every step of a board, and of a graph."""
    from tests.lab.test_browser import FLAGS, READY
    from tests.lab.test_serving import TOKEN, running

    with (
        tempfile.TemporaryDirectory() as home,
        running(Path(home), ROOT, "LabApp.expose_app_in_browser=True") as served,
        playwright.sync_playwright() as driver,
    ):
        (served.folder / "bench.ipynb").write_text(_notebook(), encoding="utf-8")
        page = driver.chromium.launch(executable_path=chromium, args=FLAGS).new_page()
        page.set_default_timeout(120_000)
        page.goto(f"{served.url}/lab/tree/bench.ipynb?reset&token={TOKEN}")
        page.wait_for_function(READY)
        page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
        page.wait_for_selector(WIDGET)
        page.wait_for_function(READY)
        times: dict[str, list[float]] = page.evaluate(MEASURE, [WIDGET, TURNS])
        steps: list[float] = page.evaluate(STEPS, [BOARD, TURNS])
        graph: list[float] = page.evaluate(STEPS, [GRAPH, TURNS])
        return times, steps, graph


def _notebook() -> str:
    cell: dict[str, Any] = {
        "cell_type": "code",
        "execution_count": None,
        "id": "bench",
        "metadata": {},
        "outputs": [],
        "source": CELL,
    }
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps(
        {"cells": [cell], "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    )
