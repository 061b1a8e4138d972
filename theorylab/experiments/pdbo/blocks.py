"""Section C.2, Eq. (29), Lemma 7 of pdbo and the norms before C.1: the parts of HGP's error.

Block (t, s) of A-hat is 1_ts d g_t + delta_{s -> t} pbar_ts / dbar_{s -> t} d h_t, averaged over
a minibatch (A.3, A.4): d g is psi's Jacobian, d h phi's.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorylab.experiments._base import Observation, Row, check_column, relative_error
from theorylab.experiments._plain import Plain, Spot, UnwrittenError
from theorylab.experiments.pdbo._base import Floats, Ints, exacts, norms, uppers
from theorylab.experiments.pdbo._rounds import Maps, Networked, Rounds, tight
from theorylab.experiments.pdbo._terms import (
    L4,
    L5,
    R1,
    R3,
    Matrices,
    alternating,
    neumann,
    power,
    recursion,
)
from theorylab.hypergradients import EdgeLaw
from theorylab.hypergradients.edge_law import arrived
from theorylab.hypergradients.linear import assembled
from theorylab.known import Known

_NORMS = ("A_bar", "A_hat", "B_bar", "B_hat")
_MEANS = ("mean_X", "mean_Y")
_SUMS = ("X_B", "X_A", "Y_B", "Y_A", "summed_A", "summed_B")
_SUMMED = """
signs = np.ones(population)
signs[-1] = -1.0  # d h and d g of the last sample have the other sign
maps = size * signs[:, None, None] * np.eye(rows, columns)  # norm eta / (2 kappa)
away = (maps - maps.mean(axis=0)) / batch
parts = [[(mean[s, t] + (s == t)) * away for s in range(n)] for t in range(n)]
squares = [np.linalg.norm(p, 2, axis=(2, 3)) ** 2 for p in parts]  # s, xi of every t
measured = max(each.sum(axis=0).max() for each in squares)
"""
Sides = list[tuple[Floats | None, Floats]]  # (left, right): a sum of left (e_t e_s^T (x) .) right


@dataclass(frozen=True)
class Drawn:
    """Rounds 0 .. 2M of R runs: edges (R, T, n, n), batches (R, T, n, b) of sample numbers."""

    there: NDArray[np.bool_]
    batch: Ints


@dataclass(kw_only=True, eq=False)
class HgpBlocks(Networked, name="hgp-blocks"):
    """HGP's matrices from Jacobians that meet Assumption 9 with equality, on any network.

    A_bar, A_hat, B_bar, B_hat: spectral norms. split_A, split_B: largest entry of A-hat - A-bar
    minus the sums of C.2. rewritten: largest entry of Lemma 5 in X and Y, left minus right.
    mean_X, mean_Y: largest entry over s, t (and xi) of E X_A, E Y_A over round 2i + 1's edge and
    minibatch, later rounds as drawn: exact sums over all outcomes. X_B ... Y_A: squared spectral
    norms; those of X have a row for every pair (s, t), those of Y are the largest over t and xi.
    summed_A, summed_B: Lemma 7's sum over s of squared norms / |zeta|^2, largest over t and xi.

    Args:
        dim, hyper: d_y and d_lambda. population: samples a client; batch: drawn of them with
        replacement. family: see ``tight``. eta_A, eta_B, seed: Assumption 9, of the Jacobians.
        coupling: in [-1, 1]: given xi, delta_{s -> t} = 1 with chance dbar (1 + coupling) for the
            first half of the samples and dbar (1 - coupling) for the others (mean_X only).
    """

    columns = (*_NORMS, "split_A", "split_B", "rewritten", *_MEANS, *_SUMS)

    clients: int = 3
    terms: Sequence[int] = (1, 3)
    dim: int = 2
    hyper: int = 2
    population: int = 4
    batch: int = 1
    family: str = "random"
    coupling: float = 0.0
    eta_A: float = 0.8
    eta_B: float = 2.0
    seed: int = 0

    def __post_init__(self) -> None:
        sizes = (self.dim, self.hyper, self.population, self.batch)
        few = min(sizes) >= 1 and self.population**self.batch <= 4096
        self.need(few, "dim hyper population batch", "each >= 1 and at most 4096 minibatches")
        self.need(self.family in ("random", "aligned"), "family", "'random' or 'aligned'")
        self.need(-1 <= self.coupling <= 1, "coupling", "-1..1")
        self.need(self.eta_A > 0 and self.eta_B > 0, "eta_A eta_B", "> 0")
        super().__post_init__()
        often = self.edges.frequency[self.edges.frequency < 1]
        fits = self.population % 2 == 0 and (often * (1 + abs(self.coupling)) <= 1).all()
        self.need(
            not self.coupling or bool(fits), "coupling",
            "an even population and dbar (1 + |coupling|) <= 1 on every edge that can be absent",
        )  # fmt: skip
        self.worth = self.edges.debiased
        etas, kappa = (self.eta_A, self.eta_B), self.kappa.value
        self.maps = tight(self.clients, *sizes, etas, kappa, self.family, self.seed)

    def constants(self) -> dict[str, Known]:
        built = (1 - 5e-13) / (2 * self.kappa.value)
        return {
            **super().constants(),
            **exacts("built with this norm", phi_A=self.eta_A * built, phi_B=self.eta_B * built),
            **exacts("every Jacobian's norm times 2 kappa", eta_A=self.eta_A, eta_B=self.eta_B),
            **exacts("numbers in y", hgp_size=self.clients * self.dim),
            **exacts("of the instance", batch=self.batch, dependence=abs(self.coupling)),
        }

    def plain(self, spot: Spot) -> Plain:
        return of_sum(self, spot.column)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        drawn, s = self.rounds(np.arange(runs.start, runs.stop), seed)
        if column in _NORMS:
            bars = {"A_bar": s.A_bar[None, None], "B_bar": s.B_bar[None, None]}
            values = norms({**bars, "A_hat": s.A, "B_hat": s.B}[column]).max(axis=1)
            rows = [Row(values, rounding=1e-13 * float(values.max()))]
        elif column.startswith("split"):
            rows = [self._split(column, drawn, s)]
        elif column.startswith("summed"):
            rows = [self._summed(column)]
        else:
            rows = [row for M in self.terms for row in self._rows(column, drawn, s.first(M))]
        return Observation(tuple(rows), exact=False, axis="terms" if "terms" in rows[0].at else "")

    def rounds(self, ids: Ints, seed: int) -> tuple[Drawn, Matrices]:
        """What these runs draw in 2 max(terms) + 1 rounds, and the matrices made of it."""
        rounds, last = Rounds(self.maps, self.topology), max(self.terms)
        times = range(2 * last + 1)
        there = np.stack([arrived(rounds.matrices(t, ids)) for t in times], axis=1)
        batch = np.stack([rounds.sample(seed, ids, t) for t in times], axis=1)
        A, B = alternating(
            lambda t: self.maps.matrices(there[:, t] * self.worth, batch[:, t]), last
        )
        bars = self.maps.matrices(self.edges.mean.T)
        matrices = Matrices(A, B, *bars, self.maps.c_y.ravel(), self.alpha, self.beta)
        return Drawn(there, batch), matrices

    def _jacobians(self, column: str) -> tuple[Floats, Floats]:
        """(d h, d g) in lambda for the columns of B, and in y for those of A, (n, S, rows, d)."""
        m = self.maps
        return (m.phi_lam, m.psi_lam) if column.endswith("B") else (m.phi_y, m.psi_y)

    def _split(self, column: str, drawn: Drawn, s: Matrices) -> Row:
        """A-hat - A-bar against lines 664-665 (668-669), every round of every run."""
        of_B = column.endswith("B")
        hats, bar = (s.B, s.B_bar) if of_B else (s.A, s.A_bar)
        gaps = [
            hats[:, m] - bar - edge_by_edge(drawn, self.maps, self.edges, t)[of_B]
            for m, t in enumerate(range(0 if of_B else 1, drawn.there.shape[1], 2))
        ]
        largest = sum(np.abs(part).max() for part in self._jacobians(column))
        size = max(np.abs(hats).max(), np.abs(bar).max()) + 2 * self.worth.max() * largest
        name, values = "magnitude" if of_B else "size_R", np.abs(gaps).max(axis=(0, 2, 3))
        at = uppers("sizes of all summands of an entry", **{name: 4 * size})
        return Row(values, at, rounding=0.0, relative_error=relative_error(values, hats - bar))

    def _rows(self, column: str, drawn: Drawn, s: Matrices) -> Iterator[Row]:
        M = s.terms
        if column == "rewritten":
            yield self._rewritten(drawn, s)
            return
        for i in range(M + 1 if column.endswith("_B") else M):
            at: dict[str, Known | float] = {"terms": float(M), "term_index": float(i)}
            at["rounds_left"] = float(M - i)
            label = f"i={i}, M={M}"
            if column in _MEANS:
                worst, size = self._means(column, s, i)
                at |= uppers("sizes of all summands", magnitude=4 * size)
                share = relative_error(worst, size)  # a mean that is to be 0, of parts of this size
                yield Row(worst, at, label, rounding=0.0, relative_error=share)
            elif column.startswith("Y"):
                yield Row(self._y_parts(column, s, i), at, label)
            else:
                for values, edge, where in self._x_parts(column, drawn, s, i):
                    yield Row(values, {**at, **edge}, label + where)

    def _sides(self, column: str, s: Matrices, i: int) -> Sides:
        if column.endswith("_B"):
            return [(None, R3(s, i))]
        return [(L4(s, i), power(s.A_bar, i)), (L5(s, i), R1(s, i))]

    def _x_parts(
        self, column: str, drawn: Drawn, s: Matrices, i: int
    ) -> Iterator[tuple[Floats, dict[str, float], str]]:
        """Squared norms, constants and the place of every edge."""
        sides, when = self._sides(column, s, i), 2 * i + column.endswith("A")
        sent = _of_batch(self._jacobians(column)[0], drawn.batch[:, when])
        often, mean = self.edges.frequency, self.edges.mean.T
        for t, k in np.argwhere(mean > 0):
            factors = (drawn.there[:, when, t, k] / often[t, k] - 1) * mean[t, k]
            rows = _row(np.outer(factors, np.eye(self.clients)[k]), sent[:, t])
            edge = {"edge_weight": float(mean[t, k]), "edge_chance": float(often[t, k])}
            yield norms(_between(sides, t, rows, s)) ** 2, edge, f", {k} to {t}"

    def _y_row(self, column: str, t: int, xi: int) -> Floats:
        """[1_ts d g + pbar_ts d h - their means]_s / |zeta|, (rows, n d)."""
        parts = self._jacobians(column)
        sent, own = ((each[t, xi] - each[t].mean(axis=0)) / self.batch for each in parts)
        return _row(self.edges.mean[:, t], sent) + _row(np.eye(self.clients)[t], own)

    def _y_parts(self, column: str, s: Matrices, i: int) -> Floats:
        sides = self._sides(column, s, i)
        every = itertools.product(range(self.clients), range(self.population))
        parts = [_between(sides, t, self._y_row(column, t, xi), s) for t, xi in every]
        return np.asarray((norms(np.array(parts)) ** 2).max(axis=0))

    def _summed(self, column: str) -> Row:
        every = itertools.product(range(self.clients), range(self.population))
        rows = np.array([self._y_row(column, t, xi) for t, xi in every])
        blocks = rows.reshape(*rows.shape[:2], self.clients, self.dim).swapaxes(1, 2)
        top = float((norms(blocks) ** 2).sum(axis=1).max())
        return Row(np.array([top]), rounding=1e-13 * top)

    def _rewritten(self, drawn: Drawn, s: Matrices) -> Row:
        """v^(M+1) - B_bar sum A_bar^i c against the sum of all X and Y (line 676), every run."""
        M, mean, often = s.terms, self.edges.mean.T, np.maximum(self.edges.frequency, 1e-300)
        left = recursion(s)[2][M + 1] - s.B_bar @ neumann(s.A_bar, M) @ s.c
        right, sizes = np.zeros_like(left), 0.0
        for i, column in [(i, "_B") for i in range(M + 1)] + [(i, "_A") for i in range(M)]:
            sides, when = self._sides(column, s, i), 2 * i + (column == "_A")
            sent = _of_batch(self._jacobians(column)[0], drawn.batch[:, when])
            for t in range(self.clients):
                factors = (drawn.there[:, when, t] / often[t] - 1) * mean[t]
                y_rows = np.array([self._y_row(column, t, xi) for xi in range(self.population)])
                samples = np.moveaxis(y_rows[drawn.batch[:, when, t]], 1, 0)
                for rows in (_row(factors, sent[:, t]), *samples):
                    part = _between(sides, t, rows, s) @ s.c
                    own = slice(t * self.hyper, (t + 1) * self.hyper)
                    right[:, own if column == "_B" else slice(None)] += part
                    sizes += float(np.abs(part).sum())
        sizes += float(np.abs(left).sum()) + float(np.abs(recursion(s.sizes())[2][M + 1]).sum())
        at = {"terms": float(M), **uppers("sizes of all summands", magnitude_v=sizes)}
        gap = np.abs(left - right).max(axis=1)
        share = relative_error(gap, left, right)
        return Row(gap, at, f"M={M}", rounding=0.0, relative_error=share)

    def _mean_rows(self, column: str, t: int) -> list[Floats]:
        """What stands between the sides of E X_A,st for every s, or of E Y_A,t, exact sums."""
        if column == "mean_Y":
            return [np.mean([self._y_row("A", t, xi) for xi in range(self.population)], axis=0)]
        rows, mean = [], self.edges.mean.T
        for k in np.flatnonzero(mean[t]):
            often, total = self.edges.frequency[t, k], np.zeros((self.dim, self.dim))
            for batch in itertools.product(range(self.population), repeat=self.batch):
                tilt = (1 if batch[0] < self.population // 2 else -1) * self.coupling * (often < 1)
                chance = min(often * (1 + tilt), 1.0)
                factor = chance * (1 / often - 1) - (1 - chance)
                sent = self.maps.phi_y[t, list(batch)].mean(axis=0)
                total += factor * mean[t, k] * sent / self.population**self.batch
            rows.append(_row(np.eye(self.clients)[k], total))
        return rows

    def _means(self, column: str, s: Matrices, i: int) -> tuple[Floats, float]:
        """The largest entry of E X_A,st or E Y_A,t over all s, t, given the later rounds, (R,), and
        that of what is added up."""
        sides, worst, size = self._sides("X_A", s, i), np.zeros(len(s.B)), 0.0
        bare: Sides = [(None if a is None else np.abs(a), np.abs(b)) for a, b in sides]
        for t in range(self.clients):
            for row in self._mean_rows(column, t):
                worst = np.maximum(worst, np.abs(_between(sides, t, row, s)).max(axis=(1, 2)))
            sent, own = (np.abs(part[t]).max() for part in self._jacobians("A"))
            scale = 2 * self.edges.mean[:, t].max() * sent + own
            full = np.full((self.dim, self.clients * self.dim), scale)
            size = max(size, float(_between(bare, t, full, s).max()))
        return worst, size


def edge_by_edge(drawn: Drawn, maps: Maps, law: EdgeLaw, t: int) -> tuple[Floats, Floats]:
    """The right side of C.2: what A-hat - A-bar and B-hat - B-bar of round t are sums of."""
    edge = drawn.there[:, t] / np.where(law.frequency > 0, law.frequency, 1) - 1
    mean, seen = law.mean.T, maps.of(drawn.batch[:, t])
    away = [one - whole for one, whole in zip(seen, maps.of(None), strict=True)]
    A = assembled(seen[0], 0 * seen[1], edge * mean) + assembled(away[0], away[1], mean)
    B = assembled(seen[2], 0 * seen[3], edge * mean) + assembled(away[2], away[3], mean)
    return A, B


def _of_batch(samples: Floats, batch: Ints) -> Floats:
    """(R, n, rows, d): each client's average over its minibatch, for samples (n, S, rows, d)."""
    return np.asarray(samples[np.arange(len(samples))[:, None], batch].mean(axis=-3))


