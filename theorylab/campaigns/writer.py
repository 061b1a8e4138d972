"""Rows on their way to the disk: a thread commits them in groups of at most half a second."""

from __future__ import annotations

import queue
import threading
import time

from theorylab.campaigns.store import Store
from theorylab.campaigns.stored import Stored
from theorylab.campaigns.worker import Done

GROUP = 0.2  # seconds that a row waits for others; with its chunk and the commit, half a second
_MOST = 4096  # rows of a group: more would only take memory


class Writer:
    """Takes what workers have done. ``check`` raises what the disk has said, an OSError."""

    def __init__(self, store: Store, era: int) -> None:
        self.store, self.era = store, era
        self._queue: queue.Queue[Done | None] = queue.Queue(4 * _MOST)
        self._error: OSError | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def put(self, done: Done) -> None:
        self.check()
        self._queue.put(done)

    def check(self) -> None:
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Commit what is left. Raises OSError where that fails."""
        self._queue.put(None)
        self._thread.join()
        self.check()

    def _run(self) -> None:
        open_ = True
        while open_:
            first = self._queue.get()
            if first is None:
                return
            group, end = [first], time.monotonic() + GROUP
            while len(group) < _MOST:
                try:
                    more = self._queue.get(timeout=max(0.0, end - time.monotonic()))
                except queue.Empty:
                    break
                if more is None:
                    open_ = False
                    break
                group.append(more)
            if self._error is None:  # after a fault the rest is taken, so that nobody waits
                try:
                    self._commit(group)
                except OSError as error:
                    self._error = error

    def _commit(self, group: list[Done]) -> None:
        now = int(time.time())
        rows = [Stored(done.key, done.about, done.row, done.seconds, now) for done in group]
        texts = {name: text for done in group for name, text in done.texts.items()}
        self.store.put(self.era, rows, texts.items())
