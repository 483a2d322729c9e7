"""Checkers for autograd: what a tensor remembers, and what a function does with gradients.

>>> def doubles(function, leaf):
...     x = leaf(1.0, 2.0)
...     function(x).backward()
...     return None if gradient(x) == (2.0, 2.0) else Verdict(False, f"the gradient is {gradient(x)}.")
>>> check, x = trial_check(doubles), tk.zeros(2, requires_grad=True)
>>> check(Answer(lambda x: (x * 2).sum(), x))
Right.
>>> check(Answer(lambda x: (x * 3).sum(), x))
Not yet: the gradient is (3.0, 3.0).
>>> check(Answer(lambda x: ..., x)).correct is None
True
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tensorkit_widgets.practice.checking.checks import BLANK, Checker
from tensorkit_widgets.practice.checking.functions import alike
from tensorkit_widgets.practice.checking.known_errors import known_slip
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict, is_tensor, read
from tensorkit_widgets.practice.markup import LONGEST_TEXT, quoted, shown, told

Leaf = Callable[..., Any]
"""Makes a fresh leaf that requires grad, of the learner's own library, from its numbers."""

Trial = Callable[[Callable[..., Any], Leaf], Verdict | None]
"""One trial of the learner's function: a verdict when something is wrong, None when all is well."""


def numbers_of(value: object) -> tuple[Any, ...] | None:
    """The numbers of a tensor in reading order; None for anything else.

    >>> numbers_of(tk.ones(2, 2)), numbers_of("no tensor")
    ((1.0, 1.0, 1.0, 1.0), None)
    """
    return read(value).values if is_tensor(value) else None


def gradient(tensor: Any) -> tuple[Any, ...] | None:
    """The numbers of ``tensor.grad``; None while there is no gradient.

    >>> gradient(tk.ones(2, requires_grad=True)) is None
    True
    """
    return numbers_of(tensor.grad)


def tracked_check(tensor: Checker, *, requires_grad: bool, slip: Slip) -> Checker:
    """Check a tensor by `tensor`, and then whether it requires grad; `slip` is what to say if that is wrong."""

    def check(answer: Answer) -> Verdict:
        verdict = tensor(answer)
        if verdict.correct is not True:
            return verdict
        value: Any = answer.value
        return Verdict(True) if bool(value.requires_grad) is requires_grad else slip.verdict()

    return Checker(check)


def gives(says: str, wanted: tuple[float, ...], call: Trial | Callable[..., Any]) -> Trial:
    """A trial of what comes back: `call(function, leaf)` has to be a tensor of these numbers; `says` is the case.

    >>> twice = gives("of 3", (6.0,), lambda function, leaf: function(leaf(3.0)))
    >>> trial_check(twice)(Answer(lambda x: x + 2, tk.zeros(1)))
    Not yet: of 3: it should give (6.0,), yours gave (5.0,).
    """

    def trial(function: Callable[..., Any], leaf: Leaf) -> Verdict | None:
        got = call(function, leaf)
        if got is None:
            return Verdict(False, f"{says}: your function returned nothing. Is a `return` missing?")
        if isinstance(got, tuple) and len(got) == 1 and is_tensor(got[0]):
            return Verdict(
                False, "`autograd.grad` gives a tuple, one gradient for each input. Take out the first."
            )
        numbers = numbers_of(got)
        if numbers is not None and alike(numbers, wanted):
            return None
        said = shown(got) if numbers is None or len(numbers) > 9 else numbers
        return Verdict(False, f"{says}: it should give {wanted}, yours gave {said}.")

    return trial


def trial_check(
    *trials: Trial, errors: Mapping[str, Slip] | None = None, slips: Iterable[Slip] = ()
) -> Checker:
    """Check a function by trials: each calls it on fresh leaves and looks at what became of them.

    `errors` maps a piece of an error's text to the slip behind it. A wrong function is told the slip whose `behaves`
    fails in the same way in **every** trial. The answer's base is a tensor of the library that the learner works with.
    """
    known = tuple(slips)

    def check(answer: Answer) -> Verdict:
        function, base = answer.value, answer.base
        if not callable(function):
            return Verdict(None, f"{quoted(function)} is not a function: give its name, without calling it.")
        if not is_tensor(base):
            return Verdict(None, "give me the tensor of the cell as well: `check(function, base=x)`.")

        def outcomes(one: Callable[..., Any]) -> list[Verdict | None]:
            return [_tried(trial, one, _maker(base), errors or {}) for trial in trials]

        mine = outcomes(function)
        verdict = next((found for found in mine if found is not None), None)
        if verdict is None:
            return Verdict(True)
        if verdict.correct is None:
            return verdict
        tried = Answer(function, base, lambda other: outcomes(other) == mine)
        slip = next((slip for slip in known if slip.fits(tried)), None)
        return slip.verdict() if slip else verdict

    return Checker(check, known)


def _tried(
    trial: Trial, function: Callable[..., Any], leaf: Leaf, errors: Mapping[str, Slip]
) -> Verdict | None:
    blank = []

    def watched(*given: Any) -> Any:
        got = function(*given)
        blank.append(got is Ellipsis)
        return got

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a warning to the learner is in the verdict, in plain words
            verdict = trial(watched, leaf)
    except Exception as error:
        text = told(error)
        slip = next((slip for piece, slip in errors.items() if piece in text), None) or known_slip(error)
        verdict = slip.verdict() if slip else Verdict(False, f"your function stopped with {text}.")
    return Verdict(None, BLANK) if any(blank) and verdict is not None else verdict


def _maker(base: Any) -> Leaf:
    """Leaves beside `base`: of its library, whichever that is."""

    def leaf(*numbers: float) -> Any:
        return base.detach().new_tensor(list(numbers)).requires_grad_()

    return leaf


def letters_check(right: str, says: Mapping[str, Slip], ordered: str = "") -> Checker:
    """Check a choice of letters: `says` has, for each letter, what to say when it is wrong.

    They may be given in any order; with `ordered`, what to say of the right letters in a wrong one.

    >>> check = letters_check("AC", {letter: Slip("", f"think of {letter}.", given=letter) for letter in "ABC"})
    >>> check(Answer("c, a")), check(Answer("A B C"))
    (Right., Not yet: think of B.)
    """

    example = "A B" if right != "AB" else "A C"

    def check(answer: Answer) -> Verdict:
        chosen = _letters(answer.value, "".join(says))
        if chosen is None:
            return Verdict(None, f"{quoted(answer.value)} is not a row of letters, such as {example}.")
        wrong = set(chosen).symmetric_difference(right)
        for letter, slip in says.items():
            if letter in wrong:
                return slip.verdict()
        unordered = isinstance(answer.value, (set, frozenset)) or chosen != right
        return Verdict(False, ordered) if ordered and unordered else Verdict(True)

    return Checker(check)


def _letters(value: object, known: str) -> str | None:
    if isinstance(value, (list, tuple, set, frozenset)) and all(isinstance(part, str) for part in value):
        value = " ".join(list(value)[: len(known)])
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        return None
    words = re.findall(r"[^\s,;.]+", value.upper())
    letters = "".join(word for word in words if word != "AND")
    return letters if letters and set(letters) <= set(known) else None
