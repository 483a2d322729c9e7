"""Lesson 02 in JupyterLab, as a learner meets it: run, by mouse, by keyboard, with bad input, without a kernel.

Whatever the tests do in the browser they ask of Python too.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from tests.browser.beginning import NOTEBOOK, notebook_of
from tests.browser.desk import Desk
from tests.browser.jupyter import Explorer, Lesson, no_trouble
from tests.browser.places import placed

pytestmark = pytest.mark.browser

NAME = "02_storage_and_strides.ipynb"
SLICED = 'StrideExplorer(t, "[1:, ::2]")'
TURNED = 'StrideExplorer(t, ".permute(2, 0, 1)")'
REFUSED = 'StrideExplorer(x, ".t()", name="x").attempt(".t().view(-1)")'
OWN = 'a = tk.arange(12.0).view(3, 4)\nfirst = StrideExplorer(a, name="a")\nfirst'
IMPORTS = "import tensorkit as tk"
WIDGETS = "from tensorkit_widgets import Exercise, Predict, Quiz, StrideExplorer, progress"
SLICES = "t = tk.arange(12.0).view(3, 4)\nu = t[1:, ::2]\nprint(t)\nprint(u)"
HERE = [IMPORTS, WIDGETS, SLICES, SLICED]
"""Cells of the lesson, which shows a slice in them."""
ABOUT = [*HERE, "t = tk.arange(24.0).view(2, 3, 4)", TURNED, "x = tk.arange(6.0).view(2, 3)", REFUSED]
"""And cells like those of the two lessons on transposes, with an explorer each."""
OTHER = 'second = StrideExplorer(a[1:], name="rows")\nsecond'

FAILED = f"""() => [...{NOTEBOOK}.content.model.cells].filter((cell) => cell.type === "code")
    .map(({{ outputs }}) => [...Array(outputs.length).keys()].some((k) => outputs.get(k).type === "error"))"""


@pytest.fixture(scope="module")
def cells(root: Path) -> list[dict[str, Any]]:
    """The code cells of the committed lesson."""
    notebook = json.loads((root / "notebooks" / NAME).read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


@contextlib.contextmanager
def opened(desk: Desk, name: str, notebook: dict[str, Any]) -> Iterator[Lesson]:
    """A notebook, opened and run from top to bottom, on a page that may copy; the console has no complaint."""
    with desk.written(name, notebook, 1400, 1400) as book:
        book.page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=desk.served.url)
        book.page.emulate_media(reduced_motion="no-preference")
        one = Lesson(book.page)
        one.attached()
        one.run_all()
        one.skip_predictions()
        yield one
        assert book.errors == []
        assert book.asked


@pytest.fixture
def whole(desk: Desk, root: Path) -> Iterator[Lesson]:
    """The whole lesson."""
    notebook = json.loads((root / "notebooks" / NAME).read_text(encoding="utf-8"))
    with opened(desk, NAME.removesuffix(".ipynb"), notebook) as one:
        yield one


@pytest.fixture
def lesson(desk: Desk, cells: list[dict[str, Any]]) -> Iterator[Lesson]:
    """A slice of the lesson, a transpose and a refused view as in later ones, and two cells that the learner adds."""
    sources = ["".join(cell["source"]) for cell in cells]
    assert [source for source in HERE if source not in sources] == []
    with opened(desk, "explorers", notebook_of([*ABOUT, OWN, OTHER])) as one:
        for source in (SLICED, TURNED, REFUSED, OWN, OTHER):
            one.explorer(source).shows(kernel="live")
        yield one


@pytest.fixture
def sliced(lesson: Lesson) -> tuple[Explorer, str]:
    """The lesson's explorer of `t[1:, ::2]`, as the lesson shows it, and its name in Python."""
    return lesson.explorer(SLICED), lesson.python(SLICED)


@pytest.fixture
def pair(lesson: Lesson) -> tuple[Explorer, Explorer]:
    """Two explorers on one storage, in two cells of the learner's."""
    return lesson.explorer(OWN), lesson.explorer(OTHER)


# ---- run


