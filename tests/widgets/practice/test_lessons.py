"""The questions and exercises of every lesson prove themselves: under tensorkit, and under PyTorch."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy
import pytest

import tensorkit
from tensorkit_widgets import lessons
from tensorkit_widgets.practice.answers import judge, kind_of, understood
from tensorkit_widgets.practice.catalogue import Puzzle, Question, QuizSheet, Task
from tensorkit_widgets.practice.checking.on_devices import cuda_devices
from tensorkit_widgets.practice.exercise import Exercise
from tensorkit_widgets.practice.facts import MISCONCEPTIONS, Answer, Slip, same
from tensorkit_widgets.practice.parsons.program import Lines
from tensorkit_widgets.practice.parsons.widget import Parsons, judge_program
from tensorkit_widgets.practice.predict import Predict
from tensorkit_widgets.practice.quiz import Quiz
from tests.torch_oracle import require_torch


def _modules() -> Iterator[tuple[str, ModuleType]]:
    for found in pkgutil.iter_modules(lessons.__path__):
        if number := re.fullmatch(r"lesson(\d\d)", found.name):
            yield number[1], importlib.import_module(f"tensorkit_widgets.lessons.{found.name}")


QUESTIONS = {f"{number}.{q.name}": q for number, module in _modules() for q in module.QUESTIONS}
TASKS = {f"{number}.{t.name}": t for number, module in _modules() for t in module.TASKS}
QUIZZES = {f"{number}.{q.name}": q for number, module in _modules() for q in getattr(module, "QUIZZES", ())}
PUZZLES = {f"{number}.{p.name}": p for number, module in _modules() for p in getattr(module, "PUZZLES", ())}
ASKED = {f"{name}.{q.name}": q for name, sheet in QUIZZES.items() for q in sheet.questions}

HELD = re.compile(r"-22\.(?!retrieval)")
"""The names of tests about questions and exercises that only the kit's own devices can answer."""

each_quiz = pytest.mark.parametrize("sheet", QUIZZES.values(), ids=QUIZZES)
each_asked = pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
each_puzzle = pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES)
each_question = pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
each_task = pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)


@pytest.fixture(params=["tensorkit", pytest.param("torch", marks=pytest.mark.parity)])
def tk(request: pytest.FixtureRequest) -> Any:
    if request.param == "torch" and HELD.search(request.node.name):
        pytest.skip("its streams are held, and PyTorch's cannot be: it is proved on the kit's devices")
    return tensorkit if request.param == "tensorkit" else require_torch()


def _proved(asked: Question, tk: Any) -> object:
    """What the proof of a question gives; where it needs CUDA devices, tensorkit plays them."""
    assert asked.proof is not None
    if tk is not tensorkit and tk.cuda.device_count() < asked.devices:
        pytest.skip(f"PyTorch has not {asked.devices} CUDA devices here")
    with cuda_devices(asked.devices):
        return asked.proof(tk)


def _start(task: Task, tk: Any) -> Any:
    return task.base(tk) if task.base else None


def test_lessons_00_and_02_have_their_share() -> None:
    assert len([name for name in TASKS if name.startswith("00.")]) >= 4
    assert len([name for name in TASKS if name.startswith("02.")]) >= 6
    stages = [task.stage for name, task in TASKS.items() if name.startswith("02.")]
    assert stages[0] == "worked"
    assert stages[-1] == "free"
    assert {"faded", "reverse"} <= set(stages)


@pytest.mark.parametrize(("number", "module"), list(_modules()))
def test_a_lesson_is_called_as_its_notebook_is(number: str, module: ModuleType, root: Path) -> None:
    [found] = (root / "notebooks").glob(f"{number}_*.ipynb")
    first = json.loads(found.read_text(encoding="utf-8"))["cells"][0]["source"]
    assert "".join(first).split("\n")[0] == f"# {number} · {module.TITLE}"


@pytest.mark.parametrize("name", [name for name, task in TASKS.items() if task.stage == "faded"])
def test_a_start_is_given_where_the_badge_says_so(name: str) -> None:
    """A start is code with a gap in it."""
    code = [line for line in TASKS[name].prompt.split("\n") if line.startswith("    ")]
    assert any("___" in line or "..." in line for line in code)


@each_question
def test_a_question_is_answered_by_the_engine(question: Question, tk: Any) -> None:
    if question.proof is None:
        pytest.skip("about the machine, not about tensors")
    assert same(_proved(question, tk), question.answer)


@each_question
def test_a_question_names_its_misconceptions(question: Question) -> None:
    assert question.why
    assert question.answer in question.options or not question.options
    for slip in question.slips:
        given = slip.looks["given"]
        assert slip.misconception in MISCONCEPTIONS
        assert not same(given, question.answer)
        assert given in question.options or not question.options


