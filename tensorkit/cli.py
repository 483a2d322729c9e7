"""The command line: `tensorkit lab | present | handout | export | check | progress | bench | run`."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from typer.core import TyperGroup

from .lab import present as presenting
from .lab import server
from .lab.audience import relay
from .lab.cues import cues, paces
from .lab.ending import command
from .lab.errors import LabError
from .lab.export.write import export_lesson
from .lab.files import read_notebook
from .lab.handout import write_pages
from .lab.lessons import deliver, reset
from .lab.notes import PAGE
from .lab.rehearsal import Performance, rehearse
from .lab.report import Row, report
from .lab.scripts.run import run as run_script


class _Carried(Exception):
    """Takes what Typer would end in its own way to where all commands end in ours."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


@contextlib.contextmanager
def _carrying() -> Iterator[None]:
    try:
        yield
    except (KeyboardInterrupt, OSError) as error:
        raise _Carried(error) from error


class _Commands(TyperGroup):
    def make_context(self, *given: Any, **named: Any) -> Any:
        with _carrying():
            return super().make_context(*given, **named)

    def invoke(self, ctx: Any) -> Any:
        with _carrying():
            return super().invoke(ctx)


app = typer.Typer(
    cls=_Commands,
    help="A strided tensor engine you can read, and lessons that draw its live tensors.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

_INDEX = "index.ipynb"
"""The page that says where to start, how far you are, and what to review today."""

_PATIENCE = 5
"""Seconds that another program has to end by itself after Ctrl-C."""

_MARKS = {"ok": "[green]✓[/]", "missing": "[red]✗[/]", "optional": "[dim]–[/]"}


@app.command()
def lab(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Your folder for the lessons; made if there is none.")
    ] = Path("tensorkit-lessons"),
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Serve on this port (by default the first free one).")
    ] = None,
    reset_lesson: Annotated[
        list[str] | None,
        typer.Option(
            "--reset", metavar="NAME", help="Restore one lesson, keep your file beside it, and stop."
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="CLASS.NAME=VALUE", help="A further setting for Jupyter, for experts."),
    ] = None,
) -> None:
    """Copy the lessons into DIR (never over your work) and open them in JupyterLab."""
    if reset_lesson:
        for name in reset_lesson:
            _say_reset(*reset(name, folder))
        return
    server.require_lab()
    server.require_settings(setting or [])
    chosen = server.free_port() if port is None else server.require_port(port)
    done = deliver(folder)
    line = server.arguments(
        folder, port=chosen, browser=browser, first=_first_page(folder), settings=setting or []
    )
    _say(done.summary())
    _say(f"Serving {folder.resolve()} on http://{server.HOST}:{chosen}/lab (stop with Ctrl-C)")
    server.serve(line)


@app.command()
def present(
    lesson: Annotated[
        str,
        typer.Argument(
            metavar="LESSON", help="A lesson by its name or number, or a notebook of yours in DIR."
        ),
    ],
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Your folder for the lessons; made if there is none.")
    ] = Path("tensorkit-lessons"),
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the lesson in a browser.")
    ] = True,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Serve on this port (by default the first free one).")
    ] = None,
    rehearsal: Annotated[
        bool, typer.Option("--rehearsal/--no-rehearsal", help="Run the whole lesson first, in a copy.")
    ] = True,
    rehearse_only: Annotated[
        bool, typer.Option("--rehearse-only", help="Rehearse and stop; exit code 1 when something failed.")
    ] = False,
    audience: Annotated[
        bool,
        typer.Option(
            "--audience", help="Let phones in this network follow the pictures and answer the questions."
        ),
    ] = False,
    audience_address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS[:PORT]",
            help="This computer's address in the room's network; implies --audience.",
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="CLASS.NAME=VALUE", help="A further setting for Jupyter, for experts."),
    ] = None,
) -> None:
    """Show LESSON to a room: rehearse it, open it large in JupyterLab, and print where the speaker's notes are."""
    audience = audience or audience_address is not None
    server.require_lab()
    if audience:
        server.require_lab(["segno"])
        relay.place(audience_address)  # before the rehearsal
    server.require_settings(setting or [])
    chosen = server.free_port() if port is None else server.require_port(port)
    notebook = presenting.find_talk(lesson, folder)  # before anything is copied
    _say(deliver(folder).summary())
    talk = presenting.stage(notebook, folder, port=chosen, browser=browser, settings=setting or [])
    if rehearsal or rehearse_only:
        good = _rehearsed(notebook)
        if rehearse_only:
            raise typer.Exit(0 if good else 1)
    _say(f"For the room:    {talk.lesson}")
    _say(f"Speaker's notes: {talk.notes}")
    _say("Open both in one browser, and the notes follow the lesson. Stop with Ctrl-C.")
    # Each time the talk is given its polls are open, and what the room says is not the presenter's own progress.
    os.environ.setdefault("TENSORKIT_PROGRESS", "0")
    with _audience(notebook, audience_address) if audience else contextlib.nullcontext():
        server.serve(talk.line, PAGE)


