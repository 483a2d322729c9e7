"""The lessons on the learner's machine: copied with care, and served by JupyterLab.

| module | what it answers |
|---|---|
| `tensorkit.lab.lessons` | which files does a learner get, and how is their own work kept safe? |
| `tensorkit.lab.server` | how is JupyterLab started, and what can go wrong? |
| `tensorkit.lab.websocket` | why does a slider answer within 10 ms? (a Jupyter server extension) |
| `tensorkit.lab.present` | how is a lesson shown to a room? |
| `tensorkit.lab.rehearsal` | does the whole lesson run, before an audience sees it? |
| `tensorkit.lab.cues` | what is said at each cell, and how long may it take? |
| `tensorkit.lab.scene_rehearsal` | … and does every scene play? |
| `tensorkit.lab.notes` | what does the speaker see? (a Jupyter server extension) |
| `tensorkit.lab.audience` | what do the phones in the room see, and what may they say? |
| `tensorkit.lab.handout` | what does the audience take home? |
| `tensorkit.lab.report` | is this machine ready? |
| `tensorkit.lab.normalise` | how do executed lessons become files that can be compared? |
| `tensorkit.lab.ending` | how does every command end: what does it say, and with which exit status? |
| `tensorkit.lab.kernel` | how is a notebook's kernel started and ended? |
| `tensorkit.lab.files` | is it a file, and a notebook? |
| `tensorkit.lab.stubs` | what does an editor know about `Tensor`? |
"""

from __future__ import annotations

from .errors import LabError

__all__ = ["LabError"]


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    """Tell Jupyter where the server extension is; Jupyter fixes the name of this function."""
    names = ("websocket", "notes", "audience.presenter")
    return [{"module": f"tensorkit.lab.{name}"} for name in names]
