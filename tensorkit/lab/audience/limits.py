"""How much one client, and all of them together, may ask for: what is over it is refused, and costs next to nothing."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MOST_CONNECTIONS = 600
MOST_CONNECTIONS_OF_AN_ADDRESS = 64
MOST_TRANSFERS = 200
"""This many answers may be on their way to phones at once: what waits in memory for slow ones is bounded by it."""
_MOST_ADDRESSES = 1024


@dataclass
class Bucket:
    """Fills at ``rate`` a second up to ``most``; each request takes one.

    >>> bucket = Bucket(rate=1, most=2, level=2, since=0)
    >>> [bucket.take(now) for now in (0, 0, 0, 1)]
    [True, True, False, True]
    """

    rate: float
    most: float
    level: float
    since: float

    def take(self, now: float) -> bool:
        self.level = min(self.most, self.level + self.rate * (now - self.since))
        self.since = now
        if self.level < 1:
            return False
        self.level -= 1
        return True


class Limits:
    """Requests by address and of all addresses; connections by address and of all.

    >>> limits = Limits(clock=lambda: 0.0)
    >>> [limits.asks("10.0.0.7") for _ in range(Limits.BURST + 1)].count(False)
    1
    >>> limits.asks("10.0.0.8")
    True
    """

    RATE, BURST = 40, 160
    """Requests a second from one address. A phone makes about one; a whole room may be behind one address."""
    ANSWERS, ANSWERS_BURST = 10, 60
    GUESSES, GUESSES_BURST = 0.5, 20
    ALL, ALL_BURST = 800, 1600

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._asked: OrderedDict[tuple[str, str], Bucket] = OrderedDict()
        self._all = Bucket(self.ALL, self.ALL_BURST, self.ALL_BURST, clock())
        self._connected: Counter[str] = Counter()
        self.transfers = 0

    def asks(self, address: str) -> bool:
        """Whether a request is within the limits."""
        now = self._clock()
        return self._bucket(address, "any", self.RATE, self.BURST).take(now) and self._all.take(now)

    def guesses(self, address: str) -> bool:
        """Whether a request for what is not there is within the limits: the room's code is not found by trying."""
        return self._bucket(address, "guess", self.GUESSES, self.GUESSES_BURST).take(self._clock())

    def answers(self, address: str) -> bool:
        """Whether an answer is within the limits."""
        return self._bucket(address, "answer", self.ANSWERS, self.ANSWERS_BURST).take(self._clock())

    def _bucket(self, address: str, kind: str, rate: float, most: float) -> Bucket:
        key = (address, kind)
        found = self._asked.get(key) or Bucket(rate, most, most, self._clock())
        self._asked[key] = found
        self._asked.move_to_end(key)
        while len(self._asked) > 4 * _MOST_ADDRESSES:
            self._asked.popitem(last=False)
        return found

    def connects(self, address: str) -> bool:
        """Whether one more connection of an address is within the limits; if so, it is counted until `leaves`."""
        if not self._bucket(address, "connection", self.RATE, self.BURST).take(self._clock()):
            return False
        full = self._connected.total() >= MOST_CONNECTIONS
        if full or self._connected[address] >= MOST_CONNECTIONS_OF_AN_ADDRESS:
            return False
        self._connected[address] += 1
        return True

    def leaves(self, address: str) -> None:
        """A connection that was counted is closed."""
        self._connected[address] -= 1
        if self._connected[address] <= 0:
            del self._connected[address]