@contextlib.contextmanager
def _audience(notebook: Path, address: str | None) -> Iterator[None]:
    """The audience's own server while the talk is served, and how the room finds it."""
    headings = (cue.heading for cue in cues(read_notebook(notebook)))
    title = next(filter(None, headings), notebook.stem)
    css = _of_widgets("render.frame").every_rule()
    exported = presenting.exported(notebook)
    with relay.audience(title, address=address, css=css, exported=exported) as room:
        _say(f"For phones:      {room.address}")
        if relay.is_public(room.address):
            _say("That is a public address: without a firewall, more than this room can open it.")
        _say(room.qr())
        _say("In the talk Q shows this address to the room, and V what the room has answered.")
        yield


@app.command()
def handout(
    lesson: Annotated[
        str,
        typer.Argument(
            metavar="LESSON", help="A lesson by its name or number, or a notebook of yours in DIR."
        ),
    ] = "webinar",
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Your folder for the lessons; the page is written there.")
    ] = Path("tensorkit-lessons"),
    audience: Annotated[
        bool, typer.Option("--audience", help="Leave the answers out: lines to write on in their place.")
    ] = False,
) -> None:
    """Write LESSON as HTML and PDF to hand out; of the talk `webinar` one sheet of paper, with --audience all of it."""
    if lesson == "webinar" and not audience:
        _of_widgets("plots.handout").write_handout(folder)
        return
    for line in write_pages(lesson, folder, audience=audience):
        _say(line)


@app.command()
def export(
    lesson: Annotated[
        str,
        typer.Argument(
            metavar="LESSON", help="A lesson by its name or number, or a notebook of yours in DIR."
        ),
    ],
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Your folder for the lessons; the page is written there.")
    ] = Path("tensorkit-lessons"),
    one_file: Annotated[
        bool, typer.Option("--one-file", help="Write one file with everything in it, not a folder.")
    ] = False,
    runtime: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Take Python for the browser (Pyodide) from this folder."),
    ] = None,
    no_runtime: Annotated[
        bool, typer.Option("--no-runtime", help="Write a page that is only read: its pictures do not play.")
    ] = False,
) -> None:
    """Write LESSON as a page that plays in any browser, without a server and without Jupyter."""
    if no_runtime and runtime is not None:
        raise LabError(
            f"--no-runtime leaves Python out, and --runtime {runtime} takes it from there; give one of them."
        )
    _say(export_lesson(lesson, folder, _of_widgets, runtime=runtime, plays=not no_runtime, one_file=one_file))


def _rehearsed(notebook: Path) -> bool:
    """Rehearse aloud: one line for each cell, and a sentence at the end."""
    _say(f"Rehearsing {notebook.name} in a copy:")
    done = rehearse(notebook, _say_performance)
    _say(done.summary())
    _say(paces(notebook))
    _say(done.beforehand())
    return done.good


