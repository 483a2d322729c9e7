"""A widget whose script is a model of its own, which all widgets with that script name.

The script is far larger than what it draws. As each widget's own it was sent with each of them, and a notebook that is
saved with its widgets' state (``jupyter nbconvert --execute``) had it as often as there are widgets.
"""

from __future__ import annotations

from typing import Any, ClassVar

import anywidget
import ipywidgets
import traitlets

from tensorkit_widgets.render.esm import link, static

__all__ = ["SharedScript"]


class _ScriptModel(ipywidgets.Widget):
    """The text of a script; it has no view."""

    text = traitlets.Unicode().tag(sync=True)


_models: dict[str, _ScriptModel] = {}


def _model_of(name: str) -> _ScriptModel:
    """The model that has this script; another one where somebody closed it (``Widget.close_all()``)."""
    if name not in _models or _models[name].comm is None:
        _models[name] = _ScriptModel(text=link(name))
    return _models[name]


class SharedScript(anywidget.AnyWidget):
    """A widget that runs a file of ``static/``."""

    _script_file: ClassVar[str]
    """The name of that file."""

    _esm = static("shared_script.js")
    _script_model = traitlets.Instance(ipywidgets.Widget).tag(sync=True, **ipywidgets.widget_serialization)

    @traitlets.default("_script_model")
    def _shared(self) -> Any:
        return _model_of(self._script_file)
