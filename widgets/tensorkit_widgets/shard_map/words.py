"""The sentences of a sharded tensor: what a rank holds, what a message carries, and what a step costs.

>>> from tensorkit.distributed.tensor.placement_types import Partial, Shard
>>> box_words((7, 5), ((0, 4), (0, 5))), box_words((7,), ((6, 7),)), box_words((4, 4), ((2, 2), (0, 4)))
('rows 0–3, columns 0–4', 'element 6', 'nothing')
>>> written([Shard(0), Partial("max")])
"[Shard(0), Partial('max')]"
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from tensorkit.distributed.tensor.layout import Box, Layout, Move, count
from tensorkit.distributed.tensor.placement_types import Partial, Placement, Shard
from tensorkit.distributed.tensor.redistribute import Transfer
from tensorkit_widgets.namespace.sentences import bytes_words
from tensorkit_widgets.shard_map.model import ALIVE, Question, Sharded, Workers, moved
from tensorkit_widgets.snapshot.geometry import Ints
from tensorkit_widgets.snapshot.number_text import size_text

QUESTIONS = {"owner": "who holds it?", "winner": "whose data wins?"}
_DOES = {
    "all_gather": "Each rank sends its part to the ranks that lack it",
    "all_to_all": "Each rank cuts its part, and sends every other rank the piece that belongs there",
    "reduce_scatter": "Each rank receives from all others their parts of its own piece, and adds them up",
    "all_reduce": "Each rank receives the parts of all others, and adds them up",
    "chunk": "Each rank keeps a piece of what it has, and nothing is sent",
}
_SIGNS = {"sum": "+", "avg": "+", "product": "×"}


def counted(number: int, what: str) -> str:
    """A number and a noun."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def placed(placement: Placement) -> str:
    """A placement as a program writes it."""
    if isinstance(placement, Shard):
        return f"Shard({placement.dim})"
    if isinstance(placement, Partial):
        return "Partial()" if placement.reduce_op == "sum" else f"Partial({placement.reduce_op!r})"
    return "Replicate()"


def written(placements: Sequence[Placement]) -> str:
    """Placements as a program writes them."""
    return f"[{', '.join(map(placed, placements))}]"


def span(begin: int, end: int) -> str:
    """From a place to the last before another one: ``0–3``."""
    return f"{begin:,}" if end == begin + 1 else f"{begin:,}–{end - 1:,}"


def box_words(size: Ints, box: Box) -> str:
    """Which elements of a tensor of that size."""
    if any(a == b for a, b in box):
        return "nothing"
    if not box:
        return "the number"
    if len(box) > 2:
        cuts = (":" if (a, b) == (0, n) else f"{a}:{b}" for n, (a, b) in zip(size, box, strict=True))
        return f"[{', '.join(cuts)}]"
    names = ("row", "column") if len(box) == 2 else ("element",)
    return ", ".join(
        f"{name}{'s' * (b - a > 1)} {span(a, b)}" for name, (a, b) in zip(names, box, strict=True)
    )


def element(name: str, index: Ints) -> str:
    """An element as a program writes it."""
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def held_words(of: Sharded, rank: int) -> str:
    """What a rank holds, in one line."""
    words, amount = box_words(of.layout.size, of.layout.box(rank)), bytes_words(of.bytes(rank))
    partial = next((p for p in of.layout.placements if isinstance(p, Partial)), None)
    part = f"a part of the {_called(partial.reduce_op)}, " if partial else ""
    return f"{part}{words}, {amount}" if of.bytes(rank) else f"nothing: its part is empty, {amount}"


def worker_words(workers: Workers, rank: int) -> str:
    """Where a rank is, and how it is; an empty text where no cluster says so."""
    if rank >= len(workers.how):
        return ""
    where, how = workers.where[rank].partition("://")[2] or workers.where[rank], workers.how[rank]
    return {
        ALIVE: f"worker {where}",
        "new": f"worker {where}, a new one",
        "gone": "no worker",
        "computing": f"worker {where}: its part is being computed",
        "noted": f"worker {where}: its part is not computed yet",
        "lost": f"worker {where}: its part is lost, or could not be computed",
    }[how]


def life_words(workers: Workers) -> Iterator[str]:
    """What became of workers that are gone."""
    for how, what in (
        ("gone", "its worker is gone, and its part is computed again as soon as another one is there"),
        ("new", "its worker was killed or went, and its part was computed again by the new one"),
        ("lost", "its part cannot be computed again: make the tensor again from its source"),
    ):
        for rank in (rank for rank, one in enumerate(workers.how) if one == how):
            yield f"Rank {rank}: {what}."


def sum_sign(reduce_op: str) -> str:
    """What is between the parts of a `Partial` placement."""
    return _SIGNS.get(reduce_op, reduce_op)


# ---- how it lies


