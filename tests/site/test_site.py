"""The static site, built once: every link leads somewhere, every name has an entry, no other host is asked."""

from __future__ import annotations

import functools
import http.server
import inspect
import itertools
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urlsplit

import bs4
import pytest
from sphinx.util.inventory import InventoryFile

import tensorkit as tk
import tensorkit_widgets
from tensorkit.lab.errors import LabError
from tensorkit.lab.export.write import write_assets
from tensorkit_widgets.site.build import build
from tests.browser.desk import CUT_OFF
from tests.browser.test_exported_lesson import of_widgets
from tests.lab.test_browser import FLAGS, PATIENCE_MS
from tests.support import node_packages
from tests.support.playwright_driver import driver

MOST_BYTES = 25_000_000
OF_STEPS = 2_000_000
"""What the recorded steps of the lessons' pictures take: they are left out, for the lessons would have to be run."""
MOST_BEFORE_A_TOUCH = 1_500_000
NAMESPACES = ("linalg", "fft", "special", "nn", "nn.functional", "nn.init", "optim", "optim.lr_scheduler", "func",
              "autograd", "distributions", "utils.data", "cuda", "distributed.tensor")  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    """The site, as `make site` writes it, with lessons that are read: Python for the browser may be out of reach."""
    folder = tmp_path_factory.mktemp("made") / "site"
    command = [sys.executable, "-m", "tensorkit_widgets.site", str(folder), "--no-runtime"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return folder


@functools.cache
def soup(page: Path) -> Any:
    return bs4.BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


@functools.cache
def anchors(page: Path) -> frozenset[str]:
    return frozenset(tag["id"] for tag in soup(page).find_all(id=True))


def addresses(page: Path) -> Iterator[tuple[str, str]]:
    """What a page names of other files, and the tag that does."""
    for name, attribute in (("a", "href"), ("link", "href"), ("img", "src"), ("script", "src")):
        for tag in soup(page).find_all(name):
            if tag.get(attribute):
                yield name, tag[attribute]


def broken(page: Path) -> list[str]:
    """The links of a page to files and places that are not there."""
    found = []
    for _, address in addresses(page):
        path, place = urldefrag(address)
        if urlsplit(address).scheme:
            continue
        target = (page.parent / unquote(path).partition("?")[0]) if path else page
        if not target.is_file() or (
            place and target.suffix == ".html" and unquote(place) not in anchors(target)
        ):
            found.append(f"{page.name} → {address}")
    return found


def test_every_link_and_anchor_is_there(site: Path) -> None:
    assert [link for page in pages(site) for link in broken(page)] == []


def test_a_broken_link_would_be_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<p id="here"><a href="#here"></a><a href="#there"></a><img src="a.svg"></p>', encoding="utf-8"
    )
    assert broken(page) == ["page.html → #there", "page.html → a.svg"]


def test_only_links_lead_to_other_hosts(site: Path) -> None:
    assert [
        (page.name, address)
        for page in pages(site)
        for name, address in addresses(page)
        if name != "a" and (urlsplit(address).netloc or urlsplit(address).scheme not in ("", "data"))
    ] == []
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert "url(http" not in styles
    assert "url(//" not in styles
    assert "@import" not in styles


def test_every_picture_says_what_it_shows(site: Path) -> None:
    images = [(page.name, tag) for page in pages(site) for tag in soup(page).find_all("img")]
    assert len(images) > 250
    assert [(name, str(tag)[:100]) for name, tag in images if not tag.get("alt", "").strip()] == []


def test_headings_go_down_one_at_a_time(site: Path) -> None:
    wrong = []
    for page in [page for page in pages(site) if page.name != "search.html"]:  # a script writes its heading
        levels = [int(tag.name[1]) for tag in soup(page).find_all(["h1", "h2", "h3", "h4", "h5", "h6"])]
        if levels[:1] != [1] or levels.count(1) != 1 or any(b > a + 1 for a, b in itertools.pairwise(levels)):
            wrong.append((page.name, levels[:12]))
    assert wrong == []


