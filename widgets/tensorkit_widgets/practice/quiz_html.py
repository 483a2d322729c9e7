"""How one question of a quiz is drawn, in HTML and in text."""

from __future__ import annotations

from tensorkit_widgets.practice.answers import example, kind_of, letter, truth
from tensorkit_widgets.practice.card import button, entry_box, verdict_part
from tensorkit_widgets.practice.facts import Verdict
from tensorkit_widgets.practice.kinds import Question
from tensorkit_widgets.practice.markup import escape, markup, plain


def part(
    number: int, asked: Question, said: object, verdict: Verdict | None, shown: bool, note: str, *, live: bool
) -> str:
    """A question with its controls, what was found of its answer, and the answer when it was asked for."""
    done = shown or bool(verdict)
    state = "right" if verdict else "wrong" if verdict is not None else "open"
    if live:
        head = f'<div class="tk-asked"><span class="tk-number">{number}</span><div>{markup(asked.ask)}</div></div>'
    else:
        head = markup(f"**{number}** {asked.ask}")
    drawn = [head]
    if asked.options:
        drawn.append(_choices(number, asked, said, done) if live else _plain_choices(asked))
    if live and not done:
        drawn.append(_controls(number, asked, said, verdict))
    elif said is not None and not (live and asked.options):
        drawn.append(f'<p class="tk-given">You said {_marked(asked, said)}.</p>')
    if note:
        drawn.append(f'<p class="tk-note">{markup(note)[3:-4]}</p>')
    if verdict is not None:
        drawn.append(verdict_part(verdict))
    if shown:
        drawn.append(f'<div class="tk-earlier">{markup(_told(asked))}</div>')
    what = (
        f' data-part="{number}" data-state="{state}" role="group" aria-label="Question {number}"'
        if live
        else ""
    )
    return f'<div class="tk-part"{what}>{"".join(drawn)}</div>'


def _marked(asked: Question, said: object) -> str:
    return (
        f"<strong>{_spoken(asked, said)}</strong>" if asked.options else f"<code>{escape(str(said))}</code>"
    )


def _told(asked: Question) -> str:
    return f"It is {truth(asked)}. {asked.why}".strip()


def _controls(number: int, asked: Question, said: object, verdict: Verdict | None) -> str:
    box = ""
    if not asked.options:
        label, given = f"Your answer to question {number}", "" if said is None else str(said)
        box = entry_box(label, example(asked), key=f"entry-{number}", value=given)
    again = "Check again" if verdict is not None else "Check"
    reveal = verdict is not None and truth(asked)
    show = button(f"reveal-{number}", "Show the answer", quiet=True) if reveal else ""
    return f'<div class="tk-row">{box}{button(f"answer-{number}", again)}{show}</div>'


def _choices(number: int, asked: Question, said: object, done: bool) -> str:
    several = kind_of(asked) == "several"
    kind, off = "checkbox" if several else "radio", " disabled" if done else ""
    chosen = (said,) if isinstance(said, str) else said if isinstance(said, tuple) else ()
    rows = "".join(
        f'<label class="tk-option"{_mark(asked, option, done)}>'
        f'<input type="{kind}" name="choice-{number}" value="{letter(i)}" data-key="option-{number}-{i}"'
        f"{' checked' if option in chosen else ''}{off}>"
        f'<span class="tk-letter" aria-hidden="true">{letter(i)}</span><span>{markup(option)[3:-4]}</span></label>'
        for i, option in enumerate(asked.options)
    )
    legend = f"Your answer to question {number}" + (" (all that apply)" if several else "")
    hint = '<p class="tk-note">All that apply.</p>' if several and not done else ""
    return f'<fieldset><legend class="tk-unseen">{legend}</legend>{rows}{hint}</fieldset>'


def _mark(asked: Question, option: str, done: bool) -> str:
    if not done or asked.sealed is not None:
        return ""
    right = asked.answer if isinstance(asked.answer, tuple) else (asked.answer,)
    return ' data-truth="right"' if option in right else ' data-truth="no"'


def _plain_choices(asked: Question) -> str:
    lines = (f"<strong>{letter(i)}</strong> {markup(o)[3:-4]}" for i, o in enumerate(asked.options))
    several = "<br><em>All that apply.</em>" if kind_of(asked) == "several" else ""
    return f"<p>{'<br>'.join(lines)}{several}</p>"


def part_text(
    number: int, asked: Question, said: object, verdict: Verdict | None, shown: bool, note: str
) -> list[str]:
    """The same as lines of text."""
    several = "  (all that apply)" if kind_of(asked) == "several" else ""
    lines = [f"{number}. {plain(asked.ask)}{several}"]
    lines += [f"  {letter(i)}  {plain(option)}" for i, option in enumerate(asked.options)]
    if said is not None:
        lines.append(f"   You said {_spoken(asked, said)}.")
    if note:
        lines.append(f"   {plain(note)}")
    if verdict is not None:
        lines += [f"   {line}" for line in plain(repr(verdict)).split("\n")]
    if shown:
        lines.append(f"   {plain(_told(asked))}")
    return lines


def _spoken(asked: Question, said: object) -> str:
    if not asked.options:
        return str(said)
    chosen = (said,) if isinstance(said, str) else said if isinstance(said, tuple) else ()
    return ", ".join(letter(i) for i, option in enumerate(asked.options) if option in chosen)
