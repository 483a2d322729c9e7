"""`python -m tensorkit_widgets FOLDER [--forget | --csv FILE]`: what was answered in a folder of lessons."""

from __future__ import annotations

from tensorkit_widgets.practice.progress_report import main

__all__ = ["main"]

if __name__ == "__main__":
    raise SystemExit(main())
