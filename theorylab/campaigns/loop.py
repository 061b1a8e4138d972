"""Tasks handed to a backend in chunks, and taken back, whatever worker ends in between."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from theorylab.campaigns.backends import Backend
from theorylab.campaigns.folder import Note
from theorylab.campaigns.worker import OPEN, Chunk, Done, Play, Task, stamp
from theorylab.imports import sources

_TRIALS = 8  # processes that a cell may end before it is given up


class Loop:
    """Iterating hands out all tasks, and yields what is done meanwhile, or nothing, now and then.

    Args:
        note: told where a worker is gone.
        play: computes a cell; that of a campaign if omitted.

    Attributes:
        done: cells that were computed. cost: seconds of one, an average that follows.
    """

    def __init__(
        self, tasks: Iterable[Task], backend: Backend, note: Note, play: Play | None = None
    ) -> None:
        self.tasks, self.backend, self.note, self.play = iter(tasks), backend, note, play
        self.sources, self.stamp = sources(), stamp()
        self.done = self._open = 0
        self.cost = 0.0
        self._slow = OPEN  # seconds of a slow cell: at once what one takes, and then less
        self._left: deque[Chunk] = deque()  # what came back

    def __iter__(self) -> Iterator[list[Done]]:
        more = True
        while more or self._open:
            while more and self.backend.room > 0:
                chunk = self._next()
                if chunk is None:
                    more = False
                    break
                self.backend.submit(chunk)
                self._open += 1
            taken: list[Done] = []
            for chunk, done in self.backend.finished(0.2):
                self._open -= 1
                taken += self._taken(chunk, done)
                more = True
            yield taken

    def _next(self) -> Chunk | None:
        """What came back, else as many cells as take ``OPEN`` seconds together, if all are slow."""
        if self._left:
            return self._left.popleft()
        size = min(self.backend.most, max(1, int(0.8 * OPEN / self._slow)))
        tasks = tuple(itertools.islice(self.tasks, size))
        return Chunk(tasks, self.stamp, self.sources, play=self.play) if tasks else None

    def _taken(self, chunk: Chunk, done: list[Done] | None) -> list[Done]:
        if done is None:
            self._lost(chunk)
            return []
        for each in done:
            self.done += 1
            self.cost += (each.seconds - self.cost) * max(1 / self.done, 1 / 256)
            self._slow = max(each.seconds, 0.98 * self._slow, 1e-4)
        if len(done) < len(chunk.tasks):
            self._left.append(replace(chunk, tasks=chunk.tasks[len(done) :], lost=0))
        return done

    def _lost(self, chunk: Chunk) -> None:
        """Its worker is gone: again, in parts, so that a cell that ends its process is found."""
        lost = chunk.lost + 1
        self.note(f"a worker has ended with {len(chunk.tasks)} cells; they are computed again")
        if lost > _TRIALS and len(chunk.tasks) == 1:
            raise ValueError(
                f"the cell {chunk.tasks[0].about[:300]} has ended {lost} processes "
                "(os._exit, or killed, as where memory is short); need a plan without it"
            )
        middle = len(chunk.tasks) // 2 if lost > 2 else 0
        parts = (chunk.tasks[:middle], chunk.tasks[middle:])
        self._left.extend(replace(chunk, tasks=part, lost=lost) for part in parts if part)
