"""Sealed answers: a quiz in a notebook whose source does not tell what is right.

For each answer that is known, right or wrong, an envelope is made whose key is that answer: what is said of it (right
or not, why, which misconception) can be opened only by somebody who gives it. All envelopes of a question look alike,
and the notebook holds nothing else.

What that hides, and what not. Nobody reads the answer by accident, nor by searching the source. But a learner who
wants to can let a computer try all answers: the four options of a choice in less than a second, the numbers from 0 to
1000 in a minute, a word of a dictionary over night. No hash can change that, because there is nothing else to try. It
is good enough for practice and no use for an exam.

>>> sealed = seal_answer("number", 3, ("Slots are counted from 0.",), {4: ("counting from zero", "That is one on.")})
>>> "counting" in sealed.text, SealedText(sealed.text).judge(3, ())
(False, Right: Slots are counted from 0.)
>>> SealedText(sealed.text).judge(4, ())
Not yet: That is one on.
(counting from zero)
>>> SealedText(sealed.text).judge(5, ())
Not yet: that is not it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tensorkit_widgets.practice.facts import Verdict
from tensorkit_widgets.practice.kinds import SealedAnswer

ROUNDS = 60_000
"""Of PBKDF2: what one try costs, about 30 ms."""

_MOST_ROUNDS = 2_000_000
_KINDS = ("one", "several", "row", "number", "word")
_MARK = 16

Says = tuple[str, str]


class BadSeal(ValueError):
    """The sealed text is damaged, or none."""


@dataclass(frozen=True)
class SealedText:
    """A sealed answer, as text. Raises `BadSeal` when that is no sealed answer."""

    text: str

    def __post_init__(self) -> None:
        _ = self._opened

    def __hash__(self) -> int:
        return hash(self.text)

    @cached_property
    def _opened(self) -> dict[str, Any]:
        try:
            found = json.loads(base64.b64decode("".join(self.text.split()), validate=True))
            whole = {
                "kind": found["kind"],
                "salt": base64.b64decode(found["salt"], validate=True),
                "rounds": found["rounds"],
                "envelopes": [base64.b64decode(one, validate=True) for one in found["envelopes"]],
            }
        except (binascii.Error, ValueError, TypeError, KeyError, RecursionError) as error:
            raise BadSeal("this is no sealed answer; make it again with seal(...)") from error
        rounds = whole["rounds"]
        if whole["kind"] not in _KINDS or type(rounds) is not int or not 1 <= rounds <= _MOST_ROUNDS:
            raise BadSeal("this is a sealed answer of another version; make it again with seal(...)")
        return whole

    @property
    def kind(self) -> str:
        """What kind of answer is wanted."""
        return str(self._opened["kind"])

    def judge(self, answer: object, options: tuple[str, ...]) -> Verdict:
        """The verdict on an answer: what its envelope says."""
        if self.kind != "several":
            said = self._open(_canonical(self.kind, answer))
            return Verdict(False, "that is not it.") if said is None else _verdict(said)
        chosen = answer if isinstance(answer, tuple) else ()
        faults = [
            said for option in options if (said := self._open(_state(option, option in chosen))) is not None
        ]
        if not faults:
            return _verdict(self._open(_whole(o for o in options if o in chosen)) or [True, "", ""])
        told = [fault for fault in faults if fault[1]]
        says = (
            " ".join(str(fault[1]) for fault in told[:2]) or "some of your choices are not as they should be."
        )
        return Verdict(False, says, next((str(fault[2]) for fault in told if fault[2]), ""))

    def _open(self, answer: str) -> list[Any] | None:
        keys = _keys(answer, self._opened["salt"], self._opened["rounds"])
        for envelope in self._opened["envelopes"]:
            mark, body = envelope[:_MARK], envelope[_MARK:]
            if hmac.compare_digest(mark, _mark(keys, body)):
                said: list[Any] = json.loads(_mixed(keys, body).decode("utf-8").rstrip("\0"))
                return said
        return None


@dataclass(frozen=True)
class Resorted:
    """A sealed answer to a question whose options are shown in another order than that in which they were sealed."""

    sealed: SealedAnswer
    options: tuple[str, ...]

    @property
    def kind(self) -> str:
        """What kind of answer is wanted."""
        return self.sealed.kind

    def judge(self, answer: object, _shown: tuple[str, ...]) -> Verdict:
        """The verdict on an answer, whatever the order in which its options were shown."""
        return self.sealed.judge(answer, self.options)


def seal_answer(
    kind: str, answer: Any, why: Iterable[str], slips: Mapping[Any, Says], options: Iterable[str] = ()
) -> SealedText:
    """Seal what is right and what is said of each answer that is known.

    Args:
        kind: "one" or "several" of the options, "row" or "number" of whole numbers, or "word".
        answer: the right answer; of "several" a tuple of options.
        why: the reason, as a sequence of at most one sentence.
        slips: for a wrong answer (of "several": for an option) its misconception's name or '', and what to say.
        options: all of the options.
    """
    if kind not in _KINDS:
        raise ValueError("only choices, whole numbers, rows of them, and words can be sealed")
    reason = next(iter(why), "")
    if kind == "several":
        letters = {_whole(o for o in options if o in answer): [True, reason, ""]}
        letters |= {
            _state(option, option not in answer): [False, *reversed(slips.get(option, ("", "")))]
            for option in options
        }
    else:
        letters = {_canonical(kind, wrong): [False, says, name] for wrong, (name, says) in slips.items()}
        letters[_canonical(kind, answer)] = [True, reason, ""]
    salt = os.urandom(16)
    bodies = {key: json.dumps(said, ensure_ascii=False).encode() for key, said in letters.items()}
    longest = max(map(len, bodies.values()))
    envelopes = []
    for key, body in bodies.items():
        keys = _keys(key, salt, ROUNDS)
        mixed = _mixed(keys, body.ljust(longest, b"\0"))
        envelopes.append(_mark(keys, mixed) + mixed)
    whole = {
        "kind": kind,
        "salt": _text(salt),
        "rounds": ROUNDS,
        "envelopes": [_text(envelope) for envelope in sorted(envelopes)],  # their order would tell
    }
    return SealedText(_text(json.dumps(whole).encode()))


def _verdict(said: list[Any]) -> Verdict:
    return Verdict(bool(said[0]), str(said[1]) or ("" if said[0] else "that is not it."), str(said[2]))


def _canonical(kind: str, answer: object) -> str:
    if kind == "row":
        numbers = answer if isinstance(answer, (tuple, list)) else (answer,)
        return f"row:{','.join(map(str, numbers))}"
    if kind == "word":
        return "word:" + "".join(re.findall(r"[a-z0-9_+-]+", str(answer).lower()))
    return f"{kind}:{answer}"


def _state(option: str, ticked: bool) -> str:
    return f"{'with' if ticked else 'without'}:{option}"


def _whole(chosen: Iterable[str]) -> str:
    return "all:" + json.dumps(list(chosen))


def _keys(answer: str, salt: bytes, rounds: int) -> tuple[bytes, bytes]:
    both = hashlib.pbkdf2_hmac("sha256", answer.encode("utf-8", "surrogatepass"), salt, rounds, 64)
    return both[:32], both[32:]


def _mark(keys: tuple[bytes, bytes], body: bytes) -> bytes:
    return hmac.digest(keys[1], body, "sha256")[:_MARK]


def _mixed(keys: tuple[bytes, bytes], body: bytes) -> bytes:
    """The body mixed with a stream that only this key gives; the same again takes it back."""
    blocks = (
        hmac.digest(keys[0], number.to_bytes(8, "big"), "sha256") for number in range(-(-len(body) // 32))
    )
    return bytes(a ^ b for a, b in zip(body, b"".join(blocks), strict=False))


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
