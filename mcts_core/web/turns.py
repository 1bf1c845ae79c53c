"""Who may search: a few at a time, the others in the order in which they came."""

from __future__ import annotations

import threading
from collections import deque


class Turns:
    """A semaphore of ``count`` whose waiters are served in order, and which says whether there are any."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: deque[object] = deque()
        self._changed = threading.Condition()

    @property
    def wanted(self) -> bool:
        """Whether somebody waits."""
        return bool(self._waiting)

    def join(self) -> object:
        """A new place at the end of the queue, for ``take`` or ``leave``."""
        place = object()
        with self._changed:
            self._waiting.append(place)
        return place

    def take(self, place: object, timeout: float) -> bool:
        """Waits until the place is served, ``timeout`` seconds at most; True: it is one's turn until ``give_back``."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._free > 0 and self._waiting[0] is place, timeout):
                return False
            self._waiting.popleft()
            self._free -= 1
            self._changed.notify_all()
            return True

    def leave(self, place: object) -> None:
        """Gives up a place that was not served."""
        with self._changed:
            self._waiting.remove(place)
            self._changed.notify_all()

    def give_back(self) -> None:
        """Ends one's turn."""
        with self._changed:
            self._free += 1
            self._changed.notify_all()
