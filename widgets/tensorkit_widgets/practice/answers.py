"""From what was typed or clicked to an answer, and from an answer to a verdict: for `Predict` and `Quiz`.

>>> from tensorkit_widgets.practice.kinds import Question
>>> q = Question("q", "Which copy?", ("`clone`", "`contiguous`"), options=("`t`", "`clone`", "`contiguous`"))
>>> kind_of(q), understood(q, "C B"), judge(q, ("`clone`", "`contiguous`"))
('several', ('`clone`', '`contiguous`'), Right.)
"""

from __future__ import annotations

from typing import Any

import tensorkit
from tensorkit_widgets.practice.checking.known_errors import known_slip
from tensorkit_widgets.practice.checking.near_misses import reason
from tensorkit_widgets.practice.checking.typed import number_in, numbers_in, word_in
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict, same
from tensorkit_widgets.practice.kinds import Question
from tensorkit_widgets.practice.markup import LONGEST_TEXT, quoted, told
from tensorkit_widgets.snapshot.expression import NotAllowed, parse
from tensorkit_widgets.snapshot.view_chain import StepFailed, build


def letter(i: int) -> str:
    """The letter of an option, counted from 0.

    >>> letter(2)
    'C'
    """
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i]


def kind_of(asked: Question) -> str:
    """What kind of answer a question wants: one or several of its options, code, a row, a number, or a word."""
    if asked.sealed is not None:
        return asked.sealed.kind
    if asked.check is not None:
        return "code" if asked.base is not None else "free"
    if asked.options:
        return "one" if isinstance(asked.answer, str) else "several"
    if isinstance(asked.answer, tuple):
        return "row"
    if isinstance(asked.answer, float):
        return "float"
    return "number" if isinstance(asked.answer, int) else "word"


def understood(asked: Question, value: object) -> object:
    """The value as an answer of this question's kind, or None."""
    kind = kind_of(asked)
    if kind == "one":
        return _option(asked.options, value)
    if kind == "several":
        return _options(asked.options, value)
    if kind == "float":
        return _float(value)
    if kind in ("number", "row"):
        return number_in(value) if kind == "number" else numbers_in(value)
    if kind == "word" and not isinstance(value, str):
        return word_in(value)
    if not isinstance(value, str):
        return None
    text = value[:LONGEST_TEXT].strip()
    asis = kind != "word" or asked.sealed is not None or _right(asked, text)
    return text if asis and text else word_in(text) or None


def _option(options: tuple[str, ...], value: object) -> str | None:
    """An option, given by its text, its letter, or its number counted from 1."""
    if isinstance(value, int) and not isinstance(value, bool):
        return options[value - 1] if 1 <= value <= len(options) else None
    text = word_in(value)
    if text is None:
        return None
    letters = {letter(i): option for i, option in enumerate(options)}
    known = letters.get(str(value).strip(" .)").upper()) or next((o for o in options if o == value), None)
    return known or next((o for o in options if o.strip("`") == text), None)


def _options(options: tuple[str, ...], value: object) -> tuple[str, ...] | None:
    """Some of the options, as letters in one text or as a sequence; in the order in which they are asked."""
    given = value.replace(",", " ").split() if isinstance(value, str) and value not in options else value
    items = list(given) if isinstance(given, (tuple, list, set, frozenset)) else [given]
    if len(items) > 2 * len(options):
        return None
    chosen = [_option(options, item) for item in items]
    if not chosen or None in chosen:
        return None
    return tuple(option for option in options if option in chosen)


def _float(value: object) -> float | None:
    number = number_in(value)
    return None if number is None else float(number)


def refusal(asked: Question, value: object) -> str:
    """What to say of an answer that was not understood: of nothing, that something is asked for.

    >>> refusal(Question("q", "Which?", "`t`", options=("`t`", "`u`")), "")
    'Choose one of the options, A to B.'
    >>> refusal(Question("q", "Which size?", (2, 3)), "four")
    '`four` is not a row of whole numbers, such as (4, 1).'
    """
    if isinstance(value, str) and not value.strip():
        if asked.pick:
            return f"Press your answer in the picture, or type it: {wanted(asked)}."
        return f"{'Choose' if asked.options else 'Type your answer first:'} {wanted(asked)}."
    return f"{quoted(value)} is not {wanted(asked)}."


def wanted(asked: Question) -> str:
    """What an answer to this question has to be, in words."""
    last = letter(max(len(asked.options) - 1, 0))
    return {
        "one": f"one of the options, A to {last}",
        "several": f"some of the options, A to {last}",
        "row": f"a row of whole numbers, such as {asked.entry or _a_row(asked)}",
        "number": f"one whole number, such as {_not_it(asked, 7, 8)}",
        "float": f"one number, such as {_not_it(asked, 0.5, 1.5)}",
        "code": "a line of code, such as t[1:]",
    }.get(kind_of(asked), "a word or two of text")


