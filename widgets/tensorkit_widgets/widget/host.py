"""Where widgets are shown: in a notebook, by ipywidgets and IPython; or on a page whose own Python runs in the browser.

Chosen once: in the browser it is the page, and everywhere else the notebook, unless ``TENSORKIT_HOST=page`` says
otherwise. All other modules are the same for both.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

PAGE = sys.platform == "emscripten" or os.environ.get("TENSORKIT_HOST") == "page"

if TYPE_CHECKING or not PAGE:
    from tensorkit_widgets.widget.shared_script import SharedScript as Hosted
    from tensorkit_widgets.widget.shared_script import display, shell
else:
    from tensorkit_widgets.widget.page_host import PageWidget as Hosted
    from tensorkit_widgets.widget.page_host import display, shell

__all__ = ["PAGE", "Hosted", "display", "shell"]
