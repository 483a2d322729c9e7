"""The command line that JupyterLab gets, and the ports."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tensorkit.lab import server
from tensorkit.lab.errors import LabError, installing


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody else listens on."""
    with socket.socket() as listener:
        listener.bind((server.HOST, 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_a_busy_port_is_told_in_one_sentence(taken: int) -> None:
    with pytest.raises(LabError) as told:
        server.require_port(taken)
    assert str(told.value) == (
        f"Port {taken} is already in use; choose another with --port, "
        "or leave --port out and a free one is found."
    )


def test_a_free_port_is_accepted_and_still_free() -> None:
    port = server.require_port(server.free_port())
    assert server.require_port(port) == port


def test_the_search_passes_over_a_busy_port(taken: int) -> None:
    assert server.free_port(taken) > taken


def test_a_search_without_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(port: int) -> None:
        raise OSError(98, "in use")

    monkeypatch.setattr(server, "_bind", refuse)
    with pytest.raises(LabError, match="The ports 8888 to 8987 are all in use; choose one with --port"):
        server.free_port()


def test_missing_packages_are_named_with_the_command() -> None:
    with pytest.raises(LabError) as told:
        server.require_lab(["json", "no_such_one", "no_such_two"])
    assert str(told.value) == f"no_such_one, no_such_two are not installed. {installing()}"


def test_the_server_listens_to_this_machine_only_and_never_asks_the_network(tmp_path: Path) -> None:
    line = server.arguments(tmp_path, port=8899, browser=False)
    assert {
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.port=8899",
        "--ServerApp.port_retries=0",
        "--ServerApp.open_browser=False",
        f"--ServerApp.root_dir={tmp_path}",
        "--LabApp.news_url=None",
        "--LabApp.extension_manager=readonly",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    } <= set(line)


def test_the_first_page_opens_when_it_is_named(tmp_path: Path) -> None:
    named = server.arguments(tmp_path, port=1, first="index.ipynb")
    assert "--LabApp.default_url=/lab/tree/index.ipynb" in named
    assert not any("default_url" in part for part in server.arguments(tmp_path, port=1))


@pytest.mark.parametrize(
    "text", ["", "token", "token=abc", "Server.=3", ".token=3", "--ServerApp.token=3", "a b.c=1"]
)
def test_a_setting_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(LabError, match="is no Jupyter setting; write it as --set"):
        server.arguments(tmp_path, port=1, settings=[text])


def test_settings_are_passed_on(tmp_path: Path) -> None:
    line = server.arguments(tmp_path, port=1, settings=["IdentityProvider.token=a=b"])
    assert line[-1] == "--IdentityProvider.token=a=b"


@pytest.mark.parametrize("settings", [[], ["LabApp.expose_app_in_browser=False"]])
def test_a_picture_may_use_the_commands_of_the_page_unless_it_is_set_otherwise(
    tmp_path: Path, settings: list[str]
) -> None:
    line = server.arguments(tmp_path, port=1, settings=settings)
    said = [part for part in line if part.startswith("--LabApp.expose_app_in_browser=")]
    assert said == [f"--LabApp.expose_app_in_browser={not settings}"]


def test_our_defaults_come_first_and_the_learners_paths_stay() -> None:
    ours = server.environment({})["JUPYTER_CONFIG_PATH"]
    assert (Path(ours) / "labconfig" / "default_setting_overrides.json").is_file()
    both = server.environment({"JUPYTER_CONFIG_PATH": "/mine", "HOME": "/h"})
    assert both == {"JUPYTER_CONFIG_PATH": ours + os.pathsep + "/mine", "HOME": "/h"}