def _say_performance(cell: Performance) -> None:
    line = cell.line if len(cell.line) <= 60 else f"{cell.line[:59]}…"
    mark = "failed" if cell.problems else "ok"
    _say(
        "\n".join(
            [
                f"{cell.number:>4}  {cell.seconds:6.2f} s  {mark:<6}  {line}",
                *(f"{'':23}{p}" for p in cell.problems),
            ]
        )
    )


def _first_page(folder: Path) -> str | None:
    """Where a newcomer lands, however often the server was started; later, JupyterLab opens what was open before."""
    there = (folder / _INDEX).is_file() and not server.opened_before(folder)
    return _INDEX if there else None


def _say_reset(restored: Path, mine: Path | None) -> None:
    kept = f"; your version is now {mine.name}" if mine else ""
    _say(f"{restored} is restored{kept}. In JupyterLab: File → Reload Notebook from Disk.")


def _say(text: str) -> None:
    if text:
        print(text, flush=True)


@app.command()
def check() -> None:
    """Report Python, packages, devices and widgets; exit code 1 when something needed is missing."""
    rows = report()
    console = Console()
    console.print(_table(rows))
    missing = [row for row in rows if row.state == "missing"]
    for row in missing:
        console.print(f"{row.name}: {row.found}. {row.advice}", style="red", markup=False, soft_wrap=True)
    if missing:
        raise typer.Exit(1)
    console.print("This machine is ready.")


def _table(rows: list[Row]) -> Table:
    table = Table("", "", title="tensorkit check", title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("found", overflow="fold")  # a path that is cut is useless
    group = ""
    for row in rows:
        if row.group != group:
            table.add_row("", f"[bold]{row.group}[/]", "")
            group = row.group
        table.add_row(_MARKS[row.state], row.name, row.found.replace("[", r"\["))
    return table


@app.command()
def progress(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Your folder for the lessons.")] = Path(
        "tensorkit-lessons"
    ),
    forget: Annotated[bool, typer.Option("--forget", help="Delete the record of your answers.")] = False,
) -> None:
    """Say what you have answered in DIR, and which misconceptions you met; nothing of it leaves this machine."""
    raise typer.Exit(_of_widgets("practice.progress_report").tell(folder, forget=forget))


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def bench(context: typer.Context) -> None:
    """Measure this machine and compare with the committed tables (in a checkout of the repository)."""
    checkout = Path(__file__).resolve().parents[1]
    if not (checkout / "tests" / "benchmarks").is_dir():
        raise LabError(
            "The benchmarks are in the repository, not in the installed package; run `make bench` there."
        )
    with subprocess.Popen([sys.executable, "-m", "tests.benchmarks", *context.args], cwd=checkout) as program:
        raise typer.Exit(_waited(program))


@app.command(
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
    }
)
def run(
    context: typer.Context,
    script: Annotated[
        Path, typer.Argument(metavar="SCRIPT", help="A program for PyTorch; what follows is its own.")
    ],
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Run it although it needs names that tensorkit lacks.")
    ] = False,
) -> None:
    """Run a program that was written for PyTorch, with tensorkit in PyTorch's place."""
    raise typer.Exit(run_script(script, context.args, anyway=anyway))


def _waited(program: subprocess.Popen[bytes]) -> int:
    """The exit status of another program. Ctrl-C is its to answer: it prints its one line."""
    while True:
        try:
            status = program.wait()
            return status if status >= 0 else 128 - status  # a signal ended it: as a shell counts it
        except KeyboardInterrupt:
            with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
                program.wait(_PATIENCE)
            if program.poll() is None:  # the key was not pressed for both
                program.send_signal(signal.SIGINT)


def _of_widgets(module: str) -> ModuleType:
    """A module of the widgets. This package does not build on them: it asks for one when a command needs it."""
    server.require_lab(["tensorkit_widgets"])
    return importlib.import_module(f"tensorkit_widgets.{module}")


def main() -> None:
    """The entry point: an error is one sentence, without a traceback."""
    sys.exit(_main())


@command
def _main() -> int:
    try:
        app()
    except _Carried as past:
        raise past.error from None
    return 0


if __name__ == "__main__":
    main()
