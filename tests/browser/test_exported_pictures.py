"""Every picture and card that plays, in a browser's own Python: after each message it shows what a notebook shows."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from tensorkit_widgets.widget.saved_page import numbered
from tests.browser.test_exported_lesson import Reader, exported, reader, served
from tests.page import plays
from tests.widgets.practice_helpers import blank_memory

pytestmark = pytest.mark.browser

__all__ = ["blank_memory", "exported", "reader"]

SHOWN = ("said", "complaint", "offers", "wrong", "controls", "data")

NO_RECORD = (
    'import os\nos.environ["TENSORKIT_PROGRESS"] = "0"  # one learner here and there: options in one order\n'
)

# The scripts of the page itself run Python; only the buttons are left out, which send these messages.
PLAY = """async ([definitions, plays]) => {
  const { Python, PageModel } = await import(new URL("code/lesson_python.js", location.href).href);
  const file = async (name) => {
    const packed = name.startsWith("python/");
    const blob = await (await fetch(packed ? `${name}.gz` : name)).blob();
    return packed ? new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).blob() : blob;
  };
  const models = [];
  const heard = (message) => {
    if (message.kind === "open") models.push([message.model, new PageModel(message, () => {})]);
    else if (message.kind === "state") models.find(([name]) => name === message.model)?.[1].change(message.state);
    else if (message.output?.output_type === "error") throw new Error(message.output.traceback.join(""));
  };
  const python = new Python({ file, address: location.href }, { loading() {}, heard, busy() {} }, () => "");
  await python.ready();
  if ((await python.run("definitions", definitions, "[]")) !== "ran") throw new Error("the definitions did not run");
  const idle = async () => { while (python.waiting) await new Promise((next) => setTimeout(next, 5)); };
  const told = {};
  for (const [name, messages] of plays) {
    models.length = 0;
    const how = await python.run(name, `made = PLAYS[${JSON.stringify(name)}][0]()\\nmade`, "[]");
    if (how !== "ran") throw new Error(name);
    const [model, { state }] = models[0];
    told[name] = [structuredClone(state)];
    for (const message of messages) {
      python.tell(model, message);
      await idle();
      told[name].push(structuredClone(models[0][1].state));
    }
  }
  python.stop();
  return told;
}"""


@pytest.fixture(scope="module")
def told(exported: Path, chromium: str) -> Any:
    """By its name, what each widget showed at first and after each message."""
    from tests.browser.desk import CUT_OFF
    from tests.lab.test_browser import FLAGS
    from tests.support.playwright_driver import driver

    browser = driver().chromium.launch(executable_path=chromium, args=[*FLAGS, CUT_OFF])
    try:
        with served(exported / "02_storage_and_strides_page") as site:
            page = Reader(browser).open(site.url).page
            messages = [[name, sent] for name, (_, sent) in plays.PLAYS.items()]
            return page.evaluate(
                PLAY, [inspect.getsource(plays).replace("\nimport", f"\n{NO_RECORD}import", 1), messages]
            )
    finally:
        browser.close()


def shown(state: Any) -> Any:
    """What a reader sees and hears of a widget."""
    if "frame" not in state:
        return state["announced"], state["html"]
    frame = state["frame"]
    return frame["text"], numbered(frame["svg"]), {name: frame["facts"][name] for name in SHOWN}


@pytest.mark.parametrize("name", plays.PLAYS)
def test_after_each_message_it_shows_what_a_notebook_shows(told: Any, name: str) -> None:
    make, messages = plays.PLAYS[name]
    widget: Any = make()
    names = ("frame",) if hasattr(widget, "frame") else ("announced", "html")
    for number, message in enumerate([None, *messages]):
        if message is not None:
            widget._heard(widget, message, None)
        here = json.loads(json.dumps({one: getattr(widget, one) for one in names}))
        assert shown(told[name][number]) == shown(here), message
    assert len(told[name]) == len(messages) + 1
    widget.close()
