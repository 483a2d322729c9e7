"""What a page's Python does, in a process of its own: a folder is all of its path, and it is asked line by line.

    python -I -S kit_program.py FOLDER < requests

Each request is JSON: ``{"call": [file, function, argument]}`` for what a function of a file gives, ``{"run": [cell,
source]}`` or ``{"receive": [model, content]}`` for what a session posts, and ``{"modules": null}`` for all that is
imported. So is each
answer, ``{"answer": …}`` or ``{"error": …}``.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import traceback
from typing import Any


def main(folder: str) -> None:
    """Answer what comes in."""
    os.environ["TENSORKIT_HOST"] = "page"
    sys.path.insert(0, folder)
    from tensorkit_widgets.page.session import Session

    posted: list[str] = []
    session = Session(posted.append)
    files: dict[str, dict[str, Any]] = {}

    def answer(request: dict[str, Any]) -> Any:
        if "call" in request:
            file, name, argument = request["call"]
            if file not in files:
                files[file] = runpy.run_path(file)
            return files[file][name](argument)
        if "modules" in request:
            return sorted(sys.modules)
        posted.clear()
        if "run" in request:
            session.run(*request["run"])
        else:
            session.receive(*request["receive"])
        return [json.loads(one) for one in posted]

    for line in sys.stdin:
        try:
            found = {"answer": answer(json.loads(line))}
        except Exception:
            found = {"error": traceback.format_exc()}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
