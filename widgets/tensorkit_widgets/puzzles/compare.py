"""`compare(Layout)`: a learner's own `Layout` beside the engine's, on chains of steps that chance has made.

The first chain on which the two differ is shrunk, as far as it still differs, and drawn: the learner's reading above,
the engine's below.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import tensorkit
from tensorkit.strides import Layout
from tensorkit.strides.basic_index import index as engine_index
from tensorkit_widgets.practice import session_log
from tensorkit_widgets.practice.exercise import FRESH
from tensorkit_widgets.practice.facts import Verdict, slots
from tensorkit_widgets.practice.markup import told
from tensorkit_widgets.puzzles.sitting import card_name
from tensorkit_widgets.snapshot.expression import show_index
from tensorkit_widgets.snapshot.geometry import Ints, contiguous_stride
from tensorkit_widgets.snapshot.number_text import size_text
from tensorkit_widgets.stride_explorer.widget import StrideExplorer
from tensorkit_widgets.widget.host import display

METHODS = ("index", "transpose", "view", "broadcast")
Step = tuple[str, Any]
"""A method and its argument: a key, two dimensions, a size, a size."""


@dataclass(frozen=True)
class Chain:
    """A contiguous tensor of `size`, and steps to take from it."""

    size: Ints
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        start = f"Layout({size_text(self.size)}, {size_text(contiguous_stride(self.size))}, 0)"
        return start + "".join(f".{name}({_said(name, argument)})" for name, argument in self.steps)


def _said(name: str, argument: Any) -> str:
    if name == "index":
        return repr(argument)
    return ", ".join(map(str, argument)) if name == "transpose" else size_text(argument)


def _code(step: Step) -> str:
    """A step as a tensor is asked to take it."""
    name, argument = step
    if name == "index":
        return f"[{show_index(argument if len(argument) > 1 else argument[0])}]"
    method = "expand" if name == "broadcast" else name
    return f".{method}({', '.join(map(str, argument))})"


def _engine(layout: Layout, step: Step) -> Layout:
    name, argument = step
    if name == "index":
        found = engine_index(layout, argument)
        assert found is not None  # whole numbers and slices alone
        return found
    if name == "transpose":
        return layout.transpose(*argument)
    return layout.view(argument) if name == "view" else layout.expand(argument)


@dataclass(frozen=True)
class Difference:
    """Where the two part: after so many steps, what is said of it, and the layouts as far as there are any."""

    chain: Chain
    says: str
    mine: tuple[Ints, Ints, int] | None = None
    engine: Layout | None = None


def differ(make: Callable[..., Any], chain: Chain) -> Difference | None:
    """The first step after which the learner's layout is another than the engine's; None where they agree."""
    ours = Layout(chain.size, contiguous_stride(chain.size))
    mine = make(chain.size, contiguous_stride(chain.size), 0)
    for at, step in enumerate(chain.steps):
        cut = replace(chain, steps=chain.steps[: at + 1])
        try:
            ours, refusal = _engine(ours, step), ""
        except (RuntimeError, ValueError, IndexError) as error:
            refusal = str(error)
        try:
            name, argument = step
            got = getattr(mine, name)(*argument) if name == "transpose" else getattr(mine, name)(argument)
        except NotImplementedError:
            raise
        except Exception as error:
            if refusal:
                return None
            return Difference(
                cut, f"yours stopped with {told(error)}; the engine gives {_words(ours)}.", None, ours
            )
        if refusal:
            return Difference(
                cut,
                f"the engine refuses ({refusal.splitlines()[0]}); yours gives {_words(got)}.",
                _parts(got),
            )
        if got is ... or got is None:
            raise NotImplementedError(name)
        if (says := _unequal(got, ours)) is not None:
            return Difference(cut, says, _parts(got), ours)
        mine = got
    return None


def _parts(layout: Any) -> tuple[Ints, Ints, int] | None:
    try:
        size, stride = tuple(map(int, layout.size)), tuple(map(int, layout.stride))
        return (size, stride, int(layout.offset)) if len(size) == len(stride) else None
    except (AttributeError, TypeError, ValueError):
        return None


def _words(layout: Any) -> str:
    parts = _parts(layout)
    if parts is None:
        size, stride = getattr(layout, "size", None), getattr(layout, "stride", None)
        if isinstance(size, tuple) and isinstance(stride, tuple) and len(size) != len(stride):
            return f"of size {size}, with the stride {stride}: one number for each dimension is needed"
        name = type(layout).__name__
        return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name} without a size, a stride and an offset"
    return f"size {size_text(parts[0])}, stride {size_text(parts[1])}, offset {parts[2]}"


def _unequal(got: Any, ours: Layout) -> str | None:
    """What is to be said where the two do not read the same slots; a stride along a size of 1 means nothing."""
    parts = _parts(got)
    if parts is None or parts[0] != ours.size:
        return f"yours is {_words(got)}; the engine's is {_words(ours)}."
    size, stride, offset = parts
    wide = [d for d, n in enumerate(size) if n > 1]
    alike = offset == ours.offset and all(stride[d] == ours.stride[d] for d in wide)
    if alike or tuple(slots(size, stride, offset)) == tuple(ours.slots()):
        return None
    return f"yours is {_words(got)}; the engine's is {_words(ours)}."


# ---- chains


def _key(chance: random.Random, size: Ints) -> tuple[int | slice, ...]:
    """A whole number or a slice for some of the dimensions, from the first on."""
    parts: list[int | slice] = []
    for n in size[: chance.randint(1, len(size))]:
        if n and chance.random() < 0.4:
            parts.append(chance.randint(-n, n - 1))
        else:
            start = chance.choice([None, *range(n + 1)])
            stop = chance.choice([None, *range(-1, n + 1)])
            parts.append(slice(start, stop, chance.choice([None, 1, 2])))
    return tuple(parts)


def _shapes(count: int) -> list[Ints]:
    """The sizes of up to three dimensions that hold so many."""
    divisors = [n for n in range(1, count + 1) if count % n == 0]
    pairs = [(a, count // a) for a in divisors]
    return [
        (count,),
        *pairs,
        *[(a, b, count // a // b) for a in divisors for b in divisors if count % (a * b) == 0],
    ]


def _step(chance: random.Random, name: str, layout: Layout) -> Step | None:
    size = layout.size
    if name == "index":
        return (name, _key(chance, size)) if size else None
    if name == "transpose":
        return (name, (chance.randrange(len(size)), chance.randrange(len(size)))) if size else None
    if name == "view":
        return (name, chance.choice(_shapes(prod(size)))) if prod(size) else None
    stretched = tuple(chance.randint(2, 3) if n == 1 and chance.random() < 0.7 else n for n in size)
    return name, (*(chance.randint(1, 2) for _ in range(chance.randint(0, 1))), *stretched)


def chains(methods: Sequence[str], count: int, seed: int) -> Iterator[Chain]:
    """So many chains of one to four of these methods, the same ones for a seed."""
    chance = random.Random(seed)
    for _ in range(count):
        size = tuple(chance.choice((1, 2, 3, 4)) for _ in range(chance.randint(1, 3)))
        layout, steps = Layout(size, contiguous_stride(size)), list[Step]()
        for _ in range(chance.randint(1, 4)):
            step = _step(chance, chance.choice(methods), layout)
            if step is None:
                continue
            steps.append(step)
            try:
                layout = _engine(layout, step)
            except (RuntimeError, ValueError, IndexError):
                break
            if layout.numel > 64:
                break
        if steps:
            yield Chain(size, tuple(steps))


def _flat(chain: Chain) -> Chain:
    """The same chain with each view to one dimension, so that the sizes fit again."""
    layout, steps = Layout(chain.size, contiguous_stride(chain.size)), list[Step]()
    for name, argument in chain.steps:
        steps.append((name, (layout.numel,) if name == "view" else argument))
        try:
            layout = _engine(layout, steps[-1])
        except (RuntimeError, ValueError, IndexError):
            break
    return replace(chain, steps=tuple(steps))


def _smaller(chain: Chain) -> Iterator[Chain]:
    """Chains that are one thing simpler: a step less, a dimension less, a size less."""
    for at in range(len(chain.steps)):
        yield replace(chain, steps=chain.steps[:at] + chain.steps[at + 1 :])
    for d, n in enumerate(chain.size):
        yield replace(chain, size=chain.size[:d] + chain.size[d + 1 :])
        if n > 1:
            yield replace(chain, size=(*chain.size[:d], n - 1, *chain.size[d + 1 :]))
            yield _flat(replace(chain, size=(*chain.size[:d], n - 1, *chain.size[d + 1 :])))
    for at, (name, argument) in enumerate(chain.steps):
        for key in _simpler(argument) if name == "index" else ():
            yield replace(chain, steps=(*chain.steps[:at], (name, key), *chain.steps[at + 1 :]))
    name, argument = chain.steps[0] if chain.steps else ("", ())
    for d in range(len(argument)) if name == "index" else ():
        first = (name, argument[:d] + argument[d + 1 :])
        yield Chain(chain.size[:d] + chain.size[d + 1 :], (first, *chain.steps[1:]))


def _simpler(key: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Keys that are one thing simpler: a part less, a whole dimension for a part, a slice with a number less."""
    yield key[:-1]
    for k, part in enumerate(key):
        parts = [slice(None)]
        if isinstance(part, slice):
            parts += [slice(None, part.stop, part.step), slice(part.start, None, part.step)]
            parts += [slice(part.start, part.stop)]
        yield from ((*key[:k], other, *key[k + 1 :]) for other in parts if other != part)


