"""The colours, in light and dark: one source for the standalone picture and for the live one.

Dimension 0 is solid blue and dimension 1 dashed vermillion everywhere; further dimensions take further pairs of colour
and dash that a colour-blind reader can tell apart. Every text colour has at least 4.5 : 1 on its ground.
"""

from __future__ import annotations

DIMENSIONS = 8
"""Pairs of colour and dash; a ninth dimension begins again."""

LIGHT = {
    "paper": "#ffffff",
    "panel": "#f8fafc",
    "line": "#c9d1d9",
    "control": "#767f8a",
    "ink": "#1b1f24",
    "muted": "#5b6470",
    "cell": "#e8f1fb",
    "grey": "#f1f3f5",
    "grey-ink": "#626b76",
    "light": "#ffe08a",
    "light-ink": "#1b1f24",
    "kin": "#fff3cf",
    "view": "#00704f",
    "copy": "#8a4b00",
    "alarm": "#b3261e",
    "alarm-cell": "#fdecea",
    "focus": "#0072b2",
    "dim0": "#0072b2",
    "dim1": "#c2410c",
    "dim2": "#00704f",
    "dim3": "#8a3fa8",
    "dim4": "#7a5c00",
    "dim5": "#a4245f",
    "dim6": "#3f51b5",
    "dim7": "#5d4037",
}

DARK = {
    "paper": "#14181d",
    "panel": "#1b2129",
    "line": "#3a424c",
    "control": "#8b96a3",
    "ink": "#eef1f4",
    "muted": "#a5aeb9",
    "cell": "#18334f",
    "grey": "#1c2025",
    "grey-ink": "#929ba6",
    "light": "#705500",
    "light-ink": "#ffffff",
    "kin": "#3d3413",
    "view": "#4ec9a0",
    "copy": "#f0b35a",
    "alarm": "#ff8a80",
    "alarm-cell": "#4a1f1c",
    "focus": "#5bb5f0",
    "dim0": "#5bb5f0",
    "dim1": "#f4956a",
    "dim2": "#4ec9a0",
    "dim3": "#cf9ff0",
    "dim4": "#dcbb4e",
    "dim5": "#f28db6",
    "dim6": "#9fa8f5",
    "dim7": "#d3b1a2",
}

DASHES = ("none", "7 5", "2 4", "10 3 2 3", "14 4", "1 3 6 3", "5 2", "12 3 2 3 2 3")
"""The dash of each dimension, as SVG writes one."""


def _variables(colours: dict[str, str]) -> str:
    return "".join(f"--tk-{name}:{value};" for name, value in colours.items())


def _dimension_css() -> str:
    rules = []
    for d in range(DIMENSIONS):
        rules.append(f".tk-d{d}{{--tk-dim:var(--tk-dim{d},{LIGHT[f'dim{d}']});--tk-dash:{DASHES[d]}}}")
    return "".join(rules)


def standalone_css(theme: str | None) -> str:
    """The palette of a picture that stands alone: a fixed theme, or whichever the reader prefers."""
    if theme is not None:
        return f".tk-scene{{{_variables(DARK if theme == 'dark' else LIGHT)}}}" + _dimension_css()
    dark = f"@media (prefers-color-scheme:dark){{.tk-scene{{{_variables(DARK)}}}}}"
    return f".tk-scene{{{_variables(LIGHT)}}}{dark}" + _dimension_css()


def live_css(root: str = ".tk-root") -> str:
    """The palette of a live view, which follows the theme of its host; the ground is the host's own."""
    host = {"paper": "var(--jp-layout-color1,{})", "ink": "var(--jp-content-font-color0,{})"}

    def hosted(colours: dict[str, str]) -> str:
        return _variables({k: host[k].format(v) if k in host else v for k, v in colours.items()})

    dark = hosted(DARK)
    preferred = f"body:not([data-jp-theme-light]):not(.vscode-light) {root}"
    # On the stage the presenter chooses, whatever the host's theme.
    stage = "".join(
        f"{root}[data-tk-{name}]{{{_variables(colours)}}}"
        for name, colours in (("light", LIGHT), ("dark", DARK))
    )
    return (
        f"{root}{{{hosted(LIGHT)}}}\n"
        f"@media (prefers-color-scheme:dark){{{preferred}{{{dark}}}}}\n"
        f'[data-jp-theme-light="false"] {root},.vscode-dark {root},.vscode-high-contrast {root}{{{dark}}}\n'
        + stage
        + _dimension_css()
    )
