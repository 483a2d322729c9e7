"""Starting JupyterLab on the lessons.

Nothing of the learner's own Jupyter set-up is touched: our defaults lie in a folder of this package
(`jupyter/`), which is put on Jupyter's search path of this one process. What a learner sets in JupyterLab's
settings editor still wins.
"""

from __future__ import annotations

import errno
import importlib.util
import logging
import os
import socket
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from .errors import LabError, installing
from .lessons import state_folder

HOST = "127.0.0.1"
_FIRST_PORT = 8888
_PORTS_TO_TRY = 100
_SETTINGS = Path(__file__).resolve().parent / "jupyter"
_APP = "LabApp.expose_app_in_browser="
_PACKAGES = ("jupyterlab", "ipykernel", "ipywidgets", "anywidget")


def require_lab(packages: Sequence[str] = _PACKAGES) -> None:
    """Check that JupyterLab and what widgets need can be imported.

    Raises:
        LabError: naming what is missing, and the command that installs it.

    Examples:
        >>> require_lab(["json"])
        >>> require_lab(["json", "no_such_package"])  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        tensorkit.lab.errors.LabError: no_such_package is not installed. In the kit's folder, run: ...
    """
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise LabError(f"{', '.join(missing)} {verb} not installed. {installing()}")


def require_port(port: int) -> int:
    """Check that a port of this machine is free to serve on.

    Raises:
        LabError: when it is busy or not allowed, with what to do.

    Examples:
        >>> with socket.socket() as taken:
        ...     taken.bind((HOST, 0)); taken.listen()
        ...     try: _ = require_port(taken.getsockname()[1])
        ...     except LabError as error: print(str(error).split(" is ", 1)[1])
        already in use; choose another with --port, or leave --port out and a free one is found.
    """
    try:
        _bind(port)
    except OSError as error:
        why = "already in use" if error.errno == errno.EADDRINUSE else "not open to you"
        raise LabError(
            f"Port {port} is {why}; choose another with --port, or leave --port out and a free one is found."
        ) from error
    return port


def require_settings(settings: Sequence[str]) -> None:
    """Check that each setting is written as ``"Class.trait=value"``.

    Raises:
        LabError: naming the first that is not.

    Examples:
        >>> require_settings(["ServerApp.token=abc"])
        >>> require_settings(["token"])
        Traceback (most recent call last):
            ...
        tensorkit.lab.errors.LabError: 'token' is no Jupyter setting; write it as --set ServerApp.token=abc
    """
    for text in settings:
        name, equals, _ = text.partition("=")
        owner, dot, trait = name.partition(".")
        if not (equals and dot and owner.isidentifier() and trait.isidentifier()):
            raise LabError(f"{text!r} is no Jupyter setting; write it as --set ServerApp.token=abc")


def free_port(first: int = _FIRST_PORT) -> int:
    """The first free port of this machine from `first` on.

    Raises:
        LabError: when a hundred ports in a row are taken.

    Examples:
        >>> 8888 <= free_port() < 8988
        True
    """
    for port in range(first, first + _PORTS_TO_TRY):
        try:
            _bind(port)
        except OSError:
            continue
        return port
    last = first + _PORTS_TO_TRY - 1
    raise LabError(f"The ports {first} to {last} are all in use; choose one with --port.")


