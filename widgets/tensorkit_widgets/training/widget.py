"""`TrainingView`: the loss, a layer's weights and gradients, and one batch, live while a loop trains.

>>> net = tk.nn.ParameterDict({"slope": tk.tensor([1.0])})
>>> view = TrainingView(net, name="net")
>>> for x in (2.0, 3.0):
...     loss = (net["slope"] * x - 1).square().sum()
...     loss.backward()
...     view.record(loss)
>>> view.losses
((1, 1.0), (2, 4.0))
>>> view.text().splitlines()[0]
'TrainingView: net, step 2 of 2, loss 4'
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tensorkit_widgets.drawing.sheet import Sheet
from tensorkit_widgets.snapshot.number_text import whole_number
from tensorkit_widgets.training.model import History, Part, Seen
from tensorkit_widgets.training.recorder import Recorder
from tensorkit_widgets.training.scene import Page, compose_training
from tensorkit_widgets.widget.board import MOST_PAGES, Board, Control, State
from tensorkit_widgets.widget.caller import called

BETWEEN = 0.125
"""Seconds between two pictures while a loop runs; more where drawing takes more than a tenth of the time."""


@dataclass(frozen=True)
class _State(State):
    """``number`` is that of the moment that is shown, 0 for the newest: ``at`` moves when moments are thinned out."""

    number: int = 0
    path: str = ""
    gradients: bool = False
    numbers: bool = False


class TrainingView(Board):
    """The loss so far, a layer's weights and gradients, and a batch with what the net says of it; steppable.

    Call `record` once in every turn of the loop. While it shows the newest moment it goes along with the loop; at an
    earlier one it stays there. It keeps copies of a few numbers and no tensor, of a long training not every moment.

    Args:
        model: an ``nn.Module`` of tensorkit or PyTorch.
        name: what it is called; by default its name where the widget is made, else ``"model"``.

    Raises:
        TypeError: for something that is no model, or an unknown keyword.
    """

    kind = "training-view"
    moments = "moment"
    live = ("_model",)
    plays = True

    def __init__(self, model: Any, *, name: str | None = None, **unknown: Any) -> None:
        if unknown:
            raise TypeError(
                f"TrainingView has no option {', '.join(sorted(unknown))}: it takes a model and name"
            )
        if not all(callable(getattr(model, part, None)) for part in ("named_parameters", "named_modules")):
            raise TypeError(f"TrainingView takes a model, an nn.Module, not {type(model).__name__}")
        self._model, self._name = model, called(model, "model", name)
        self._recorder, self._history, self._count, self._next = Recorder(), History(), 0, 0.0
        self._begin(_State())

    # ---- what Python sees

    def record(self, loss: Any, inputs: Any = None, output: Any = None, targets: Any = None) -> None:
        """One moment of the loop: call it after ``backward()``, and before the gradients are set to zero.

        Args:
            loss: a number, or a tensor that holds one.
            inputs: a batch, its examples along the first dimension; ``(N, C, H, W)`` or ``(N, H, W)`` are pictures.
            output: what the net gave for them: scores ``(N, classes)``, or a number for each.
            targets: the right classes, or numbers, ``(N,)``.

        Raises:
            TypeError: for a loss that is not one number, or a batch that is no tensor.
        """
        if self._closed:
            return
        with self._guard:
            given = {"inputs": inputs, "output": output, "targets": targets}
            self._history.add(self._recorder.moment(self._count + 1, self._model, loss, given))
            self._count += 1
            self._settle(self._state.number)
            began = time.monotonic()
            if began >= self._next:
                self._paint()
                ended = time.monotonic()
                self._next = ended + max(BETWEEN, 9 * (ended - began))

    @property
    def losses(self) -> tuple[tuple[int, float], ...]:
        """The losses that are kept, each with the number of its step."""
        return tuple((moment.number, moment.loss) for moment in self._history.moments)

    @property
    def layers(self) -> tuple[str, ...]:
        """The paths of the parameters that are followed."""
        return tuple(part.path for part in self._parts())

    def show(self, layer: str, *, gradients: bool = False) -> TrainingView:
        """Look at a parameter by its path, or at its gradient.

        Raises:
            KeyError: for a path that no parameter has.
        """
        with self._guard:
            if layer not in self.layers:
                raise KeyError(f"no parameter is called {layer!r}; there are {list(self.layers)}")
            self._change(path=layer, gradients=gradients)
            self._paint()
        return self

    # ---- moments

    def _steps(self) -> int:
        return max(0, len(self._history.moments) - 1)

    def _settle(self, number: int) -> None:
        """Show the moment of this number, or the newest."""
        newest = self._steps()
        at = newest if not number else self._history.place(number)
        self._state = replace(self._state, at=at, number=number if at < newest else 0)
        self._first = replace(self._first, at=newest)

    def _go(self, at: int) -> None:
        at = self._clamped(at)
        self._settle(self._history.moments[at].number if at < self._steps() else 0)

    def _return(self, moment: Any) -> None:
        super()._return(moment)
        self._settle(0 if moment is None else moment.number)

    def _undo(self) -> None:
        """What was chosen is taken back; the moment that is shown stays."""
        number = self._state.number
        super()._undo()
        self._settle(number)

    def _kept_steps(self) -> Sequence[int]:
        """The steps around the present one: a page to keep has room for so many."""
        first = max(0, min(self.at - MOST_PAGES // 2, self._steps() - MOST_PAGES))
        return range(first, min(self._steps(), first + MOST_PAGES) + 1)

    # ---- the board

    def _parts(self) -> tuple[Part, ...]:
        return self._history.moments[-1].parts if self._history.moments else ()

    def _path(self) -> str:
        """The parameter that is looked at: at first one that is a matrix, or has more dimensions."""
        paths = self.layers
        if self._state.path in paths:
            return str(self._state.path)
        large = (p.path for p in self._parts() if isinstance(p.weight, Seen) and len(p.weight.meta.size) > 1)
        return next(large, paths[0] if paths else "")

    def _sheet(self, at: int) -> Sheet:
        state = self._state
        page = Page(self._name, self._history, at, self._path(), state.gradients, state.numbers, self._width)
        return compose_training(page)

    def _controls(self) -> Sequence[Control]:
        paths, state = self.layers, self._state
        if not paths:
            return ()
        out = [
            Control("layer", "choice", "layer", self._path(), tuple((path, path) for path in paths)),
            Control(
                "gradients", "toggle", "gradients", state.gradients, title="the gradient, or the weights"
            ),
        ]
        part = next(part for part in self._parts() if part.path == self._path())
        if any(isinstance(seen, Seen) and seen.shots is not None for seen in (part.weight, part.gradient)):
            out.append(Control("numbers", "toggle", "as numbers", state.numbers))
        return out

    def _do(self, kind: str, message: Mapping[str, Any]) -> None:
        value, key, paths = message.get("value"), message.get("key"), self.layers
        told = key.partition(":")[2] if isinstance(key, str) else ""
        if kind == "layer" and isinstance(value, str) and value in paths:
            self._change(path=value)
        elif kind == "layer" and (place := whole_number(told)) is not None and place < len(paths):
            self._change(path=paths[place])
        elif kind in ("gradients", "numbers") and isinstance(value, bool):
            self._change(**{kind: value})
        elif kind == "moment" and (place := whole_number(told.partition(",")[2])) is not None:
            self._go(place)

    def _facts(self) -> Mapping[str, str]:
        moments = self._history.moments
        shown = str(moments[self.at].number) if moments else ""
        layer, gradients = self._path(), str(self._state.gradients).lower()
        return {"number": shown, "recorded": str(self._count), "layer": layer, "gradients": gradients}
