"""Writes the sources of the site into a folder of their own, and lets Sphinx make the site of them."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from sphinx.application import Sphinx

import tensorkit
from tensorkit.lab.errors import LabError
from tensorkit_widgets.site import reference
from tensorkit_widgets.site.lessons import FOLDER as LESSONS
from tensorkit_widgets.site.lessons import write_lessons
from tensorkit_widgets.site.notebook_pages import course, gallery
from tensorkit_widgets.site.pictures import FOLDER, write
from tensorkit_widgets.stride_explorer.widget import StrideExplorer

_STATIC = Path(__file__).with_name("static")

SETTINGS = {
    "project": "tensorkit",
    "author": "The tensorkit authors",
    "copyright": "the tensorkit authors",
    "version": str(tensorkit.__version__),
    "extensions": [
        "sphinx.ext.autodoc",
        "sphinx.ext.napoleon",
        "myst_parser",
        "tensorkit_widgets.site.docstrings",
    ],
    "napoleon_use_ivar": True,
    "napoleon_use_rtype": False,
    "html_theme": "furo",
    "html_title": "tensorkit",
    "html_static_path": [str(_STATIC)],
    "html_css_files": ["site.css"],
    "html_use_index": False,  # the search finds a name, and the page of the reference has them all
    "html_copy_source": False,
    "html_show_sourcelink": False,
    "html_show_sphinx": False,
    "add_module_names": False,
    "autodoc_typehints": "none",
    "autodoc_use_type_comments": False,  # there are none, and looking for them takes an eighth of the time
    "toc_object_entries": False,  # a page lists its names at its top, where a phone shows them too
    "myst_enable_extensions": ["colon_fence"],
    "smartquotes": False,  # the sentences are the docstrings', to the letter
}

_FOR_KEYS_AND_EARS = {
    "<pre><span></span>": '<pre tabindex="0"><span></span>',
    '<div class="tk-wide docutils container">': '<div class="tk-wide docutils container" tabindex="0" role="group"'
    ' aria-label="the picture">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="the pages">',
    '<aside class="toc-drawer': '<aside aria-label="on this page" class="toc-drawer',
}
"""What Sphinx and furo leave out: what scrolls can be reached by keys, and each part beside the text has a name."""


def open_to_all(page: str) -> str:
    """A page that is worked by keys and heard.

    >>> open_to_all("<pre><span></span>1</pre>")
    '<pre tabindex="0"><span></span>1</pre>'
    """
    for found, meant in _FOR_KEYS_AND_EARS.items():
        page = page.replace(found, meant)
    return page


def build(folder: Path, *, runtime: Path | None = None, plays: bool = True) -> None:
    """Write the site into `folder`, in one step: what was there stays until all of the new one is written.

    Args:
        folder: a new folder, or one with a site in it.
        runtime: a folder with Pyodide's files, for the lessons; by default the user's cache, or a download.
        plays: whether the lessons play; else they are read.

    Raises:
        LabError: for a folder that has something else in it, for a page that Sphinx finds fault with, without Pyodide.
    """
    folder = folder.resolve()
    if folder.exists() and not (folder / "objects.inv").is_file() and any(folder.iterdir()):
        raise LabError(f"{folder} has something else than a site in it; name a new folder.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".site-") as work:
        sources, made = Path(work, "sources"), Path(work, "made")
        write_sources(sources)
        read = Path(work, "read")
        app = Sphinx(
            sources, None, made, read, "html", confoverrides=SETTINGS, warningiserror=True, status=None
        )
        app.build()
        if app.statuscode:
            raise LabError("Sphinx finds fault with the pages that it names above; nothing was written.")
        for page in made.rglob("*.html"):
            page.write_text(open_to_all(page.read_text(encoding="utf-8")), encoding="utf-8")
        write_lessons(made / LESSONS, runtime=runtime, plays=plays)
        if folder.exists():
            shutil.rmtree(folder)
        made.rename(folder)


def write_sources(folder: Path) -> None:
    """Write the pages as Sphinx reads them."""
    folder.mkdir()
    turned = tensorkit.arange(12).view(3, 4)[1:, ::2].t()
    alt, _ = write(StrideExplorer(turned, name="y"), folder / FOLDER / "front.svg")
    texts = {f"{name}.rst": text for name, text in reference.pages().items()}
    texts |= {
        "index.md": (_STATIC.parent / "front.md").read_text(encoding="utf-8").replace("ALT", alt),
        "course.md": course(),
        "gallery.md": gallery(folder),
    }
    for name, text in texts.items():
        place = folder / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")
