"""What the device map says: of each transfer, of each memory, and of what was refused."""

from __future__ import annotations

from collections.abc import Iterable

from tensorkit_widgets.device_map.model import (
    COPY_SECONDS,
    PACES,
    DeviceFacts,
    DevicePage,
    Refused,
    Transfer,
    Work,
)
from tensorkit_widgets.namespace.model import Holder, Storage
from tensorkit_widgets.namespace.sentences import bytes_words
from tensorkit_widgets.namespace.words import happened, label_of, listed
from tensorkit_widgets.snapshot.number_text import size_text

MOST_SAID = 12


def seconds_words(seconds: float) -> str:
    """A time as it is read.

    >>> seconds_words(1e-05), seconds_words(0.00171), seconds_words(2.5)
    ('10 µs', '1.71 ms', '2.5 s')
    """
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            return f"{float(f'{seconds / unit:.3g}'):,g} {name}"
    return f"{float(f'{seconds / 1e-9:.3g}'):,g} ns"


_OF = {"pageable": "pageable", "pinned": "pinned", "peer": "device to device"}


def model_words(arrows: Iterable[Transfer]) -> str:
    """The model by which these are timed, or an empty text for what was measured.

    >>> from tensorkit_widgets.device_map.model import Moved, transfers_of
    >>> model_words(transfers_of([Moved(48, "cpu", "cuda:0")], 4))
    'simulated: 10 µs a copy, and its bytes at 12 GB/s (pageable)'
    """
    paces = sorted(
        {pace for one in arrows if one.seconds is None for pace in one.paces}, key=list(PACES).index
    )
    if not paces:
        return ""
    at = [f"{PACES[pace] / 1e9:g} GB/s ({_OF[pace]})" for pace in paces]
    return f"simulated: {seconds_words(COPY_SECONDS)} a copy, and its bytes at {listed(at)}"


# ---- transfers


def amount(one: Transfer) -> str:
    """How much it is.

    >>> NOBODY = (None, None)
    >>> amount(Transfer("cuda:0", "cpu", "item", "", NOBODY, NOBODY, 12, 48, 4, None, 0.0, ()))
    '12 × 4 bytes'
    """
    if one.count == 1:
        return bytes_words(one.nbytes)
    if one.each is not None:
        return f"{one.count:,} × {bytes_words(one.each)}"
    return f"{one.count:,} copies, {bytes_words(one.nbytes)}"


def by_words(one: Transfer) -> str:
    """Which call it was made for.

    >>> NOBODY = (None, None)
    >>> by_words(Transfer("cpu", "cuda:0", "to", "", NOBODY, NOBODY, 1, 48, 48, None, 0.0, ()))
    '.to()'
    """
    if one.by == "print":
        return "printing"
    if one.by == "__setitem__":
        return "t[…] = …"
    if one.by == "__getitem__":
        return "t[…]"
    return f".{one.by}()" if one.by else "several calls" if one.count > 1 else ""


def time_words(one: Transfer) -> str:
    """How long it took: measured, or by the model.

    >>> from tensorkit_widgets.device_map.model import Moved, transfers_of
    >>> [time_words(one) for one in transfers_of([Moved(4, "cuda:0", "cpu", times=12)], 4)]
    ['simulated: 120 µs']
    """
    return (
        f"simulated: {seconds_words(one.simulated)}"
        if one.seconds is None
        else f"measured: {seconds_words(one.seconds)}"
    )


def transfer_words(one: Transfer, page: DevicePage) -> str:
    """A transfer as a sentence."""
    by = f" by {by_words(one)}" if one.by else ""
    tail = _tail(one, page)
    return f"{_much(one)} from {one.source} to {one.target}{by}{': ' if tail else ''}{tail}."


def _much(one: Transfer) -> str:
    if one.count == 1:
        return bytes_words(one.nbytes)
    each = (
        f" of {bytes_words(one.each)} each"
        if one.each is not None
        else f", {bytes_words(one.nbytes)} in all,"
    )
    return f"{one.count:,} copies{each}"


def _tail(one: Transfer, page: DevicePage) -> str:
    """What became of both ends: that the source stays is what `to` is often thought not to do."""
    source, reached = (name_of(page, *end) for end in zip(one.ends, one.tensors, strict=True))
    stays = f"{source} stays where it is" if source else ""
    change = page.change.change(one.ends[1]) if one.ends[1] is not None else None
    if reached and change is not None and change.fate == "made":
        arrives = f"{reached} is a copy"
    elif reached:
        arrives = f"written into the memory of {reached}"
    elif one.target == "cpu" and one.by in _READS:
        return "what Python reads has to be in the host’s memory"
    else:
        arrives = ""
    return ", and ".join(words for words in (stays, arrives) if words)


_READS = ("item", "tolist", "print", "__bool__", "__float__", "__int__")


def name_of(page: DevicePage, storage: int | None, tensor: int | None) -> str:
    """What a tensor of this moment is called; the first on its storage where it is not known, or an empty text."""
    found = next((s for s in page.snapshot.storages if s.number == storage), None)
    if found is None:
        return ""
    first = max(found.holders, key=lambda one: one.viewed)
    return label_of(next((h for h in found.holders if h.number == tensor), first), 1)


def details(one: Transfer, page: DevicePage) -> str:
    """What more is known of a transfer: the line that did it, and how long it took."""
    code = one.code if one.code != page.snapshot.moment.code else ""
    return ", ".join(words for words in (code, time_words(one)) if words)


def refused_words(one: Refused, page: DevicePage) -> str:
    """An operation over a border."""
    where = [f"{name_of(page, *numbers) or 'a tensor'} is on {device}" for device, *numbers in one.operands]
    reason = f": {listed(list(dict.fromkeys(where)))}" if len(one.devices) > 1 else ""
    return f"{one.by.strip('_')}() was refused{reason}. Nothing is carried unasked"


def said_of(page: DevicePage, arrows: tuple[Transfer, ...]) -> list[tuple[str, str]]:
    """What the step did, as pairs of a kind and a sentence."""
    out = [("refused", f"{refused_words(one, page)}.") for one in dict.fromkeys(page.record.refused)]
    out += [("moved", transfer_words(one, page)) for one in arrows]
    if not arrows and page.change.before is not None:
        ran = [words for one in page.record.work if (words := ran_words(one))]
        where = f": {listed(ran)}, where the tensors are" if ran else ""
        out.append(("still", f"No byte went from one memory to another{where}."))
    return out + [(kind, f"{words}.") for kind, words in happened(page, MOST_SAID)]


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
    return f"allocated {_exact(facts.allocated)}, reserved {_exact(facts.reserved)}"


def _exact(count: int) -> str:
    """As `memory_allocated` prints it, while that is a number that one can read."""
    return f"{count:,} bytes" if count < 1_000_000 else bytes_words(count)


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
