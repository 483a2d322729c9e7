"""DeviceMap: the memories of the host and of the devices, and what each cell carried from one to another.

>>> with tk.cuda.emulate(devices=1):
...     names = {"t": tk.arange(12.0)}
...     shown = DeviceMap(names)
...     names["g"] = names["t"].to("cuda")
...     [moved] = shown.look().record.moved
...     shown.close()
>>> moved.nbytes, moved.source, moved.target, moved.by
(48, 'cpu', 'cuda:0', 'to')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import tensorkit as tk
from tensorkit_widgets.device_map.model import DeviceFacts, DevicePage, Record
from tensorkit_widgets.device_map.recorder import Recorder
from tensorkit_widgets.device_map.scene import arrows_of, compose_devices
from tensorkit_widgets.device_map.words import memory_words, said_of
from tensorkit_widgets.drawing.sheet import Sheet
from tensorkit_widgets.namespace.cell_hook import MemoryHook, hook
from tensorkit_widgets.namespace.model import Difference, MemorySnapshot, Storage
from tensorkit_widgets.namespace.moments import MomentBoard, MomentState
from tensorkit_widgets.namespace.words import moment_words


class DeviceMap(MomentBoard[DevicePage]):
    """The host's memory and the devices' memories, the tensors in each, and what each cell carried between them.

    It looks after every cell, also after one that failed, and listens to the engine while it is open: each arrow is
    copies that the engine has recorded, with the bytes that its copier told. How long they took is measured where the
    clock of a GPU tells; otherwise it is computed by a model that is stated beside them, and labelled *simulated*. Each
    cell is a step. Shown in a cell, it stays as that cell left it; *Follow the notebook* shows each later cell there
    too.

    Args:
        namespace: names and values to look at; the notebook's own if not given.

    Raises:
        TypeError: for a namespace that is no mapping, or an unknown keyword.
    """

    kind = "device-map"
    widths: ClassVar[tuple[float, ...]] = (400.0, 480.0, 600.0, 760.0, 960.0)

    #: Listens while the map is open. One whose arguments were refused has none.
    _recorder: Recorder | None = None

    def __init__(self, namespace: Mapping[str, Any] | None = None, **unknown: Any) -> None:
        if unknown:
            raise TypeError(f"DeviceMap has no option {', '.join(sorted(unknown))}: it takes namespace")
        if namespace is not None and not isinstance(namespace, Mapping):
            raise TypeError(f"namespace must be a mapping of names to values, not {type(namespace).__name__}")
        source = hook if namespace is None else MemoryHook(lambda: (namespace, {}))
        self._recorder = Recorder()
        self._open_with(source, MomentState())
        self._recorder.start()

    # ---- what Python sees

    @property
    def record(self) -> Record:
        """What was recorded in the step that is shown: copies, kernels, and refusals."""
        page = self._page_at(self.at)
        return Record() if page is None else page.record

    def alt(self) -> str:
        """One sentence for those who do not see the picture."""
        with self._guard:
            page = self._page_at(self.at)
            if page is None:
                return "DeviceMap: nothing has been looked at yet."
            said = [words.rstrip(".") for _, words in said_of(page, arrows_of(page))]
            full = [f"{one}: {memory_words(page, one)[0]}" for one in page.snapshot.devices]
            return f"DeviceMap, {'. '.join([moment_words(page), *full, *said])}."

    # ---- moments

    def _made_page(
        self, snapshot: MemorySnapshot, change: Difference, gone: tuple[Storage, ...]
    ) -> DevicePage:
        taken = self._recorder.take(self._number_of()) if self._recorder is not None else Record()
        return DevicePage(snapshot, change, gone, taken, _devices())

    def _number_of(self) -> Callable[[Any], int | None]:
        return self._source.number_of if self._source is not None else lambda storage: None

    def _quiet(self, change: Difference) -> bool:
        return change.quiet and (self._recorder is None or self._recorder.quiet)

    # ---- the board

    def _sheet(self, at: int) -> Sheet:
        return compose_devices(self._page_at(at), self._width)

    def _facts(self) -> Mapping[str, str]:
        page = self._page_at(self.at)
        if page is None:
            return {}
        crossing = page.record.crossing
        return {
            "cell": "" if page.snapshot.moment.cell is None else str(page.snapshot.moment.cell),
            "error": page.snapshot.moment.error,
            "storages": str(len(page.snapshot.storages)),
            "arrows": str(len(arrows_of(page))),
            "copies": str(sum(one.times for one in crossing)),
            "moved": str(sum(one.times * one.nbytes for one in crossing)),
            "kernels": str(sum(one.kernels for one in page.record.work)),
            "refused": str(len(page.record.refused)),
            "devices": " ".join(page.snapshot.devices),
        }

    # ---- life

    def close(self) -> None:
        """Take the map down: it looks and listens no more."""
        if self._recorder is not None:
            self._recorder.stop()
        super().close()

    def _reopen(self) -> None:
        super()._reopen()
        if self._recorder is not None:
            self._recorder.start()


def _devices() -> tuple[DeviceFacts, ...]:
    """What the CUDA devices say of themselves."""
    if not tk.cuda.is_available():
        return ()
    return tuple(map(_device, range(tk.cuda.device_count())))


def _device(index: int) -> DeviceFacts:
    about = tk.cuda.get_device_properties(index)
    return DeviceFacts(
        f"cuda:{index}", about.is_emulated, tk.cuda.memory_allocated(index), tk.cuda.memory_reserved(index),
        "" if about.is_emulated else about.name,
    )  # fmt: skip
