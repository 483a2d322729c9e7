"""What all live widgets share: a script that is a model of its own, what a browser may say, and who holds a widget.

The script is far larger than what it draws. As each widget's own it was sent with each of them, and a notebook that is
saved with its widgets' state (``jupyter nbconvert --execute``) had it as often as there are widgets.

ipywidgets holds every widget until it is closed, and its script in a browser may set whatever it is sent. Here nothing
holds a widget that no page shows, and what a widget sends is Python's to say.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import anywidget
import ipywidgets
import traitlets
from IPython import display as ipython
from IPython import get_ipython
from ipywidgets.widgets import widget as registry

from tensorkit_widgets.render.esm import link, static


def shell() -> Any:
    """IPython's shell; None outside of it."""
    return get_ipython()


def display(data: Mapping[str, Any], metadata: Mapping[str, Any] | None = None) -> None:
    """Show a MIME bundle under the cell that runs."""
    ipython.display(dict(data), metadata=dict(metadata or {}), raw=True)


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

    _known_page: Any = None

    def _heard(self, _widget: Any, message: Any, _buffers: Any) -> None:
        """A message from the browser, on whichever thread the host runs it."""
        raise NotImplementedError

    def _handle_custom_msg(self, content: Any, buffers: Any) -> None:
        """Without ``on_msg``: a widget that holds a method of its own is a cycle, and is not freed at once."""
        self._heard(self, content, buffers)

    def set_state(self, sync_data: Mapping[str, Any]) -> None:
        """Nothing that a browser sets is taken over: no script of ours does, and what is shown is Python's to say."""

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        if not ending():  # then ipywidgets has nothing left to close with
            self.close()

    @property
    def model_id(self) -> str:
        """The name by which a page finds the widget. What asks for it shows the widget: then it stays until closed."""
        name = str(self.comm.comm_id)
        if name not in registry._instances and self._known_page is not registry.Widget._control_comm:
            self._tell_again()
        registry._instances[name] = self
        return name

    def _tell_again(self) -> None:
        """The page was loaded since: it has asked for the widgets that are shown, and knows nothing of this one."""
        self._known_page = registry.Widget._control_comm
        state, paths, buffers = registry._remove_buffers(self.get_state())
        about = {"version": registry.__protocol_version__}
        self.comm.open(data={"state": state, "buffer_paths": paths}, metadata=about, buffers=buffers)

    def close(self) -> None:
        """Take the widget down."""
        self._known_page = registry.Widget._control_comm  # no page has to be told
        super().close()

    @traitlets.observe("comm")
    def _comm_changed(self, change: Any) -> None:
        """As ipywidgets does for its own widgets, but with nothing that holds this one."""
        if change["new"] is not None:
            self._known_page = registry.Widget._control_comm  # each page that is loaded opens one
            self._model_id = self.comm.comm_id
            self.comm.on_msg(_weakly(self._handle_msg))


def _weakly(method: Callable[[Any], Any]) -> Callable[[Any], None]:
    """A call of the method, for as long as its owner lives."""
    found = weakref.WeakMethod(method)

    def call(message: Any) -> None:
        living = found()
        if living is not None:
            living(message)

    return call
