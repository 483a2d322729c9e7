"""What an error is explained from, and what the explanation is: the operands as they were, the library's own sentence.

A table of `Rules` matches sentences (PyTorch's, which tensorkit says to the character, and NumPy's); each rule fills in
the operands' own sizes and strides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tensorkit_widgets.snapshot.frozen_tensor import Seen

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Culprit:
    """A dimension that failed: of which input, and which one."""

    operand: int
    dim: int


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What an error means.

    Attributes:
        name: which of the ordinary errors it is, such as ``"view-strides"``.
        why: the reason, with the numbers of these operands; a clause that can follow a colon.
        then: what to do next, the likeliest first.
        culprits: the dimensions to mark.
        pairs: neighbouring dimensions of the first input that cannot merge.
    """

    name: str
    why: str
    then: tuple[str, ...] = ()
    culprits: tuple[Culprit, ...] = ()
    pairs: Pairs = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A call that raised: its operation, the error's text and class, its operands as they were, its arguments."""

    op: str
    message: str
    kind: str
    inputs: tuple[Seen, ...] = ()
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    code: str = ""
    pairs: Pairs = ()

    def called(self, operand: int = 0) -> str:
        """What the learner calls an operand."""
        if operand < len(self.inputs) and self.inputs[operand].name:
            return self.inputs[operand].name
        return "the tensor" if operand == 0 else "the other tensor"

    def size(self, operand: int = 0) -> tuple[int, ...] | None:
        """The size of an operand, None where it was not seen."""
        return self.inputs[operand].meta.size if operand < len(self.inputs) else None


Rule = Callable[[Case, re.Match[str]], Diagnosis]


class Rules:
    """A table of errors that are known, in the order in which they are tried."""

    def __init__(self) -> None:
        self._rules: list[tuple[str, re.Pattern[str], Rule]] = []

    def __iter__(self) -> Iterator[tuple[str, re.Pattern[str], Rule]]:
        return iter(self._rules)

    def rule(self, name: str, pattern: str) -> Callable[[Rule], Rule]:
        """Note a function that explains the errors whose sentence matches."""

        def note(function: Rule) -> Rule:
            self._rules.append((name, re.compile(pattern, re.DOTALL), function))
            return function

        return note

    def says(self, name: str, pattern: str, why: str, *then: str) -> None:
        """Note an error whose explanation needs no numbers but the sentence's own, and the first operand as ``{t}``."""

        def fill(case: Case, match: re.Match[str]) -> Diagnosis:
            words = {key: value or "" for key, value in match.groupdict().items()} | {"t": case.called()}
            return Diagnosis(name, _fill(why, words), tuple(_fill(line, words) for line in then))

        self.rule(name, pattern)(fill)


def _fill(text: str, words: Mapping[str, str]) -> str:
    """Put words into the places that are marked for them, in one go: a word may itself look like a mark."""
    return re.sub(r"\{(\w+)\}", lambda mark: words.get(mark[1], mark[0]), text)


def ints(text: str) -> tuple[int, ...]:
    """All whole numbers of a text.

    >>> ints("[5, -1]")
    (5, -1)
    """
    return tuple(int(n) for n in re.findall(r"-?\d+", text))