def summary(of: Sharded) -> Iterator[str]:
    """What is particular about the way in which a tensor lies."""
    layout = of.layout
    partial = next((p for p in layout.placements if isinstance(p, Partial)), None)
    if partial is not None:
        yield (
            "Each rank has a part of every element: the tensor is the "
            f"{_called(partial.reduce_op)} of these parts, and that is not computed yet."
        )
    for dim, n in enumerate(layout.size):
        parts = sorted({layout.box(rank)[dim] for rank in layout.ranks})
        sizes = [b - a for a, b in parts if b > a]
        if len(set(sizes)) > 1:
            shown = ", ".join(map(str, sizes[:8])) + (", …" if len(sizes) > 8 else "")
            yield f"Dimension {dim} is cut unevenly: {n} elements are {shown}."
    empty = [rank for rank in layout.ranks if not of.bytes(rank)]
    if empty and of.nbytes:
        shown = ", ".join(map(str, empty[:8])) + (", …" if len(empty) > 8 else "")
        yield f"Rank{'s' * (len(empty) > 1)} {shown} {'have' if len(empty) > 1 else 'has'} an empty part."
    total = sum(map(of.bytes, layout.ranks))
    if partial is None and total > of.nbytes:
        copies = total // of.nbytes
        yield f"Each element is on {copies} ranks: {bytes_words(total)} for a tensor of {bytes_words(of.nbytes)}."
    if not of.nbytes:
        yield f"It has no elements: its size is {size_text(layout.size)}."


def _called(reduce_op: str) -> str:
    return {"avg": "average", "max": "maximum", "min": "minimum"}.get(reduce_op, reduce_op)


# ---- what is sent


def _stay(step: Transfer, itemsize: int) -> tuple[int, int]:
    staying = [count(one.box) * itemsize for one in step.moves if not moved(one)]
    return len(staying), sum(staying)


def price_words(steps: Sequence[Transfer], itemsize: int) -> str:
    """What the steps send in all."""
    messages = sum(len(step.messages(itemsize)) for step in steps)
    total = sum(step.bytes(itemsize) for step in steps)
    if not messages:
        return "nothing is sent"
    return f"{counted(messages, 'message')}, {bytes_words(total)} from rank to rank"


def step_words(step: Transfer, itemsize: int) -> tuple[str, str]:
    """What a step sends, and what it does."""
    stay, kept = _stay(step, itemsize)
    pieces = f"; {counted(stay, 'piece')} stay{'s' * (stay == 1)}, {bytes_words(kept)} in all" if stay else ""
    price = price_words([step], itemsize)
    return f"{price[0].upper()}{price[1:]}{pieces}.", f"{_DOES[step.name]}."


def in_cell(nbytes: int, most: int) -> str:
    """A number of bytes in a cell that has room for so many characters.

    >>> in_cell(64, 9), in_cell(250_000, 9), in_cell(18_750_000_000, 5)
    ('64', '250 kB', '19G')
    """
    number, _, unit = bytes_words(nbytes).partition(" ")
    if unit.startswith("byte"):
        return number
    return (
        f"{number} {unit}"
        if len(number) + 1 + len(unit) <= most
        else f"{float(number.replace(',', '')):.0f}{unit[0]}"
    )


def message_words(size: Ints, move: Move, itemsize: int) -> str:
    """One message, or a piece that stays."""
    what = f"{box_words(size, move.box)}: {counted(count(move.box) * itemsize, 'byte')}"
    if not moved(move):
        return f"rank {move.source} keeps {what}, which are not sent"
    return f"rank {move.source} → rank {move.target}, {what}"


# ---- a question


def asked_words(of: Sharded, question: Question) -> str:
    """What is to be predicted."""
    how = written(of.layout.placements)
    where = element(of.name, question.index)
    if question.kind == "owner":
        size = size_text(of.layout.size)
        return f"Which rank holds {where}? {of.name} has size {size}, and is placed {how} on {_ranks(of.layout)}."
    return (
        f"With PyTorch each rank runs the program, and made its own {of.name}: all 0 on rank 0, all 1 on rank 1, and "
        f"so on. Each calls distribute_tensor({of.name}, mesh, {how}). Whose number is in {where} afterwards?"
    )


def _ranks(layout: Layout) -> str:
    mesh = " × ".join(map(str, layout.mesh))
    return counted(prod(layout.mesh), "rank") if len(layout.mesh) == 1 else f"{mesh} ranks"


def verdict(of: Sharded, question: Question, guess: int) -> str:
    """How a prediction compares with what is; a guess of -1 is none."""
    right = guess in question.right
    begin = "" if guess < 0 else "As you predicted: " if right else f"Not rank {guess}: "
    where = element(of.name, question.index)
    if question.kind == "owner":
        one = question.right[0]
        if len(question.right) > 1:
            part = "a part of it" if any(isinstance(p, Partial) for p in of.layout.placements) else "it"
            return f"{begin}{len(question.right)} ranks hold {part}, {_listed(question.right)}."
        return f"{begin}rank {one} holds {where}, with {box_words(of.layout.size, of.layout.box(one))}."
    also = ""
    if guess > 0 and guess in of.holders(question.index):
        also = f" Rank {guess} holds the element, but its number came from rank 0."
    return (
        f"{begin}rank 0's data wins. distribute_tensor sends each rank its part of what rank 0 has, and does not look "
        f"at the others.{also}"
    )


def _listed(ranks: Sequence[int]) -> str:
    shown = [str(rank) for rank in ranks[:8]]
    return ", ".join(shown) + (", …" if len(ranks) > 8 else "") if len(ranks) > 2 else " and ".join(shown)
