"""Which of pdbo's estimators are unbiased: their exact means over every outcome of every round."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from theorylab.experiments._base import Observation, check_column, relative_error
from theorylab.experiments._plain import Plain, Spot
from theorylab.experiments.pdbo._base import Floats, PdboExperiment, exacts, single, uppers
from theorylab.experiments.pdbo._place import Place, both_ways, one_way
from theorylab.experiments.pdbo._plain_means import of_mean
from theorylab.experiments.pdbo._rounds import Listed, trace
from theorylab.experiments.pdbo._terms import neumann, power
from theorylab.hypergradients import READINGS
from theorylab.hypergradients.linear import assembled, blocks
from theorylab.hypergradients.recursion import FIXED
from theorylab.known import UNIT, Known

MOST = 2**21  # joint outcomes
_JACOBIANS = ("bias_A", "bias_B", "bias_B_a31")
_ALPHAS, _BETAS = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99), (0.01, 0.05, 0.1, 0.3, 0.6)


@dataclass(kw_only=True, eq=False)
class HgpUnbiased(PdboExperiment, name="hgp-unbiased"):
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
        place: see ``_place.Place``; small. reading: a name of ``hypergradients.READINGS``.
        together: draw A and B in one round (Section 6.1). edges, message: "" for the reading's own,
            or another of ``Reading.weights``, ``Reading.message``. terms, alpha, beta: M >= 1,
            VR-HGP's weights. letter: the algorithms' "return v^(m)" after the loop over m = 0 ..
            M - 1 gives v^(M-1), against the same target; else every reading gives v^(M).

    Raises:
        ValueError: more than 2^17 outcomes of a round or 2^21 joint ones, or what the parts do not
            accept.
    """

    columns = ("bias", "bias_w", "bias_w_line157", *_JACOBIANS, "variance", "least_variance")
    claim_options = ("reading", "together", "edges", "message", "letter")

    place: Mapping[str, Any]
    reading: str = "eq12"
    together: bool = False
    edges: str = ""
    message: str = ""
    letter: bool = False
    terms: int = 2
    alpha: float = 0.9
    beta: float = 0.1

    def __post_init__(self) -> None:
        self.need(self.reading in READINGS, "reading", f"one of {', '.join(READINGS)}")
        weights = 0 <= self.alpha <= 1 and 0 <= self.beta <= 1
        fits = type(self.terms) is int and self.terms >= 1 and weights
        self.need(fits, "terms alpha beta", "M >= 1 and weights in 0..1")
        rule = READINGS[self.reading]
        self.rule = replace(
            rule, weights=self.edges or rule.weights, message=self.message or rule.message
        )
        fits = not (rule.power and self.together)
        self.need(fits, "reading together", "a reading with rounds to draw together")
        self.need(not (rule.power and self.letter), "reading letter", "a reading with a loop")
        self.at = Place(**self.place)
        self.listed = Listed(self.at.maps, self.at.network)
        self.chances = self.listed.chance
        self._passes = self.terms - bool(self.letter)
        rounds = self._passes if self.together else max(2 * self._passes - 1, 0)
        self._joint = float(len(self.chances)) ** rounds
        few = f"at most {MOST} joint outcomes of {rounds} rounds with {len(self.chances)} each"
        self.need(self._joint <= MOST, "terms", few)

    def describe(self) -> dict[str, Any]:
        return super().describe() | {"place": self.at.options}

    def constants(self) -> dict[str, Known]:
        lost = exacts("ordered pairs with an edge one way only", one_way=one_way(self.at.law))
        if lost["one_way"].value and self.rule.weights == "debiased":  # pbar / dbar divides by 0
            return lost
        known = lost | uppers("largest absolute sum of summands over all outcomes", **self._sizes())
        # gamma_m times the sizes of all summands, m the additions of one of them
        m = 8 * (self.terms + 2) * (len(self.at.c_y) + 4) + 4 * self._joint
        instance: dict[str, float] = {"terms": self.terms, "hgp_size": len(self.at.c_y)}
        if self.rule.add or self.rule.v0 == "c":
            instance["bias_room"] = m * UNIT * known["magnitude_v"].value
        if self.reading == "appendix-b":
            instance["variance_u"] = self._variance(1.0, 0.0)
            instance["variance_w"] = self._variance(0.0, 1.0)
        both = both_ways(self.at.network, self.at.law)
        instance |= {"vr_alpha": self.alpha, "vr_beta": self.beta, "outcomes": self._joint}
        return known | exacts("the instance", undirected=both, **instance)

    def _sizes(self) -> dict[str, float]:
        A, B = (np.abs(hats).max(axis=0) for hats in self.hats)
        c_y, c_lam, B_bar = (np.abs(x).max() for x in (self.at.c_y, self.at.c_lam, self.at.B_bar))
        big = 1 + float(A.sum(axis=1).max())
        # Every state is a sum of products of at most M of A, one of B, and c, doubled by w.
        w = (self.terms + 2) ** 2 * big**self.terms * c_y
        v = w * B.sum(axis=1).max() + c_lam
        return {"magnitude_v": v, "magnitude_w": w, "size_R": big, "magnitude": B.max() + B_bar}

    @functools.cached_property
    def hats(self) -> tuple[Floats, Floats]:
        """A-hat (q, N, N), B-hat (q, H, N) of a round's outcomes.

        Raises ValueError where Assumption 6 fails and the weights are debiased.
        """
        return self.listed.hats(self.at.law, self.rule.weights)

    def _variance(self, alpha: float | None = None, beta: float | None = None) -> float:
        v, _, chance = self._enumerated(alpha, beta)
        return trace(v, chance)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column == "variance":
            value = self._variance()
            return single(value, 1e-9 * value)
        if column == "least_variance":
            # The least of a grid is above the infimum: it can show the claim and not refute it.
            value = min(self._variance(a, b) for a in _ALPHAS for b in _BETAS)
            ends = min(self._variance(a, 1 - a) for a in (0.0, 1.0))
            return single(value, 1e-9 * value if value < ends else value)
        mean, target = (self._jacobians if column in _JACOBIANS else self._states)(column)
        share = relative_error(mean - target, mean, target)
        return single(np.abs(mean - target).max(), share=share)

    def plain(self, spot: Spot) -> Plain:
        return of_mean(self, spot.column)

    def _jacobians(self, column: str) -> tuple[Floats, Floats]:
        """(mean, what it should be) of a round's A-hat or B-hat."""
        p = self.at
        if column != "bias_B_a31":
            hats, bar = (self.hats[0], p.A_bar) if column == "bias_A" else (self.hats[1], p.B_bar)
            return np.asarray(np.einsum("q,qij->ij", self.chances, hats)), bar
        phi_lam = blocks(p.linear)[1]  # the noise has mean zero
        return assembled(phi_lam, phi_lam, p.law.mean.T), p.B_bar

    def _states(self, column: str) -> tuple[Floats, Floats]:
        """(mean, what it should be) of the estimate, or of w."""
        p, M = self.at, self.terms
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
        """v^(M) (K, H), w^(M-1) (K, N) and the chances (K,) of all K joint outcomes.

        The recursion is written out again and not that of ``hgp``, whose readings it judges.
        """
        p, rule, (A, B), once = self.at, self.rule, self.hats, self.chances
        if alpha is None or beta is None:
            alpha, beta = FIXED.get(self.reading, (self.alpha, self.beta))
        own = self.at.maps.matrices(0 * self.at.law.mean, self.listed.picks)[0]
        v = (p.c_lam if rule.v0 == "c" else 0 * p.c_lam)[None]
        u, w, chance = p.c_y[None], p.c_y[None], np.ones(1)

        def spread(*parts: Floats) -> list[Floats]:
            return [np.repeat(part, len(once), axis=0) for part in parts]

        def moved(hats: Floats, part: Floats) -> Floats:
            return np.asarray(np.einsum("qij,kj->kqi", hats, part).reshape(-1, hats.shape[1]))

        for m in range(self._passes):
            if rule.power:  # E B^(2m) (A^(2m+1))^m c, both drawn anew: the index of Eq. (9)
                u = np.broadcast_to(power(A, m, p.c_y[:, None]), (*A.shape[:2], 1))[..., 0]
                v = v + np.einsum("q,qij,j->i", once, B, once @ u)
                continue
            v = alpha * (spread(v)[0] + moved(B, u)) + (1 - alpha) * moved(B, w)
            chance = np.outer(chance, once).ravel()
            if m + 1 == self._passes:
                (w,) = spread(w)
                continue
            if not self.together:  # A comes in a round of its own
                u, w = spread(u, w)
                (v,) = spread(v)
                chance = np.outer(chance, once).ravel()
            mixed = moved(A, w)
            if rule.message == "u":
                mixed = moved(A - own, u) + moved(own, w)
            u = moved(A, u)
            w = beta * (mixed + p.c_y) + (1 - beta) * (spread(w)[0] + u)
        return v, w, chance
