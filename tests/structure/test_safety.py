"""Nothing that comes from a browser is ever evaluated; no lock stays locked in the child of a fork."""

from __future__ import annotations

import ast
import re

import pytest

from tests.structure.source import PACKAGES, Module, modules, nodes, of

FORBIDDEN = {"eval", "exec", "compile", "__import__", "execfile"}
FORBIDDEN_IN_JAVASCRIPT = re.compile(
    r"\beval\s*\(|\bnew\s+Function\b|\bdocument\.write\b|\bsetTimeout\s*\(\s*[\"'`]"
)


def evaluations(tree: ast.AST) -> list[int]:
    """The lines that name a function which runs text as code."""
    named = [node.lineno for node in nodes(tree) if isinstance(node, ast.Name) and node.id in FORBIDDEN]
    builtin = [
        node.lineno
        for node in nodes(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in FORBIDDEN
        and isinstance(node.value, ast.Name)
        and node.value.id == "builtins"
    ]
    return named + builtin


PUZZLES = "tensorkit_widgets.practice.parsons.run"
"""Runs the lines that a puzzle's author wrote, in the order that a learner chose by their numbers."""

SESSION = "tensorkit_widgets.page.session"
"""Runs a lesson's cells in the reader's own browser, as a kernel would: no notebook imports it."""


def test_the_widgets_evaluate_nothing() -> None:
    found = {module.name for module in of("tensorkit_widgets") if evaluations(module.tree)}
    assert found == {PUZZLES, SESSION}
    importing = {
        module.name for module in of("tensorkit_widgets") for one in module.imports() if one.module == SESSION
    }
    assert importing == set()


def test_the_lines_of_a_puzzle_are_run_by_puzzles_alone() -> None:
    users = {
        module.name
        for module in of("tensorkit_widgets")
        for found in module.imports()
        if found.module == PUZZLES
    }
    assert users == {"tensorkit_widgets.practice.parsons.widget"}


STORIES = "tensorkit_widgets.tracing.explain_model"
"""Runs a learner's own cell, as Python's interpreter does."""


def test_a_learners_cell_is_run_by_what_the_learner_calls_alone() -> None:
    """`explain` and ``%%explain`` run it; the pictures know what came of it and nothing that runs it again."""
    runners = {
        module.name
        for module in of("tensorkit_widgets")
        for node in nodes(module.tree)
        if isinstance(node, ast.Name)
        and node.id in ("explain_run", "explain_line")
        and module.name != STORIES
    }
    assert runners == {"tensorkit_widgets.tracing.explain", "tensorkit_widgets.tracing.magic"}
    interpreters = {
        module.name
        for module in of("tensorkit_widgets")
        for found in module.imports()
        if found.module in ("code", "codeop")
    }
    assert interpreters == {STORIES}


def test_the_engine_evaluates_nothing_that_is_given_to_it() -> None:
    """`exec` may compile a kernel's own source for a device, in its folder alone; samples are the engine's own text."""
    found = {module.name for module in of("tensorkit") if evaluations(module.tree)}
    assert {name for name in found if not name.startswith("tensorkit.kernels.")} == {"tensorkit.lab.cubins"}


def test_the_browser_code_evaluates_nothing() -> None:
    scripts = sorted((PACKAGES["tensorkit_widgets"] / "static").rglob("*.js"))
    assert scripts
    found = [
        path.name for path in scripts if FORBIDDEN_IN_JAVASCRIPT.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize("text", ["eval(x)", "f = exec", "builtins.eval(x)", "__import__('os')"])
def test_an_evaluation_would_be_seen(text: str) -> None:
    assert evaluations(ast.parse(text)) == [1]


@pytest.mark.parametrize("text", ["eval (x)", "new Function(x)", "setTimeout('x')"])
def test_an_evaluation_in_the_browser_would_be_seen(text: str) -> None:
    assert FORBIDDEN_IN_JAVASCRIPT.search(text)


# Locks are made by `tensorkit.process.forks`, which unlocks all of them in the child of a fork, and nowhere else.
LOCKS = re.compile(
    r"(threading\.|^)(Lock|RLock|Condition|Semaphore|BoundedSemaphore|Barrier)$|allocate_lock$|register_at_fork$"
)
# What is gone when the call returns that made it, or is made again as a whole in the child.
OF_ONE_CALL = {
    "tensorkit.kernels.cuda.host_cuda": {"threading.Barrier"},  # of a block's threads
    "tensorkit.kernels.cuda.traced.threads": {"threading.Semaphore"},  # of a traced launch
    "tensorkit.kernels.jit.threads": {
        "_thread.allocate_lock"
    },  # of a job, and of the pool: see `_begin_anew`
}


def locks_made(module: Module) -> set[str]:
    """The locks that a module makes, and what it registers for forks, as it writes them."""
    calls = [ast.unparse(node.func) for node in nodes(module.tree) if isinstance(node, ast.Call)]
    wanted = [
        ast.unparse(word.value)
        for node in nodes(module.tree)
        if isinstance(node, ast.Call)
        for word in node.keywords
    ]
    return {name for name in (*calls, *wanted) if LOCKS.search(name)}


def test_no_lock_is_made_that_stays_locked_in_the_child_of_a_fork() -> None:
    others = {
        name: locks_made(module) for name, module in modules().items() if name != "tensorkit.process.forks"
    }
    assert {name: made for name, made in others.items() if made - OF_ONE_CALL.get(name, set())} == {}


def test_the_exceptions_are_there() -> None:
    assert {name: locks_made(modules()[name]) for name in OF_ONE_CALL} == OF_ONE_CALL


@pytest.mark.parametrize(
    "line", ["l = threading.Lock()", "l = RLock()", "l: Any = field(default_factory=threading.Lock)"]
)
def test_a_lock_is_seen(line: str) -> None:
    module = modules()["tensorkit.process.forks"]
    assert locks_made(Module("a", module.path, line))
    assert not locks_made(
        Module("a", module.path, "l = forks.lock(); e = threading.Event(); forks.condition()")
    )
