"""One round of an algorithm that tosses coins, probed: affine given what the coins show.

Coins of a round are independent of what was before it, so that the mean and the covariance of the
models go from round to round, and T rounds cost T, not all outcomes of T rounds. With y -> A_c y +
noise of covariance F_c^T F_c where the coins show c, of chance p_c, and with means A, F over c,

    E y' = A y,   Cov y' = A S A^T + F^T F + sum_c p_c (D_c (S + y y^T) D_c^T + H_c^T H_c),

D_c = A_c - A, H_c = F_c - F. Shared coins are played in all their outcomes. Clients toss for
themselves: where A_c is a sum of what each client's coins do, so are the covariances, and n clients
of k outcomes cost n k probes, not k^n. That it is a sum is seen in all k^n outcomes, or, where
these are too many, in all pairs of clients and in many more.
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
from theorylab.known import UNIT
from theorylab.runs._noises import FACES, Noises, NotAffineError
from theorylab.runs.affine import AffineRound, Look, Probe
from theorylab.runs.setting import Setting

Floats = NDArray[Any]
Ints = NDArray[np.int64]

_JOINT = 1 << 12  # outcomes of all clients together that are looked at
_MIXED = 256  # where there are more: outcomes at random, besides those of all pairs
_WORK = 1 << 34  # products of a recursion over all rounds


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
    """What coins that belong together show: by the number of the call (K, *shape), and the chances
    (K,) of the K outcomes."""

    shown: Mapping[int, Floats]
    chances: Floats

    @classmethod
    def of(cls, coins: Mapping[int, Coin], shared: bool) -> _Outcomes:
        """Those of the shared coins, or of one client's own. NotAffineError where they are many."""
        draws = [
            (number, *coin.listed())
            for number, coin in coins.items()
            if coin.shared is shared
            for _ in range(coin.entries)
        ]
        sizes = [len(chances) for *_, chances in draws]
        if math.prod(sizes) > FACES:
            raise NotAffineError(f"coins of a round have more than {FACES} outcomes")
        picked = np.array(list(itertools.product(*map(range, sizes))), np.int64)
        picked = picked.reshape(math.prod(sizes), len(draws))
        entries: dict[int, list[Floats]] = {}
        weights = np.ones(len(picked))
        for (number, values, chances), k in zip(draws, picked.T, strict=True):
            entries.setdefault(number, []).append(values[k])
            weights *= chances[k]
        shown = {
            number: np.stack(each, axis=1).reshape((len(picked), *coins[number].shape))
            for number, each in entries.items()
        }
        return cls(shown, weights)

    def __len__(self) -> int:
        return len(self.chances)


class TossedProbe(Probe):
    """As ``Probe``, of a step that may toss coins. rounds: how many are asked for.

    A round that gives the bits of the one before it, at fixed random models and noises and in every
    outcome of each client's coins, is that round.
    """

    def __init__(self, setting: Setting, look: Look, rounds: int) -> None:
        super().__init__(setting, look)
        self._rounds = rounds
        self._last: tuple[object, bytes, AffineRound] | None = None

    def round(self, t: int, w: Floats) -> AffineRound:
        first = Noises(self, {})
        self.stepped(t, np.zeros((1, len(self.y0) - 1)), w, first)
        if not first.tossed:
            return super().round(t, w)
        key = w.tobytes(), tuple(first.tossed.items()), tuple(first.asked)
        here = _Tossed(self, t, w, first)
        seen = here.seen()
        if self._last is None or self._last[:2] != (key, seen):
            made = here.mean()
            if len(made.parts) * len(self.y0) ** 3 * self._rounds > _WORK:
                raise NotAffineError("coins of so many rounds and coordinates cost too much")
            self._last = key, seen, made
        return self._last[2]


