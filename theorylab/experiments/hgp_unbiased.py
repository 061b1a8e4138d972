"""Which of pdbo's estimators are unbiased: their exact means over every outcome of every round."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from dataclasses import replace
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
from theorylab.experiments._hgp_place import Place, both_ways, one_way
from theorylab.experiments._hgp_terms import neumann
from theorylab.hypergradients import READINGS, Reading, patterns
from theorylab.hypergradients.oracle import blocks, dense
from theorylab.hypergradients.random_rounds import weigh
from theorylab.hypergradients.recursion import FIXED, coefficients
from theorylab.known import How, Known

Floats = NDArray[np.float64]
MOST = 2**21  # joint outcomes
_JACOBIANS = ("bias_A", "bias_B", "bias_B_a31")
_STATES = ("bias", "bias_w", "bias_w_line157")
_OTHERS = ("variance", "least_variance")
_ALPHAS, _BETAS = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99), (0.01, 0.05, 0.1, 0.3, 0.6)


class HgpUnbiased(Experiment):
    """Largest entry of |E estimate - target|: all edge patterns times all minibatches times all
    rounds are listed, and the recursion is run on each. No independence is used but that of rounds
    (Assumption 5); exact up to rounding.

    bias: the estimate of ``reading`` after M terms against B_bar sum_{m<M} A_bar^m c + c_lambda,
    units f. bias_w: w^(M-1) against sum_{m<=M-1} A_bar^m c, units f/x; bias_w_line157: against
    sum_{m<M-1}, as the text under Eq. (13) has it. bias_A (no units), bias_B (units of x): one
    round's A-hat and B-hat against A_bar, B_bar. bias_B_a31: B-hat as the first display of A.3.1
    prints it, with d h_i where d g_i belongs. variance: trace of the estimate's covariance, units
    f^2; least_variance: the least of it over some weights in (0, 1).

    Args:
        place: see ``_hgp_place.Place``; small. reading: a name of ``hypergradients.READINGS``.
        together: draw A and B in one round (Section 6.1). edges, message: "" for the reading's own,
            or another of ``Reading.weights``, ``Reading.message``. terms, alpha, beta: M >= 1,
            VR-HGP's weights. Every reading gives v^(M), whatever its ``last``.

    Raises:
        ValueError: more than 2^21 joint outcomes, or what the parts do not accept.
    """

    name = "hgp-unbiased"
    columns = (*_STATES, *_JACOBIANS, *_OTHERS)
    claim_options = ("reading", "together", "edges", "message")

    def __init__(
        self,
        *,
        place: Mapping[str, Any],
        reading: str = "eq12",
        together: bool = False,
        edges: str = "",
        message: str = "",
        terms: int = 2,
        alpha: float = 0.9,
        beta: float = 0.1,
    ) -> None:
        where = f"experiment {self.name}"
        if reading not in READINGS:
            raise ValueError(f"{where}: reading is {reading!r}; need one of {', '.join(READINGS)}")
        if type(terms) is not int or terms < 1 or not (0 <= alpha <= 1 and 0 <= beta <= 1):
            raise ValueError(
                f"{where}: terms, alpha, beta are {terms!r}, {alpha!r}, {beta!r}; need M >= 1 and "
                "weights in 0..1"
            )
        self.place, self.reading, self.together = Place(**place), reading, together
        self.edges, self.message, self.terms = edges, message, terms
        self.alpha, self.beta = float(alpha), float(beta)
        rule = READINGS[reading]
        if edges:
            rule = replace(rule, weights=edges)
        if message:
            rule = replace(rule, message=message)
        self.rule: Reading = rule
        chance, self._edges = patterns(self.place.network)
        n = self.place.problem.clients
        signs = itertools.product((-1.0, 1.0), repeat=n) if self.place.problem.stochastic else [()]
        self._signs = [np.array([z]) if z else None for z in signs]
        self.chances = np.repeat(chance, len(self._signs)) / len(self._signs)
        rounds = terms if together else 2 * terms - 1
        self._joint = float(len(self.chances)) ** rounds
        if rule.power and together:
            raise ValueError(f"{where}: {reading} has no rounds to draw together")
        if self._joint > MOST:
            raise ValueError(
                f"{where}: {len(self.chances)} outcomes a round in {rounds} rounds; need at most "
                f"{MOST} together"
            )

    def describe(self) -> dict[str, Any]:
        names = ("reading", "together", "edges", "message", "terms", "alpha", "beta")
        return {"place": self.place.options} | {name: getattr(self, name) for name in names}

    def constants(self) -> dict[str, Known]:
        lost = one_way(self.place.law)
        if lost and self.rule.weights == "debiased":  # pbar / dbar divides by zero
            text = "ordered pairs with an edge one way only"
            return {"one_way": Known(float(lost), How.EXACT, text)}
        numbers = self._sizes()
        text = "largest absolute sum of summands over all outcomes"
        made = {k: Known(value, How.UPPER, text) for k, value in numbers.items()}
        exact: dict[str, float] = {
            "terms": self.terms,
            "hgp_size": len(self.place.c_y),
            "vr_alpha": self.alpha,
        }
        if self.rule.add or self.rule.v0 == "c":
            exact["bias_room"] = self._room()
        if self.reading == "appendix-b":
            exact["variance_u"] = _trace(*self._enumerated(1.0, 0.0)[::2])
            exact["variance_w"] = _trace(*self._enumerated(0.0, 1.0)[::2])
        exact |= {
            "one_way": float(lost),
            "undirected": float(both_ways(self.place.network, self.place.law)),
            "vr_beta": self.beta,
            "outcomes": self._joint,
        }
        return made | {k: Known(float(x), How.EXACT, "the instance") for k, x in exact.items()}

    def _sizes(self) -> dict[str, float]:
        p = self.place
        sizes = [np.abs(part).max(axis=0) for part in (self.A, self.B)]
        parts = (sizes[0], sizes[1], np.abs(p.c_y), np.abs(p.c_lam))
        big = 1 + float(parts[0].sum(axis=1).max())
        # Every state is a sum of products of at most M of A, one of B, and c, doubled by w.
        v = (self.terms + 2) ** 2 * big**self.terms * float(parts[1].sum(axis=1).max())
        return {
            "magnitude_v": v * float(parts[2].max()) + float(parts[3].max()),
            "magnitude_w": (self.terms + 2) ** 2 * big**self.terms * float(parts[2].max()),
            "size_R": big,
            "magnitude": float(parts[1].max()) + float(np.abs(p.B_bar).max()),
        }

    def _room(self) -> float:
        """gamma_m times the sum of the sizes of all summands, m the additions of one of them."""
        m = 8 * (self.terms + 2) * (len(self.place.c_y) + 4) + 4 * self._joint
        return float(m * 2.0**-53 * self._sizes()["magnitude_v"])

    @functools.cached_property
    def _outcomes(self) -> tuple[Floats, Floats, Floats]:
        """A-hat (q, N, N), B-hat (q, H, N), and psi's part of A-hat, of a round's outcomes.

        Raises ValueError where Assumption 6 fails and the weights are debiased.
        """
        p = self.place
        P = np.ascontiguousarray(weigh(p.network, self._edges))
        cases = list(itertools.product(coefficients(self.rule.weights, p.law, P), self._signs))
        made = [dense(p.at, one, z) for one, z in cases]
        own = [dense(p.at, 0 * one, z)[0] for one, z in cases]
        return np.array([A for A, _ in made]), np.array([B for _, B in made]), np.array(own)

    @property
    def A(self) -> Floats:
        return self._outcomes[0]

    @property
    def B(self) -> Floats:
        return self._outcomes[1]

    def _least_variance(self) -> Row:
        """The least of a grid is above the infimum: it can show the claim and not refute it."""
        found = [_trace(*self._enumerated(a, b)[::2]) for a in _ALPHAS for b in _BETAS]
        ends = [_trace(*self._enumerated(a, 1 - a)[::2]) for a in (0.0, 1.0)]
        value = min(found)
        return Row(np.array([value]), rounding=1e-9 * value if value < min(ends) else value)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column == "variance":
            value = _trace(*self._enumerated()[::2])
            return Observation((Row(np.array([value]), rounding=1e-9 * value),), exact=True)
        if column == "least_variance":
            return Observation((self._least_variance(),), exact=True)
        means = self._jacobians if column in _JACOBIANS else self._states
        mean, target = means(column)
        gap, share = float(np.abs(mean - target).max()), relative_error(mean - target, mean, target)
        row = Row(np.array([gap]), rounding=0.0, relative_error=share)
        return Observation((row,), exact=True)

    def _jacobians(self, column: str) -> tuple[Floats, Floats]:
        """(mean, what it should be) of a round's A-hat or B-hat."""
        p = self.place
        if column == "bias_A":
            return np.asarray(np.einsum("q,qij->ij", self.chances, self.A)), p.A_bar
        if column == "bias_B":
            return np.asarray(np.einsum("q,qij->ij", self.chances, self.B)), p.B_bar
        _, K, _, _ = blocks(p.at)  # the noise has mean zero
        n, d = p.problem.clients, p.problem.dim
        made = np.einsum("ij,iab->iajb", p.law.mean.T, K)
        made[np.arange(n), :, np.arange(n), :] += K
        return np.asarray(made.reshape(-1, n * d)), p.B_bar

    def _states(self, column: str) -> tuple[Floats, Floats]:
        """(mean, what it should be) of the estimate, or of w."""
        p, M = self.place, self.terms
        v, w, chance = self._enumerated()
        if column == "bias":
            estimate = v + p.c_lam if self.rule.add else v
            target = p.B_bar @ neumann(p.A_bar, M - 1) @ p.c_y + p.c_lam
            return np.asarray(chance @ estimate), target
        last = M - 1 if column == "bias_w" else M - 2
        return np.asarray(chance @ w), neumann(p.A_bar, last) @ p.c_y

    def _enumerated(
        self, alpha: float | None = None, beta: float | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """v^(M) (K, H), w^(M-1) (K, N) and the chances (K,) of all K joint outcomes."""
        p, rule, q = self.place, self.rule, len(self.chances)
        if alpha is None or beta is None:
            alpha, beta = FIXED.get(self.reading, (self.alpha, self.beta))
        chance, own = np.ones(1), self._outcomes[2]
        u, w = p.c_y[None], p.c_y[None]
        v = (p.c_lam if rule.v0 == "c" else 0 * p.c_lam)[None]

        def spread(part: Floats) -> Floats:
            return np.repeat(part, q, axis=0)

        def moved(matrices: Floats, part: Floats) -> Floats:
            return np.asarray(np.einsum("qij,kj->kqi", matrices, part).reshape(len(part) * q, -1))

        for m in range(self.terms):
            onward = m + 1 < self.terms
            if rule.power:
                v, chance = self._literal(v, chance, m)
                continue
            v_next = alpha * (spread(v) + moved(self.B, u)) + (1 - alpha) * moved(self.B, w)
            if onward and not self.together:
                v, u, w, chance = (
                    v_next,
                    spread(u),
                    spread(w),
                    np.outer(chance, self.chances).ravel(),
                )
                v_next = spread(v)
            if onward:
                u_next = moved(self.A, u)
                mixed = moved(self.A, w)
                if rule.message == "u":
                    mixed = moved(self.A - own, u) + moved(own, w)
                w = beta * (mixed + p.c_y) + (1 - beta) * (spread(w) + u_next)
                u = u_next
            else:
                w = spread(w)
            v, chance = v_next, np.outer(chance, self.chances).ravel()
        return v, w, chance

    def _literal(self, v: Floats, chance: Floats, m: int) -> tuple[Floats, Floats]:
        """Eq. (9)'s index: B^(2m) (A^(2m+1))^m c, both drawn anew; E of each term on its own."""
        mean = np.zeros_like(self.place.B_bar[:, 0])
        for a, A in zip(self.chances, self.A, strict=True):
            u = np.linalg.matrix_power(A, m) @ self.place.c_y
            mean = mean + a * np.einsum("q,qij,j->i", self.chances, self.B, u)
        return v + mean, chance


def _trace(v: Floats, chance: Floats) -> float:
    """Sum of the variances of v's entries, v (K, H) with chances (K,)."""
    gap = v - chance @ v
    return float(chance @ (gap * gap).sum(axis=1))
