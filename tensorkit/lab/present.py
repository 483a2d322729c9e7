"""Presenting a lesson: JupyterLab ready for a projector, and the speaker's notes beside it.

A small extension of JupyterLab (`talk/labextensions`) is given to this one server: presentation mode, one document, the
side bars folded away, large type; it also tells the notes where the speaker is. Settings, and which files are open,
are kept apart from the presenter's other work.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from . import server
from .errors import LabError
from .files import require_file
from .lessons import find, state_folder
from .notes import PAGE, notes_url

_TOKENS = ("IdentityProvider.token=", "ServerApp.token=")


@dataclass(frozen=True)
class Talk:
    """How a lesson is served: JupyterLab's command line, and the two addresses."""

    line: list[str]
    lesson: str
    notes: str


def find_talk(name: str, folder: Path) -> Path:
    """The notebook in `folder` that a presenter means: a lesson of the kit, or a notebook of their own.

    Raises:
        LabError: when there is none, or that name is not a file in that folder.
    """
    own = folder / name
    mine = [path for path in (own, Path(f"{own}.ipynb")) if path.suffix == ".ipynb" and os.path.isfile(path)]
    path = mine[0] if mine else folder / find(name)
    require_file(path)
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):  # a link may go in a circle
        raise LabError(f"{name} is not in {folder}; name its folder as DIR.")
    return path


def exported(lesson: Path) -> Path | None:
    """The folder that `tensorkit export` has written of a lesson, if it is beside it.

    Examples:
        >>> exported(Path("nowhere/02.ipynb")) is None
        True
    """
    folder = lesson.with_name(f"{lesson.stem}_page")
    return folder if (folder / "index.html").is_file() else None


def stage(lesson: Path, folder: Path, *, port: int, browser: bool, settings: Sequence[str] = ()) -> Talk:
    """What serves a lesson for a room.

    Args:
        lesson: the notebook, in `folder`.
        folder: the folder that is served.
        port: a free port.
        browser: open the lesson in a browser.
        settings: further settings of Jupyter, each as `"Class.trait=value"`.

    Examples:
        >>> talk = stage(Path("talks/02.ipynb"), Path("talks"), port=8899, browser=False)
        >>> talk.lesson.split("?")[0]
        'http://127.0.0.1:8899/doc/tree/02.ipynb'
    """
    given = [text.split("=", 1)[1] for text in settings if text.startswith(_TOKENS)]
    token = given[-1] if given else secrets.token_hex(24)
    name = lesson.resolve().relative_to(folder.resolve()).as_posix()
    line = server.arguments(folder, port=port, browser=browser, settings=settings)
    # What was open in the room is not what the presenter had open at the desk.
    line = [part for part in line if not part.startswith("--LabApp.workspaces_dir=")]
    line += [
        f"--LabApp.workspaces_dir={state_folder(folder.resolve()) / 'present'}",
        f"--LabApp.extra_labextensions_path={PAGE / 'labextensions'}",
        f"--LabApp.default_url=/doc/tree/{quote(name)}",
    ]
    if not given:
        line.append(f"--IdentityProvider.token={token}")
    here = f"http://{server.HOST}:{port}"
    return Talk(line, f"{here}/doc/tree/{quote(name)}?token={quote(token)}", notes_url(here, name, token))