def test_every_cell_runs_and_every_picture_is_live(whole: Lesson, cells: list[dict[str, Any]]) -> None:
    lesson = whole
    assert lesson.ask("get_ipython().execution_count - 1") == str(len(cells))
    sources = ["".join(cell["source"]) for cell in cells]
    explorers = [source for source in sources if source.startswith("StrideExplorer(")]
    assert len(explorers) >= 4
    for source in explorers:
        lesson.explorer(source).shows(kernel="live", status="ok")
    assert lesson.page.evaluate(FAILED) == ["raises-exception" in tags(cell) for cell in cells]
    no_trouble(lesson.page)
    # The live picture stands for the static one.
    stills = lesson.page.locator("img.tk-still")
    assert stills.count() >= 4
    for k in range(stills.count()):
        expect(stills.nth(k)).to_be_hidden()


def tags(cell: dict[str, Any]) -> list[str]:
    found: list[str] = cell["metadata"].get("tags", [])
    return found


# ---- by mouse


def test_slice_by_dragging_sliders(lesson: Lesson, sliced: tuple[Explorer, str]) -> None:
    explorer, name = sliced
    explorer.slide("slice-start", 0, 0)
    explorer.shows(expression="[:, ::2]", size="3,2", stride="4,2", offset="0")
    explorer.slide("slice-step", 1, 3)
    explorer.shows(expression="[:, ::3]", stride="4,3")
    explorer.slide("slice-stop", 0, 2)
    explorer.shows(expression="[:2, ::3]", size="2,2", stride="4,3", offset="0", kind="view")
    facts = f"({name}.result.size(), {name}.result.stride(), {name}.result.storage_offset())"
    assert lesson.ask(facts) == "(tensorkit.Size([2, 2]), (4, 3), 0)"


def test_transpose_by_dragging_an_axis_onto_another(lesson: Lesson, sliced: tuple[Explorer, str]) -> None:
    explorer, name = sliced
    explorer.swap(0, 1)
    explorer.shows(expression="[1:, ::2].t()", stride="2,4", steps="2", kind="view")
    assert lesson.ask(f"{name}.result.stride()") == "(2, 4)"
    explorer.part("undo").click()
    explorer.shows(expression="[1:, ::2]", stride="4,2")
    assert lesson.ask(f"{name}.result.stride()") == "(4, 2)"


def test_permute_by_dragging_dimensions_into_another_order(lesson: Lesson) -> None:
    explorer, name = lesson.explorer(TURNED), lesson.python(TURNED)
    explorer.shows(size="4,2,3", stride="1,12,4")
    explorer.reveal()
    chips = [placed(explorer.part("dim", d)) for d in range(3)]
    assert chips[0] is not None
    assert chips[2] is not None
    start = chips[0]["x"] + 12, chips[0]["y"] + chips[0]["height"] / 2
    explorer.drag(start, (chips[2]["x"] + chips[2]["width"] - 4, chips[2]["y"] + chips[2]["height"] - 4))
    explorer.shows(expression=".permute(2, 0, 1).permute(1, 2, 0)", size="2,3,4", stride="12,4,1")
    assert lesson.ask(f"{name}.result.stride()") == "(12, 4, 1)"


def test_hover_lights_both_ways(sliced: tuple[Explorer, str]) -> None:
    explorer, _ = sliced
    explorer.reveal()
    explorer.element("0,1").hover()
    explorer.shows(focus="0,1", focus_slot="6")
    expect(explorer.slot(6)).to_contain_class("tk-lit")
    explorer.slot(8).hover()
    explorer.shows(focus="1,0", focus_slot="8")
    expect(explorer.element("1,0")).to_contain_class("tk-lit")
    explorer.slot(5).hover()  # no element reads it
    explorer.shows(focus="", focus_slot="5")
    expect(explorer.root.locator('[data-table="t"] .tk-lit')).to_have_count(0)


def test_the_code_can_be_copied_and_is_true(lesson: Lesson, sliced: tuple[Explorer, str]) -> None:
    explorer, _ = sliced
    explorer.part("copy").click()
    explorer.shows(copied="t[1:, ::2]")
    copied = lesson.page.evaluate("() => navigator.clipboard.readText()")
    assert copied == "t[1:, ::2]"
    code = copied.replace("t[", "tk.arange(12.0).view(3, 4)[")
    assert lesson.ask(f"({code}).stride(), ({code}).storage_offset()") == "(4, 2) 4"


