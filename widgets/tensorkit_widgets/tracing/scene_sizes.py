"""Size over stride of a tensor in a story, those that failed marked, and the letter of its storage."""

from __future__ import annotations

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import Table, Tile
from tensorkit_widgets.tracing.scene_blocks import Block

SIZES_LEFT, META_ROW = 62.0, 34.0


def tile_width(block: Block) -> float:
    """How wide a number of the sizes is."""
    meta = block.seen.meta
    longest = max((len(str(n)) for n in (*meta.size, *meta.stride)), default=1)
    return min(92.0, max(40.0, longest * MONO * 18 + 14))


def sizes_width(block: Block) -> float:
    """How wide the sizes are."""
    return SIZES_LEFT + max(1, len(block.seen.meta.size)) * tile_width(block)


def letter_tile(key: str, letter: str, x: float, y: float) -> Table:
    """The letter of a storage, in its colour: the same letter is the same memory."""
    number = sum((ord(c) - 64) * 26**k for k, c in enumerate(reversed(letter))) - 1
    wide = 26.0 + 9.0 * (len(letter) - 1)
    tile = Tile(key, x, y, wide, 26.0, letter, f"storage {letter}", ("on",), font=15.0, dim=4 + number % 4)
    return Table(key, f"storage {letter}", ((tile,),), role="img", told=False)


def sizes_table(block: Block, x: float, y: float, scale: float) -> tuple[Table, list[Note]]:
    """Size over stride, a column for each dimension, those that failed marked; the offset under them."""
    meta, rows, notes = block.seen.meta, list[tuple[Tile, ...]](), list[Note]()
    unit = tile_width(block) * scale
    for r, (word, numbers) in enumerate((("size", meta.size), ("stride", meta.stride))):
        top = y + r * META_ROW
        notes.append(Note(x, top + 20, word, "muted"))
        if not numbers:
            notes.append(
                Note(x + SIZES_LEFT, top + 20, "( ) one number, no dimension" if not r else "( )", "muted")
            )
            continue
        rows.append(
            tuple(
                _meta(block, word, d, n, x + SIZES_LEFT + d * unit, top, unit) for d, n in enumerate(numbers)
            )
        )
    offset = Note(x, y + 2 * META_ROW + 16, f"offset {meta.offset:,}, {meta.dtype}{_where(block)}")
    label = f"size and stride of {block.title or 'the result'}"
    return Table(f"size-{block.key}", label, tuple(rows), notes=(offset,)), notes


def _where(block: Block) -> str:
    meta = block.seen.meta
    written = block.seen.version is not None and block.role in ("before", "now")
    version = f", version {block.seen.version}" if written else ""
    return ("" if meta.device == "cpu" else f" on {meta.device}") + version


def _meta(block: Block, word: str, d: int, n: int, x: float, y: float, unit: float) -> Tile:
    bad = d in block.bad and (word == "size" or block.strides)
    text = str(n)
    font = max(6.0, min(18.0, (unit - 6) / (len(text) * MONO)))
    unused = word == "stride" and block.seen.meta.size[d] == 1
    kinds = ("bad",) if bad else ("grey",) if unused else ("plain",)
    said = f"{block.title or 'the result'}: dimension {d} has {word} {n}"
    said += ", which does not fit" if bad else ", never used: its size is 1" if unused else ""
    return Tile(
        f"{word}-{block.key}:{d}", round(x, 2), y, round(unit, 2), META_ROW - 4, text, said, kinds, font=font
    )
