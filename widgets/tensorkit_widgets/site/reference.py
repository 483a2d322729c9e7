"""The pages of the reference: which names are on them. What is said of each is its docstring."""

from __future__ import annotations

import importlib
import inspect
import itertools
from typing import Any

import typer

from tensorkit import cli
from tensorkit_widgets.site.docstrings import restructured
from tensorkit_widgets.site.names import CHAPTERS, NAMESPACES, SETTINGS, Entry, entries, first_with, methods

_OTHERS = {
    SETTINGS: ("Settings, dtypes, devices", "What ``tensorkit`` has beside the operations."),
    "widgets": (
        "Widgets",
        "What ``tensorkit_widgets`` has; :doc:`the gallery </gallery>` shows each of them.",
    ),
}

# The pages whose classes are used by their methods; of the others, a user calls the class or its instance.
_WITH_MEMBERS = {
    SETTINGS,
    "autograd",
    "cuda",
    "distributed.tensor",
    "optim",
    "tracing",
    "utils.benchmark",
    "widgets",
}


def pages() -> dict[str, str]:
    """The text of each page of the reference, by its place in the site.

    >>> ".. autofunction:: tensorkit.transpose" in pages()["api/views"]
    True
    """
    texts = {f"api/{page}": _page(page) for page in _titles()}
    return {"api/index": _index(), **texts, "api/Tensor": _tensor(), "api/commands": _commands()}


def _titles() -> dict[str, str]:
    """The pages that list entries, and what they are called."""
    named = {page: f"{title}: {page}" for page, title in NAMESPACES.items()}
    return {**CHAPTERS, **named, **{page: title for page, (title, _) in _OTHERS.items()}}


def _index() -> str:
    """Every name of the reference with a link: a learner finds one in two clicks."""
    listed = "".join(f"{_heading(title, '-')}{_names(page)}\n\n" for page, title in _titles().items())
    tree = "".join(f"   {page}\n" for page in ["Tensor", *_titles(), "commands"])
    return (
        f"{_heading('Reference', '=')}Every public name, by chapter. The names, arguments and results are PyTorch's."
        f" What a tensor can do is at :doc:`Tensor`, what the command line can at :doc:`commands`.\n\n"
        f".. toctree::\n   :hidden:\n\n{tree}\n{listed}"
    )


def _names(page: str) -> str:
    """Links to the entries of a page, by the names that they are called by."""
    short = {"widgets": "tensorkit_widgets."}.get(page, "tensorkit.")
    listed = methods() if page == "Tensor" else entries()
    links = [f":py:obj:`{one.name.removeprefix(short)} <{one.name}>`" for one in listed if one.page == page]
    return ", ".join(links)


def _page(page: str) -> str:
    mine = [entry for entry in entries() if entry.page == page]
    text = f"{_heading(_titles()[page], '=')}{_about(page)}{_names(page)}\n\n"
    for section, group in itertools.groupby(sorted(mine, key=lambda e: e.section), lambda e: e.section):
        text += _heading(section, "-") if section else ""
        text += "".join(map(_directive, group))
    return text


def _about(page: str) -> str:
    """The docstring of the chapter or the namespace, which says what is in it and what is not."""
    if page in _OTHERS:
        return f"{_OTHERS[page][1]}\n\n"
    module = {"nn.functional": "ops.nn", "questions": "ops.tensor"}.get(
        page, f"ops.{page}" if page in CHAPTERS else page
    )
    return f"{restructured(inspect.getdoc(importlib.import_module(f'tensorkit.{module}')) or '')}\n\n"


def _directive(entry: Entry) -> str:
    first = first_with().get(inspect.getdoc(entry.value) or "", entry.name)
    if not isinstance(entry.value, type):
        return f".. autofunction:: {entry.name}\n\n"
    if first != entry.name:  # autodoc would tell Sphinx twice where the class is written
        return f".. py:class:: {entry.name}\n\n   See :py:obj:`{first.partition('.')[2]} <{first}>`.\n\n"
    members = "   :members:\n" if entry.page in _WITH_MEMBERS or entry.name == "tensorkit.nn.Module" else ""
    return f".. autoclass:: {entry.name}\n{members}\n"


def _tensor() -> str:
    text = f"{_heading('Tensor', '=')}.. autoclass:: tensorkit.Tensor\n\n{_names('Tensor')}\n\n"
    for chapter, group in itertools.groupby(sorted(methods(), key=lambda e: e.section), lambda e: e.section):
        text += _heading(chapter, "-")
        for entry in group:
            kind = "autoproperty" if isinstance(entry.value, property) else "automethod"
            text += f".. {kind}:: {entry.name}\n\n"
    return text


def _commands() -> str:
    """The command line as `typer` has it: each command, its arguments and options with their help."""
    group: Any = typer.main.get_command(cli.app)
    about = f"{group.help}\n\nIn a terminal, ``tensorkit --help`` says the same.\n\n"
    return _heading("The command line", "=") + about + "".join(map(_command, group.commands.values()))


def _command(command: Any) -> str:
    rows = "".join(map(_parameter, command.params))
    return f"{_heading(f'tensorkit {command.name}', '-')}{command.help}\n\n{rows}\n"


def _parameter(parameter: Any) -> str:
    names = [*parameter.opts, *parameter.secondary_opts]
    shown = parameter.metavar if parameter.param_type_name == "argument" else ", ".join(names)
    return f"``{shown}``\n   {parameter.help}\n\n"


def _heading(title: str, line: str) -> str:
    return f"{title}\n{line * len(title)}\n\n"
