"""What the device map says: of each transfer, of each memory, and of what was refused."""

from __future__ import annotations

from tensorkit_widgets.device_map.model import (
    BYTES_A_SECOND,
    COPY_SECONDS,
    DeviceFacts,
    DevicePage,
    Refused,
    Transfer,
    Work,
)
from tensorkit_widgets.namespace.model import Holder, Storage
from tensorkit_widgets.namespace.sentences import bytes_words
from tensorkit_widgets.namespace.words import happened, label_of, listed, names_of
from tensorkit_widgets.snapshot.number_text import size_text

__all__ = [
    "MODEL_WORDS", "amount", "by_words", "holder_words", "inside_words", "memory_words", "ran_words", "refused_words",
    "said_of", "seconds_words", "time_words", "transfer_words", "view_words",
]  # fmt: skip

MOST_SAID = 4


def seconds_words(seconds: float) -> str:
    """A time as it is read.

    >>> seconds_words(1e-05), seconds_words(0.00171), seconds_words(2.5)
    ('10 µs', '1.71 ms', '2.5 s')
    """
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            return f"{float(f'{seconds / unit:.3g}'):,g} {name}"
    return f"{float(f'{seconds / 1e-9:.3g}'):,g} ns"


MODEL_WORDS = (
    f"simulated: {seconds_words(COPY_SECONDS)} a copy, and its bytes at {BYTES_A_SECOND / 1e9:g} GB/s"
)


# ---- transfers


def amount(one: Transfer) -> str:
    """How much it is.

    >>> amount(Transfer("cuda:0", "cpu", "item", "", (None, None), 12, 48, 4, None))
    '12 × 4 bytes'
    """
    if one.count == 1:
        return bytes_words(one.nbytes)
    if one.each is not None:
        return f"{one.count:,} × {bytes_words(one.each)}"
    return f"{bytes_words(one.nbytes)} in {one.count:,}"


def by_words(one: Transfer) -> str:
    """Which call it was made for.

    >>> by_words(Transfer("cpu", "cuda:0", "to", "", (None, None), 1, 48, 48, None))
    '.to()'
    """
    if one.by == "print":
        return "printing it"
    if one.by == "__setitem__":
        return "t[…] = …"
    if one.by == "__getitem__":
        return "t[…]"
    return f".{one.by}()" if one.by else "several calls" if one.count > 1 else ""


def time_words(one: Transfer, page: DevicePage) -> str:
    """How long it took: measured, or by the model where a device is played; nothing where nobody knows."""
    if one.seconds is not None:
        return f"measured: {seconds_words(one.seconds)}"
    facts = [page.facts(device) for device in (one.source, one.target)]
    if any(fact is not None and fact.emulated for fact in facts):
        return f"simulated: {seconds_words(one.simulated())}"
    return "" if any(facts) else f"simulated: {seconds_words(one.simulated())}"


def transfer_words(one: Transfer, page: DevicePage) -> str:
    """A transfer as a sentence."""
    many = f"{one.count:,} copies" if one.count > 1 else "1 copy"
    each = f" of {bytes_words(one.each)}" if one.each is not None else ""
    total = f", {bytes_words(one.nbytes)} in all" if one.count > 1 else ""
    by = f", made by {by_words(one)}" if one.by else ""
    line = f" in “{one.code}”" if one.code and one.code != page.snapshot.moment.code else ""
    time = time_words(one, page)
    where = f"from {one.source} to {one.target}{by}{line}"
    return f"{many}{each}{total} {where}{_stays(one, page)}{f' ({time})' if time else ''}."


def _stays(one: Transfer, page: DevicePage) -> str:
    source = _storage(page, one.ends[0])
    reached = _storage(page, one.ends[1])
    if source is None:
        return ""
    if reached is not None:
        return f": {names_of(source)} stays, and {names_of(reached)} is another storage"
    return f": {names_of(source)} stays where it is"


def _storage(page: DevicePage, number: int | None) -> Storage | None:
    return next((s for s in page.snapshot.storages if s.number == number), None)


def refused_words(one: Refused) -> str:
    """An operation over a border.

    >>> refused_words(Refused("add", ("cuda:0", "cuda:1")))
    'add() was refused: its tensors are on cuda:0 and cuda:1, and nothing is carried unasked'
    """
    where = f": its tensors are on {listed(one.devices)}" if len(one.devices) > 1 else ""
    return f"{one.by.strip('_')}() was refused{where}, and nothing is carried unasked"


def said_of(page: DevicePage, arrows: tuple[Transfer, ...]) -> list[tuple[str, str]]:
    """What the step did, as pairs of a kind and a sentence."""
    out = [("refused", f"{refused_words(one)}.") for one in dict.fromkeys(page.record.refused)]
    out += [("moved", transfer_words(one, page)) for one in arrows]
    if not arrows and page.change.before is not None:
        ran = [words for one in page.record.work if (words := ran_words(one))]
        where = f": {listed(ran)}, where the tensors are" if ran else ""
        out.append(("still", f"No byte went from one memory to another{where}."))
    out += [(kind, f"{words}.") for kind, words in happened(page)]
    if len(out) > MOST_SAID:
        return [*out[: MOST_SAID - 1], ("more", f"And {len(out) - MOST_SAID + 1} more changes.")]
    return out


# ---- memories


def ran_words(one: Work) -> str:
    """What ran on a device, or an empty text.

    >>> ran_words(Work("cuda:0", 2, 0)), ran_words(Work("cuda:0", 1, 1))
    ('2 kernels ran on cuda:0', '1 kernel and 1 library call ran on cuda:0')
    """
    parts = [
        f"{count:,} {what}{'s' * (count != 1)}"
        for count, what in ((one.kernels, "kernel"), (one.library, "library call"))
        if count
    ]
    return f"{listed(parts)} ran on {one.device}" if parts else ""


def inside_words(page: DevicePage, device: str) -> str:
    """The copies that stayed within a memory, or an empty text."""
    count, nbytes = page.record.inside(device)
    if not count:
        return ""
    return f"{count:,} cop{'ies' if count > 1 else 'y'} inside, {bytes_words(nbytes)}"


def memory_words(page: DevicePage, device: str) -> tuple[str, ...]:
    """How full a memory is: what tensors own, and what the allocator says."""
    storages = page.snapshot.on(device)
    count = sum(len(storage.holders) for storage in storages)
    tensors = f"{count} tensor{'s' * (count != 1)}"
    if device == "meta":
        return (f"{tensors}: sizes without memory",)
    first = f"{tensors}, {bytes_words(page.snapshot.owned(device))}"
    facts = page.facts(device)
    return (first,) if facts is None else (first, _allocator_words(facts))


def _allocator_words(facts: DeviceFacts) -> str:
    return f"allocated {bytes_words(facts.allocated)}, reserved {bytes_words(facts.reserved)}"


def holder_words(holder: Holder) -> str:
    """What a tensor is, short."""
    kind = (
        ""
        if holder.library == "tensorkit"
        else f", {'NumPy' if holder.library == 'numpy' else holder.library}"
    )
    return f"{holder.dtype} {size_text(holder.size)}{kind}"


def view_words(storage: Storage, holder: Holder) -> str:
    """Of a tensor that is not the first on its storage: whose view it is, where one tensor reaches all that it does."""
    base = max(storage.holders, key=lambda one: one.viewed)
    if holder is base:
        return ""
    whole = base.exact and base.viewed == storage.viewed
    return f"view of {label_of(base, 1)}" if whole else "on the same storage"
