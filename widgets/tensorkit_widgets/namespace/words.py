"""What the memory map says: which moment it shows, what the cell did, and the map as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tensorkit_widgets.namespace.find_tensors import Way
from tensorkit_widgets.namespace.model import (
    Change,
    Difference,
    Fate,
    Holder,
    MemorySnapshot,
    Storage,
)
from tensorkit_widgets.namespace.reached_slots import reached_slots
from tensorkit_widgets.namespace.sentences import bytes_words, keeps_alive, remedy, slots_words
from tensorkit_widgets.snapshot.number_text import short, size_text

MOST_LINES = 5
TOGETHER = 3
Happening = tuple[str, str]


@dataclass(frozen=True)
class MemoryPage:
    """One moment: the snapshot, what had happened, and the storages that are gone, as they were last seen."""

    snapshot: MemorySnapshot
    change: Difference
    gone: tuple[Storage, ...] = ()


def listed(words: Sequence[str], most: int = 3) -> str:
    """Words in a row.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"]), listed(["a", "b", "c", "d", "e"])
    ('a', 'a and b', 'a, b and c', 'a, b, c and 2 more')
    """
    if len(words) > most:
        return f"{', '.join(words[:most])} and {len(words) - most} more"
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def way_words(way: Way) -> str:
    """A way as it is read: what only a graph holds has no name."""
    return f"a tensor {way.text}" if way.kind == "graph" else way.text


def label_of(holder: Holder, most: int = 3) -> str:
    """What a holder is called: all plain names of it, or the nearest way to say it."""
    names = [way.text for way in holder.ways if way.kind == "name"][:most]
    return ", ".join(names) if names else way_words(holder.ways[0]) if holder.ways else "a tensor"


def _labels(holders: Iterable[Holder]) -> list[str]:
    return list(dict.fromkeys(name for holder in holders for name in label_of(holder).split(", ")))


def names_of(storage: Storage, most: int = 3) -> str:
    """The names of a storage's holders."""
    return listed(_labels(storage.holders), most)


def aliases(holder: Holder, most: int = 3) -> str:
    """The ways to say a holder that `label_of` leaves out, or an empty text."""
    told = label_of(holder).split(", ")
    more = [way.text for way in holder.ways[1:] if way.text not in told]
    return f"also {listed(more, most)}" if more else ""


def layout_words(holder: Holder, dtype: str) -> str:
    """Size, stride and offset of a holder, and what it is where that is not the usual."""
    words = f"size {size_text(holder.size)}, stride {size_text(holder.stride)}, offset {holder.offset}"
    unusual = [holder.dtype] if holder.dtype != dtype else []
    if holder.library == "numpy":
        unusual.append("a NumPy array" if holder.kind == "ndarray" else f"a NumPy {holder.kind}")
    elif holder.kind != "Tensor":
        unusual.append(f"a {holder.kind}")
    distinct = holder.viewed // max(holder.itemsize, 1)
    if holder.exact and 0 < distinct < holder.elements:
        unusual.append(f"{distinct:,} slot{'s' * (distinct != 1)} read as {holder.elements:,} elements")
    return ", ".join([words, *unusual])


def owned_words(storage: Storage) -> str:
    """How large a storage is, and how much of it is seen."""
    size = bytes_words(storage.nbytes)
    if storage.device == "meta":
        return f"it would take {size}"
    if storage.viewed >= storage.nbytes:
        return size
    return f"{size}, {'' if storage.exact else 'at most '}{bytes_words(storage.viewed)} viewed"


# ---- the moment


def moment_words(page: MemoryPage) -> str:
    """When this was.

    >>> from tensorkit_widgets.namespace.model import Moment
    >>> moment = Moment(3, 7)
    >>> moment_words(MemoryPage(MemorySnapshot(moment), Difference(Moment(2, 6), moment)))
    'after cell [7]'
    """
    moment = page.snapshot.moment
    if moment.cell is not None:
        return f"after cell [{moment.cell}]"
    return "when the map was opened" if page.change.before is None else "between two cells"


def totals(snapshot: MemorySnapshot) -> str:
    """One line of numbers."""
    count, names = len(snapshot.storages), snapshot.names
    owned, viewed = snapshot.owned(), snapshot.viewed()
    parts = [f"{count} storage{'s' * (count != 1)}", f"{bytes_words(owned)} owned"]
    if viewed < owned:
        parts.append(f"{bytes_words(viewed)} viewed")
    return " · ".join([*parts, f"{names} name{'s' * (names != 1)}"])


def happened(page: MemoryPage, most: int = MOST_LINES) -> list[Happening]:
    """What the cell did, as pairs of a kind (*made*, *changed*, *rebound*, *freed*, *lost*) and a sentence."""
    out = [
        *_fates(page, "changed"),
        *_fates(page, "made"),
        *_reshaped(page),
        *_names(page),
        *_fates(page, "freed"),
        *_fates(page, "lost"),
    ]
    if len(out) > most:
        return [*out[: most - 1], ("more", f"and {len(out) - most + 1} more changes")]
    return out