@each_task
def test_a_task_has_hints_and_proof(task: Task) -> None:
    assert len(task.hints) == 3
    assert task.solution
    assert len(task.right) >= 3
    assert len(task.wrong) >= 2
    assert any(name for _, name in task.wrong), "at least one wrong answer must be recognised"


@each_task
def test_right_answers_are_right_however_they_are_written(task: Task, tk: Any) -> None:
    for number, solve in enumerate(task.right):
        t = _start(task, tk)
        verdict = task.check(Answer(solve(tk, t), t))
        assert verdict.correct is True, f"solution {number}: {verdict!r}"


@each_task
def test_wrong_answers_are_recognised(task: Task, tk: Any) -> None:
    for number, (slip, misconception) in enumerate(task.wrong):
        t = _start(task, tk)
        verdict = task.check(Answer(slip(tk, t), t))
        assert verdict.correct is False, f"wrong answer {number} passes"
        assert verdict.misconception == misconception, f"wrong answer {number}: {verdict!r}"
        assert verdict.says
        assert verdict.misconception in {"", *MISCONCEPTIONS}


def _behaviours(task: Task) -> Iterator[tuple[Slip, Callable[..., Any]]]:
    for slip in task.check.slips:
        behaves = slip.looks.get("behaves", ())
        for function in behaves if isinstance(behaves, tuple) else (behaves,):
            yield slip, function


def _made(task: Task, function: Callable[..., Any], tk: Any) -> Answer:
    """The answer of somebody with this misconception: the function, or what it makes of the base."""
    t = _start(task, tk)
    return Answer(function if "def " in task.solution else function(t), t)


@each_task
def test_a_misconceptions_own_behaviour_is_recognised(task: Task, tk: Any) -> None:
    for number, (slip, function) in enumerate(_behaviours(task)):
        verdict = task.check(_made(task, function, tk))
        assert verdict.correct is False, f"behaviour {number} ({slip.misconception}) is right"
        assert verdict == slip.verdict(), f"behaviour {number} ({slip.misconception}): {verdict!r}"


def test_the_lessons_recognise_by_behaviour() -> None:
    known = {name: len(list(_behaviours(task))) for name, task in TASKS.items()}
    assert sum(known.values()) >= 100
    functions = [
        name
        for name, task in TASKS.items()
        if "def " in task.solution and not name.startswith(("14.", "18.", "19."))
    ]
    assert [name for name in functions if not known[name]] == []