def test_raw_dials_are_clamped_to_the_storage(lesson: Lesson, sliced: tuple[Explorer, str]) -> None:
    explorer, name = sliced
    explorer.tab("raw")
    explorer.part("dial-offset").fill("2")
    explorer.shows(expression="[1:, ::2].as_strided((2, 2), (4, 2), 2)", offset="2")
    explorer.part("dial-size", 0).fill("50")  # slot 2 + 2·4 + 1·2 = 12 would be past the end
    explorer.shows(size="3,1", stride="4,2")
    assert lesson.ask(f"list({name}.result.size())") == "[3, 1]"
    explorer.part("dial-stride", 1).fill("0")
    explorer.shows(stride="4,0")
    assert lesson.ask(f"{name}.result.stride()") == "(4, 0)"
    explorer.tab("slice")


@pytest.mark.parametrize(
    ("method", "arguments", "code", "size"),
    [
        ("narrow", {"dim": 1, "start": 1, "length": 2}, ".narrow(1, 1, 2)", "3,2"),
        ("select", {"dim": 0, "index": 2}, ".select(0, 2)", "4"),
        ("unsqueeze", {"dim": 1}, ".unsqueeze(1)", "3,1,4"),
        ("squeeze", {"dim": 0}, ".squeeze(0)", "3,4"),
        ("expand", {"size 0": 3, "size 1": 4}, ".expand(3, 4)", "3,4"),
    ],
)
def test_a_step_with_numbers(
    lesson: Lesson,
    pair: tuple[Explorer, Explorer],
    method: str,
    arguments: dict[str, int],
    code: str,
    size: str,
) -> None:
    explorer, _ = pair
    explorer.tab("shape")
    explorer.part("method").select_option(method)
    for argument, value in arguments.items():
        explorer.root.locator(f'[data-role="argument"][data-name="{argument}"]').fill(str(value))
    explorer.part("add-step").click()
    explorer.shows(expression=code, size=size, kind="view")
    assert lesson.ask("list(first.result.size())") == f"[{size.replace(',', ', ')}]"
    explorer.part("reset").click()
    explorer.shows(expression="", size="3,4")


def test_legal_views_are_offered(lesson: Lesson, pair: tuple[Explorer, Explorer]) -> None:
    explorer, _ = pair
    explorer.tab("shape")
    offered = explorer.part("view").all_text_contents()
    assert {"(12,)", "(2, 6)", "(6, 2)"} <= set(offered)
    explorer.root.get_by_role("button", name="(2, 6)", exact=True).click()
    explorer.shows(expression=".view(2, 6)", stride="6,1")
    assert lesson.ask("first.result.stride()") == "(6, 1)"


# ---- by keyboard alone


def test_slice_and_transpose_by_keyboard_alone(lesson: Lesson, sliced: tuple[Explorer, str]) -> None:
    explorer, name = sliced
    press = lesson.page.keyboard.press
    explorer.reveal()
    explorer.part("expression").focus()
    explorer.tab_to('[data-role="axis"][data-dim="0"]')
    press("Enter")
    press("Enter")
    explorer.shows(expression="[1:, ::2].t()", stride="2,4")
    expect(explorer.part("said")).to_contain_text("gives a view")
    assert lesson.ask(f"{name}.result.stride()") == "(2, 4)"
    explorer.part("expression").focus()
    explorer.tab_to('[data-role="slice-start"][data-dim="1"]')
    press("ArrowRight")
    explorer.shows(expression="[1:, ::2].t()[:, 1:]", size="2,1", offset="8")
    press("ArrowLeft")
    explorer.shows(expression="[1:, ::2].t()", offset="4")
    explorer.part("expression").focus()
    explorer.tab_to('[data-action="chain-step"][data-key="2"]')
    press("Delete")
    explorer.shows(expression="[1:, ::2]", stride="4,2")
    assert lesson.ask(f"{name}.result.stride()") == "(4, 2)"


