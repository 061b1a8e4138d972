"""Section C.2, Eq. (29), Lemma 7 of pdbo and the norms before C.1: the parts of HGP's error."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.experiments._base import (
    Experiment,
    Observation,
    Row,
    check_column,
    relative_error,
)
from theorylab.experiments._hgp_blocks import (
    Drawn,
    batch_mean,
    drawn_clients,
    drawn_rounds,
    edge_by_edge,
    rounds_of,
)
from theorylab.experiments._hgp_place import kappa_of
from theorylab.experiments._hgp_terms import L4, L5, R1, R3, neumann, power, recursion
from theorylab.experiments._hgp_terms import Sequence as Rounds
from theorylab.hypergradients import edge_law
from theorylab.known import How, Known
from theorylab.topologies import topology

Floats = NDArray[np.float64]
_NORMS = ("A_bar", "A_hat", "B_bar", "B_hat")
_SPLIT = ("split_A", "split_B")
_MEANS = ("mean_X", "mean_Y")
_PARTS = ("X_B", "X_A", "Y_B", "Y_A")


class HgpBlocks(Experiment):
    """HGP's matrices from Jacobians that meet Assumption 9 with equality, on any network.

    A_bar, A_hat, B_bar, B_hat: spectral norms. split_A, split_B: largest entry of A-hat - A-bar
    minus the sums of C.2. rewritten: largest entry of Lemma 5 in X and Y, left minus right.
    mean_X, mean_Y: largest entry over s, t (and xi) of E X_A, E Y_A over round 2i + 1's edge and
    minibatch, later rounds as drawn: exact sums over all outcomes. X_B ... Y_A: squared spectral
    norms; those of X have a row for every pair (s, t), those of Y are the largest over t and xi.

    Args:
        network, clients: the topology. dim, hyper: d_y and d_lambda. population: samples a client;
        batch: drawn of them with replacement. family: see ``drawn_clients``.
        coupling: in [-1, 1]: given xi, delta_{s -> t} = 1 with chance dbar (1 + coupling) for the
            first half of the samples and dbar (1 - coupling) for the others (mean_X only).
        terms, alpha, beta, eta_A, eta_B, seed: M's, weights, Assumption 9, seed of the Jacobians.
    """

    name = "hgp-blocks"
    columns = (*_NORMS, *_SPLIT, "rewritten", *_MEANS, *_PARTS)

    def __init__(
        self,
        *,
        network: Mapping[str, Any],
        clients: int = 3,
        dim: int = 2,
        hyper: int = 2,
        population: int = 4,
        batch: int = 1,
        family: str = "random",
        coupling: float = 0.0,
        terms: Sequence[int] = (1, 3),
        alpha: float = 0.9,
        beta: float = 0.1,
        eta_A: float = 0.8,
        eta_B: float = 2.0,
        seed: int = 0,
    ) -> None:
        where = f"experiment {self.name}"
        if family not in ("random", "aligned"):
            raise ValueError(f"{where}: family is {family!r}; need 'random' or 'aligned'")
        if not terms or any(type(M) is not int or M < 1 for M in terms):
            raise ValueError(f"{where}: terms is {terms!r}; need integers >= 1")
        sizes = {"dim": dim, "hyper": hyper, "population": population, "batch": batch}
        if min(sizes.values()) < 1 or population**batch > 4096:
            raise ValueError(f"{where}: {sizes}; need each >= 1 and at most 4096 minibatches")
        weights = (("alpha", alpha, 0), ("beta", beta, 0), ("coupling", coupling, -1))
        for name, value, low in weights:
            if not low <= value <= 1:
                raise ValueError(f"{where}: {name} is {value!r}; need {low}..1")
        if not (eta_A > 0 and eta_B > 0):
            raise ValueError(f"{where}: eta_A is {eta_A!r}, eta_B {eta_B!r}; need > 0")
        self.options: dict[str, Any] = {
            **{"network": dict(network), "clients": clients, "dim": dim, "hyper": hyper},
            **{"population": population, "batch": batch, "family": family, "coupling": coupling},
            **{"terms": list(terms), "alpha": alpha, "beta": beta, "eta_A": eta_A, "eta_B": eta_B},
            "seed": seed,
        }
        rest = {k: v for k, v in network.items() if k != "name"}
        self.network = topology(network["name"], clients=clients, **rest)
        self.law = edge_law(self.network)
        self.kappa = kappa_of(self.law)
        if coupling and (population % 2 or (self.often * (1 + abs(coupling)) > 1).any()):
            raise ValueError(
                f"{where}: coupling is {coupling!r}; need an even population and dbar (1 + "
                "|coupling|) <= 1 on every edge that can be absent"
            )
        shape = (clients, population)
        self.y = drawn_clients(*shape, dim, dim, eta_A / (2 * self.kappa), family, seed, 0)
        self.lam = drawn_clients(*shape, hyper, dim, eta_B / (2 * self.kappa), family, seed, 1)

    @property
    def often(self) -> Floats:
        """dbar of the edges that can be absent, 0 elsewhere."""
        return np.where(self.law.frequency < 1, self.law.frequency, 0.0)

    def describe(self) -> dict[str, Any]:
        return dict(self.options)

    def constants(self) -> dict[str, Known]:
        o = self.options
        numbers = {
            "vr_alpha": (o["alpha"], "option alpha"),
            "vr_beta": (o["beta"], "option beta"),
            "eta_A": (o["eta_A"], "every Jacobian has norm eta_A / (2 kappa)"),
            "eta_B": (o["eta_B"], "every Jacobian has norm eta_B / (2 kappa)"),
            "kappa": (self.kappa, "sum of pbar / dbar"),
            "phi_A": (o["eta_A"] / (2 * self.kappa) * (1 - 5e-13), "built with this norm"),
            "phi_B": (o["eta_B"] / (2 * self.kappa) * (1 - 5e-13), "built with this norm"),
            "batch": (o["batch"], "option batch"),
            "hgp_size": (o["clients"] * o["dim"], "numbers in y"),
            "n": (o["clients"], "option clients"),
            "dependence": (abs(o["coupling"]), "option coupling"),
        }
        return {k: Known(float(value), How.EXACT, text) for k, (value, text) in numbers.items()}

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        o = self.options
        drawn, s = self.rounds(np.arange(runs.start, runs.stop), seed)
        if column in _NORMS:
            made = {"A_bar": s.A_bar[None, None], "B_bar": s.B_bar[None, None]}
            norms = np.linalg.norm(
                {**made, "A_hat": s.A, "B_hat": s.B}[column], 2, axis=(-2, -1)
            ).max(axis=1)
            return Observation((Row(norms, rounding=1e-13 * float(norms.max())),), exact=False)
        if column in _SPLIT:
            return Observation((self._split(column, drawn, s),), exact=False)
        rows = [row for M in o["terms"] for row in self._rows(column, drawn, s.first(M))]
        return Observation(tuple(rows), exact=False, axis="terms")

    def rounds(self, ids: NDArray[np.int64], seed: int) -> tuple[Drawn, Rounds]:
        """What these runs draw in 2 max(terms) + 1 rounds, and the matrices made of it."""
        o = self.options
        rounds = 2 * max(o["terms"]) + 1
        drawn = drawn_rounds(self.network, ids, rounds, o["population"], o["batch"], seed)
        c = np.ones(o["clients"] * o["dim"])
        return drawn, rounds_of(drawn, self.y, self.lam, self.law, c, o["alpha"], o["beta"])

    def _split(self, column: str, drawn: Drawn, s: Rounds) -> Row:
        """A-hat - A-bar against lines 664-665 (668-669), every round of every run."""
        y = column == "split_A"
        clients, hats, bar = (self.y, s.A, s.A_bar) if y else (self.lam, s.B, s.B_bar)
        gaps = []
        for r, m in itertools.product(range(len(hats)), range(hats.shape[1])):
            right = edge_by_edge(drawn, clients, self.law, r, 2 * m + 1 if y else 2 * m)
            gaps.append(np.abs(hats[r, m] - bar - right).max())
        size = float(max(np.abs(hats).max(), np.abs(bar).max()) + 2 * self.law.debiased.max()
                     * (np.abs(clients.own).max() + np.abs(clients.sent).max()))  # fmt: skip
        known = Known(4 * size, How.UPPER, "sizes of all summands of an entry")
        values = np.array(gaps).reshape(len(hats), -1).max(axis=1)
        share = relative_error(values, hats - bar)
        name = "size_R" if y else "magnitude"
        return Row(values, {name: known}, rounding=0.0, relative_error=share)

    def _rows(self, column: str, drawn: Drawn, s: Rounds) -> Iterator[Row]:
        M = s.terms
        if column == "rewritten":
            yield self._rewritten(drawn, s)
            return
        for i in range(M + 1 if column.endswith("_B") else M):
            at: dict[str, Known | float] = {"terms": float(M), "term_index": float(i)}
            at["rounds_left"] = float(M - i)
            label = f"i={i}, M={M}"
            if column in _MEANS:
                yield self._mean(column, s, i, at, label)
            elif column.startswith("Y"):
                yield Row(self._y_parts(column, drawn, s, i), at, label)
            else:
                yield from self._x_parts(column, drawn, s, i, at, label)

    def _sides(self, column: str, s: Rounds, i: int) -> list[tuple[Any, Floats]]:
        """[(left, right)]: X and Y are sums of left (e_t e_s^T (x) .) right."""
        if column.endswith("_B"):
            return [(None, R3(s, i))]
        return [(L4(s, i), power(s.A_bar, i)), (L5(s, i), R1(s, i))]

    def _between(self, sides: list[tuple[Any, Floats]], t: int, row: Floats, r: int) -> Floats:
        """left (block row ``row`` (rows, n d) at block t) right, for run r."""
        rows = len(row)
        parts = [
            row @ right if left is None else left[r][:, t * rows : (t + 1) * rows] @ row @ right
            for left, right in sides
        ]
        return np.asarray(sum(parts))

    def _x_parts(
        self, column: str, drawn: Drawn, s: Rounds, i: int, at: Mapping[str, Any], label: str
    ) -> Iterator[Row]:
        sides, clients = self._sides(column, s, i), self.lam if column == "X_B" else self.y
        when = 2 * i if column == "X_B" else 2 * i + 1
        n, d = self.network.clients, self.options["dim"]
        often, mean = self.law.frequency, self.law.mean.T
        for t, k in np.argwhere(mean > 0):
            values = []
            for r in range(len(s.B)):
                sent = batch_mean(clients.sent, drawn.batch[r, when])[t]
                row = np.zeros((len(sent), n * d))
                factor = (drawn.there[r, when, t, k] / often[t, k] - 1) * mean[t, k]
                row[:, k * d : (k + 1) * d] = factor * sent
                values.append(np.linalg.norm(self._between(sides, t, row, r), 2) ** 2)
            edge = {"edge_weight": float(mean[t, k]), "edge_chance": float(often[t, k])}
            yield Row(np.array(values), {**at, **edge}, f"{label}, {k} to {t}")

    def _y_row(self, clients: Any, t: int, xi: int) -> Floats:
        """[1_ts d g + pbar_ts d h - their means]_s / |zeta|, (rows, n d)."""
        own = (clients.own[t, xi] - clients.own[t].mean(axis=0)) / self.options["batch"]
        sent = (clients.sent[t, xi] - clients.sent[t].mean(axis=0)) / self.options["batch"]
        row = np.einsum("s,ab->asb", self.law.mean.T[t], sent)
        row[:, t, :] += own
        return np.asarray(row.reshape(len(own), -1))

    def _y_parts(self, column: str, drawn: Drawn, s: Rounds, i: int) -> Floats:
        sides, clients = self._sides(column, s, i), self.lam if column == "Y_B" else self.y
        every = itertools.product(range(self.network.clients), range(self.options["population"]))
        rows = [(t, self._y_row(clients, t, xi)) for t, xi in every]
        return np.array([
            max(np.linalg.norm(self._between(sides, t, row, r), 2) ** 2 for t, row in rows)
            for r in range(len(s.B))
        ])  # fmt: skip

    def _rewritten(self, drawn: Drawn, s: Rounds) -> Row:
        """v^(M+1) - B_bar sum A_bar^i c against the sum of all X and Y (line 676), every run."""
        M, n, d = s.terms, self.network.clients, self.options["dim"]
        left = recursion(s)[2][M + 1] - s.B_bar @ neumann(s.A_bar, M) @ s.c
        right, sizes = np.zeros_like(left), 0.0
        for i, column in [(i, "B") for i in range(M + 1)] + [(i, "A") for i in range(M)]:
            sides, clients = self._sides(f"X_{column}", s, i), self.lam if column == "B" else self.y
            when, mean = 2 * i + (column == "A"), self.law.mean.T
            for r, t in itertools.product(range(len(left)), range(n)):
                sent = batch_mean(clients.sent, drawn.batch[r, when])[t]
                factor = drawn.there[r, when, t] / np.maximum(self.law.frequency[t], 1e-300) - 1
                rows = [np.einsum("s,ab->asb", factor * mean[t], sent).reshape(len(sent), n * d)]
                rows += [self._y_row(clients, t, xi) for xi in drawn.batch[r, when, t]]
                for row in rows:
                    part = self._between(sides, t, row, r) @ s.c
                    at = slice(t * len(row), (t + 1) * len(row)) if column == "B" else slice(None)
                    right[r, at] += part
                    sizes += float(np.abs(part).sum())
        sizes += float(np.abs(left).sum()) + float(np.abs(recursion(s.sizes())[2][M + 1]).sum())
        known = Known(sizes, How.UPPER, "sizes of all summands")
        where: dict[str, Known | float] = {"terms": float(M), "magnitude_v": known}
        gap = np.abs(left - right).max(axis=1)
        share = relative_error(gap, left, right)
        return Row(gap, where, f"M={M}", rounding=0.0, relative_error=share)

    def _mean(self, column: str, s: Rounds, i: int, at: Mapping[str, Any], label: str) -> Row:
        """The largest entry of E X_A,st or E Y_A,t over all s, t, given the later rounds."""
        o, n, d, mean = self.options, self.network.clients, self.options["dim"], self.law.mean.T
        sides, half = self._sides("X_A", s, i), o["population"] // 2
        worst, size = np.zeros(len(s.B)), 0.0
        for t in range(n):
            rows = []
            if column == "mean_Y":
                rows = [
                    np.mean([self._y_row(self.y, t, k) for k in range(o["population"])], axis=0)
                ]
            for k in range(n if column == "mean_X" else 0):
                often, total = self.law.frequency[t, k], np.zeros((d, d))
                if mean[t, k] == 0:
                    continue
                for batch in itertools.product(range(o["population"]), repeat=o["batch"]):
                    tilt = (1 if batch[0] < half else -1) * o["coupling"] * (often < 1)
                    chance = min(often * (1 + tilt), 1.0)
                    sent = self.y.sent[t, list(batch)].mean(axis=0)
                    factor = chance * (1 / often - 1) - (1 - chance)
                    total += factor * mean[t, k] * sent / o["population"] ** o["batch"]
                row = np.zeros((d, n * d))
                row[:, k * d : (k + 1) * d] = total
                rows.append(row)
            scale = 2 * mean[t].max() * np.abs(self.y.sent[t]).max() + np.abs(self.y.own[t]).max()
            for r, row in itertools.product(range(len(s.B)), rows):
                worst[r] = max(worst[r], np.abs(self._between(sides, t, row, r)).max())
            bare, full = [(np.abs(a), np.abs(b)) for a, b in sides], np.full((d, n * d), scale)
            big = [self._between(bare, t, full, r).max() for r in range(len(s.B))]
            size = max(size, float(max(big)))
        known = Known(4 * size, How.UPPER, "sizes of all summands")
        share = relative_error(worst, size)  # a mean that is to be 0, of parts of this size
        return Row(worst, {**at, "magnitude": known}, label, rounding=0.0, relative_error=share)
