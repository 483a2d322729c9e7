"""A saved page works alone: no kernel, no network, hover, keyboard and steps; axe finds nothing in light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets import BroadcastExplorer, GraphView, StrideExplorer
from tests.support.playwright_driver import driver

pytestmark = pytest.mark.browser

FLAGS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    made = driver().chromium.launch(executable_path=chromium, args=FLAGS)
    yield made
    made.close()


@pytest.fixture(params=["light", "dark"])
def page(browser: Any, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    widget = StrideExplorer(tk.arange(12.0).view(3, 4), "[1:, ::2].t()")
    path = widget.save(tmp_path / "x.html")
    widget.close()
    context = browser.new_context(color_scheme=request.param, offline=True)
    shown = context.new_page()
    wrong: list[str] = []
    asked: list[str] = []
    shown.on("pageerror", lambda error: wrong.append(str(error)))
    shown.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    shown.on("request", lambda request: asked.append(request.url))
    shown.goto(path.as_uri())
    shown.wait_for_selector("[data-step]")
    yield shown
    assert wrong == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    context.close()


def saved(name: str, folder: Path) -> Path:
    """A page of one of the three kinds, not at its first step."""
    w = tk.ones(2, requires_grad=True)
    made: Any = {
        "chain": lambda: StrideExplorer(tk.arange(12.0).view(3, 4), "[1:, ::2].t()"),
        "board": lambda: BroadcastExplorer(tk.zeros(3, 1), tk.zeros(4)).step(2),
        "graph": lambda: GraphView((w * w).sum(), names={"w": w}).step(2),
    }[name]()
    path: Path = made.save(folder / f"{name}.html")
    made.close()
    return path


def settled(page: Any, expression: str, between: tuple[int, int]) -> bool:
    """Whether it comes to lie there. The page's own policy forbids what `wait_for_function` waits with."""
    for _ in range(1200):
        if between[0] <= (page.evaluate(expression) or 0) <= between[1]:
            return True
        page.wait_for_timeout(50)
    return False


@pytest.mark.parametrize("name", ["chain", "board", "graph"])
def test_the_page_picks_the_layout_for_its_width(browser: Any, tmp_path: Path, name: str) -> None:
    context = browser.new_context(offline=True, reduced_motion="reduce")
    shown = context.new_page()
    shown.goto(saved(name, tmp_path).as_uri())
    layout = "document.querySelector('.tk-picture svg')?.viewBox.baseVal.width"
    for room, widths in {400: (400, 400), 700: (600, 600), 1400: (620, 960), 390: (400, 400)}.items():
        shown.set_viewport_size({"width": room, "height": 900})
        assert settled(shown, layout, widths), (room, shown.evaluate(layout))
        assert state(shown)["step"] == "2"
        assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


def state(page: Any) -> dict[str, str]:
    data: dict[str, str] = page.locator(".tk-root").evaluate("root => ({...root.dataset})")
    return data


def test_hover_keyboard_and_steps(page: Any) -> None:
    assert (state(page)["step"], state(page)["size"], state(page)["stride"]) == ("2", "2,2", "2,4")
    page.locator('.tk-tile[data-key="t:0,1"]').hover()
    assert state(page)["focusSlot"] == "8"
    assert page.locator('[data-table="s"] .tk-lit').get_attribute("data-slot") == "8"
    page.locator('.tk-tile[data-key="s:6"]').hover()
    assert state(page)["focus"] == "1,0"
    page.locator('.tk-tile[data-key="t:1,0"]').focus()
    page.keyboard.press("ArrowRight")
    assert state(page)["focus"] == "1,1"
    assert "storage[10] = 10." in page.locator(".tk-said").inner_text()
    page.locator('[data-action="chain-step"][data-key="1"]').click()
    assert (state(page)["step"], state(page)["stride"]) == ("1", "4,2")
    page.locator('[data-role="back"]').click()
    assert state(page)["size"] == "3,4"
    page.locator('[data-role="step"]').click()
    assert state(page)["size"] == "2,2"


def test_nothing_on_it_pretends_to_have_a_kernel(page: Any) -> None:
    asks = ", ".join(f'[data-action="{verb}"]' for verb in ("remove", "next-step", "look"))
    assert page.locator(f'{asks}, [data-role="axis"]').count() == 0
    page.locator('.tk-tile[data-key="t:1,0"]').dblclick()
    assert "holds no tensor" in page.locator(".tk-said").inner_text()
    assert page.locator('input:not([data-role="scrub"])').count() == 0


def test_axe_finds_nothing(page: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(page).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []
