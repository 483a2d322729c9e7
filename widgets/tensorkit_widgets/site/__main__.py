"""Build the static site: `python -m tensorkit_widgets.site [DIR]` writes it into DIR (by default ``site``)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tensorkit.lab.ending import command
from tensorkit_widgets.site.build import build


@command
def main(argv: Sequence[str] | None = None) -> int:
    """The command of this module; returns its exit code."""
    about = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m tensorkit_widgets.site", description=about)
    parser.add_argument("folder", metavar="DIR", nargs="?", type=Path, default=Path("site"))
    parser.add_argument(
        "--runtime", metavar="PATH", type=Path, help="a folder with Pyodide, by default a cache"
    )
    parser.add_argument(
        "--no-runtime", action="store_true", help="write lessons that are read, and do not play"
    )
    asked = parser.parse_args(argv)
    build(asked.folder, runtime=asked.runtime, plays=not asked.no_runtime)
    print(f"Written to {asked.folder.resolve()}. To see it: python -m http.server --directory {asked.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
