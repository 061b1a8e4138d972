"""What goes wrong in a network, as options: lost messages, failing clients, delays, stragglers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import Delayed
from theorylab.kernels import Stream

if TYPE_CHECKING:  # slow to import
    from scipy.sparse import csr_array

ON_LOSS = ("sender", "receiver", "drop")
# One use, one step number: no two uses read the same draws.
_LOSS, _FAIL, _LATE, _HOW_LATE, _SLOW, _HOW_SLOW = range(6)

MOST_DELAY = 1000  # rounds; every round makes a matrix for each possible delay


@dataclass(frozen=True)
class Faults:
    """Faults of a run; every draw is a function of (seed, run, round, client or message).

    Args:
        loss: probability that a message (an edge from another client, in one round) is lost.
        on_loss: where the share of a lost message goes. "sender": the sender learns of it and
            keeps the share, columns still sum to 1 and no mass is lost. "receiver": the receiver
            puts its own model in its place, rows keep their sum and mass is not conserved.
            "drop": it is gone. None: "sender" where the network promises column-stochastic P,
            else "receiver".
        failing: probability that a client is down in a round: it takes no step, and all messages
            to and from it are lost.
        down: (client, first, last) rounds in which a client is down for sure, first <= last.
        delay: the longest delay D in rounds, at most ``MOST_DELAY``; a late message comes 1 .. D
            rounds late, each equally likely. Needs push-sum weights. A client's share for itself is
            never late.
        delay_probability: that a message is late. delay = 0: none is.
        stragglers: probability that a client gets only a share of its local steps done in a
            round, uniform on (0, 1), rounded up to whole steps.

    Raises:
        ValueError: one line naming the option that is out of range.

    >>> Faults(loss=0.1, on_loss="sender", down=[(0, 5, 9)]).loss
    0.1
    """

    loss: float = 0.0
    on_loss: str | None = None
    failing: float = 0.0
    down: Sequence[tuple[int, int, int]] = ()
    delay: int = 0
    delay_probability: float = 0.5
    stragglers: float = 0.0

    def __post_init__(self) -> None:
        for name in ("loss", "failing", "delay_probability", "stragglers"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise TypeError(f"faults: {name} is {value!r}; need a probability")
            if not 0 <= value <= 1:
                raise ValueError(f"faults: {name} is {value!r}; need 0 <= {name} <= 1")
        if self.on_loss is not None and self.on_loss not in ON_LOSS:
            raise ValueError(
                f"faults: on_loss is {self.on_loss!r}; need one of {', '.join(ON_LOSS)}"
            )
        if isinstance(self.delay, bool) or not isinstance(self.delay, int) or self.delay < 0:
            raise ValueError(f"faults: delay is {self.delay!r}; need rounds, an integer >= 0")
        if self.delay > MOST_DELAY:
            raise ValueError(f"faults: delay is {self.delay}; need at most {MOST_DELAY} rounds")
        for window in self.down:
            fits = len(window) == 3 and all(isinstance(each, int) for each in window)
            if not fits or min(window) < 0 or window[1] > window[2]:
                raise ValueError(
                    f"faults: down has {tuple(window)!r}; need (client, first, last), first <= last"
                )

    def describe(self) -> dict[str, Any]:
        """Every option by name; ``Faults(**description)`` is the same."""
        return {**asdict(self), "down": [list(window) for window in self.down]}

    @property
    def keep_rows(self) -> bool:
        """Whether rows that sum to 1 still do: the receiver replaces what is lost, none is late."""
        lossy = self.loss > 0 or self.failing > 0 or bool(self.down)
        return not self.delay and (not lossy or self.on_loss in (None, "receiver"))

    def apply(
        self,
        mixing: csr_array | list[csr_array],
        seed: int,
        runs: NDArray[np.int64],
        t: int,
        column_stochastic: bool,
        edges: csr_array | list[csr_array] | None = None,
    ) -> tuple[Any, NDArray[np.float64] | None, bool]:
        """What is left of P(t), the effort of ``Context``, and whether mass is still conserved.

        edges: those of all networks of the run, one pattern or one a run, where it has several: a
        message between two clients then has one fate in all of them.

        Returns P(t) as one matrix a run, in a ``Delayed`` where messages are late.
        """
        matrices = mixing if isinstance(mixing, list) else [mixing] * len(runs)
        n = matrices[0].shape[0]
        draw = Stream(seed, "fault")
        out = self._down(draw, runs, n, t)
        where = self.on_loss or ("sender" if column_stochastic else "receiver")
        network = self.loss > 0 or bool(out.any()) or self.delay > 0
        parts: Any = mixing
        if network:
            known = matrices if edges is None else edges
            patterns = known if isinstance(known, list) else [known] * len(runs)
            rows = max(int(np.diff(P.indptr).max()) for P in patterns)
            u = {use: draw.uniform(runs, n, t, use, rows) for use in (_LOSS, _LATE, _HOW_LATE)}
            split = [
                self._split(P, {use: v[r] for use, v in u.items()}, out[r], where, patterns[r])
                for r, P in enumerate(matrices)
            ]
            parts = [made[0] for made in split]
            if self.delay:
                later = tuple([made[1 + s] for made in split] for s in range(self.delay))
                parts = Delayed(parts, later)
        effort = self._effort(draw, runs, n, t, out)
        lossy = self.loss > 0 or bool(out.any())
        return parts, effort, column_stochastic and (where == "sender" or not lossy)

    def _down(self, draw: Stream, runs: NDArray[np.int64], n: int, t: int) -> NDArray[np.bool_]:
        """(R, n): who is down in round t."""
        out = np.zeros((len(runs), n), dtype=bool)
        if self.failing:
            out |= draw.uniform(runs, n, t, _FAIL)[:, :, 0] < self.failing
        for client, first, last in self.down:
            if client >= n:
                raise ValueError(f"faults: down names client {client}; need 0..{n - 1}")
            out[:, client] |= first <= t <= last
        return out

    def _effort(
        self,
        draw: Stream,
        runs: NDArray[np.int64],
        n: int,
        t: int,
        out: NDArray[np.bool_],
    ) -> NDArray[np.float64] | None:
        if not self.stragglers and not out.any():
            return None
        effort = np.ones(out.shape)
        if self.stragglers:
            slow = draw.uniform(runs, n, t, _SLOW)[:, :, 0] < self.stragglers
            effort = np.where(slow, 1 - draw.uniform(runs, n, t, _HOW_SLOW)[:, :, 0], effort)
        return np.where(out, 0.0, effort)

    def _split(
        self,
        P: csr_array,
        u: dict[int, NDArray[np.float64]],
        out: NDArray[np.bool_],
        where: str,
        pattern: csr_array,
    ) -> list[csr_array]:
        """[what arrives at once, what arrives 1, ..., D rounds late] of one run."""
        from scipy.sparse import csr_array

        n = P.shape[0]
        row = np.repeat(np.arange(n), np.diff(P.indptr))
        column, share = P.indices.astype(np.int64), P.data
        # a message is known by its place in its row of the pattern
        place = np.arange(len(row)) - P.indptr[row]
        if pattern is not P:
            every = np.repeat(np.arange(n), np.diff(pattern.indptr)) * n + pattern.indices
            place = np.searchsorted(every, row * n + column) - pattern.indptr[row]
        away = row != column
        lost = away & ((u[_LOSS][row, place] < self.loss) | out[row] | out[column])
        late = np.zeros(len(row), dtype=np.int64)
        if self.delay:
            delayed = away & ~lost & (u[_LATE][row, place] < self.delay_probability)
            rounds = 1 + np.floor(u[_HOW_LATE][row, place] * self.delay).astype(np.int64)
            late = np.where(delayed, rounds, 0)
        made = []
        for s in range(self.delay + 1):
            here = ~lost & (late == s)
            r, c, v = row[here], column[here], share[here]
            if s == 0 and where != "drop":
                back = column[lost] if where == "sender" else row[lost]
                r, c = np.concatenate([r, back]), np.concatenate([c, back])
                v = np.concatenate([v, share[lost]])
            part = csr_array((v, (r, c)), shape=(n, n))
            part.sum_duplicates()
            part.sort_indices()
            made.append(part)
        return made
