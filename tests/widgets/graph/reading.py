"""What the tests of GraphView share: messages as a browser sends them, and what is read of a picture."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from tensorkit_widgets import GraphView


def libraries() -> list[Any]:
    """tensorkit, and PyTorch where it is installed."""
    return [pytest.param("tensorkit"), pytest.param("torch", marks=pytest.mark.parity)]


def send(widget: GraphView, kind: str, **more: Any) -> dict[str, Any]:
    """A message as the browser sends it; the facts of the frame that answers it."""
    widget._handle_custom_msg({"kind": kind, "serial": 7, **more}, [])
    assert widget.frame["serial"] == 7
    assert widget.frame["reason"] == ""
    facts: dict[str, Any] = widget.frame["facts"]
    return facts


def parts(svg: str, word: str) -> list[dict[str, str]]:
    """The attributes of the parts of a picture that have a class."""
    found = ElementTree.fromstring(svg).iter()
    return [dict(part.attrib) for part in found if word in part.get("class", "").split()]


def box(widget: GraphView, name: str) -> dict[str, str]:
    """The attributes of the first box of that name in the live picture."""
    return next(part for part in parts(widget.frame["svg"], "tk-vertex") if part["data-name"] == name)
