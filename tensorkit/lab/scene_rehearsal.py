"""The scenes of a cell's pictures, played in a rehearsal as the presenter's keys would play them."""

from __future__ import annotations

import queue
from collections.abc import Mapping
from typing import Any

_PATIENCE = 60
"""Seconds that one scene may take."""


def as_in_jupyterlab(client: Any, cell: Any) -> None:
    """Let the kernel know the cell's metadata, as JupyterLab does: the scenes of its picture are there."""
    client.kc.session.metadata = {**cell.metadata, "cellId": cell.get("id", "")}


def with_scenes(client: Any, known: set[str]) -> list[str]:
    """The models of the pictures that have scenes, but those that are known."""
    return [name for name, state in client.widget_state.items() if _script(state) and name not in known]


def play_scenes(client: Any, models: list[str]) -> tuple[int, list[str]]:
    """Play every scene of some pictures, in their order: how many there were, and what was wrong with them."""
    count, problems = 0, []
    for model in models:
        for number, name in enumerate(list(_script(client.widget_state[model]).get("scenes", ()))):
            count += 1
            if wrong := _play(client, model, number):
                problems.append(f"the scene “{name}” could not be played: {wrong}")
    return count, problems


def _script(state: Mapping[str, Any]) -> dict[str, Any]:
    """The scenes that a picture's frame lists; empty when it has none."""
    frame = state.get("frame")
    facts = frame.get("facts", {}) if isinstance(frame, dict) else {}
    script = facts.get("script", {}) if isinstance(facts, dict) else {}
    return script if isinstance(script, dict) and script.get("scenes") else {}


def _play(client: Any, model: str, number: int) -> str:
    """Go to one scene; what was wrong with it, or nothing."""
    from nbclient.util import run_sync

    try:
        run_sync(_ask)(client, model, {"kind": "scene", "value": number})
    except queue.Empty:
        return f"it took more than {_PATIENCE} s"
    frame = client.widget_state[model]["frame"]
    if frame.get("reason"):
        return str(frame["reason"])
    if frame["facts"]["script"]["scene"] != number:
        return str(frame["facts"].get("complaint") or "the picture stayed where it was")
    return ""


async def _ask(client: Any, model: str, content: Mapping[str, Any]) -> None:
    """Send a picture a message, and wait until the kernel has worked through it."""
    from nbclient.exceptions import CellExecutionComplete
    from nbformat import v4

    kc, nowhere = client.kc, v4.new_code_cell(metadata={"execution": {}})
    data = {"method": "custom", "content": dict(content)}
    message = kc.session.msg("comm_msg", {"comm_id": model, "data": data})
    kc.shell_channel.send(message)
    while True:
        answer = await kc.get_iopub_msg(timeout=_PATIENCE)
        if answer["parent_header"].get("msg_id") == message["header"]["msg_id"]:
            try:
                client.process_message(answer, nowhere, 0)
            except CellExecutionComplete:
                return