@pytest.mark.parametrize(
    ("name", "make", "misconception"),
    [
        ("02.same_storage", lambda tk: tk.equal, "equal is not shared"),
        ("02.same_storage", lambda tk: lambda a, b: a.storage() == b.storage(), ""),
        ("02.same_storage", lambda tk: lambda a, b: "yes", ""),
        ("02.same_storage", lambda tk: lambda a, b: id(a) == id(b), "id() as a storage test"),
        ("02.same_storage", lambda tk: lambda a, b: a == b, ""),
        (
            "00.a_first_tensor",
            lambda tk: tk.tensor([[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]),
            "rows come before columns",
        ),
        ("07.one_number", lambda tk: tk.tensor([7]), "brackets are dimensions"),
        ("04.drop_the_channel", lambda tk: lambda t: t.squeeze(2), "counting from zero"),
        ("02.which_strides", lambda tk: (1, 3), None),
        ("05.strides_of_a_copy", lambda tk: "(1, 3)", None),
        ("03.strides_in_3d", lambda tk: (12, 4, 1), "counting from zero"),
        ("10.inside", lambda tk: lambda t: (t >= -1) and (t <= 1), "`if` on a tensor"),
        ("10.mean_square", lambda tk: lambda p, y: 0.0 if p == y else 1.0, "`if` on a tensor"),
    ],
)
def test_what_a_walk_through_the_lessons_found(
    name: str, make: Callable[[Any], object], misconception: str | None
) -> None:
    """Answers that were told another misconception than the one behind them; None where nothing is judged."""
    task = TASKS[name]
    verdict = task.check(Answer(make(tensorkit), _start(task, tensorkit)))
    assert verdict.correct is (None if misconception is None else False)
    assert verdict.misconception == (misconception or "")
    if misconception is None:
        assert "give size, stride and offset" in verdict.says


@each_task
def test_the_written_solution_passes_its_own_check(task: Task, tk: Any) -> None:
    if task.devices and tk is not tensorkit:
        pytest.skip("its check puts tensors of tensorkit on devices")
    t = _start(task, tk)
    if task.stage == "reverse" and task.entry and re.fullmatch(r"[a-e ]+", task.solution):
        assert task.check(Answer(task.solution, t))
        return
    solution = re.sub(r"^ex\.check\((.*)\)$", r"\1", task.solution)
    names: dict[str, Any] = {"tk": tk, "x": tk.zeros(2), "float32": numpy.float32}
    names |= dict.fromkeys(("t", "m", "photo", "batch"), t)
    before = dict(names)
    *body, last = solution.split("\n") if not solution.startswith("def ") else [solution, "None"]
    exec("\n".join(body), names)
    try:
        made = [eval(last, names)]
    except SyntaxError:
        exec(last, names)
        made = []
    made += [
        value for name, value in names.items() if name != "__builtins__" and before.get(name) is not value
    ]
    assert any(task.check(Answer(value, t)) for value in made)


@each_task
def test_hostile_and_foreign_answers_get_a_sentence(task: Task) -> None:
    class Hostile:
        def __getattribute__(self, name: str) -> object:
            raise RuntimeError(f"<script>{name}</script>")

    import numpy

    junk: list[Any] = [
        None,
        Hostile(),
        object(),
        "<img src=x onerror=alert(1)>",
        "(" * 100_000,
        1j,
        b"\xff",
        [[]],
    ]
    junk += [
        float("nan"),
        10**400,
        {"a": 1},
        Hostile,
        numpy.arange(4.0),
        tensorkit.zeros(0),
        range(3),
        ...,
        -1,
    ]
    t = _start(task, tensorkit)
    for value in junk:
        verdict = task.check(Answer(value, t))
        assert verdict.correct in (False, None), f"{type(value).__name__} passes"
        assert 0 < len(verdict.says) < 600


# ------------------------------------------------------------------ quizzes


@each_quiz
def test_a_quiz_asks_several_things(sheet: QuizSheet) -> None:
    assert len(sheet.questions) >= 2
    assert len({asked.name for asked in sheet.questions}) == len(sheet.questions)
    assert sheet.title


def _spellings(asked: Question) -> list[object]:
    """The right answer, in ways in which a learner may give it."""
    right = asked.answer
    if asked.right:
        return list(asked.right)
    if asked.options:
        chosen = right if isinstance(right, tuple) else (right,)
        letters = ["ABCDEFGH"[asked.options.index(option)] for option in chosen]
        back = [*reversed(chosen)] if isinstance(right, tuple) else right
        return [right, " ".join(letters), ", ".join(letters).lower(), back]
    if isinstance(right, tuple):
        return [right, list(right), str(right), " ".join(map(str, right))]
    return [right, str(right), f"  {right} ", *asked.also]


@each_asked
def test_a_quiz_takes_a_right_answer_however_it_is_written(asked: Question) -> None:
    spellings = _spellings(asked)
    assert len(spellings) >= 3
    for spelling in spellings:
        said = understood(asked, spelling)
        assert said is not None, spelling
        assert judge(asked, said).correct is True, spelling


@each_asked
def test_a_quiz_names_the_misconception_behind_a_wrong_answer(asked: Question) -> None:
    assert asked.why
    wrong = [(slip.looks["given"], slip.misconception) for slip in asked.slips if "given" in slip.looks]
    for given, misconception in [*wrong, *asked.wrong]:
        answer: Any = given
        if kind_of(asked) == "several":
            # The slip of an option speaks when that option alone is ticked wrongly, or missed.
            assert isinstance(asked.answer, tuple)
            answer = tuple(o for o in asked.options if (o in asked.answer) is not (o == given))
        said = understood(asked, answer) if answer != () else ()
        verdict = judge(asked, said)
        assert verdict.correct is False, f"{answer!r} passes"
        assert verdict.misconception == misconception, f"{answer!r}: {verdict!r}"
        assert verdict.says
        assert misconception in {"", *MISCONCEPTIONS}
    assert any(name for _, name in [*wrong, *asked.wrong])


@each_asked
def test_a_quiz_is_answered_by_the_engine(asked: Question, tk: Any) -> None:
    if asked.check is not None:
        assert asked.solution in asked.right
        assert asked.base is not None
        t = asked.base(tk)
        for line in asked.right:
            value = eval(line if line.startswith("t") else f"t{line}", {"t": t})
            assert asked.check(Answer(value, t)).correct is True, line
        return
    assert same(_proved(asked, tk), asked.answer)


# ------------------------------------------------------------------ puzzles


@each_puzzle
def test_a_puzzle_has_hints_and_proof(puzzle: Puzzle) -> None:
    assert len(puzzle.hints) == 3
    assert len(puzzle.right) >= 3
    assert len({tuple(Lines.of(puzzle).find(code)) for code in puzzle.right}) == len(puzzle.right)
    assert len(puzzle.wrong) >= 2
    assert any(name for _, name in puzzle.wrong), "at least one wrong program must be recognised"
    names = [stray.misconception for stray in puzzle.strays] + [slip.misconception for slip in puzzle.slips]
    assert set(names) <= {"", *MISCONCEPTIONS}
    assert all(stray.says for stray in puzzle.strays if stray.misconception)


@each_puzzle
def test_right_programs_are_right_however_they_are_put_together(puzzle: Puzzle, tk: Any) -> None:
    lines = Lines.of(puzzle)
    for number, code in enumerate((puzzle.program, *puzzle.right)):
        verdict = judge_program(puzzle, lines, lines.find(code), tk)
        assert verdict.correct is True, f"program {number}: {verdict!r}"


@each_puzzle
def test_wrong_programs_are_recognised(puzzle: Puzzle, tk: Any) -> None:
    lines = Lines.of(puzzle)
    for number, (code, misconception) in enumerate(puzzle.wrong):
        verdict = judge_program(puzzle, lines, lines.find(code), tk)
        assert verdict.correct is False, f"wrong program {number} passes"
        assert verdict.misconception == misconception, f"wrong program {number}: {verdict!r}"
        assert verdict.says


@each_puzzle
def test_a_mutated_program_fails(puzzle: Puzzle) -> None:
    """Leave out any line of the program, or turn it round: none of that is right."""
    lines = Lines.of(puzzle)
    right = lines.find(puzzle.program)
    mutated = [right[:i] + right[i + 1 :] for i in range(len(right))] + [right[::-1]]
    for placed in mutated:
        assert judge_program(puzzle, lines, placed).correct is not True, lines.arranged(placed).code


@each_puzzle
def test_the_lines_are_offered_in_no_right_order(puzzle: Puzzle) -> None:
    lines = Lines.of(puzzle)
    assert lines == Lines.of(puzzle)
    every = tuple((number, 0) for number in range(1, len(lines.texts) + 1))
    assert judge_program(puzzle, lines, every).correct is False


def test_a_torch_answer_may_stand_beside_a_tensorkit_base() -> None:
    torch = require_torch()
    task = TASKS["03.transpose_by_hand"]
    verdict = task.check(Answer(torch.arange(12.0).view(3, 4).t(), tensorkit.arange(12.0).view(3, 4)))
    assert verdict.misconception == "a copy is not a view"


def test_every_name_in_a_lesson_exists_and_no_answer_is_written_there(root: Path) -> None:
    for path in sorted((root / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        used = set(re.findall(r"\b(?:Predict|Exercise|Quiz|Parsons)\(\s*[\"'](\d\d\.\w+)", code))
        assert used <= {*QUESTIONS, *TASKS, *QUIZZES, *PUZZLES}
        whole = path.read_text(encoding="utf-8")
        for name in used & set(TASKS):
            for line in TASKS[name].solution.split("\n"):
                plain = line.partition("#")[0].strip()
                # No answer: what is given to be filled in or repaired, a seed, a call such as `cuda.syncthreads()`.
                if plain in TASKS[name].prompt or re.fullmatch(r"[\w.]+\(\d*\)", plain):
                    continue
                assert len(plain) < 12 or plain.endswith(":") or json.dumps(plain)[1:-1] not in whole, (
                    f"{path.name} gives away {name}"
                )


def test_every_lesson_opens_with_three_questions_about_earlier_ones(root: Path) -> None:
    for path in sorted((root / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        cards = [line for line in code if line.startswith(("Quiz(", "Predict("))]
        name = cards[0].split('"')[1]
        if cards[0].startswith("Quiz("):
            assert QUIZZES[name].recall
            assert len(QUIZZES[name].questions) == 3
        else:
            predicted = [card.split('"')[1] for card in cards if card.startswith("Predict(")][:4]
            assert [QUESTIONS[one].recall for one in predicted] == [True, True, True, False]


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(LookupError, match=r"02\.find_the_slot"):
        Exercise("02.no_such_thing")
    with pytest.raises(LookupError, match="no lesson 98"):
        Predict("98.nothing")
    with pytest.raises(
        LookupError, match=r"no question is called '02\.size_one'; it is '03\.size_one' now; lesson 02 has"
    ):
        Predict("02.size_one")
    with pytest.raises(LookupError, match=r"02\.retrieval"):
        Quiz("02.no_such_thing")
    with pytest.raises(LookupError, match=r"02\.column_sums"):
        Parsons("02.no_such_thing")
    with pytest.raises(LookupError, match="no lesson 98 with quizzes"):
        Quiz("98.nothing")


def test_a_slip_must_be_known_by_something() -> None:
    with pytest.raises(TypeError, match="by nothing"):
        Slip("permute vs view", "says")
    with pytest.raises(TypeError, match="colour"):
        Slip("permute vs view", "says", colour=1)