def _not_it(asked: Question, *numbers: float) -> float | None:
    """The first of some numbers that is not the answer: an example gives nothing away."""
    return next((n for n in numbers if not judge(asked, n).correct), None)


def _a_row(asked: Question) -> tuple[int, int]:
    """A row of numbers that is not the answer."""
    return (4, 1) if asked.answer == (2, 3) else (2, 3)


def example(asked: Question) -> str:
    """What stands in the empty box."""
    if asked.entry:
        return f"for example {asked.entry}"
    return {
        "row": f"for example {_a_row(asked)}",
        "number": "a whole number",
        "float": "a number",
        "code": "for example t[1:]",
    }.get(kind_of(asked), "a word or two")


def words(asked: Question, value: object) -> str:
    """An answer as it is spoken of: an option by its letter, all else as code."""
    if asked.options:
        chosen = (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ()
        letters = [f"**{letter(asked.options.index(o))}**" for o in chosen if o in asked.options]
        if letters:
            return " and ".join([", ".join(letters[:-1]), letters[-1]] if len(letters) > 1 else letters)
    return f"`{value}`"


def truth(asked: Question) -> str:
    """The right answer as it is spoken of; '' when the question does not know it."""
    if asked.sealed is not None:
        return ""
    if asked.check is not None:
        return f"`{asked.solution}`" if asked.solution else ""
    return words(asked, asked.answer)


def judge(asked: Question, answer: object) -> Verdict:
    """The verdict on an answer that was understood; it names the misconception behind a wrong one."""
    if asked.sealed is not None:
        return asked.sealed.judge(answer, asked.options)
    kind = kind_of(asked)
    if kind == "code":
        return _judge_code(asked, str(answer))
    if asked.check is not None:
        return asked.check(Answer(answer))
    if _right(asked, answer):
        return Verdict(True, asked.why)
    if kind == "several":
        return _judge_several(asked, answer if isinstance(answer, tuple) else ())
    slip = next((slip for slip in asked.slips if slip.fits(Answer(answer))), None)
    if slip is not None:
        return slip.verdict()
    return reason(asked.answer, answer, f"{words(asked, answer)} is not it.")


def _right(asked: Question, answer: object) -> bool:
    if isinstance(asked.answer, float):
        return isinstance(answer, float) and abs(answer - asked.answer) <= asked.tolerance
    if isinstance(asked.answer, tuple) and asked.options:
        return isinstance(answer, tuple) and set(answer) == set(asked.answer)
    return any(same(answer, right) for right in (asked.answer, *asked.also))


def _judge_several(asked: Question, answer: tuple[object, ...]) -> Verdict:
    right = asked.answer if isinstance(asked.answer, tuple) else ()
    faults = [option for option in asked.options if (option in answer) is not (option in right)]
    slips = [(o, slip) for o in faults for slip in asked.slips if slip.looks.get("given") == o]
    if slips:
        says = " ".join(f"{words(asked, option)}: {slip.says}" for option, slip in slips[:2])
        return Verdict(False, says, next((s.misconception for _, s in slips if s.misconception), ""))
    missing = sum(option in right for option in faults)
    return Verdict(False, _count_faults(len(faults) - missing, missing))


def _count_faults(more: int, missing: int) -> str:
    parts = [f"{more} of your choices {'does' if more == 1 else 'do'} not belong"] if more else []
    parts += [f"{missing} {'is' if missing == 1 else 'are'} missing"] if missing else []
    return ", and ".join(parts) + "."


def _judge_code(asked: Question, text: str) -> Verdict:
    """Code from the browser is read against the grammar of `expression`, never evaluated."""
    assert asked.check is not None
    assert asked.base is not None
    start = asked.base(tensorkit)
    try:
        value: Any = build(start, parse(text, "t"), "t")[-1].tensor
    except NotAllowed as refusal:
        return Verdict(None, str(refusal))
    except StepFailed as failed:
        slip = _slip_of_error(asked, failed.error) or known_slip(failed.error)
        return slip.verdict() if slip else Verdict(False, f"that stops with {told(failed.error)}.")
    except (MemoryError, RecursionError) as error:
        return Verdict(False, f"that stops with {told(error)}.")
    verdict = asked.check(Answer(value, start))
    return Verdict(True, asked.why) if verdict and not verdict.says else verdict


def _slip_of_error(asked: Question, error: Exception) -> Slip | None:
    known = (slip for slip in asked.slips if "when" in slip.looks)
    return next((slip for slip in known if slip.fits(Answer(error))), None)
