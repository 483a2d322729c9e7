"""What every browser test begins with: its notebook as it was written, run in a kernel that knows of nothing before.

A page and a kernel take seconds to start, so the tests of a file share one of each while they pass. `begin_again` takes
back whatever a test may have done to them. A test that fails, or is run again, leaves neither to the next one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

NOTEBOOK = "window.jupyterapp.shell.currentWidget"
AWAY = (2, 2)
"""Where the pointer is on no widget."""

POLL_MS = 20
"""How often a page is asked for what is waited for."""

# Started only, without waiting for the answer: an `evaluate` that waited for a kernel that is gone would never end.
_START = f"""([code, cell]) => {{
    const kernel = {NOTEBOOK}.sessionContext.session.kernel;
    const future = kernel.requestExecute({{ code, silent: false, store_history: cell, stop_on_error: false }});
    const run = window.tested = {{ text: "", over: false, count: 0 }};
    future.onIOPub = ({{ header, content }}) => {{
        if (header.msg_type === "stream") run.text += content.text;
        if (header.msg_type === "error") run.text += `${{content.ename}}: ${{content.evalue}}`;
    }};
    future.done.then(({{ content }}) => Object.assign(run, {{ over: true, count: content.execution_count }}));
}}"""
_OVER = "() => window.tested.over"
_COMMAND = """([id, options]) => {
    window.commanded = false;
    window.jupyterapp.commands.execute(id, options).finally(() => { window.commanded = true; });
}"""
_COMMANDED = "() => window.commanded"
_RESTART = f"""() => {{
    window.commanded = false;
    {NOTEBOOK}.sessionContext.session.kernel.restart().finally(() => {{ window.commanded = true; }});
}}"""
_DARK = "() => document.body.dataset.jpThemeLight === 'false'"

# Chosen and run in one go: a picture that has just taken the keyboard back makes its own cell the chosen one.
_RUN_SOME = f"""([first, ...more]) => {{
    window.focused = document.activeElement;
    const {{ content }} = {NOTEBOOK};
    content.deselectAll();
    content.activeCellIndex = first;
    for (const number of more) content.select(content.widgets[number]);
    ({_COMMAND})(["notebook:run-cell", {{}}]);
}}"""
_FOCUS_AGAIN = f"""() => {{
    {NOTEBOOK}.content.deselectAll();
    if (window.focused.isConnected && window.focused !== document.activeElement) window.focused.focus();
}}"""
# The notebook's content is replaced as "reload from disk" replaces it: every cell, output and view is made again.
_REWRITE = f"""(notebook) => {{
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    for (const dialog of document.querySelectorAll(".jp-Dialog")) dialog.querySelector(".jp-Dialog-button")?.click();
    for (const other of [...window.jupyterapp.shell.widgets("main")].slice(1)) other.dispose();
    document.activeElement?.blur();
    getSelection().removeAllRanges();
    sessionStorage.clear();
    const {{ content, context }} = {NOTEBOOK};
    if (window.windowed) content.notebookConfig = {{ ...content.notebookConfig, windowingMode: window.windowed }};
    context.model.fromJSON(notebook);
    content.deselectAll();
    content.activeCellIndex = 0;
}}"""
_REWRITTEN = f"""(count) => !document.querySelector("[data-tk-widget], .tk-card, dialog.tk-stage, .jp-Dialog")
    && {NOTEBOOK}.content.widgets.length === count"""

# Cells out of sight come late, or are taken away again, unless the notebook is asked to put them all on the page.
_WHOLE = f"""() => {{
    const {{ content }} = {NOTEBOOK};
    window.windowed = content.notebookConfig.windowingMode;
    content.notebookConfig = {{ ...content.notebookConfig, windowingMode: "defer" }};
}}"""
ALL_THERE = f"() => {NOTEBOOK}.content.widgets.every((cell) => cell.isAttached && !cell.isPlaceholder())"
"""Every cell of the notebook is on the page, in sight or not."""

# Everything that a cell or a press has left in the kernel: widgets, hooks, answers, names, and the count of the cells.
_FORGET = """
import sys as _sys
from IPython import get_ipython as _shell
if "tensorkit_widgets" in _sys.modules:
    import ipywidgets as _all
    from tensorkit_widgets import forget as _forget
    from tensorkit_widgets.namespace import cell_hook as _memory
    from tensorkit_widgets.widget import cell_hook as _live
    _shell().extension_manager.unload_extension("tensorkit_widgets")
    for _one in list(_live._alive):
        _one.close()
    _all.Widget.close_all()
    _memory.hook.close()
    _forget()
    assert (len(_live._alive), len(_live._hooked), _memory.hook.on) == (0, 0, False)