class _Tossed:
    """Round t from weights w, whose coins and minibatches ``first`` has noted."""

    def __init__(self, probe: TossedProbe, t: int, w: Floats, first: Noises) -> None:
        self.probe, self.t, self.w, self.first = probe, t, w, first
        self.clients = probe.setting.problem.clients
        self.common, self.own = _Outcomes.of(first.tossed, True), _Outcomes.of(first.tossed, False)
        if len(self.common) * (1 + self.clients * (len(self.own) - 1)) > FACES:
            raise NotAffineError(f"coins of a round need more than {FACES} probes")
        self._base: AffineRound | None = None

    def _noises(self, shared: Ints, own: Ints) -> Noises:
        """Runs (R,) whose shared coins show outcome ``shared`` (R,), client i's ``own`` (R, n)."""
        faces = {number: each[shared][:, None] for number, each in self.common.shown.items()}
        faces |= {number: each[own] for number, each in self.own.shown.items()}
        return Noises(self.probe, faces)

    def _asked(self, noises: Noises) -> None:
        if noises.tossed != self.first.tossed or noises.asked != self.first.asked:
            raise NotAffineError("the step tosses or reads by what it sees")

    def _random(self, runs: int, number: int) -> tuple[Floats, dict[int, Floats]]:
        """Random models (R, D) and noises, of all sizes in turn."""
        y, drawn = self.probe.random(number, self.first)
        of = np.arange(runs) % len(y)
        return y[of], {k: each[of] for k, each in drawn.items()}

    def seen(self) -> bytes:
        """What the step does where every client's coins show every outcome."""
        many = len(self.own)
        runs = np.arange(len(self.common) * many)
        noises = self._noises(runs // many, (runs[:, None] + np.arange(self.clients)) % many)
        y, noises.drawn = self._random(len(runs), 0)
        ends, _, after = self.probe.stepped(self.t, y, self.w, noises)
        self._asked(noises)
        return ends.tobytes() + np.asarray(after.w).tobytes()

    def _one(self, shared: int, own: Ints) -> tuple[Floats, Floats]:
        """(A, F) of one outcome; what is looked at, and the weights, are the same in all."""
        noises = self._noises(np.array([shared]), own[None])
        made = self.probe.probed(self.t, self.w, noises)
        self._asked(noises)
        base = self._base = made if self._base is None else self._base
        same = np.array_equal(base.w_after, made.w_after)
        for (G, c), (other, other_c) in zip(base.forms, made.forms, strict=True):
            same = same and np.array_equal(G, other) and c == other_c == 0
        if not same:
            raise NotAffineError("the weights, or what is measured of a round, depend on coins")
        assert made.flow is not None
        return made.A, made.flow

    def mean(self) -> TossedRound:
        """The means over all outcomes, and what is off them."""
        parts: list[tuple[float, Floats, Floats]] = []
        every = []
        for s, chance in enumerate(self.common.chances):
            A, F = self._one(s, np.zeros(self.clients, np.int64))
            moves = np.zeros((self.clients, len(self.own), *A.shape))
            flows = np.zeros((self.clients, len(self.own), *F.shape))
            for i, k in itertools.product(range(self.clients), range(1, len(self.own))):
                own = np.zeros(self.clients, np.int64)
                own[i] = k
                one, flow = self._one(s, own)
                moves[i, k], flows[i, k] = one - A, flow - F
            self._check_sum(s, A, F, moves, flows)
            for each, flow in zip(moves, flows, strict=True):
                total = _mean(self.own.chances, each, flow)
                A, F = A + total[0], F + total[1]
                parts += [(chance * p, D, H) for p, D, H in total[2]]
            every.append((A, F))
        A, F, off = _mean(self.common.chances, *map(np.stack, zip(*every, strict=True)))
        parts += off
        N, base = np.zeros_like(A), self._base
        N[:-1, :-1] = F.T @ F + sum(p * (H.T @ H) for p, _, H in parts)
        moved = tuple((p, D) for p, D, _ in parts if D.any())
        assert base is not None
        return TossedRound(A, N, base.forms, base.w_after, base.steps, F, moved)

    def _check_sum(self, shared: int, A: Floats, F: Floats, moves: Floats, flows: Floats) -> None:
        """NotAffineError unless what the coins of several clients do adds up."""
        n, many = moves.shape[:2]
        if n == 1 or many == 1:
            return
        if many**n <= _JOINT:
            own = np.array(list(itertools.product(range(many), repeat=n)), np.int64)
        else:
            pairs = [
                [(k if c == i else m if c == j else 0) for c in range(n)]
                for i, j in itertools.combinations(range(n), 2)
                for k, m in itertools.product(range(1, many), repeat=2)
            ]
            pick = np.random.Generator(np.random.Philox(1))
            least = np.arange(_MIXED)[:, None] % 2  # half of them are at none of the first ones
            own = np.concatenate([np.array(pairs), pick.integers(least, many, size=(_MIXED, n))])
            if len(own) > _JOINT:
                raise NotAffineError(f"coins of two clients have more than {_JOINT} outcomes")
        noises = self._noises(np.full(len(own), shared), own)
        y, noises.drawn = self._random(len(own), self.t)
        real, _, after = self.probe.stepped(self.t, y, self.w, noises)
        self._asked(noises)
        assert self._base is not None
        units = self.probe.units(self.first.asked)
        xi = np.zeros((len(own), len(units)))
        for column, (m, i, j) in enumerate(units):
            xi[:, column] = noises.drawn[m][:, i, j] / math.sqrt(self.probe.variances[j])
        y = np.append(y, np.ones((len(y), 1)), axis=1)
        told, sizes = y @ A.T, np.abs(y) @ np.abs(A).T
        told[:, :-1] += xi @ F
        sizes[:, :-1] += np.abs(xi) @ np.abs(F)
        for i, k in itertools.product(range(n), range(1, many)):
            r = own[:, i] == k
            told[r] += y[r] @ moves[i, k].T
            told[r, :-1] += xi[r] @ flows[i, k]
            sizes[r] += np.abs(y[r]) @ np.abs(moves[i, k]).T
            sizes[r, :-1] += np.abs(xi[r]) @ np.abs(flows[i, k])
        # as of one outcome, and every client adds a difference of two probed maps
        room = 1e4 * UNIT * n * (len(A) + len(units)) * (sizes.max(axis=1, keepdims=True) + 1)
        near = np.abs(real - told[:, :-1]) <= room
        if not (near.all() and (np.asarray(after.w) == self._base.w_after).all()):
            raise NotAffineError("what the coins of several clients do does not add up")


def _mean(
    chances: Floats, each: Floats, flows: Floats
) -> tuple[Floats, Floats, list[tuple[float, Floats, Floats]]]:
    """The means of maps (K, D, D) and flows (K, U, D - 1), and (p, D, H) of what is off them."""
    A, F = np.tensordot(chances, each, 1), np.tensordot(chances, flows, 1)
    pairs = zip(chances, each, flows, strict=True)
    return A, F, [(float(p), one - A, flow - F) for p, one, flow in pairs]