def test_arrow_keys_move_the_focus_and_fill_the_formula(sliced: tuple[Explorer, str]) -> None:
    explorer, _ = sliced
    press = explorer.page.keyboard.press
    explorer.reveal()
    explorer.part("expression").focus()
    explorer.tab_to('[data-table="t"] .tk-tile')
    press("Home")
    press("ArrowUp")
    explorer.shows(focus="0,0", focus_slot="4")
    press("ArrowRight")
    press("ArrowDown")
    explorer.shows(focus="1,1", focus_slot="10")
    formula = {part: explorer.root.locator(f'[data-part="{part}"]').text_content() for part in PARTS}
    assert formula == PARTS
    explorer.tab_to('[data-table="s"] .tk-tile')
    press("ArrowLeft")
    press("ArrowLeft")
    explorer.shows(focus="1,0", focus_slot="8")


PARTS = {"index-0": "1", "index-1": "1", "term-0": "1·4", "term-1": "1·2", "slot": "10"}


# ---- writing


def test_a_view_is_typed(lesson: Lesson, pair: tuple[Explorer, Explorer]) -> None:
    explorer, _ = pair
    explorer.type(".view(2, 2, 3).permute(2, 0, 1)")
    explorer.shows(size="3,2,2", stride="1,6,3", steps="2", status="ok")
    assert lesson.ask("first.result.stride()") == "(1, 6, 3)"
    explorer.type("")
    explorer.shows(expression="")


def test_a_refused_view_is_explained_and_the_offers_work(
    lesson: Lesson, pair: tuple[Explorer, Explorer]
) -> None:
    explorer, _ = pair
    explorer.type(".t().view(12)")
    explorer.shows(expression=".t()", status="refused", conflicts="0-1")
    said = explorer.part("refusal").inner_text()
    assert said_by_python(lesson, ".t().view(12)") in said
    assert "view size is not compatible with input tensor's size and stride" in said
    assert "dimensions 0 and 1 cannot merge" in said
    assert explorer.part("offer").all_text_contents() == ["a.t().contiguous().view(12)", "a.t().reshape(12)"]
    explorer.part("offer").nth(1).click()
    explorer.shows(expression=".t().reshape(12)", kind="copy", status="ok", size="12")
    expect(explorer.part("refusal")).to_be_hidden()
    assert lesson.ask("first.result.tolist() == a.t().reshape(12).tolist()") == "True"
    explorer.type(".t().view(12)")
    explorer.shows(status="refused")
    explorer.part("offer").nth(0).click()
    explorer.shows(expression=".t().contiguous().view(12)", status="ok", steps="3")
    explorer.part("reset").click()
    explorer.shows(expression="")


def test_a_cell_is_edited_and_everything_that_reads_the_slot_follows(
    lesson: Lesson, pair: tuple[Explorer, Explorer]
) -> None:
    explorer, other = pair
    explorer.reveal()
    explorer.element("1,2").dblclick()
    lesson.page.keyboard.type("77.5")
    lesson.page.keyboard.press("Enter")
    for part in (explorer.element("1,2"), explorer.slot(6), other.element("0,2")):
        expect(part).to_have_attribute("data-full", "77.5")
    assert lesson.ask("a[1, 2].item(), a.view(-1)[6].item(), first.result[1, 2].item()") == "77.5 77.5 77.5"
    lesson.write("a[1, 2] = -1.5")
    for part in (explorer.element("1,2"), other.element("0,2")):
        expect(part).to_have_attribute("data-full", "-1.5")


def test_a_cell_is_edited_by_keyboard_in_a_view(lesson: Lesson, pair: tuple[Explorer, Explorer]) -> None:
    explorer, _ = pair
    explorer.type("[1:, ::2].t()")
    explorer.shows(size="2,2")
    explorer.tab_to('[data-table="t"] .tk-tile')
    press = lesson.page.keyboard.press
    for key in ("Home", "ArrowUp", "Enter"):
        press(key)
    lesson.page.keyboard.type("40")
    press("Enter")
    expect(explorer.element("0,0")).to_have_attribute("data-full", "40.")
    assert lesson.ask("a[1, 0].item()") == "40.0"
    press("Enter")
    lesson.page.keyboard.type("what")
    press("Enter")
    expect(explorer.root.get_by_role("alert").filter(has_text="`what` is not a number")).to_be_visible()
    assert lesson.ask("a[1, 0].item()") == "40.0"


