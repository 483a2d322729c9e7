"""Figures of matplotlib for papers and slides: the widgets' pictures of storage and bits, timings, grids of images.

Each function draws into ``ax`` (or makes a figure) and returns the `Axes`, as matplotlib's users expect. The places
come from the very scenes that the widgets draw, the colours and dashes from their palette. A figure made here can be
pickled, and saves SVG and PDF with text as text, the same bytes every time. (For axes of your own figure:
``svg.fonttype`` is ``"none"`` in `matplotlib.rcParams`.) It says what it shows: ``figure.get_label()`` is a title and
``figure.alt`` a sentence for those who do not see it; its SVG, PDF and PNG files carry both, and both can be set.

>>> import matplotlib
>>> matplotlib.use("agg")
>>> x = tk.arange(12).view(3, 4)
>>> ax = plot_storage(x, "[1:, ::2].t()")
>>> sorted(a.get_gid() for a in ax.patches if a.get_gid() and a.get_gid().startswith("cell"))
['cell:0,0', 'cell:0,1', 'cell:1,0', 'cell:1,1']
>>> import matplotlib.pyplot as plt
>>> plt.close(ax.figure)
"""

from tensorkit_widgets.plots.bits import plot_bits
from tensorkit_widgets.plots.images import plot_images
from tensorkit_widgets.plots.storage import plot_storage
from tensorkit_widgets.plots.timing import plot_timing

__all__ = ["plot_bits", "plot_images", "plot_storage", "plot_timing"]