def shrink(make: Callable[..., Any], found: Difference) -> Difference:
    """The simplest chain of this kind on which the two still differ."""
    going = True
    while going:
        going = False
        for chain in _smaller(found.chain):
            if not chain.size or not chain.steps or any(not argument for _, argument in chain.steps):
                continue
            try:
                other = differ(make, chain)
            except NotImplementedError:
                continue
            if other is None or "invalid for input" in other.says:
                continue
            if other.engine is not None or found.engine is None:
                found, going = other, True
                break
    return found


# ---- what a learner calls


@dataclass(frozen=True, repr=False)
class Comparison(Verdict):
    """What a comparison has found; the shortest chain that fails shows itself in two pictures."""

    difference: Difference | None = None

    def pictures(self) -> tuple[StrideExplorer, ...]:
        """The learner's reading, then the engine's, as far as there are any."""
        if self.difference is None:
            return ()
        chain, mine = self.difference.chain, self.difference.mine
        base = tensorkit.arange(prod(chain.size)).view(chain.size)
        engine = StrideExplorer(base, name="engine").attempt("".join(map(_code, chain.steps)))
        if mine is None:
            return (engine,)
        code = f".as_strided({size_text(mine[0])}, {size_text(mine[1])}, {mine[2]})"
        return StrideExplorer(base, name="yours").attempt(code), engine

    def _ipython_display_(self, **_options: Any) -> None:
        display({"text/plain": repr(self), "text/html": self._repr_html_()})
        for explorer in self.pictures():
            explorer._ipython_display_()


