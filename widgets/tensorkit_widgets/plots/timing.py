"""`plot_timing`: measured times with their spread, as bars or lines, or as ratios to one of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tensorkit_widgets.plots.style import (
    MONOSPACED,
    PLAIN,
    axes_for,
    dash_of,
    describe_figure,
    dim_colour,
    shade,
)
from tensorkit_widgets.render.marks import drawable

_UNITS = ((1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s"))
_FAR = 30.0  # a logarithmic axis where the slowest takes so many times as long as the fastest
_HATCHES = ("", "//", "..", "\\\\", "xx", "--", "oo", "++")


@dataclass(frozen=True, slots=True)
class _Spread:
    """The middle of some times, and the ends of their middle half."""

    low: float
    middle: float
    high: float

    def over(self, other: float) -> _Spread:
        return _Spread(self.low / other, self.middle / other, self.high / other)


def plot_timing(
    measurements: Any, *, kind: str = "bars", log: bool | None = None, relative_to: str | None = None,
    xlabel: str | None = None, ax: Any = None, figsize: tuple[float, float] | None = None, theme: str | None = None,
) -> Any:  # fmt: skip
    """What `tensorkit.utils.benchmark` (or PyTorch's) measured: medians, and the middle half of the times as a whisker.

    As in a table of `Compare`, ``sub_label`` names a row, ``description`` (with the number of threads, where they
    differ) a series, ``label`` the whole. Measurements of one task are taken together.

    Args:
        measurements: one `Measurement` or several.
        kind: ``"bars"``, a bar for each; or ``"lines"`` over the numbers in the sub-labels, the spread as a band.
        log: whether times have a logarithmic axis; None decides by how far they are apart.
        relative_to: the series by which all are divided: 2 is twice its time in the same row.
        xlabel: what the sub-labels of lines count.
        ax: the axes to draw on; a new figure without.
        figsize: width and height of the new figure in inches; None fits the chart.
        theme: ``"light"``, ``"dark"``, or None for what the ground of `ax` asks for.

    Returns:
        The `matplotlib.axes.Axes`.

    Raises:
        TypeError: for something that was not measured.
        ValueError: when there is nothing to draw, for lines without numbers, an unknown kind or series.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from tensorkit.utils.benchmark import Measurement, TaskSpec
    >>> one = Measurement(10, [4e-5, 5e-5, 6e-5], TaskSpec("x + x", "pass", description="x + x"))
    >>> two = Measurement(10, [9e-5, 1e-4, 2e-4], TaskSpec("x.exp()", "pass", description="x.exp()"))
    >>> ax = plot_timing([one, two])
    >>> [text.get_text() for text in ax.texts]
    ['5 µs', '10 µs']
    >>> matplotlib.pyplot.close(ax.figure)
    """
    if kind not in ("bars", "lines"):
        raise ValueError(f"kind must be 'bars' or 'lines', not {kind!r}")
    given = _given(measurements)
    rows, series, found = _grouped(given)
    if relative_to is not None:
        relative_to = drawable(str(relative_to))
        found = _relative(found, relative_to, series)
    titles = list(dict.fromkeys(drawable(str(m.task_spec.label)) for m in given if m.task_spec.label))
    fitting = (8.0, 4.5) if kind == "lines" else (8.0, 1.5 + 0.45 * len(found) + 0.15 * len(rows))
    new = ax is None
    ax, colours = axes_for(ax, fitting if figsize is None else figsize, theme)
    shade(ax, colours)
    middles = [spread.middle for spread in found.values()]
    far = max(middles) / min(middles) > _FAR if log is None and min(middles) > 0 else bool(log)
    draw = _bars if kind == "bars" else _lines
    shown = _seconds if relative_to is None else _times
    draw(ax, colours, rows, series, found, shown, far)
    quantity = _quantity(relative_to)
    _named(ax, kind, "; ".join(titles), quantity + ", logarithmic axis" * far, xlabel, colours)
    each = "; ".join(f"{' '.join(filter(None, key))} {shown(found[key].middle)}" for key in found)
    describe_figure(ax, "; ".join(titles) or "timings", f"median {quantity}: {each}")
    if len(series) > 1 or kind == "lines":
        _legend(ax, colours)
    if new:
        _fit(ax)
    return ax


def _given(measurements: Any) -> list[Any]:
    several = measurements if isinstance(measurements, Iterable) else [measurements]
    out = list(several)
    for each in out:
        if not (hasattr(each, "task_spec") and hasattr(each, "times")):
            raise TypeError(f"plot_timing draws Measurements of a benchmark Timer, not {type(each).__name__}")
    if not any(each.times for each in out):
        raise ValueError("there is nothing to draw: no time was measured")
    return [each for each in out if each.times]


Key = tuple[str, str]


def _grouped(given: Sequence[Any]) -> tuple[list[str], list[str], dict[Key, _Spread]]:
    """The rows, the series, and for each row and series the spread of its times, in the order in which they came."""
    threads = len({m.task_spec.num_threads for m in given}) > 1
    times: dict[Key, list[float]] = {}
    for m in given:
        times.setdefault((_row(m), _series(m, threads)), []).extend(m.times)
    rows, series = (list(dict.fromkeys(key[k] for key in times)) for k in (0, 1))
    return rows, series, {key: _spread(sorted(each)) for key, each in times.items()}


def _row(measurement: Any) -> str:
    task = measurement.task_spec
    return drawable(str(task.sub_label or ("" if task.description else task.stmt)))


def _series(measurement: Any, threads: bool) -> str:
    task = measurement.task_spec
    parts = [task.description or (task.stmt if task.sub_label else ""), task.env or ""]
    if threads:
        parts.append(f"{task.num_threads} thread" + "s" * (task.num_threads != 1))
    return drawable(", ".join(str(part) for part in parts if part))


def _spread(ordered: Sequence[float]) -> _Spread:
    return _Spread(*(_quantile(ordered, part) for part in (0.25, 0.5, 0.75)))


def _quantile(ordered: Sequence[float], part: float) -> float:
    place = part * (len(ordered) - 1)
    low = math.floor(place)
    return ordered[low] + (ordered[min(low + 1, len(ordered) - 1)] - ordered[low]) * (place - low)


def _relative(found: dict[Key, _Spread], base: str, series: Sequence[str]) -> dict[Key, _Spread]:
    if base not in series:
        raise ValueError(f"relative_to must be one of the series {list(series)}, not {base!r}")
    missing = sorted({row for row, _ in found if (row, base) not in found})
    if missing:
        raise ValueError(f"{base!r} was not measured for {missing}: there is nothing to divide by")
    return {key: spread.over(found[key[0], base].middle) for key, spread in found.items()}


def _times(ratio: float) -> str:
    """How a ratio is written beside its bar."""
    return f"{ratio:,.0f}×" if ratio >= 100 else f"{ratio:.3g}×"


def _seconds(time: float) -> str:
    """How a time is written beside its bar."""
    length, unit = next((u for u in reversed(_UNITS) if time >= u[0]), _UNITS[0])
    scaled = time / length
    return f"{scaled:.0f} {unit}" if scaled >= 100 else f"{scaled:.3g} {unit}"


def _quantity(relative_to: str | None) -> str:
    return "time" if relative_to is None else f"time, in multiples of {relative_to}"


def _bars(
    ax: Any, colours: dict[str, str], rows: list[str], series: list[str], found: dict[Key, _Spread],
    shown: Callable[[float], str], log: bool,
) -> None:  # fmt: skip
    """One bar for each row and series, from the top down, the rows apart."""
    from matplotlib.ticker import NullFormatter

    places, ticks, at = {}, [], 0.0
    for row in rows:
        here = [(row, name) for name in series if (row, name) in found]
        places.update({key: at + k for k, key in enumerate(here)})
        ticks.append(at + (len(here) - 1) / 2)
        at += len(here) + 0.5 * (len(here) > 1)
    for n, name in enumerate(series):
        keys = [key for key in places if key[1] == name]
        spreads = [found[key] for key in keys]
        middles = [spread.middle for spread in spreads]
        whisk = [[s.middle - s.low for s in spreads], [s.high - s.middle for s in spreads]]
        ax.barh(
            [places[key] for key in keys], middles, 0.72, xerr=whisk, label=name or None, color=dim_colour(n, colours),
            edgecolor=colours["paper"], hatch=_HATCHES[n % len(_HATCHES)],
            error_kw={"ecolor": colours["ink"], "capsize": 4},
        )  # fmt: skip
        for key, spread in zip(keys, spreads, strict=True):
            ax.annotate(
                shown(spread.middle), (spread.high, places[key]), (7, 0), textcoords="offset points", va="center",
                color=colours["ink"], fontsize=12, fontweight="bold", family=MONOSPACED, annotation_clip=False,
            )  # fmt: skip
    ax.set_yticks(ticks if any(rows) else [], rows if any(rows) else [], family=MONOSPACED, parse_math=False)
    ax.set_ylim(max(places.values()) + 0.6, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(False, axis="y")
    high = max(spread.high for spread in found.values())
    if log:
        ax.set_xscale("log")
        low = min(spread.low for spread in found.values())
        ax.set_xlim(low / 3, high * (high / low) ** 0.2)
    else:
        ax.set_xlim(0, high * 1.18 or 1)
    ax.xaxis.set_major_formatter(_formatter(shown))
    ax.xaxis.set_minor_formatter(NullFormatter())


def _lines(
    ax: Any, colours: dict[str, str], rows: list[str], series: list[str], found: dict[Key, _Spread],
    shown: Callable[[float], str], log: bool,
) -> None:  # fmt: skip
    """One line for each series over the numbers of the rows."""
    from matplotlib.ticker import NullFormatter

    where = {row: _number(row) for row in rows}
    for n, name in enumerate(series):
        points = sorted((where[row], spread) for (row, own), spread in found.items() if own == name)
        xs = [x for x, _ in points]
        colour = dim_colour(n, colours)
        ax.fill_between(
            xs, [s.low for _, s in points], [s.high for _, s in points], color=colour, alpha=0.2, linewidth=0
        )
        ax.plot(xs, [s.middle for _, s in points], color=colour, linestyle=dash_of(n, 0.4), linewidth=2.6,
                marker="osD^vP*X"[n % 8], markersize=7, label=name or None)  # fmt: skip
    numbers = sorted(where.values())
    if numbers[0] > 0 and numbers[-1] / numbers[0] > _FAR:
        ax.set_xscale("log")
    if log:
        ax.set_yscale("log")
    else:
        ax.set_ylim(bottom=0)
    ax.yaxis.set_major_formatter(_formatter(shown))
    ax.yaxis.set_minor_formatter(NullFormatter())


def _number(row: str) -> float:
    try:
        return float(row.replace(",", "").replace("_", ""))
    except ValueError:
        raise ValueError(
            f"lines need a number in every sub_label, such as '1000', not {row!r}; bars take any"
        ) from None


def _formatter(shown: Callable[[float], str]) -> Any:
    """What writes the ticks; a partial of functions that have names, so that the figure can be pickled."""
    from matplotlib.ticker import FuncFormatter

    return FuncFormatter(partial(_tick, shown))


def _tick(shown: Callable[[float], str], value: float, _place: Any) -> str:
    return shown(value) if value else "0"


def _named(
    ax: Any, kind: str, title: str, quantity: str, xlabel: str | None, colours: dict[str, str]
) -> None:
    ax.set_title(
        title, loc="left", fontsize=14, fontweight="bold", color=colours["ink"], family=PLAIN, pad=12,
        parse_math=False,
    )  # fmt: skip
    across, up = (quantity, "") if kind == "bars" else (drawable(xlabel or ""), quantity)
    ax.set_xlabel(across, fontsize=12, parse_math=False)
    ax.set_ylabel(up, fontsize=12, parse_math=False)


def _legend(ax: Any, colours: dict[str, str]) -> None:
    if not any(ax.get_legend_handles_labels()[1]):
        return
    made = ax.legend(
        frameon=False, fontsize=11, labelcolor=colours["ink"], loc="upper left", bbox_to_anchor=(1.01, 1.0)
    )
    for text in made.get_texts():
        text.set_family(PLAIN)
        text.set_parse_math(False)  # "$x" is the shell's, and no formula


def _fit(ax: Any) -> None:
    """Axes as large as the labels around them allow: measured once, so that the figure has no layout engine to keep."""
    figure = ax.figure
    figure.draw_without_rendering()
    whole, inner = figure.bbox, ax.get_window_extent()
    outer = ax.get_tightbbox()
    pad = 10 * figure.dpi / 72
    left, below = inner.x0 - outer.x0 + pad, inner.y0 - outer.y0 + pad
    right, above = outer.x1 - inner.x1 + pad, outer.y1 - inner.y1 + pad
    ax.set_position((
        left / whole.width, below / whole.height,
        max(0.2, 1 - (left + right) / whole.width), max(0.2, 1 - (below + above) / whole.height),
    ))  # fmt: skip
