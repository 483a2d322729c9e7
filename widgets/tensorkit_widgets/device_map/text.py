"""The device map as text: everything that is drawn."""

from __future__ import annotations

from collections.abc import Sequence

from tensorkit_widgets.device_map.model import DevicePage, Transfer
from tensorkit_widgets.device_map.words import (
    details,
    holder_words,
    inside_words,
    memory_words,
    model_words,
    ran_words,
    refused_words,
    transfer_words,
    view_words,
)
from tensorkit_widgets.namespace.model import Storage
from tensorkit_widgets.namespace.sentences import bytes_words
from tensorkit_widgets.namespace.words import happened, label_of, listed

MOST = 24


def device_text(page: DevicePage, arrows: Sequence[Transfer]) -> list[str]:
    """The lines of the text twin."""
    lines = []
    if page.snapshot.moment.error:
        lines.append(f"the cell ended with {page.snapshot.moment.error}")
    lines += [f"{refused_words(one, page)}." for one in dict.fromkeys(page.record.refused)]
    lines += [_transfer(one, page) for one in arrows]
    if not arrows and page.change.before is not None:
        lines.append("No byte went from one memory to another.")
    if page.record.left_out:
        lines.append(f"{page.record.left_out:,} more copies were counted, and are not drawn.")
    lines += [words for _, words in happened(page, MOST)]
    if arrows and model_words(arrows):
        lines.append(model_words(arrows))
    for device in _memories(page):
        lines += _memory(page, device)
    return lines


def _transfer(one: Transfer, page: DevicePage) -> str:
    more = details(one, page)
    return transfer_words(one, page) + (f" ({more})" if more else "")


def _memories(page: DevicePage) -> list[str]:
    there = ["cpu", *(one.device for one in page.devices), *page.snapshot.devices]
    return list(dict.fromkeys(there))


def _memory(page: DevicePage, device: str) -> list[str]:
    facts = page.facts(device)
    kind = " (the host’s memory)" if device == "cpu" else " (emulated)" if facts and facts.emulated else ""
    lines = ["", f"{device}{kind}: {'; '.join(memory_words(page, device))}"]
    storages = page.snapshot.on(device)
    for storage in storages[:MOST]:
        lines += _storage(page, storage)
    if len(storages) > MOST:
        lines.append(f"  and {len(storages) - MOST} more storages")
    ran = ran_words(page.record.ran_on(device))
    return [*lines, *(f"  {words}" for words in (ran, inside_words(page, device)) if words)]


def _storage(page: DevicePage, storage: Storage) -> list[str]:
    change = page.change.change(storage.number)
    fate = {"made": "new", "changed": "changed in place"}.get(change.fate if change else "", "")
    size = "no memory" if storage.device == "meta" else bytes_words(storage.nbytes)
    more = [words for words in (size, "pinned" if storage.pinned else "", fate) if words]
    lines = [f"  {', '.join(more)}:"]
    for holder in storage.holders:
        view = view_words(storage, holder)
        lines.append(f"    {label_of(holder)}: {listed([w for w in (holder_words(holder), view) if w])}")
    return lines
