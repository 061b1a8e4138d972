"""One round of an algorithm that tosses coins, probed: affine given what the coins show.

Coins of a round are independent of what was before it, so that the mean and the covariance of the
models go from round to round, and T rounds cost T, not all outcomes of T rounds. With y -> A_c y +
noise of covariance F_c^T F_c where the coins show c, of chance p_c, and with means A, F over c,

    E y' = A y,   Cov y' = A S A^T + F^T F + sum_c p_c (D_c (S + y y^T) D_c^T + H_c^T H_c),

D_c = A_c - A, H_c = F_c - F. Every outcome of all clients' coins together is probed: that what
several of them do adds up is taken on trust nowhere, so there may be few of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import Coin
from theorylab.runs._noises import Noises, NotAffineError
from theorylab.runs.affine import AffineRound, Look, Probe
from theorylab.runs.setting import Setting

Floats = NDArray[Any]
Ints = NDArray[np.int64]

_WORK = 1 << 34  # products of a recursion over all rounds
_JOINT = 1 << 11  # outcomes of all clients' coins of a round together
_PROBES = 1 << 12  # outcomes that are probed, in all rounds
_GRADIENTS = 1 << 25  # of all looks at whether a round is the one before it
_LOOK = 1 << 22  # numbers of a batch that tells whether a round is the one before it


@dataclass(frozen=True)
class TossedRound(AffineRound):
    """A round whose A and N are means over the coins. parts: (p, D), as above."""

    parts: tuple[tuple[float, Floats], ...] = ()

    def moved(self, y: Floats, S: Floats) -> tuple[Floats, Floats]:
        mean, spread = super().moved(y, S)
        second = S + np.outer(y, y)
        for p, D in self.parts:
            spread += p * (D @ second @ D.T)
        return mean, spread


@dataclass(frozen=True)
class _Outcomes:
    """What all coins of a round show: by the number of the call (K, n or 1, *shape), and the
    chances (K,) of the K outcomes."""

    shown: Mapping[int, Floats]
    chances: Floats

    @classmethod
    def of(cls, coins: Mapping[int, Coin], clients: int) -> _Outcomes:
        """NotAffineError where they are many."""
        draws = [
            (number, *coin.listed())
            for number, coin in coins.items()
            for _ in range((1 if coin.shared else clients) * coin.entries)
        ]
        sizes = [len(chances) for *_, chances in draws]
        if math.prod(sizes) > _JOINT:
            raise NotAffineError(f"coins of a round have more than {_JOINT} outcomes")
        picked = np.array(list(itertools.product(*map(range, sizes))), np.int64)
        picked = picked.reshape(math.prod(sizes), len(draws))
        entries: dict[int, list[Floats]] = {}
        weights = np.ones(len(picked))
        for (number, values, chances), k in zip(draws, picked.T, strict=True):
            entries.setdefault(number, []).append(values[k])
            weights *= chances[k]
        shown = {}
        for number, each in entries.items():
            who = 1 if coins[number].shared else clients
            shape = (len(picked), who, *coins[number].shape)
            shown[number] = np.stack(each, axis=1).reshape(shape)
        return cls(shown, weights)

    def __len__(self) -> int:
        return len(self.chances)


class TossedProbe(Probe):
    """As ``Probe``, of a step that may toss coins. rounds: how many are asked for.

    A round is the one before it where a probe would see the same bits: at 0, at unit vectors and at
    the same random models and noises, in every outcome.
    """

    def __init__(self, setting: Setting, look: Look, rounds: int) -> None:
        super().__init__(setting, look)
        self.rounds, self._probes = rounds, 0
        self._last: tuple[object, bytes, AffineRound] | None = None

    def round(self, t: int, w: Floats) -> AffineRound:
        first = Noises(self.setting, {})
        self.stepped(t, np.zeros((1, len(self.y0) - 1)), w, first)
        if not first.tossed:
            return super().round(t, w)
        key = w.tobytes(), tuple(first.tossed.items()), tuple(first.asked)
        here = _Tossed(self, t, w, first)
        seen = here.seen()
        if self._last is None or not seen or self._last[:2] != (key, seen):
            self._probes += len(here.outcomes)
            if self._probes > _PROBES:
                raise NotAffineError(f"coins of rounds that differ need more than {_PROBES} probes")
            made = here.mean()
            if len(made.parts) * len(self.y0) ** 3 * self.rounds > _WORK:
                raise NotAffineError("coins of so many rounds and coordinates cost too much")
            self._last = key, seen, made
        return self._last[2]


class _Tossed:
    """Round t from weights w, whose coins and minibatches ``first`` has noted."""

    def __init__(self, probe: TossedProbe, t: int, w: Floats, first: Noises) -> None:
        self.probe, self.t, self.w, self.first = probe, t, w, first
        self.outcomes = _Outcomes.of(first.tossed, probe.setting.problem.clients)

    def _noises(self, outcomes: Ints) -> Noises:
        """Runs (R,) whose coins show these outcomes (R,)."""
        shown = self.outcomes.shown.items()
        return Noises(self.probe.setting, {number: each[outcomes] for number, each in shown})

    def _asked(self, noises: Noises) -> None:
        if noises.tossed != self.first.tossed or noises.asked != self.first.asked:
            raise NotAffineError("the step tosses or reads by what it sees")

    def seen(self) -> bytes:
        """What the step does in every outcome wherever a probe looks; empty where this is much."""
        size, count = len(self.probe.y0) - 1, len(self.outcomes)
        random, drawn = self.probe.random(0, self.first.asked)
        y = np.concatenate([np.zeros((1, size)), np.eye(size), random])
        clients, rounds = self.probe.setting.problem.clients, self.probe.rounds
        if count * len(y) * clients * rounds > _GRADIENTS:
            raise NotAffineError("coins of so many rounds and clients cost too much")
        if count * y.size > _LOOK:
            return b""
        noises = self._noises(np.repeat(np.arange(count), len(y)))
        none = np.zeros((1 + size, *self.probe.first.z.shape[1:-1], self.probe.setting.problem.dim))
        noises.drawn = {
            k: np.tile(np.concatenate([none, each]), (count, 1, 1)) for k, each in drawn.items()
        }
        ends, seen, after = self.probe.stepped(self.t, np.tile(y, (count, 1)), self.w, noises)
        self._asked(noises)
        return b"".join(np.ascontiguousarray(part).tobytes() for part in (ends, after.w, *seen))

    def mean(self) -> TossedRound:
        """The means over all outcomes, and what is off them; what is looked at, and the weights,
        are the same in all."""
        every, base = list[AffineRound](), None
        for k in range(len(self.outcomes)):
            noises = self._noises(np.array([k]))
            made = self.probe.probed(self.t, self.w, noises)
            self._asked(noises)
            base = made if base is None else base
            same = np.array_equal(base.w_after, made.w_after)
            for (G, c), (other, other_c) in zip(base.forms, made.forms, strict=True):
                same = same and np.array_equal(G, other) and c == other_c == 0
            if not same:
                raise NotAffineError("the weights, or what is measured of a round, depend on coins")
            every.append(made)
        assert base is not None
        maps, flows = np.stack([one.A for one in every]), np.stack([_flow(one) for one in every])
        A, F, parts = _mean(self.outcomes.chances, maps, flows)
        N = np.zeros_like(A)
        N[:-1, :-1] = F.T @ F + sum(p * (H.T @ H) for p, _, H in parts)
        moved = tuple((p, D) for p, D, _ in parts if D.any())
        return TossedRound(A, N, base.forms, base.w_after, base.steps, F, moved)


def _flow(one: AffineRound) -> Floats:
    assert one.flow is not None
    return one.flow


def _mean(
    chances: Floats, each: Floats, flows: Floats
) -> tuple[Floats, Floats, list[tuple[float, Floats, Floats]]]:
    """The means of maps (K, D, D) and flows (K, U, D - 1), and (p, D, H) of what is off them."""
    A, F = np.tensordot(chances, each, 1), np.tensordot(chances, flows, 1)
    pairs = zip(chances, each, flows, strict=True)
    return A, F, [(float(p), one - A, flow - F) for p, one, flow in pairs]
