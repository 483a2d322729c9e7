"""A lesson open in JupyterLab, and a StrideExplorer in it, as a learner handles them: mouse, keys, cells."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

from tests.browser import beginning
from tests.browser.beginning import NOTEBOOK, until
from tests.browser.places import placed

# Cells are attached a few at a time while the browser is idle.
ATTACHED = f"""() => {{
    const book = {NOTEBOOK}.content;
    return book.widgets.length > 0 && book.widgets.every((cell) => cell.isAttached && !cell.isPlaceholder());
}}"""
RESTING = f"""() => {{
    const code = {NOTEBOOK}.content.widgets.filter((cell) => cell.model.type === "code");
    return code.every((cell) => cell.model.executionState === "idle");
}}"""
PLACE = f"""(source) => {{
    const cells = [...{NOTEBOOK}.content.model.cells];
    return cells.findIndex((cell) => cell.sharedModel.getSource() === source);
}}"""
COUNT = f"(place) => {NOTEBOOK}.content.model.cells.get(place).executionCount"
TRUSTED = f"""() => [...{NOTEBOOK}.content.model.cells]
    .filter((cell) => cell.type === "code").map((cell) => cell.trusted)"""
SKIP = (
    """() => document.querySelectorAll('[data-card] [data-do="skip"]').forEach((button) => button.click())"""
)
NOTHING_WAITS = "() => document.querySelector('.jp-Cell.tk-held') === null"
TROUBLE = (
    "Error displaying widget",
    "Loading widget",
    "odel not found",
    "could not be drawn",
    "Javascript Error",
)
# The notebook lays out what scrolls into sight only then, and all below it moves: look until nothing moves any more.
STILL = """(part) => {
    const seen = (box) => box.top >= 0 && box.bottom <= innerHeight;
    const box = part.getBoundingClientRect();
    part.still = part.seenAt === box.top && seen(box) ? part.still + 1 : 0;
    part.seenAt = box.top;
    if (!seen(box)) part.scrollIntoView({ block: "center" });
    return part.still >= 10;
}"""


def no_trouble(page: Page) -> None:
    """No output speaks of a widget that could not be shown."""
    said = "\n".join(page.locator(".jp-OutputArea").all_text_contents())
    assert [words for words in TROUBLE if words in said] == []


@dataclass
class Explorer:
    """One StrideExplorer on the page."""

    root: Locator

    @property
    def page(self) -> Page:
        return self.root.page

    def shows(self, **facts: str) -> None:
        """Wait until the picture's ``data-*`` attributes say this; ``focus_slot`` is ``data-focus-slot``."""
        for name, value in facts.items():
            expect(self.root).to_have_attribute(f"data-{name.replace('_', '-')}", value)

    def part(self, role: str, dim: int | None = None) -> Locator:
        """A control or a part of the picture, by its role."""
        return self.root.locator(f'[data-role="{role}"]' + ("" if dim is None else f'[data-dim="{dim}"]'))

    def element(self, index: str) -> Locator:
        """A cell of the grid, such as ``"1,0"``."""
        return self.root.locator(f'.tk-tile[data-key="t:{index}"]')

    def slot(self, number: int) -> Locator:
        """A slot of the storage strip."""
        return self.root.locator(f'.tk-tile[data-key="s:{number}"]')

    def tab(self, name: str) -> None:
        """Open one of the groups of controls."""
        self.root.locator(f'[data-role="tab"][data-tab="{name}"]').click()

    def reveal(self) -> None:
        """Scroll until the whole picture stands still in the window."""
        until(self.page, STILL, arg=self.root.element_handle())

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press the mouse button at one place of the page, move in steps, let go at another."""
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(*end, steps=6)
        mouse.up()

    def slide(self, role: str, dim: int, value: int) -> None:
        """Drag the thumb of a slider to a value, with the mouse."""
        self.reveal()
        slider = self.part(role, dim)
        low, high, now = (float(slider.evaluate(f"(s) => s.{name}")) for name in ("min", "max", "value"))
        box = placed(slider)
        thumb, y = 16.0, box["y"] + box["height"] / 2

        def at(number: float) -> tuple[float, float]:
            return box["x"] + thumb / 2 + (number - low) / (high - low) * (box["width"] - thumb), y

        self.drag(at(now), at(value))

    def swap(self, dim: int, onto: int) -> None:
        """Drag one dimension's arrow onto another's, with the mouse."""
        self.reveal()
        places = []
        for axis in (dim, onto):
            box = placed(self.part("axis", axis).locator(".tk-axis-grip"))
            places.append((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
        self.drag(*places)

    def type(self, text: str) -> None:
        """Type into the expression box in place of what is there, and press Enter."""
        box = self.part("expression")
        box.click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)
        self.page.keyboard.press("Enter")

    def tab_to(self, selector: str, most: int = 40) -> None:
        """Press Tab until the keyboard is on the part that matches, as somebody without a mouse does."""
        for _ in range(most):
            self.page.keyboard.press("Tab")
            if self.root.evaluate(
                "(root, which) => root.contains(document.activeElement) && document.activeElement.matches(which)",
                selector,
            ):
                return
        raise AssertionError(f"{most} times Tab do not reach {selector}")


@dataclass
class Lesson:
    """A notebook in JupyterLab."""

    page: Page

    def command(self, name: str) -> None:
        """What the menu does, to its end."""
        beginning.command(self.page, name)

    def attached(self) -> None:
        """Wait until every cell is on the page."""
        until(self.page, ATTACHED)

    def run_all(self) -> None:
        """Run every cell, whether one fails or not, to the end."""
        self.command("notebook:run-all-cells")
        self.finish()

    def skip_predictions(self) -> None:
        """Skip every card that is alive, as somebody in a hurry does: then every cell is in sight."""
        self.page.evaluate(SKIP)
        until(self.page, NOTHING_WAITS)

    def finish(self) -> None:
        """Wait until the kernel has worked through everything that was asked of it."""
        self.ask("0")
        until(self.page, RESTING)

    def ask(self, expression: str) -> str:
        """What Python says of an expression, in the notebook's own kernel."""
        return beginning.ask(self.page, expression)

    def restart(self) -> None:
        """Restart the kernel, and say yes to the question that JupyterLab asks."""
        self.page.evaluate("() => { window.jupyterapp.commands.execute('kernelmenu:restart'); }")
        self.page.locator(".jp-Dialog .jp-mod-accept").click()

    def place(self, source: str) -> int:
        """Where the cell with this source stands."""
        place = int(self.page.evaluate(PLACE, source))
        assert place >= 0, f"no cell says {source!r}"
        return place

    def cell(self, place: int) -> Locator:
        return self.page.locator(f'.jp-Notebook [data-windowed-list-index="{place}"]')

    def python(self, source: str) -> str:
        """The Python name of what the cell with this source showed last."""
        return f"Out[{self.page.evaluate(COUNT, self.place(source))}]"

    def explorer(self, source: str) -> Explorer:
        """The explorer that the cell with this source shows."""
        cell = self.cell(self.place(source))
        return Explorer(cell.locator('[data-tk-widget="stride-explorer"]'))

    def write(self, source: str) -> Locator:
        """Type a new cell at the end of the notebook, run it, and give its place on the page."""
        page = self.page
        last = int(page.evaluate(f"() => {NOTEBOOK}.content.widgets.length")) - 1
        page.evaluate(f"(last) => {{ {NOTEBOOK}.content.activeCellIndex = last; }}", last)
        self.command("notebook:insert-cell-below")
        cell = self.cell(last + 1)
        cell.locator(".cm-content").click()
        page.keyboard.insert_text(source)
        page.keyboard.press("Control+Enter")
        self.finish()
        return cell

    def run(self, source: str) -> None:
        """Run one cell of the lesson again."""
        place = self.place(source)
        self.page.evaluate(f"(place) => {{ {NOTEBOOK}.content.activeCellIndex = place; }}", place)
        self.command("notebook:run-cell")
        self.finish()

    def theme(self, name: str) -> None:
        """``"Light"`` or ``"Dark"``."""
        beginning.theme(self.page, name)
