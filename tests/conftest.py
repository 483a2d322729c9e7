"""What every test shares: missing oracles are errors in CI; what was skipped or compared is printed at the end.

`make test` runs the files on several processes (pytest-xdist): each hands its tables to the one that prints them.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from tensorkit.lab import samples
from tests.support import ports, shares, turns

if TYPE_CHECKING:
    from tests.browser.desk import Desk
    from tests.lab.test_serving import Served

IN_CI = os.environ.get("CI") == "true"
ROOT = Path(__file__).resolve().parents[1]
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")

# A thread of PyTorch's or of OpenBLAS's sleeps once it has nothing to do. Else it turns idly until its next work, on a
# core that another process of `make test` waits for. How many there are, and so the order of a sum, stays as it is.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(ROOT / ".hypothesis"))
# How long an example takes says how busy the machine is: speed is measured in the benchmarks.
hypothesis.settings.register_profile("tensorkit", deadline=None)
hypothesis.settings.load_profile("tensorkit")


def _missing_oracles() -> dict[str, str]:
    """For each marker, why its tests cannot run here; a marker that can run is not in it."""
    missing = {}
    if importlib.util.find_spec("torch") is None:
        missing["parity"] = "PyTorch is not installed (PARITY=1 make test installs it)"
    if not any(map(shutil.which, CHROMIUM_NAMES)):
        missing["browser"] = "no chromium on the PATH"
    elif importlib.util.find_spec("playwright") is None:
        missing["browser"] = "playwright is not installed"
    return missing


def pytest_configure(config: pytest.Config) -> None:
    samples.attach()
    missing = _missing_oracles()
    if IN_CI and missing:
        reasons = "; ".join(f"{marker}: {reason}" for marker, reason in missing.items())
        raise pytest.UsageError(f"with CI=true every oracle must be there, but {reasons}")
    ports.keep_apart()


def pytest_collection_finish() -> None:
    """What was collected stays to the end: a million objects that no later collection of garbage need look through."""
    gc.collect()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--reversed", action="store_true", help="the last test first: none builds on another")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if _in_shares(config):
        items[:], later = shares.today(items)
        config.hook.pytest_deselected(items=later)
    if config.getoption("reversed"):
        items.reverse()
    if hasattr(config, "workerinput"):
        items[:] = turns.in_turn(items)
    for marker, reason in _missing_oracles().items():
        skip = pytest.mark.skip(reason=reason)
        for item in items:
            if item.get_closest_marker(marker):
                item.add_marker(skip)
    # A page of a busy machine may once be later than any patience. The test is run again, once, on a page and a kernel
    # of its own; the closing line counts it ("1 rerun"), the summary shows what it waited for. What a page shows
    # wrongly fails at once.
    late = pytest.mark.flaky(reruns=1, only_rerun=["^TimeoutError"])
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(late)


def _in_shares(config: pytest.Config) -> bool:
    """Whether it is CI that asks, and for the whole suite: not for some of its files or tests."""
    if hasattr(config, "workerinput"):
        return bool(config.workerinput["in_shares"])
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    named = config.option.keyword or config.option.markexpr
    return IN_CI and whole and not named and os.environ.get("TENSORKIT_SHARES") != "all"


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """A process of xdist's is given the names of the folders, as if somebody had typed them."""
    node.workerinput["in_shares"] = _in_shares(node.config)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Who takes which tests, in `make test`."""
    if config.getoption("dist") != "loadfile":
        return None
    config.option.loadscopereorder = False
    return turns.Turns(config, log)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Add to a failure in a browser what the servers said and what the page shows, where that can still be asked."""
    outcome: Any = yield
    report = outcome.get_result()
    if report.failed and item.get_closest_marker("browser"):
        from tests.browser.desk import spoil
        from tests.lab.test_serving import logs

        report.sections.extend(logs())
        with contextlib.suppress(Exception):
            report.sections.append(("the page", spoil()))


_in_browser: list[Path] = []
"""The file whose tests had a browser last."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before a file that needs no browser, Playwright ends: while it runs, nobody else's event loop does."""
    if item.get_closest_marker("browser"):
        _in_browser[:] = [item.path]
    elif _in_browser and item.path not in _in_browser:
        _end_browser()


def _end_browser() -> None:
    _in_browser.clear()
    if driver := sys.modules.get("tests.support.playwright_driver"):
        driver.leave()


_TABLES = "compared with PyTorch"
_from_workers: list[tuple[str, list[str]]] = []


def _compared() -> list[tuple[str, list[str]]]:
    """The tables of this process: none, if no parity test was collected."""
    tally = sys.modules.get("tests.parity.coverage")
    return [] if tally is None else tally.compared()


def pytest_sessionfinish(session: pytest.Session) -> None:
    _end_browser()
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[_TABLES] = _compared()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _from_workers.extend(getattr(node, "workeroutput", {}).get(_TABLES, []))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for title, lines in [*_compared(), *_from_workers]:
        terminalreporter.section(f"{_TABLES}: {title}", sep="-")
        for line in lines:
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium for `executable_path`."""
    return next(path for path in map(shutil.which, CHROMIUM_NAMES) if path)


@pytest.fixture(scope="session")
def _one_lab_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    from tests.lab.test_serving import running

    with running(tmp_path_factory.mktemp("desk"), ROOT, "LabApp.expose_app_in_browser=True") as served:
        yield served


@pytest.fixture(scope="module")
def desk(_one_lab_server: Served, chromium: str) -> Iterator[Desk]:
    """JupyterLab on the lessons and a Chromium, one for all test files: their notebooks take turns on one page.

    A kernel that goes on holds five of the server's stretch of ports: see `tests.support.ports`.
    """
    from tests.browser.desk import shared_desk

    one = shared_desk(_one_lab_server, chromium)
    yield one
    one.tidy()