def compare(make: Callable[..., Any], *methods: str, count: int = 10_000, seed: int = 0) -> Comparison:
    """Compare a class with the engine's `Layout`, on `count` chains of the methods named, or of all four.

    `make(size, stride, offset)` gives an object with these three, whose `index(key)`, `transpose(a, b)`, `view(size)`
    and `broadcast(size)` give another one, or raise where the engine does. The key is a tuple of integers and slices.

    Raises:
        LookupError: for a method that is none of the four.
    """
    unknown = [name for name in methods if name not in METHODS]
    if unknown:
        raise LookupError(f"the methods are {', '.join(METHODS)}, not {unknown[0]!r}")
    chosen = methods or METHODS
    try:
        found = next(
            (one for one in (differ(make, chain) for chain in chains(chosen, count, seed)) if one), None
        )
    except NotImplementedError as error:
        name = f"`{error}`" if str(error) in METHODS else "a method"
        return Comparison(None, f"nothing to judge yet: {name} is not written.")
    if found is not None:
        found = shrink(make, found)
        verdict = Comparison(False, f"`{found.chain}`: {found.says}", "", found)
    else:
        verdict = Comparison(True, f"{count:,} chains of {', '.join(chosen)}: no difference.")
    if len(chosen) in (1, len(METHODS)):
        _kept(chosen[0] if len(chosen) == 1 else "all four", verdict)
    return verdict


def _kept(title: str, verdict: Verdict) -> None:
    key = f"exercise {card_name('D', title)}"
    state = session_log.recall(key, {**FRESH, "history": ()})
    session_log.note(state, "a Layout", Verdict(verdict.correct, verdict.says))
    if not state["solved"]:
        state.update(attempts=state["attempts"] + 1, solved=bool(verdict))
    session_log.keep(key, state, ())
