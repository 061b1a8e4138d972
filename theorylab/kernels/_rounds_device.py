"""Whole rounds on a GPU: their launches put together once, and played with few words changed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.kernels._device import Array, DeviceArrays
from theorylab.kernels._local_steps_device import Steps, steps_on_device
from theorylab.kernels._local_steps_tables import check_finite, checked_ids
from theorylab.kernels._push_mix_device import push_mix_on_device
from theorylab.kernels._push_mix_drawn_device import push_mix_drawn_on_device
from theorylab.kernels._tape import Launch, Moving, Player, recorded
from theorylab.kernels.draws import _number
from theorylab.kernels.local_steps import ClientLosses
from theorylab.kernels.push_mix import Mixing
from theorylab.kernels.rounds import DrawnNetwork


class DeviceRounds:
    """Rounds x = P(t) (local steps of x), w = P(t) w, where x lives, with the bits of each call.

    The arrays are this object's own and are written in every round. Nothing waits for the GPU.

    Attributes:
        half, x, z: (R, n, d), after the local steps of the last round, and at its end; z = x / w.
        weights: (longest + 1, R, n): before the first round, and after each. Without ``push_sum``
            only the first is ever used.
    """

    half: Array
    x: Array
    z: Array
    weights: Array

    def __init__(
        self,
        losses: ClientLosses,
        network: DrawnNetwork | list[Mixing],
        x: Array,
        *,
        seed: int,
        runs: NDArray[np.int64],
        graphs: NDArray[np.int64],
        steps: int,
        counts: NDArray[np.int64] | None,
        alpha: float,
        rho: float,
        push_sum: bool,
        longest: int,
    ) -> None:
        """Args as of ``rounds``; network: drawn, or the matrices of one period, each by itself.
        x: (R, n, d), whose place, shape and dtype the rounds have. longest: rounds between two
        calls of ``start``, at most.

        Raises:
            NotImplementedError: one round needs more than launches, or has none.
            TypeError, ValueError, MemoryError: as the kernels'.
        """
        _number("seed", seed, 0, 2**64, "rounds")
        graphs = checked_ids(graphs, len(graphs))
        self._call = call = DeviceArrays("rounds", "x", x)
        shape = tuple(x.shape)
        shapes = {"x": shape, "z": shape, "weights": (longest + 1, *shape[:2])}
        self.x, self.z, self.weights = (t.array for t in call.results(shapes, None, {}))
        w, w1 = self.weights[0], self.weights[1]
        self._network = network  # a Mixing's entries are on the device as long as it is
        moving = [(w, Moving.W), (w1, Moving.NEXT_W)] if push_sum else []
        self._tapes = []
        with recorded(moving) as tape:
            moment = Steps(seed, Moving.ROUND, steps, Moving.ETA, alpha, rho)
            self.half = steps_on_device(
                losses._table, losses._on_device, self.x, w, runs, counts, moment
            )
        self._tapes.append(tape)
        out = self.x, w1, self.z
        phases: list[list[Launch]] = []
        for part in [network] if isinstance(network, DrawnNetwork) else network:
            with recorded(moving) as mixed:
                self._mix(part, graphs, w, out)
            self._tapes.append(mixed)
            phases.append([*tape.launches, *mixed.launches])
        if not tape.launches or not all(len(each) > len(tape.launches) for each in phases):
            raise NotImplementedError("rounds: a round has nothing to launch")
        self._period = len(phases)
        self._player: Player = call.path.player(phases, call.device)

    def _mix(
        self, part: DrawnNetwork | Mixing, graphs: NDArray[np.int64], w: Array, out: Any
    ) -> None:
        half = self.half
        if isinstance(part, Mixing):
            push_mix_on_device(part._parts, False, half, w, out, part._on_device)
            return
        ids = np.broadcast_to(graphs, len(self.x)).astype(np.int64)
        seed, loops = _number("seed", part.seed, 0, 2**64, "rounds"), part.self_loops
        made = push_mix_drawn_on_device(seed, Moving.ROUND, ids, part.degree, half, w, loops, out)
        if made is None:
            raise NotImplementedError("rounds: the network does not fit in shared memory")

    def start(self, x: Array, w: Array) -> None:
        """Begin from x (R, n, d) and w (R, n), which are copied."""
        self.x[...] = x
        self.weights[0] = w

    def play(self, first: int, etas: NDArray[np.float64], number: int) -> None:
        """Rounds ``first``, ``first + 1``, ... with these step sizes. number: of the rounds that
        were played since ``start``."""
        check_finite(eta=float(np.abs(etas).max()))  # nan, too
        count, size = len(etas), self.weights[0].nbytes
        moments = np.zeros((count, len(Moving)), np.uint64)
        moments[:, Moving.ROUND.value] = np.arange(first, first + count, dtype=np.uint64)
        moments[:, Moving.ETA.value] = np.ascontiguousarray(etas, np.float64).view(np.uint64)
        begin = self._call.library.address(self.weights)
        places = np.uint64(begin) + np.uint64(size) * np.arange(
            number, number + count + 1, dtype=np.uint64
        )
        moments[:, Moving.W.value], moments[:, Moving.NEXT_W.value] = places[:-1], places[1:]
        stream = self._call.library.stream(self._call.device)
        try:
            self._player(first % self._period, moments.tobytes(), moments.shape[1], stream)
        except (RuntimeError, ValueError) as error:
            raise RuntimeError(f"rounds: the launch failed: {error}") from error
