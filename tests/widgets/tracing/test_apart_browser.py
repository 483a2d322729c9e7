"""No words of an explained picture lie on other words, and no line runs through them: measured in a browser."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets import StrideExplorer, explain
from tensorkit_widgets.widget.board import Board
from tests.widgets.tracing.test_explain import ERRORS, names_of

pytestmark = pytest.mark.browser

WALKS = {
    "x.t().view(-1)": None,
    "x[:, :2].view(-1)": None,
    "x.as_strided((2, 3), (1, 2)).view(-1)": None,
    "x.as_strided((2, 5), (1, 2)).view(-1)": None,
    "x.as_strided((2, 2), (1, 5)).view(-1)": None,
    "x[:, 1:3].t().view(-1)": None,
    "x.view(2, 2, 3).transpose(0, 2).view(-1)": None,
    "y = x.t()\nz = y.contiguous()\nz.t().view(12)": None,
}
STORIES = [
    "x.view(3, 5)",
    "a = x.t()\nb = a.reshape(-1)\nc = (b + 1)[None, :, None].expand(2, 12, 3)\nd = c.contiguous()\ne = d.sum(0)",
    "for k in range(40):\n    x = x + 1\nx.max(0)",
    "wide = tk.zeros(1000, 1000)\nboth = tk.stack([wide, wide]).transpose(0, 2).contiguous()\nboth.max(1)",
]

STRUCK = """svg => {
  const found = [];
  const shown = part => getComputedStyle(part).visibility !== 'hidden' && part.textContent.trim();
  const texts = [...svg.querySelectorAll('text')].filter(shown).map(part => {
    const {left, right, top, bottom} = part.getBoundingClientRect();
    const low = (bottom - top) * 0.24;  // a line of type is higher than its letters
    return {words: part.textContent, part, left: left + 1, right: right - 1, top: top + low, bottom: bottom - low};
  });
  for (const [k, a] of texts.entries())
    for (const b of texts.slice(k + 1))
      if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
        found.push(`${a.words} | ${b.words}`);
  for (const line of svg.querySelectorAll('.tk-arc, .tk-line, .tk-axis-line')) {
    if (!line.getTotalLength) continue;
    const here = line.getScreenCTM();
    const long = line.getTotalLength();
    for (let at = 0; at <= long; at += 1) {
      const {x, y} = line.getPointAtLength(at).matrixTransform(here);
      for (const a of texts)
        if (x > a.left && x < a.right && y > a.top && y < a.bottom) found.push(`a line through ${a.words}`);
    }
  }
  return [...new Set(found)];
}"""


@pytest.fixture
def struck(desk: Any) -> Any:
    """What is struck or covered in the pictures of a board, at every step and both widths."""
    page = desk.browser.new_page(viewport={"width": 1000, "height": 1200})

    def of(board: Board) -> list[str]:
        out = []
        for width in (960, 400):
            board._heard(None, {"kind": "room", "value": width}, [])
            for at in range(min(board._steps(), 6) + 1):
                board.goto(at)
                page.set_content(f"<body>{board.svg()}</body>")
                told = page.locator("svg").evaluate(STRUCK)
                out += [f"{width} px, step {at}: {words}" for words in told]
        board.close()
        return out

    yield of
    page.close()


@pytest.mark.parametrize("code", WALKS)
def test_no_hop_runs_through_words(code: str, struck: Any) -> None:
    assert not struck(explain(code, {"x": tk.arange(12).view(3, 4)}))


@pytest.mark.parametrize("code", STORIES)
def test_no_words_lie_on_others(code: str, struck: Any) -> None:
    assert not struck(explain(code, {"x": tk.arange(12).view(3, 4), "tk": tk}))


def test_no_words_of_an_error_lie_on_others(struck: Any) -> None:
    for code in dict.fromkeys(case[0] for case in ERRORS):
        assert not struck(explain(code, names_of("tensorkit"))), code


def test_no_jump_of_a_stride_explorer_runs_through_words(struck: Any) -> None:
    whole = tk.arange(12)
    for t, code in (
        (whole.view(3, 4).t(), ".view(12)"),
        (whole.as_strided((2, 3), (1, 2)), ".view(6)"),
        (whole.as_strided((2, 2), (1, 5)), ".view(4)"),
    ):
        board = StrideExplorer(t, name="t")
        board._heard(None, {"kind": "view", "value": code}, [])
        assert board.frame["facts"]["status"] == "refused"
        assert not struck(board), code