def test_two_pictures_of_one_storage_light_up_together(pair: tuple[Explorer, Explorer]) -> None:
    explorer, other = pair
    explorer.reveal()
    explorer.element("2,3").hover()
    expect(other.element("1,3")).to_contain_class("tk-lit")


# ---- bad input


HOSTILE = [
    "__import__('pathlib').Path('hacked').write_text('x')",
    "<img src=x onerror='window.hacked = 1'>",
    "[1:].__class__.__base__.__subclasses__()",
    ".view(open('hacked', 'w').fileno())",
    "[(lambda: 0)()]",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_refused_and_nothing_is_evaluated(
    lesson: Lesson, desk: Desk, pair: tuple[Explorer, Explorer], text: str
) -> None:
    explorer, _ = pair
    explorer.type(text)
    explorer.shows(status="not-allowed", expression="", size="3,4")
    unharmed(lesson, desk, explorer)


def unharmed(lesson: Lesson, desk: Desk, explorer: Explorer) -> None:
    expect(explorer.part("refusal")).to_contain_text("not allowed here: ")
    assert explorer.part("refusal").locator("img, script").count() == 0
    assert lesson.page.evaluate("() => window.hacked === undefined")
    assert not list(desk.served.home.rglob("hacked"))
    explorer.type("[0]")
    explorer.shows(expression="[0]", size="4", status="ok")
    explorer.type("")
    explorer.shows(expression="", status="ok")


def test_a_megabyte_of_brackets(lesson: Lesson, desk: Desk, pair: tuple[Explorer, Explorer]) -> None:
    explorer, _ = pair
    explorer.part("expression").evaluate(
        "(box) => { box.value = '['.repeat(1e6); box.dispatchEvent(new Event('change')); }"
    )
    explorer.shows(status="not-allowed", expression="")
    unharmed(lesson, desk, explorer)


@pytest.mark.parametrize("expression", ["[7]", ".transpose(0, 5)", ".as_strided((9, 9), (9, 9))", ".view(5)"])
def test_what_the_engine_refuses_is_said_in_its_words(
    lesson: Lesson, pair: tuple[Explorer, Explorer], expression: str
) -> None:
    explorer, _ = pair
    explorer.type(expression)
    explorer.shows(status="refused", expression="")
    expect(explorer.part("refusal")).to_contain_text(said_by_python(lesson, expression))
    explorer.type("")
    explorer.shows(status="ok")


def said_by_python(lesson: Lesson, expression: str) -> str:
    """The first line of the error that Python raises for the same expression."""
    return lesson.ask(f"a{expression}").partition(": ")[2].splitlines()[0]


def test_a_name_that_is_html_stays_text(lesson: Lesson) -> None:
    source = "StrideExplorer(tk.zeros(2), name=\"<img src=x onerror='window.hacked = 1'>\")"
    lesson.write(source)
    explorer = lesson.explorer(source)
    explorer.shows(size="2", kernel="live")
    assert explorer.root.locator("img").count() == 0
    assert lesson.page.evaluate("() => window.hacked === undefined")


def test_a_storage_that_is_freed_or_resized_says_so(lesson: Lesson) -> None:
    source = 'gone = tk.arange(6.0)\nStrideExplorer(gone, name="gone")'
    lesson.write(source)
    explorer = lesson.explorer(source)
    explorer.shows(status="ok")
    lesson.write("gone.resize_(8).untyped_storage().nbytes()")
    explorer.shows(status="ok", size="8")
    expect(explorer.part("said")).to_contain_text("gone was resized")
    lesson.write("gone.untyped_storage().resize_(0)")
    explorer.shows(status="fault")
    expect(explorer.part("refusal")).to_contain_text("0 bytes")
    explorer.type("[1:]")
    explorer.shows(kernel="live", status="fault")
    lesson.write("_ = gone.untyped_storage().resize_(32)")
    explorer.shows(status="ok")


# ---- every kind of tensor


def test_tensors_of_every_kind(lesson: Lesson) -> None:
    source = (
        "import numpy\n"
        "shown = [tk.tensor(5.0), tk.zeros(0, 3), tk.ones(1, 3).expand(2, 3), tk.zeros(2, 2, 2, 2),\n"
        "         numpy.arange(6).reshape(2, 3)]\n"
        "for one in shown:\n"
        "    display(StrideExplorer(one))"
    )
    cell = lesson.write(source)
    roots = cell.locator('[data-tk-widget="stride-explorer"]')
    expect(roots).to_have_count(5)
    scalar, empty, repeated, four, array = (Explorer(roots.nth(k)) for k in range(5))
    scalar.shows(size="", offset="0", status="ok")
    empty.shows(size="0,3", status="ok")
    repeated.shows(stride="0,1", status="ok")
    repeated.reveal()
    repeated.element("0,1").hover()
    expect(repeated.element("1,1")).to_contain_class("tk-kin")
    four.shows(stride="8,4,2,1")
    array.shows(library="numpy", status="ok")
    array.swap(0, 1)
    array.shows(expression=".T", size="3,2")


def test_ten_million_elements_are_seen_through_a_window(lesson: Lesson) -> None:
    source = 'many = tk.arange(10_000_000.0).view(1000, 10_000)\nbig = StrideExplorer(many, name="many")\nbig'
    lesson.write(source)
    explorer = lesson.explorer(source)
    explorer.shows(slots="10000000", stride="10000,1")
    assert explorer.root.locator(".tk-tile").count() < 300
    explorer.part("expression").focus()
    explorer.tab_to('[data-table="t"] .tk-tile')
    explorer.page.keyboard.press("End")
    explorer.shows(focus="1,9999")
    expect(explorer.element("1,9999")).to_be_focused()
    expect(explorer.element("1,9999")).to_have_attribute("data-full", "19999.")


def test_two_views_of_one_model(lesson: Lesson) -> None:
    source = 'one = StrideExplorer(tk.arange(4.0), name="one")\ndisplay(one, one)'
    cell = lesson.write(source)
    roots = cell.locator('[data-tk-widget="stride-explorer"]')
    expect(roots).to_have_count(2)
    Explorer(roots.nth(0)).type("[::2]")
    for k in (0, 1):
        Explorer(roots.nth(k)).shows(expression="[::2]", stride="2")


# ---- for everybody


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing(lesson: Lesson, theme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    lesson.theme(theme)
    for source in (SLICED, REFUSED):
        explorer = lesson.explorer(source)
        explorer.reveal()
        explorer.root.evaluate("(root) => { root.id = 'checked'; }")
        for tab in ("slice", "shape", "raw", "text"):
            explorer.tab(tab)
            found = axe.Axe().run(lesson.page, context="#checked").response["violations"]
            assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []
        explorer.root.evaluate("(root) => { root.removeAttribute('id'); }")


def test_nothing_moves_for_those_who_asked_for_less_motion(
    lesson: Lesson, pair: tuple[Explorer, Explorer]
) -> None:
    explorer, _ = pair
    moving = """(root) => [root, ...root.querySelectorAll("*")].filter((part) => {
        const style = getComputedStyle(part);
        return style.animationName !== "none" || style.transitionDuration.split(",").some((s) => parseFloat(s) > 0);
    }).length"""
    assert explorer.root.evaluate(moving) > 0
    lesson.page.emulate_media(reduced_motion="reduce")
    assert explorer.root.evaluate(moving) == 0


# ---- the kernel goes, and comes again


def test_a_restarted_kernel_leaves_the_picture_and_a_run_revives_it(lesson: Lesson) -> None:
    explorer = lesson.explorer(SLICED)
    explorer.shows(kernel="live")
    lesson.restart()
    explorer.shows(kernel="gone", stride="4,2")
    expect(explorer.part("kernel")).to_contain_text("run its cell again")
    expect(explorer.root.locator("svg.tk-scene")).to_be_visible()
    expect(explorer.part("expression")).to_be_disabled()
    assert explorer.part("expression").input_value() == "[1:, ::2]"
    for source in (IMPORTS, WIDGETS, SLICES, SLICED):
        lesson.run(source)
    explorer.shows(kernel="live", stride="4,2")
    explorer.swap(0, 1)
    explorer.shows(stride="2,4")
    assert lesson.ask(f"{lesson.python(SLICED)}.result.stride()") == "(2, 4)"