def _row(weights: Floats, block: Floats) -> Floats:
    """(..., rows, n d): ``block`` (..., rows, d) times each of ``weights`` (..., n), in a row."""
    row = np.einsum("...s,...ab->...asb", weights, block)
    return np.asarray(row.reshape(*row.shape[:-2], -1))


def _between(sides: Sides, t: int, rows: Floats, s: Matrices) -> Floats:
    """The sum of left (block row ``rows`` (R or none, rows, n d) at block t) right over ``sides``,
    for every run; a left of None is left away."""
    here = slice(t * rows.shape[-2], (t + 1) * rows.shape[-2])
    parts = [(rows if a is None else a[:, :, here] @ rows) @ b for a, b in sides]
    total = np.asarray(sum(parts))
    return np.broadcast_to(total, (len(s.B), *total.shape[-2:]))


def of_sum(found: HgpBlocks, column: str) -> Plain:
    """Line 708's sum over s, where every Jacobian is a multiple of the identity's pattern."""
    of_B = column == "summed_B"
    sent, own = found.maps.parts[2 * of_B : 2 * of_B + 2]
    aligned = found.family == "aligned" and np.array_equal(sent, own)
    if not column.startswith("summed") or not aligned:
        raise UnwrittenError(f"no script is written for {column} of {found.family} maps")
    numbers = {"n": found.clients, "population": found.population, "batch": found.batch}
    numbers |= dict(zip(("rows", "columns"), sent.shape[2:], strict=True))
    plain = Plain(told={"mean": "E P"})
    return plain.of(_SUMMED, **numbers, size=float(sent[0, 0, 0, 0]), mean=found.edges.mean)
