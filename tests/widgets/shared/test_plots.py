"""The matplotlib companions: what is drawn, by the artists and their data; pixels are looked at, not compared."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy
import pytest
from PIL import Image

import tensorkit as tk
from tensorkit.utils.benchmark import Measurement, TaskSpec, Timer
from tensorkit_widgets import StrideExplorer, plot_bits, plot_images, plot_storage, plot_timing
from tensorkit_widgets.render.palette import DARK, LIGHT
from tests.torch_oracle import require_torch


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    mpl.use("agg")
    yield
    mpl.pyplot.close("all")


def named(ax: Any, start: str) -> dict[str, Any]:
    """The parts of a picture whose name begins so."""
    found = [a for a in (*ax.patches, *ax.texts) if (a.get_gid() or "").startswith(start)]
    return {a.get_gid()[len(start) :]: a for a in found}


def words(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


def saved(ax: Any, kind: str) -> bytes:
    out = BytesIO()
    ax.figure.savefig(out, format=kind)
    return out.getvalue()


def rgb(name: str, colours: dict[str, str] = LIGHT) -> tuple[float, ...]:
    return tuple(mpl.colors.to_rgba(colours[name]))


X = tk.arange(12).view(3, 4)


# ---- plot_storage


def test_the_grid_and_the_strip_are_those_of_stride_explorer() -> None:
    ax = plot_storage(X, "[1:, ::2].t()")
    cells, slots = named(ax, "cell:"), named(ax, "slot:")
    assert sorted(cells) == ["0,0", "0,1", "1,0", "1,1"]
    assert sorted(map(int, slots)) == list(range(12))
    grey = {int(k) for k, box in slots.items() if box.get_facecolor() == rgb("grey")}
    assert grey == set(range(12)) - {4, 6, 8, 10}
    svg = StrideExplorer(X, "[1:, ::2].t()").svg()
    places = {
        (m[1], float(m[2]), float(m[3]))
        for m in re.finditer(
            r'data-key="t:([\d,]+)"[^>]*><rect class="tk-box" x="([\d.]+)" y="([\d.]+)"', svg
        )
    }
    assert places == {(k, *map(float, box.get_xy())) for k, box in cells.items()}


def test_the_arcs_walk_from_the_offset_to_the_element() -> None:
    ax = plot_storage(X, "[1:, ::2].t()", focus=(1, 1))
    assert named(ax, "found")[""].get_text() == "storage[10] = 10"
    assert named(ax, "offset")[""].get_text() == "offset 4"
    assert [t.get_text() for t in ax.texts if (t.get_gid() or "").startswith("hop")] == ["+2", "+4"]
    strong = [a for a in ax.patches if (a.get_gid() or "").startswith("arc") and a.get_alpha() == 1]
    (first, second) = strong
    middle = {k: box.get_x() + box.get_width() / 2 for k, box in named(ax, "slot:").items()}
    assert first.get_path().vertices[0][0] == pytest.approx(middle["4"], abs=0.1)
    assert first.get_path().vertices[-1][0] == pytest.approx(middle["6"], abs=0.1)
    assert second.get_path().vertices[-1][0] == pytest.approx(middle["10"], abs=0.1)
    assert (first.get_linestyle(), second.get_linestyle()) != ("solid", "solid"), "a dash beside the colour"
    assert (first.get_edgecolor(), second.get_edgecolor()) == (rgb("dim0"), rgb("dim1"))


def test_a_badge_where_a_slot_is_read_more_than_once_and_an_unused_stride_grey() -> None:
    ax = plot_storage(tk.arange(4).view(1, 4).expand(3, 4))
    assert sorted(named(ax, "badge:")) == ["0", "1", "2", "3"]
    assert words(ax).count("×3") == 4
    ax = plot_storage(tk.arange(4).view(1, 4))
    assert named(ax, "axis:")["0"].get_edgecolor() == rgb("grey-ink")
    assert named(ax, "axis:")["1"].get_edgecolor() == rgb("dim1")


@pytest.mark.parametrize("size", [(), (0,), (2, 0, 3), (5,), (2, 3), (2, 3, 4), (2, 2, 2, 2, 2), (1,) * 10])
def test_every_number_of_dimensions(size: tuple[int, ...]) -> None:
    ax = plot_storage(tk.zeros(size))
    assert bool(named(ax, "cell:")) == (0 not in size)
    ax.figure.canvas.draw()


def test_a_narrow_or_low_room_is_laid_out_anew() -> None:
    def size(ax: Any) -> float:
        return float(named(ax, "found")[""].get_fontsize())

    natural = size(plot_storage(X))
    column = plot_storage(X, figsize=(4, 8))
    assert column.get_xlim()[1] == 400
    assert size(column) > 0.95 * natural, "a scaled picture would have letters of 42 %"
    assert plot_storage(X, figsize=(12, 4)).get_xlim()[1] == 960


def test_without_a_storage_there_is_no_empty_room_for_one() -> None:
    assert plot_storage(tk.zeros(0)).get_ylim()[0] < plot_storage(tk.zeros(1)).get_ylim()[0] - 100


def test_a_huge_storage_is_not_read() -> None:
    billion = tk.zeros(1).expand(1000, 1000, 1000)
    assert len(named(plot_storage(billion), "cell:")) == 2 * 6 * 12
    far = tk.zeros(3_000_000).as_strided((2, 2), (1_000_000, 1), 5)
    ax = plot_storage(far)
    assert [text for text in words(ax) if text.endswith(" M")]
    assert named(ax, "gap:")


def test_numpy_pytorch_and_odd_numbers() -> None:
    array = numpy.array([[numpy.nan, numpy.inf], [1.5, -0.0]])
    assert {"nan", "inf", "1.5", "-0."} <= set(words(plot_storage(array)))
    assert "True" in words(plot_storage(numpy.array([True, False])))
    assert "1.+2.j" in words(plot_storage(tk.tensor([1 + 2j])))
    assert "0.5" in words(plot_storage(tk.tensor([0.5], dtype=tk.bfloat16)))


@pytest.mark.parity
def test_pytorch_tensors() -> None:
    torch = require_torch()
    ax = plot_storage(torch.arange(6).view(2, 3), "[:, 1:]")
    assert {t: a.get_text() for t, a in named(ax, "found").items()} == {"": "storage[5] = 5"}
    assert named(plot_bits(torch.tensor([3], dtype=torch.int8), "int8"), "bit:")
    assert len(plot_images(torch.zeros(2, 3, 4, 4)).images) == 2


def test_storage_refuses_with_a_sentence() -> None:
    with pytest.raises(TypeError, match="cannot draw list"):
        plot_storage([1, 2])
    with pytest.raises(IndexError, match=r"focus \[3, 0\] is no element of a tensor of size \[3, 4\]"):
        plot_storage(X, focus=(3, 0))
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        plot_storage(X, ".t().view(-1)")
    with pytest.raises(Exception, match="not allowed"):
        plot_storage(X, ".__class__")
    with pytest.raises(TypeError, match="name must be a text"):
        plot_storage(X, name="")
    with pytest.raises(ValueError, match="theme must be"):
        plot_storage(X, theme="blue")
    with pytest.raises(TypeError, match="ax must be the Axes"):
        plot_storage(X, ax=3)
    with pytest.raises(TypeError, match="figsize must be"):
        plot_storage(X, figsize=3)
    with pytest.raises(ValueError, match="between 0 and 200"):
        plot_storage(X, figsize=(-1, 3))


def test_hostile_names_are_only_words(tmp_path: Path) -> None:
    ax = plot_storage(X, "[1:]", name="<img src=x onerror=1>$\\frac{1}{2$")
    assert b"<img" not in saved(ax, "svg")


def test_meta_tensors_have_a_size_and_no_numbers() -> None:
    assert any("meta" in text for text in words(plot_storage(tk.empty(2, 2, device="meta"))))


# ---- plot_bits


def test_the_bits_are_those_of_the_number() -> None:
    ax = plot_bits(-2, ("int8", "float16"))
    where = {k: box.get_x() + box.get_width() / 2 for k, box in named(ax, "bit:int8:").items()}
    y = named(ax, "bit:int8:")["0"].get_y()
    near = {round(t.get_position()[0], 2): t.get_text() for t in ax.texts if 0 < t.get_position()[1] - y < 30}
    assert "".join(near[round(where[str(k)], 2)] for k in range(7, -1, -1)) == "11111110"
    on = {
        k
        for k, box in named(ax, "bit:float16:").items()
        if box.get_facecolor() in (rgb("dim5"), rgb("dim2"), rgb("dim6"))
    }
    assert on == {str(k) for k, bit in enumerate(reversed(f"{0xC000:016b}")) if bit == "1"}


def test_rows_and_dtypes() -> None:
    assert {k.split(":")[0] for k in named(plot_bits(0.1), "bit:")} == {
        "float64",
        "float32",
        "float16",
        "bfloat16",
    }
    ax = plot_bits(tk.tensor([[1, 300]]), (tk.uint8,), index=(0, 1))
    assert any("300 - 256 = 44" in text for text in words(ax))
    assert len(named(plot_bits(numpy.float32(3), "float32"), "bit:")) == 32
    for odd in (True, float("nan"), float("-inf"), -0.0, 2**63 - 1):
        plot_bits(odd).figure.canvas.draw()


def test_bits_refuse_with_a_sentence() -> None:
    with pytest.raises(ValueError):
        plot_bits(1.0, "float31")
    with pytest.raises(IndexError):
        plot_bits(tk.zeros(2), index=5)
    with pytest.raises(ValueError):
        plot_bits(tk.zeros(0))
    with pytest.raises(TypeError):
        plot_bits("one")
    with pytest.raises(ValueError, match="meta"):
        plot_bits(tk.empty(2, device="meta"))


# ---- plot_timing


def measured(row: str | None, name: str | None, *times: float, threads: int = 1) -> Measurement:
    task = TaskSpec("x + y", "pass", label="adding", sub_label=row, description=name, num_threads=threads)
    return Measurement(10, [10 * time for time in times], task)


SIX = [
    measured(row, name, *(t * scale for t in (0.8, 0.9, 1.0, 1.3, 1.4)))
    for row, name, scale in [
        ("1000", "loop", 2e-4), ("1000", "vectorised", 2e-6), ("10000", "loop", 2e-3), ("10000", "vectorised", 5e-6),
    ]
]  # fmt: skip


def test_bars_show_the_median_and_the_middle_half() -> None:
    ax = plot_timing(SIX)
    loop, vectorised = ax.containers[1], ax.containers[3]
    assert [bar.get_width() for bar in loop] == pytest.approx([2e-4, 2e-3])
    assert [bar.get_width() for bar in vectorised] == pytest.approx([2e-6, 5e-6])
    ends = loop.errorbar.lines[2][0].get_segments()[0][:, 0]
    assert list(ends) == pytest.approx([0.9 * 2e-4, 1.3 * 2e-4])
    assert words(ax) == ["200 µs", "2 ms", "2 µs", "5 µs"]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["1000", "10000"]
    assert ax.get_xscale() == "log"
    assert "logarithmic" in ax.get_xlabel()
    assert ax.get_title(loc="left") == "adding"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["loop", "vectorised"]
    assert len({bar.get_hatch() for bar in (loop[0], vectorised[0])}) == 2, "colour is never alone"


def test_an_axis_can_be_chosen_and_near_times_have_a_plain_one() -> None:
    assert plot_timing(SIX, log=False).get_xscale() == "linear"
    near = [measured("a", "one", 1e-3), measured("a", "two", 2e-3)]
    assert plot_timing(near).get_xscale() == "linear"
    assert plot_timing(near).get_xlim()[0] == 0


def test_ratios_divide_by_the_median_of_the_same_row() -> None:
    ax = plot_timing(SIX, relative_to="vectorised")
    assert [bar.get_width() for bar in ax.containers[1]] == pytest.approx([100, 400])
    assert words(ax) == ["100×", "400×", "1×", "1×"]
    assert "in multiples of vectorised" in ax.get_xlabel()


def test_lines_over_numbers_with_a_band() -> None:
    ax = plot_timing(SIX, kind="lines", xlabel="elements")
    loop, vectorised = ax.get_lines()
    assert list(loop.get_xdata()) == [1000, 10000]
    assert list(loop.get_ydata()) == pytest.approx([2e-4, 2e-3])
    assert loop.get_linestyle() != vectorised.get_linestyle()
    assert loop.get_marker() != vectorised.get_marker()
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].min() == pytest.approx(0.9 * 2e-4)
    assert ax.get_xlabel() == "elements"


def test_threads_tell_series_apart_and_measurements_of_one_task_are_taken_together() -> None:
    ax = plot_timing([measured("a", "x", 1.0), measured("a", "x", 2.0, threads=2)])
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["x, 1 thread", "x, 2 threads"]
    both = plot_timing([measured("a", "x", 1.0), measured("a", "x", 3.0)])
    assert words(both) == ["2 s"]


def test_a_real_measurement() -> None:
    assert len(plot_timing(Timer("x + x", "x = torch.ones(3)").timeit(20)).texts) == 1


def test_timing_refuses_with_a_sentence() -> None:
    with pytest.raises(TypeError, match="draws Measurements"):
        plot_timing([1.5])
    with pytest.raises(TypeError, match="draws Measurements"):
        plot_timing(1.5)
    with pytest.raises(ValueError, match="nothing to draw"):
        plot_timing([])
    with pytest.raises(ValueError, match="kind must be"):
        plot_timing(SIX, kind="pie")
    with pytest.raises(ValueError, match="relative_to must be one of the series"):
        plot_timing(SIX, relative_to="nobody")
    with pytest.raises(ValueError, match="was not measured for"):
        plot_timing([*SIX, measured("5", "loop", 1.0)], relative_to="vectorised")
    with pytest.raises(ValueError, match="lines need a number"):
        plot_timing([measured("small", "x", 1.0)], kind="lines")


# ---- plot_images


def test_a_batch_channels_first_or_last() -> None:
    first = tk.rand(5, 3, 6, 8)
    ax = plot_images(first)
    assert [image.get_array().shape for image in ax.images] == [(6, 8, 3)] * 5
    wanted = (first[2].permute(1, 2, 0).numpy() * 255).round()
    assert (ax.images[2].get_array() == wanted).all()
    last = plot_images(first.permute(0, 2, 3, 1))
    assert (last.images[2].get_array() == wanted).all()
    left, right, bottom, top = ax.images[0].get_extent()
    assert (right - left) / (bottom - top) == pytest.approx(8 / 6), "pixels are square"


def test_one_image_a_list_of_several_sizes_and_titles() -> None:
    assert len(plot_images(tk.zeros(4, 6)).images) == 1
    assert len(plot_images(numpy.zeros((3, 4, 6), numpy.uint8)).images) == 1
    assert len(plot_images(numpy.zeros((5, 4, 6), bool)).images) == 5, "a batch of grey ones"
    ax = plot_images([tk.zeros(3, 4, 6), tk.ones(8, 8)], titles=["black", "white"])
    assert words(ax) == ["black", "white"]
    assert ax.images[1].get_array().min() == 255
    assert len({image.get_extent()[3] for image in plot_images(tk.zeros(4, 1, 2, 2), columns=1).images}) == 4


def test_bytes_stay_bytes_and_floats_are_stretched_only_when_asked() -> None:
    some = numpy.arange(12, dtype=numpy.uint8).reshape(2, 2, 3)
    assert (plot_images(some).images[0].get_array() == some).all()
    with pytest.raises(ValueError, match=r"run from 0 to 5, .* from 0 to 1: give limits=\(0, 5\)"):
        plot_images(tk.arange(6.0).view(2, 3))
    stretched = plot_images(tk.arange(6.0).view(2, 3), limits=(0, 5)).images[0].get_array()
    assert stretched[:, :, 0].ravel().tolist() == [0, 51, 102, 153, 204, 255]
    assert plot_images(tk.full((2, 2), float("nan"))).images[0].get_array().max() == 0
    assert plot_images(tk.ones(2, 2, dtype=tk.bfloat16)).images[0].get_array().min() == 255


def test_a_huge_image_is_thinned_out() -> None:
    rows, columns, _ = (
        plot_images(tk.zeros(1, dtype=tk.uint8).expand(30_000, 20_000)).images[0].get_array().shape
    )
    assert max(rows, columns) <= 1024


def test_images_refuse_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="a height and a width"):
        plot_images(tk.zeros(3))
    with pytest.raises(ValueError, match="the batch is empty"):
        plot_images(tk.zeros(0, 3, 4, 4))
    with pytest.raises(ValueError, match="has no pixels"):
        plot_images(tk.zeros(3, 0, 4))
    with pytest.raises(ValueError, match="more than one grid shows"):
        plot_images(tk.zeros(1).expand(10**9, 3, 8, 8))
    with pytest.raises(TypeError, match="complex"):
        plot_images(tk.zeros(2, 2, dtype=tk.complex64))
    with pytest.raises(ValueError, match="1 titles for 2 images"):
        plot_images(tk.zeros(2, 3, 4, 4), titles=["a"])
    with pytest.raises(ValueError, match="order must be"):
        plot_images(tk.zeros(2, 2), order="WH")
    with pytest.raises(ValueError, match="is no batch of images"):
        plot_images(tk.zeros(2, 2, 3, 4, 4), order="CHW")
    with pytest.raises(ValueError, match="has 5"):
        plot_images(tk.zeros(5, 4, 4), order="CHW")
    with pytest.raises(ValueError, match="columns must be"):
        plot_images(tk.zeros(2, 2), columns=0)
    with pytest.raises(ValueError, match="limits must be"):
        plot_images(tk.zeros(2, 2), limits=(1, 1))
    with pytest.raises(TypeError, match="cannot draw"):
        plot_images("cat.png")


# ---- all


PLOTS = {
    "storage": lambda **how: plot_storage(X, "[1:, ::2].t()", **how),
    "bits": lambda **how: plot_bits(0.1, **how),
    "timing": lambda **how: plot_timing(SIX, **how),
    "images": lambda **how: plot_images(tk.zeros(2, 3, 4, 4), titles=["one", "two"], **how),
}
A_WORD = {"storage": "offset", "bits": "float16", "timing": "vectorised", "images": "two"}


@pytest.mark.parametrize("name", PLOTS)
def test_vector_output_is_deterministic_and_text_stays_text(name: str, tmp_path: Path) -> None:
    svg = saved(PLOTS[name](), "svg")
    assert svg == saved(PLOTS[name](), "svg")
    assert re.search(rf"<text[^>]*>[^<]*{A_WORD[name]}", svg.decode()), "a word that can be searched"
    pdf = saved(PLOTS[name](), "pdf")
    assert pdf == saved(PLOTS[name](), "pdf")
    assert b"/TrueType" in pdf or b"/Type0" in pdf, "letters are letters"
    assert b"/Type3" not in pdf
    PLOTS[name]().figure.savefig(tmp_path / "x.svg")
    assert (tmp_path / "x.svg").read_bytes() == svg


@pytest.mark.parametrize("name", PLOTS)
def test_light_dark_and_the_axes_that_are_given(name: str) -> None:
    assert PLOTS[name](theme="dark").figure.get_facecolor() == rgb("paper", DARK)
    assert PLOTS[name]().figure.get_facecolor() == rgb("paper")
    figure, (left, right) = mpl.pyplot.subplots(1, 2, figsize=(12, 4))
    assert PLOTS[name](ax=left) is left
    assert not right.texts
    figure.set_facecolor("black")
    dark = PLOTS[name](ax=right)
    inks = {
        text.get_color() for text in (*dark.texts, dark.title, *dark.get_xticklabels()) if text.get_text()
    }
    assert DARK["ink"] in inks
    assert LIGHT["ink"] not in inks
    assert tuple(PLOTS[name](figsize=(5, 3)).figure.get_size_inches()) == (5, 3)


@pytest.mark.parametrize("name", PLOTS)
def test_nothing_runs_off_the_figure(name: str) -> None:
    ax = PLOTS[name]()
    ax.figure.canvas.draw()
    whole = ax.figure.bbox
    legend = ax.get_legend().get_texts() if ax.get_legend() else []
    for text in (*ax.texts, *legend, ax.xaxis.label, *ax.get_yticklabels()):
        if text.get_visible() and text.get_text() and (name == "timing" or text in ax.texts):
            box = text.get_window_extent()
            assert box.x0 >= -1, text.get_text()
            assert box.y0 >= -1, text.get_text()
            assert box.x1 <= whole.x1 + 1, text.get_text()
            assert box.y1 <= whole.y1 + 1, text.get_text()


SAID = {
    "storage": (
        "the storage of t[1:, ::2].t()",
        "size (2, 2), stride (2, 4), offset 4, in a storage of 12 × int64",
    ),
    "bits": ("bits as float64, float32, float16, bfloat16", "float16"),
    "timing": ("", "median time: "),
    "images": ("2 images", "2 images of 4 × 4 pixels: one, two"),
}


@pytest.mark.parametrize("name", PLOTS)
def test_a_figure_says_what_it_shows_in_every_file(name: str) -> None:
    ax = PLOTS[name]()
    title, words = ax.figure.get_label(), ax.figure.alt
    assert title.startswith(SAID[name][0])
    assert title, "a figure without a name"
    assert SAID[name][1] in words
    svg = ElementTree.fromstring(saved(ax, "svg"))
    assert svg.findtext("{http://www.w3.org/2000/svg}title") == title
    dublin = "{http://purl.org/dc/elements/1.1/}"
    assert svg.findtext(f".//{dublin}description") == words
    assert svg.find(f".//{dublin}date") is None
    info = Image.open(BytesIO(saved(ax, "png"))).text
    assert (info["Title"], info["Description"]) == (title, words)
    assert b"/Title" in saved(ax, "pdf")
    assert b"/Subject" in saved(ax, "pdf")
    ax.figure.set_label("mine")
    out = BytesIO()
    ax.figure.savefig(out, format="svg", metadata={"Description": "my own words"})
    assert b"<title>mine</title>" in out.getvalue()
    assert b"my own words" in out.getvalue()


@pytest.mark.parametrize("name", PLOTS)
def test_axes_of_ones_own_figure_leave_its_words_alone(name: str) -> None:
    both = PLOTS[name]().figure
    title, words = both.get_label(), both.alt
    plot_bits(1, ax=both.add_subplot(2, 2, 4))
    assert (both.get_label(), both.alt) == (title, words), "what comes later does not speak for the whole"
    figure = mpl.pyplot.figure("mine")
    PLOTS[name](ax=figure.add_subplot(1, 2, 1))
    assert figure.get_label() == "mine"


@pytest.mark.parametrize("how", ["plain", "lines", "ratios"])
def test_charts_and_pictures_survive_pickling(how: str) -> None:
    charts = {"lines": {"kind": "lines"}, "ratios": {"relative_to": "loop"}}
    axes = [plot_timing(SIX, **charts[how])] if how in charts else [draw() for draw in PLOTS.values()]
    for ax in axes:
        again = pickle.loads(pickle.dumps(ax.figure))
        assert (again.get_label(), again.alt) == (ax.figure.get_label(), ax.figure.alt)
        assert saved(again.axes[0], "svg") == saved(ax, "svg")


def test_a_figure_in_another_format_or_without_an_ending(tmp_path: Path) -> None:
    ax = plot_bits(1)
    ax.figure.savefig(tmp_path / "a.png")
    ax.figure.savefig(tmp_path / "b")
    ax.figure.savefig(BytesIO())
    ax.figure.savefig(tmp_path / "c.svg", metadata={"Title": "bits"})
    assert "bits" in (tmp_path / "c.svg").read_text(encoding="utf-8")
    assert (tmp_path / "b.png").is_file()


@pytest.mark.parametrize("words", ["$$", "$x$", "\\href{a}{b}", r"$\frac{$", "\ud800", "a\x00b", "_^%s"])
def test_words_of_any_kind_are_words_on_a_plot(words: str) -> None:
    """No formula, no link, no half of a character: a title that Matplotlib reads as more would end in an error."""
    tasks = [TaskSpec("x", "pass", label=words, sub_label=n, description=words + n, env=words) for n in "48"]
    times = [Measurement(10, [4e-5, 5e-5, 6e-5], task) for task in tasks]
    titled = TaskSpec("x", "pass", label=words, sub_label=words)
    made = [
        plot_timing(times, kind="lines", xlabel=words),
        plot_timing([Measurement(10, [4e-5], titled)]),
        plot_timing(times[0], relative_to=f"{words}4, {words}"),
        plot_images(tk.rand(2, 1, 2, 2), titles=[words, words]),
        plot_storage(tk.arange(3), name=words),
    ]
    for ax in made:
        ax.figure.savefig(BytesIO(), format="svg")
