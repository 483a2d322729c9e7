"""Pictures as files of their own, each with the rules of style that it uses: half the size, and shared by pages."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

_STYLE = re.compile(r"<style>.*?</style>", re.S)
_RULE = re.compile(r"([^{}@;]+)\{[^{}]*\}")
_NAMED = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
_IN_PAGE = re.compile(r'(?<=src=")data:image/(svg\+xml|png|jpeg);base64,([A-Za-z0-9+/=]+)(?=")')


def slim(svg: str) -> str:
    """A picture without the rules of style that nothing in it can meet.

    >>> slim('<svg class="a"><style>.a{x:1}.a .b{x:2}@media (y){.a{x:3}}</style></svg>')
    '<svg class="a"><style>.a{x:1}@media (y){.a{x:3}}</style></svg>'
    """
    used = {name for found in re.findall(r'class="([^"]*)"', svg) for name in found.split()}

    def kept(rule: re.Match[str]) -> str:
        meets = any(used.issuperset(_NAMED.findall(selector)) for selector in rule[1].split(","))
        return rule[0] if meets else ""

    return _STYLE.sub(lambda style: _RULE.sub(kept, style[0]), svg)


def pictures_apart(page: str, folder: Path) -> str:
    """A page whose pictures are files in a folder beside it, by what is in them: the same one is there once."""

    def written(found: re.Match[str]) -> str:
        kind, data = found[1].partition("+")[0], base64.b64decode(found[2])
        if kind == "svg":
            data = slim(data.decode()).encode()
        place = folder / f"{hashlib.sha256(data).hexdigest()[:16]}.{kind}"
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(data)
        return f"{folder.name}/{place.name}"

    return _IN_PAGE.sub(written, page)