def test_it_is_small(site: Path, tmp_path: Path) -> None:
    node_packages.install()
    write_assets(tmp_path, node_packages.FOLDER / "node_modules" / "pyodide", of_widgets)
    files = [path for folder in (site, tmp_path) for path in folder.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < MOST_BYTES - OF_STEPS
    for page in (site / "lessons").glob("*.html"):
        shown = [page, *(page.parent / tag["src"] for tag in soup(page).find_all("img"))]
        assert sum(path.stat().st_size for path in set(shown)) < MOST_BEFORE_A_TOUCH, page.name


def public() -> Iterator[str]:
    """The functions and classes that the namespaces offer, and the methods of a tensor."""
    spaces = {"tensorkit": tk, "tensorkit_widgets": tensorkit_widgets}
    for name in NAMESPACES:
        spaces[f"tensorkit.{name}"] = functools.reduce(getattr, name.split("."), tk)
    for space, module in spaces.items():
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isroutine(value) or isinstance(value, type):
                yield f"{space}.{name}"
    yield from (f"tensorkit.Tensor.{name}" for name in dir(tk.Tensor) if name[0] != "_")


def test_every_public_name_has_an_entry_with_a_place(site: Path) -> None:
    with (site / "objects.inv").open("rb") as file:
        listed = InventoryFile.load(file, "", lambda base, path: path)
    places = {name: entry.uri for kind in ("py:function", "py:class", "py:method", "py:property", "py:exception")
              for name, entry in listed.get(kind, {}).items()}  # fmt: skip
    names = set(public())
    assert len(names) > 1200
    assert sorted(names - set(places)) == []
    for name in names:
        path, place = urldefrag(places[name])
        assert place in anchors(site / path), name


def entry(site: Path, page: str, name: str) -> Any:
    return soup(site / "api" / f"{page}.html").find(id=name).parent


def test_an_example_is_shown_with_its_picture_and_its_words(site: Path) -> None:
    for page, name, drawn in (
        (
            "views",
            "tensorkit.transpose",
            "StrideExplorer: transpose. element [1, 1] lives at storage[0 + 1·1 + 1·3]",
        ),
        ("pointwise", "tensorkit.add", "BroadcastExplorer: a + b, sizes (2,) and (2, 1)."),
        ("reduction", "tensorkit.prod", "ReductionExplorer: t.prod(dim=0), from size (2, 2) to size (2,)."),
        ("matrix_products", "tensorkit.mm", "MatmulExplorer: a @ b, sizes (2, 2) and (2, 1)."),
    ):
        part = entry(site, page, name)
        assert part.find("img")["alt"].startswith(drawn)
        assert ">>> " in part.find(class_="doctest").text
        assert len(part.find("details").find("pre").text) > 80
    # Another name leads to the entry, and so does the method.
    assert "See transpose" in " ".join(entry(site, "views", "tensorkit.swapaxes").text.split())
    assert "See transpose" in " ".join(entry(site, "Tensor", "tensorkit.Tensor.transpose").text.split())


def test_a_docstring_is_shown_as_it_is_written(site: Path) -> None:
    text = " ".join(entry(site, "pointwise", "tensorkit.add").text.split())
    assert "Add, element by element: input + alpha * other." in text
    assert "RuntimeError" in text
    assert "`" not in text


def test_the_course_has_every_lesson_in_order(site: Path) -> None:
    titles = [tag.find(string=True) for tag in soup(site / "course.html").find_all("h2")]
    lessons = [title for title in titles if title[0].isdigit()]
    assert [title[:2] for title in lessons] == [f"{number:02}" for number in range(25)]
    linked = [tag["href"] for tag in soup(site / "course.html").find_all("a") if "lessons/" in tag["href"]]
    assert len(linked) == 27


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(LabError, match="has something else than a site in it; name a new folder"):
        build(tmp_path)
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "mine"


# -- in a browser -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def served(site: Path) -> Iterator[str]:
    handler = functools.partial(_Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    one = driver().chromium.launch(executable_path=chromium, args=[*FLAGS, CUT_OFF])
    yield one
    one.close()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "page", ["index.html", "course.html", "gallery.html", "api/index.html", "api/views.html"]
)
def test_a_page_fits_a_phone_and_is_open_to_all(served: str, browser: Any, page: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    asked: list[str] = []
    tab = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    tab.set_default_timeout(PATIENCE_MS)
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(f"{served}/{page}")
    found = axe.Axe().run(tab).response["violations"]
    wider = tab.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")
    tab.close()
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == []
    assert wider <= 0
    assert [url for url in asked if not url.startswith((served, "data:"))] == []


@pytest.mark.browser
def test_a_learner_finds_transpose_in_two_clicks_and_by_the_search(served: str, browser: Any) -> None:
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    tab.set_default_timeout(PATIENCE_MS)
    tab.goto(f"{served}/index.html")
    tab.get_by_role("main").get_by_role("link", name="The reference").click()
    tab.get_by_role("main").get_by_role("link", name="transpose", exact=True).click()
    assert tab.url == f"{served}/api/views.html#tensorkit.transpose"
    tab.locator("input.sidebar-search").fill("transpose")
    tab.keyboard.press("Enter")
    hit = tab.locator("#search-results a[href*='#tensorkit.transpose']").first
    hit.wait_for()
    tab.close()