def _bind(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        if os.name == "posix":
            # A port that a server left a moment ago is free; elsewhere this option would steal a busy one.
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        trial.bind((HOST, port))


def environment(base: Mapping[str, str], *folders: Path) -> dict[str, str]:
    """The environment for the server: further folders of defaults, then our own, come first on Jupyter's search path.

    Examples:
        >>> environment({"JUPYTER_CONFIG_PATH": "/mine"})["JUPYTER_CONFIG_PATH"].split(os.pathsep)[1]
        '/mine'
    """
    paths = [*map(str, folders), str(_SETTINGS), *filter(None, [base.get("JUPYTER_CONFIG_PATH")])]
    return {**base, "JUPYTER_CONFIG_PATH": os.pathsep.join(paths)}


def arguments(
    folder: Path, *, port: int, browser: bool = True, first: str | None = None, settings: Sequence[str] = ()
) -> list[str]:
    """JupyterLab's command line for serving `folder` on this machine only, without a call to the network.

    Args:
        folder: the learner's folder.
        port: a free port.
        browser: open the page in the learner's browser.
        first: a notebook to open, relative to the folder.
        settings: further Jupyter settings, each as `"Class.trait=value"`.

    Raises:
        LabError: for a setting that is not of that form.

    Examples:
        >>> line = arguments(Path("lessons"), port=8899, browser=False)
        >>> "--ServerApp.ip=127.0.0.1" in line, "--ServerApp.port=8899" in line
        (True, True)
    """
    folder = folder.resolve()
    line = [
        f"--ServerApp.root_dir={folder}",
        f"--ServerApp.ip={HOST}",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.open_browser={browser}",
        "--Application.log_level=WARN",
        # The extension manager and the news would ask the network.
        "--LabApp.extension_manager=readonly",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        # Which files are open is remembered with the lessons, not with the learner's other notebooks.
        f"--LabApp.workspaces_dir={_workspaces(folder)}",
        # It keeps the answer to a prediction out of sight until the prediction is made.
        f"--LabApp.extra_labextensions_path={_SETTINGS / 'labextensions'}",
    ]
    if not any(text.startswith(_APP) for text in settings):
        # A picture whose kernel is gone starts it again, and runs its cell, by JupyterLab's own commands.
        line.append(f"--{_APP}True")
    if first is not None:
        line.append(f"--LabApp.default_url=/lab/tree/{first}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # In a container everything is root; the server listens to this machine only and asks for its token.
        line.append("--ServerApp.allow_root=True")
    require_settings(settings)
    return line + [f"--{text}" for text in settings]


def opened_before(folder: Path) -> bool:
    """Whether JupyterLab was ever open on this folder in a browser, so that there is something to go back to.

    Examples:
        >>> import tempfile
        >>> opened_before(Path(tempfile.mkdtemp()))
        False
    """
    return any(_workspaces(folder).glob("*.jupyterlab-workspace"))


def _workspaces(folder: Path) -> Path:
    return state_folder(folder) / "workspaces"


def serve(line: Sequence[str], *folders: Path) -> None:
    """Run JupyterLab in this process until it is stopped.

    Args:
        line: what `arguments` gave.
        folders: further folders of defaults for JupyterLab.

    Raises:
        LabError: when JupyterLab is not installed, or finds no folder to write its own files to.
    """
    require_lab()
    _require_home()
    os.environ.update(environment(os.environ, *folders))
    from jupyterlab.labapp import LabApp

    # What Jupyter's packages deprecate among themselves would be the first thing that a newcomer reads.
    # (A filter would not do: one of them resets the filters.)
    logging.captureWarnings(True)
    logging.getLogger("py.warnings").addHandler(logging.NullHandler())
    LabApp.launch_instance([*_in_cipher(), *line])


def _in_cipher() -> list[str]:
    """The setting with which the server speaks to its kernels in cipher, where the installed packages know how.

    A kernel of a recent ipykernel that is spoken to in plain text warns about it in the terminal, each time one starts.
    """
    import zmq
    from jupyter_server.services.kernels.kernelmanager import MappingKernelManager

    known = zmq.has("curve") and MappingKernelManager.class_traits().get("transport_encryption")
    return ["--MappingKernelManager.transport_encryption=auto"] if known else []


def _require_home() -> None:
    """Jupyter keeps small files of its own in the learner's home, and cannot start without them."""
    from jupyter_core.paths import jupyter_config_dir, jupyter_runtime_dir

    for place in map(Path, (jupyter_config_dir(), jupyter_runtime_dir())):
        try:
            place.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=place):
                pass
        except OSError as error:
            reason = (error.strerror or "it cannot be written").lower()
            raise LabError(
                f"Jupyter cannot write to {place} ({reason}); name another home: HOME=FOLDER tensorkit lab"
            ) from error
