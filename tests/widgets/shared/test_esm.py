"""The linker of ES modules: siblings become `data:` URLs, the same one for the same file, and circles are refused."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest

from tensorkit_widgets import StrideExplorer
from tensorkit_widgets.render.esm import STATIC, ImportCycle, link

DATA = re.compile(r'"data:text/javascript;base64,([A-Za-z0-9+/=]+)"')


def modules(text: str) -> list[str]:
    """The modules that a linked text carries, however deep."""
    found = [base64.b64decode(data).decode() for data in DATA.findall(text)]
    return found + [inner for module in found for inner in modules(module)]


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "statement",
    ['import { b } from "./b.js";', "import { b } from './b.js'", 'import "./b.js";', 'export { b } from "./b.js";',
     'import {\n  b,\n  c,\n} from "./b.js";', 'import b, * as c from "./b.js";'],
)  # fmt: skip
def test_every_form_of_import(tmp_path: Path, statement: str) -> None:
    write(tmp_path, a=f"{statement}\nexport const a = 1;", b="export const b = 2;")
    linked = link("a.js", tmp_path)
    assert modules(linked) == ["export const b = 2;"]
    assert "./b.js" not in linked


def test_a_shared_module_has_one_url(tmp_path: Path) -> None:
    write(
        tmp_path,
        a='import "./b.js";\nimport "./c.js";',
        b='import "./d.js";',
        c='import "./d.js"; f();',
        d="export const d = 1;",
    )
    urls = {
        url
        for module in [link("a.js", tmp_path), *modules(link("a.js", tmp_path))]
        for url in DATA.findall(module)
    }
    assert len(urls) == 3


def test_a_circle_is_refused(tmp_path: Path) -> None:
    write(tmp_path, a='import "./b.js";', b='import "./c.js";', c='import "./a.js";')
    with pytest.raises(ImportCycle, match=r"a\.js → b\.js → c\.js → a\.js"):
        link("a.js", tmp_path)


def test_a_missing_sibling_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, a='import "./nowhere.js";')
    with pytest.raises(FileNotFoundError):
        link("a.js", tmp_path)


def test_words_that_only_look_like_imports_stay(tmp_path: Path) -> None:
    text = 'const s = "./b.js"; // import "./b.js" is written so\n/** @param {import("./b.js").B} b */'
    write(tmp_path, a=text)
    assert link("a.js", tmp_path) == text


@pytest.mark.parametrize("name", ["board.js", "page.js", "practice.js", "side_panel.js"])
def test_what_is_shipped_is_whole(name: str) -> None:
    for module in [link(name), *modules(link(name))]:
        assert not re.search(r"""^\s*import\b[^;]*["']\.""", module, re.M)
        assert not re.search(r"https?://(?!www\.w3\.org/)", module)


def test_every_file_is_used() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in STATIC.glob("*.js")}
    imported = {
        name
        for text in texts.values()
        for name in re.findall(r'from "\./([\w.]+)"|import "\./([\w.]+)"', text)
    }
    named = {name for pair in imported for name in pair if name}
    begins = {"board.js", "page.js", "practice.js", "shared_script.js", "side_panel.js"}
    # An exported lesson names these itself.
    begins |= {"lesson_files.js", "lesson_page.js", "lesson_worker.js"}
    assert set(texts) <= named | begins
    assert StrideExplorer._esm == texts["shared_script.js"]