_shell().reset()
print("forgotten")
"""


def foreign(urls: list[str]) -> list[str]:
    """Those addresses that are not of this machine."""
    inside = {"127.0.0.1", "localhost"}
    return [
        url
        for url in urls
        if urlsplit(url).scheme not in ("data", "blob", "about") and urlsplit(url).hostname not in inside
    ]


def notebook_of(cells: Sequence[str], outputs: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """A notebook of these code cells; ``outputs`` are those of each."""
    code = [
        {
            "cell_type": "code",
            "id": f"c{number}",
            "metadata": {},
            "execution_count": None,
            "outputs": list(outputs),
            "source": source,
        }
        for number, source in enumerate(cells)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return {"cells": code, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}


def start(page: Any, code: str, *, cell: bool = False) -> None:
    """Let the notebook's kernel begin with a piece of code; `told` has what it printed so far.

    A ``cell`` is numbered, as those of the notebook are.
    """
    page.evaluate(_START, [code, cell])


def told(page: Any) -> str:
    """What the code that was started last has printed, or the error that ended it."""
    return str(page.evaluate("() => window.tested.text")).strip()


def until(page: Any, expression: str, arg: Any = None) -> None:
    """Wait until a function of a page says yes.

    It is asked by the clock: a page that has much to do draws no frames for a while.
    """
    page.wait_for_function(expression, arg=arg, polling=POLL_MS)


def finish(page: Any) -> None:
    """Wait until the code that was started last has come to its end."""
    until(page, _OVER)


def do(page: Any, code: str) -> str:
    """Run code in the notebook's kernel, beside its cells, to its end: what it printed, or the error that ended it."""
    start(page, code)
    finish(page)
    return told(page)


def cell(page: Any, code: str) -> int:
    """Run code as a cell of the notebook does, whether it fails or not: its number."""
    start(page, code, cell=True)
    finish(page)
    return int(page.evaluate("() => window.tested.count"))


def ask(page: Any, expression: str) -> str:
    """What Python says of an expression, in the notebook's own kernel."""
    return do(page, f"print({expression})")


def command(page: Any, name: str, **options: Any) -> None:
    """A command of JupyterLab, to its end."""
    page.evaluate(_COMMAND, [name, options])
    until(page, _COMMANDED)


def run_all(page: Any) -> None:
    """Run every cell, up to one that fails, to the end."""
    command(page, "notebook:run-all-cells")


def run_some(page: Any, numbers: Sequence[int]) -> None:
    """Run these cells, in their order, up to one that fails, to the end; the focus stays where it is."""
    page.evaluate(_RUN_SOME, list(numbers))
    until(page, _COMMANDED)
    page.evaluate(_FOCUS_AGAIN)


def whole(page: Any) -> None:
    """Put every cell on the page, in sight or not; there they stay."""
    page.evaluate(_WHOLE)
    until(page, ALL_THERE)


def restart(page: Any) -> None:
    """A new kernel in the place of the notebook's; nothing is run."""
    page.evaluate(_RESTART)
    until(page, _COMMANDED)
    do(page, "0")


def theme(page: Any, name: str) -> None:
    """``"Light"`` or ``"Dark"``."""
    if page.evaluate(_DARK) is not (name == "Dark"):
        command(page, "apputils:change-theme", theme=f"JupyterLab {name}")
        until(page, f"({_DARK})() === {str(name == 'Dark').lower()}")


def look_again(page: Any, window: dict[str, int]) -> None:
    """The window as it is at the beginning: its size, its theme, the pointer on no widget."""
    page.mouse.move(*AWAY)
    page.emulate_media(reduced_motion="reduce")
    if page.viewport_size != window:
        page.set_viewport_size(window)
    theme(page, "Light")


def begin_again(
    page: Any, notebook: dict[str, Any], window: dict[str, int], new_kernel: bool = False
) -> None:
    """Take everything back that was done to a page and to its kernel, or start another one; nothing is run yet.

    The brightness of the stage stays, as it does for a speaker: a test that asks for it sets it.
    """
    look_again(page, window)
    said = do(page, _FORGET)
    assert said.endswith("forgotten"), said
    if new_kernel:
        restart(page)
    page.evaluate(_REWRITE, notebook)
    until(page, _REWRITTEN, arg=len(notebook["cells"]))


def written(notebook: dict[str, Any]) -> str:
    """A notebook as its file has it."""
    return json.dumps(notebook)
