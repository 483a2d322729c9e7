"""What `tests.support.garbage` is for: Python's own `gc.collect` does nothing while another thread collects."""

from __future__ import annotations

import gc
import threading
import weakref

from tests.support.garbage import collect


class Knot:
    """Something that only the collector frees."""

    def __init__(self) -> None:
        self.self = self


class Slow(Knot):
    """Something whose end takes as long as the test likes."""

    def __init__(self, begun: threading.Event, go_on: threading.Event) -> None:
        super().__init__()
        self.begun, self.go_on = begun, go_on

    def __del__(self) -> None:
        self.begun.set()
        self.go_on.wait(30)


def test_it_waits_for_the_other_threads_collection() -> None:
    begun, go_on = threading.Event(), threading.Event()
    gc.disable()  # a collection of this thread's own could end what the other thread is to find
    try:
        Slow(begun, go_on)
        other = threading.Thread(target=gc.collect)
        other.start()
        assert begun.wait(30)
        held = weakref.ref(Knot())
        gc.collect()
        assert held() is not None
        threading.Timer(0.2, go_on.set).start()
        collect()
        assert held() is None
        other.join()
    finally:
        gc.enable()
