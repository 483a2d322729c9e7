"""Whatever a browser sends, and whatever is typed: each card and board says something, and answers what comes next."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets import Exercise, Parsons, Predict, Quiz, StrideExplorer
from tensorkit_widgets.practice.answers import kind_of
from tensorkit_widgets.practice.card import Card
from tensorkit_widgets.practice.quiz import ask
from tensorkit_widgets.widget.board import Board
from tests.widgets.board_examples import BOARDS
from tests.widgets.practice_helpers import blank_memory, send

__all__ = ["blank_memory"]  # a fixture

HUGE = 10**5000
VALUES: list[Any] = [None, -1, HUGE, float("nan"), "", "²", "9" * 5000, "\ud800\x00", [], {"a": [HUGE]}]
ONE_OF_EACH = {re.sub("_.*", "", name): name for name in reversed(BOARDS)}
OWN_WORDS = re.compile(
    r"invalid literal|Exceeds the limit|unhashable|NoneType|has no attribute|not supported|Error: "
)
"""What Python says of itself: no sentence for a learner."""


def frames(made: Any) -> bytes:
    """What goes to the browser, as bytes: it must be possible."""
    return json.dumps({name: made.get_state(name)[name] for name in made.keys if name[0] != "_"}).encode()


@pytest.fixture(params=[*ONE_OF_EACH.values(), "stride"])
def board(request: pytest.FixtureRequest) -> Iterator[Board]:
    name = request.param
    made: Any = StrideExplorer(tk.arange(12.0).view(3, 4), "[1:]") if name == "stride" else BOARDS[name]()
    yield made
    made.close()


def test_no_message_silences_a_board(board: Any) -> None:
    roles = [control.role for control in board._controls()]
    odd = [
        "lead-²",
        "dim-²",
        "swap-²",
        "index-²",
        f"lead-{'9' * 5000}",
        "edit",
        "goto",
        "room",
        "no such thing",
    ]
    for kind in [*dict.fromkeys(re.sub(r"\d+$", "0", role) for role in roles), *odd]:
        board._handle_custom_msg({"kind": "reset"}, [])
        for value in VALUES:
            message = {"kind": kind, **dict.fromkeys(("value", "key", "name", "dim", "serial"), value)}
            board._handle_custom_msg(message, [])
            board._handle_custom_msg({**message, "dim": 0, "key": "t:0,0"}, [])
            assert board.frame["reason"] == "", message
            complaint = board.frame["facts"]["complaint"]
            assert not OWN_WORDS.search(complaint), (kind, value, complaint)
    frames(board)
    board._handle_custom_msg({"kind": "reset", "serial": 12}, [])
    assert board.frame["serial"] == 12


@pytest.mark.parametrize(
    "state", [{}, {"reason": 1}, [], None, {"svg": "<script>"}, {"revision": HUGE}, {"facts": 3}]
)
def test_what_a_browser_sets_is_not_taken_over(state: Any) -> None:
    """The commonest way to a picture that never came again: a frame that is none."""
    t = tk.zeros(3)
    w, card = StrideExplorer(t), Predict("What?", answer=3)
    before, html = w.frame, card.html
    told = {"frame": state, "html": "<b>", "heard": 99, "_esm": "", "_script_model": None}
    for name, value in told.items():
        data = {"content": {"data": {"method": "update", "state": {name: value}}}, "buffers": []}
        w._handle_msg(data)
        card._handle_msg(data)
    assert (w.frame, card.html) == (before, html)
    t[1] = 5
    assert w.refresh()
    assert "5." in w.frame["text"]
    assert w.frame["reason"] == ""
    send(card, "answer", "3")
    assert (card.answer, card.heard) == (3, 1)
    w.close()


def test_a_frame_that_python_spoilt_is_drawn_anew() -> None:
    w = StrideExplorer(tk.zeros(3))
    for spoilt in ({}, {"reason": 1}):
        w.frame = spoilt
        assert w.refresh()
        assert w.frame["svg"]
    w.close()


# ---- cards

TYPED = [
    "1_", "1__0", "3_,4", "_1", "1_0", "3,4_", "1.5_", "1_.5", "²", "1²", "٣", "-", "+", "1,,2", "(", "[" * 200, "{}",
    "nan", "inf", "1e999", "9" * 400, "9" * 500, "9" * 5000, "\ud800", "\x00", "", " ", "\n", "$$", "\\href{a}{b}",
    "`", "**", "<b>", "A" * 30, "True", "None", "1/0", "2**2**2**9", "t[", "t[True]", "t.view(1_)",
    "t.expand(60000000, 3, 4)[True]", "tk.zeros(1_, 2)", "tk.zeros(-1).nbytes", "tk.zeros(10**18).nbytes",
]  # fmt: skip
"""Answers that are none, or nearly: fixed, so that every run asks the same."""

T = tk.arange(12.0).view(3, 4)
CARDS: dict[str, Callable[[], Card]] = {
    "number": lambda: Predict("How many?", answer=7),
    "float": lambda: Predict("How much?", answer=0.5),
    "row": lambda: Predict("Which size?", answer=(2, 3)),
    "word": lambda: Predict("What is it?", answer="float32"),
    "one": lambda: Predict("Which?", ("`t`", "`u`"), answer="`t`"),
    "slot": lambda: Predict("Which slot?", answer=1, picture=T, pick="slot"),
    "cells": lambda: Predict("Which?", answer=(1, 2), picture=T, pick="cells"),
    "quiz": lambda: Quiz(
        "All kinds",
        ask("How many?", answer=7),
        ask("Which?", ["`t`", "`u`", "`v`"], answer=["`t`", "`u`"]),
        ask("What is it?", answer="float32"),
    ),
    "exercise": lambda: Exercise("What is 2 * 3?", check=lambda given: str(given) == "6", entry="12"),
    "code": lambda: Quiz("02.layouts"),
    "parsons": lambda: Parsons("03.transpose_in_parts"),
}


@pytest.mark.parametrize("kind", list(CARDS))
def test_no_answer_silences_a_card(kind: str) -> None:
    card = CARDS[kind]()
    for do in card._acts():
        for text in TYPED if do not in ("hint", "solution", "skip") and "reveal" not in do else TYPED[:1]:
            before = card.heard
            send(card, do, text)
            assert card.heard == before + 1
            assert "That was not possible" not in card.html or len(text) > 500, (do, text, card.html)
            assert not OWN_WORDS.search(card.text()), (do, text)
            frames(card)
        card.again()


@pytest.mark.parametrize("typed", ["1_", "1__0", "3_,4", "1_.5", "_7"])
@pytest.mark.parametrize("kind", ["number", "row", "float"])
def test_half_a_number_is_none(kind: str, typed: str) -> None:
    card: Any = CARDS[kind]()
    assert kind_of(card._asked) == kind
    send(card, "answer", typed)
    assert card.answer is None
    assert card._state["note"].startswith(f"`{typed}` is not ")
    send(card, "answer", {"number": "7_000", "row": "1_0, 2", "float": "1_0.5"}[kind])
    assert card.answer in (7000, (10, 2), 10.5)


def test_a_number_beyond_all_bounds_is_refused_in_words() -> None:
    for kind in ("number", "row", "float", "slot"):
        card: Any = CARDS[kind]()
        card.answer = HUGE
        assert card.answer is None
        assert f"a number of {HUGE.bit_length()} bits is not " in card.text()


def test_what_goes_wrong_behind_a_button_is_said_on_the_card() -> None:
    card = CARDS["exercise"]()
    send(card, "check", "6")
    before = dict(card._state)

    def broken(_value: str) -> None:
        card._state["attempts"] = 99
        raise ValueError("no room for <this>")

    card._acts = lambda: {"check": broken}  # type: ignore[method-assign]
    send(card, "check", "7")
    assert card.heard == 2
    assert card._state == before, "and nothing has changed"
    assert "That was not possible: no room for &lt;this&gt;" in card.html
    assert "That was not possible" in card.announced


def test_an_answer_that_is_too_long_is_said_to_be() -> None:
    card = CARDS["number"]()
    send(card, "answer", "7" * 5000)
    assert "an answer has at most 500 characters, and this one has 5,000" in card.html
    send(card, "answer", 7)
    assert card.heard == 2, "what is no text is no answer"
    send(card, "answer", "7")
    assert "not possible" not in card.html


# ---- the limit on typed expressions


@pytest.mark.parametrize(
    "typed", ["[True]", "[..., True]", "[True, [0]]", "[True][0]", "[[0, 1]]", ".clone()", ".contiguous()"]
)
def test_what_is_typed_copies_no_more_than_its_limit(typed: str) -> None:
    """The tensor has one number in memory; with a copy it would be 2.9 GB."""
    w = StrideExplorer(tk.ones(1))
    start = ".expand(60000000, 3, 4)"
    w._handle_custom_msg({"kind": "expression", "value": f"t{start}{typed}"}, [])
    assert "would copy more than 256 MiB" in w.frame["facts"]["complaint"]
    w._handle_custom_msg({"kind": "expression", "value": f"t{start}[False]"}, [])
    assert w.frame["facts"]["complaint"] == ""
    assert (w.steps[-1].kind, w.steps[-1].size[0]) == ("copy", 0)
    w.close()


def test_the_steps_of_one_chain_share_the_limit() -> None:
    w = StrideExplorer(tk.ones(1))
    w._handle_custom_msg({"kind": "expression", "value": "t.expand(20000000)" + ".clone()" * 4}, [])
    assert "`.clone()` would copy more than 256 MiB" in w.frame["facts"]["complaint"]
    w.close()