def _fates(page: MemoryPage, fate: Fate) -> list[Happening]:
    """What became of the storages that met one fate; of many of them in one sentence."""
    storages = {s.number: s for s in (*page.gone, *page.snapshot.storages)}
    found = [(one, storages[one.storage]) for one in page.change.of(fate) if one.storage in storages]
    if len(found) > TOGETHER:
        names = listed([_labels(storage.holders)[0] for _, storage in found])
        size = f"{len(found)} storages, {bytes_words(sum(storage.nbytes for _, storage in found))}"
        together = {
            "made": f"{names}: new, {size}", "changed": f"{names}: changed in place, {size}",
            "freed": f"freed: {size}; {names} stood there",
        }  # fmt: skip
        return [
            (fate, together.get(fate, f"no name leads to {size} any more, but something still holds them"))
        ]
    return [(fate, _fate(one, storage)) for one, storage in found]


def _reshaped(page: MemoryPage) -> list[Happening]:
    """The tensors that have another size and stride now, on the same storage."""
    out: list[Happening] = []
    for one in page.change.changes:
        storage = page.snapshot.storage(one.storage)
        for holder in storage.holders if storage is not None else ():
            if holder.name in one.reshaped:
                still = "" if one.fate == "changed" else "; no number was written"
                now = f"size {size_text(holder.size)}, stride {size_text(holder.stride)}, offset {holder.offset}"
                out.append(("rebound", f"{label_of(holder)}: {now} now{still}"))
    return out


def _fate(one: Change, storage: Storage) -> str:
    names = names_of(storage)
    if one.fate == "made":
        return f"{names}: new, {bytes_words(storage.nbytes)}"
    if one.fate == "changed":
        return f"{names}: {one.words.replace(': ', ', ', 1)}"
    return f"{one.words}; {names} stood there"


def _names(page: MemoryPage) -> list[Happening]:
    change, made = page.change, {one.storage for one in page.change.of("made")}
    out: list[Happening] = []
    for one in change.rebound:
        if one.before == one.after:
            words = "names another tensor now, on the same storage"
        else:
            words = "names another tensor now, on another storage"
        out.append(("rebound", f"{one.name}: {words}"))
    for one in change.bound:
        storage = page.snapshot.storage(one.after) if one.after is not None else None
        if storage is not None and storage.number not in made:
            out.append(("rebound", f"{one.name}: {_bound(one.name, storage)}"))
    for one in change.unbound:
        stay = page.snapshot.storage(one.before) if one.before is not None else None
        if stay is not None and stay in page.snapshot.storages:
            out.append(("rebound", f"{one.name}: gone, and its storage stays for {names_of(stay)}"))
    return out


def _bound(name: str, storage: Storage) -> str:
    """What a new name on a storage that was there stands for."""
    own = next((h for h in storage.holders if any(way.text == name for way in h.ways)), None)
    same = (
        [way.text for way in own.ways if way.text != name and way.kind in ("name", "inside")] if own else []
    )
    others = [other for other in _labels(h for h in storage.holders if h is not own) if other != name]
    if same:
        return f"one more name for the tensor {listed(same)}"
    return (
        f"on the storage of {listed(others)}, so nothing was copied"
        if others
        else "a name for what was there"
    )


def stays(page: MemoryPage, storage: Storage) -> list[str]:
    """The names that stood on a storage before this cell and have left it."""
    gone = (*page.change.rebound, *page.change.unbound)
    return [one.name for one in gone if one.before == storage.number and one.after != storage.number]


def seen_words(storage: Storage, change: Change | None) -> str:
    """Who sees the slots that have changed, where several tensors stand on them; else an empty text."""
    if change is None or change.fate != "changed" or not change.slots or len(storage.holders) < 2:
        return ""
    reach = {h.number: bool(reached_slots(storage, h, change.slots)) for h in storage.holders}
    see = _labels(h for h in storage.holders if reach[h.number])
    blind = _labels(h for h in storage.holders if not reach[h.number])
    if not see:
        return ""
    words = f"{listed(see, 4)} see{'s' * (len(see) == 1)} the change"
    return words + (f"; {listed(blind)} do{'es' * (len(blind) == 1)} not" if blind else "")


# ---- as text


def storage_text(storage: Storage, change: Change | None) -> list[str]:
    """A storage with its holders, as lines of text; what has changed is marked with a star."""
    fate = f": {change.words}" if change is not None and change.fate in ("made", "changed") else ""
    lines = ["", f"{storage.dtype} storage on {storage.device}, {owned_words(storage)}{fate}"]
    changed = set(change.slots) if change is not None else set()
    for run in storage.runs:
        slots = range(run.start, run.start + len(run.values))
        texts = [
            f"{'*' if slot in changed else ''}{short(value, storage.dtype)}"
            for slot, value in zip(slots, run.values, strict=True)
        ]
        if texts:
            lines.append(f"  {slots_words(slots)}: {' '.join(texts)}")
    for holder in storage.holders:
        lines.append(f"  {_holder_text(storage, holder)}")
    lines += [
        f"  {words}"
        for words in (keeps_alive(storage), remedy(storage), seen_words(storage, change))
        if words
    ]
    if storage.fault:
        lines.append(f"  {storage.fault}")
    return lines


def _holder_text(storage: Storage, holder: Holder) -> str:
    name = label_of(holder)
    more = aliases(holder)
    words = f"{name}{f' ({more})' if more else ''}: {layout_words(holder, storage.dtype)}"
    if holder.fault:
        return f"{words}; {holder.fault}"
    reached = reached_slots(storage, holder)
    return f"{words}; reaches {slots_words(reached)}" if reached else words
