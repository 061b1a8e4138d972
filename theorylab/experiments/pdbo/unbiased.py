"""Which of pdbo's estimators are unbiased: their exact means, and their variances."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from theorylab.experiments._base import Observation, check_column, relative_error
from theorylab.experiments._plain import Plain, Spot, UnwrittenError
from theorylab.experiments.pdbo._base import (
    Floats,
    PdboExperiment,
    both_ways,
    exacts,
    one_way,
    single,
    uppers,
)
from theorylab.experiments.pdbo._place import Place
from theorylab.experiments.pdbo._plain_place import of_place, worth_of
from theorylab.experiments.pdbo._rounds import Listed
from theorylab.experiments.pdbo._terms import neumann, power
from theorylab.hypergradients import READINGS, Moments, moments
from theorylab.hypergradients.linear import assembled, blocks
from theorylab.hypergradients.recursion import FIXED, listed_law
from theorylab.known import UNIT, Known

MOST = 2**21  # joint outcomes
MOST_LISTED = 2**14  # of them in a script: a second
_JACOBIANS = ("bias_A", "bias_B", "bias_B_a31")
_ALPHAS, _BETAS = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99), (0.01, 0.05, 0.1, 0.3, 0.6)
_TARGET = """
A_bar, B_bar = hats(mean.T)
series = sum(np.linalg.matrix_power(A_bar, k) @ c for k in range({terms}))
"""


@dataclass(kw_only=True, eq=False)
class HgpUnbiased(PdboExperiment, name="hgp-unbiased"):
    """Largest entry of |E estimate - target|. All edge patterns and minibatches of a round are
    listed, and ``hypergradients.moments`` carries mean and covariance from round to round. No
    independence is used but that of rounds (Assumption 5) and of clients' minibatches; exact up to
    rounding.

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
        self.place = self.at.options
        self.listed = Listed(self.at.maps, self.at.network)
        self.chances = self.listed.chance
        self._passes = self.terms - bool(self.letter)
        rounds = self._passes if self.together else max(2 * self._passes - 1, 0)
        self._joint = float(len(self.chances)) ** rounds
        few = f"at most {MOST} joint outcomes of {rounds} rounds with {len(self.chances)} each"
        self.need(self._joint <= MOST, "terms", few)

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

    def _moments(self, alpha: float | None = None, beta: float | None = None) -> Moments:
        if alpha is None or beta is None:
            alpha, beta = FIXED.get(self.reading, (self.alpha, self.beta))
        rule = replace(self.rule, rounds="together" if self.together else "alternate")
        law = listed_law(self.at.network, rule.weights, self.at.law)
        return moments(self.at.linear, law, self._passes, reading=rule, alpha=alpha, beta=beta)

    def _variance(self, alpha: float | None = None, beta: float | None = None) -> float:
        return float(self._moments(alpha, beta).variance[-1])

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
        if column == "bias":
            mean = self._power() if self.rule.power else self._moments().mean[-1].ravel()
            return mean, p.B_bar @ neumann(p.A_bar, M - 1) @ p.c_y + p.c_lam
        last = M - 1 if column == "bias_w" else M - 2
        return self._moments().w[self._passes - 1].ravel(), neumann(p.A_bar, last) @ p.c_y

    def _power(self) -> Floats:
        """The mean of E B^(2m) (A^(2m+1))^m c, both drawn anew: the index of Eq. (9)."""
        p, (A, B) = self.at, self.hats
        v = p.c_lam if self.rule.v0 == "c" else 0 * p.c_lam
        for m in range(self._passes):
            each = np.broadcast_to(power(A, m, p.c_y[:, None]), (*A.shape[:2], 1))
            u = self.chances @ each[..., 0]
            v = v + np.einsum("q,qij,j->i", self.chances, B, u)
        return np.asarray(v + p.c_lam if self.rule.add else v)


def of_mean(found: HgpUnbiased, column: str) -> Plain:
    """The bias of an estimator, of one of its parts, or its variance."""
    if column == "bias_B_a31":
        text = _printed_B(found.at.sgp.variant)
    elif column == "variance" or (column == "bias" and found.together):
        text = _listed(found, column)
    elif column == "bias":
        text = (_power if found.rule.power else _bias)(found)
    elif column in ("bias_w", "bias_w_line157"):
        text = _bias(found, found.terms - (column == "bias_w_line157"))
    else:
        raise UnwrittenError(f"no script is written for the column {column}")
    alpha, beta = _weights(found)
    noise = found.at.problem.noise
    return of_place(found.at).of(text, alpha=alpha, beta=beta, noise=noise)


def _weights(found: HgpUnbiased) -> tuple[float, float]:
    return FIXED.get(found.reading, (found.alpha, found.beta))


def _passes(found: HgpUnbiased) -> int:
    return found.terms - bool(found.letter)


def _from(found: HgpUnbiased) -> str:
    return "c_lam" if found.rule.v0 == "c" else "0 * c_lam"


def _apart(found: HgpUnbiased, v: str) -> str:
    """The estimate's mean less what it should be."""
    extra = " + c_lam" if found.rule.add else ""
    target = _TARGET.format(terms=found.terms)
    return f"{target}measured = np.abs({v}{extra} - (B_bar @ series + c_lam)).max()"


def _loop(found: HgpUnbiased, indent: str) -> str:
    """One pass of the estimator, as a loop's body."""
    lines = ["v, u = v + B @ u, A @ u"]
    if _weights(found) != (1.0, 0.0):
        mixed = "(A - own) @ u + own @ w" if found.rule.message == "u" else "A @ w"
        lines = [
            f"v, u, mixed = alpha * (v + B @ u) + (1 - alpha) * B @ w, A @ u, {mixed}",
            "w = beta * (mixed + c) + (1 - beta) * (w + u)",
        ]
    return "\n".join(indent + line for line in lines)


def _bias(found: HgpUnbiased, of_w: int = 0) -> str:
    """Rounds are independent and the noise has mean zero, so means follow mean matrices.

    of_w: how many terms w^(M-1) is compared with; 0: v.
    """
    worth = worth_of(found.rule.weights, found.at.network)
    own = "own = hats(0 * mean)[0]  # psi's part of A" if found.rule.message == "u" else ""
    text = f"""
A, B = hats(sum(p * {worth} for p, P, there in rounds))  # means of A-hat, B-hat
{own}
v, u, w = {_from(found)}, c, c
for _ in range({_passes(found) - bool(of_w)}):
{_loop(found, "    ")}
"""
    if of_w:
        return text + _TARGET.format(terms=of_w) + "measured = np.abs(w - series).max()"
    return text + _apart(found, "v")


def _cases(found: HgpUnbiased) -> str:
    """``cases``: chance, A-hat, B-hat of every edge pattern with every minibatch."""
    worth = worth_of(found.rule.weights, found.at.network)
    if not found.at.problem.stochastic:
        return f"cases = [(p, *hats({worth})) for p, P, there in rounds]"
    return f"""
folds = [1 + noise * np.array(s) for s in itertools.product((-1, 1), repeat=n)]
cases = [(p / 2**n, *hats({worth}, s)) for p, P, there in rounds for s in folds]
"""


def _power(found: HgpUnbiased) -> str:
    """Eq. (9)'s index read literally: E (A-hat)^m is no power of E A-hat."""
    return f"""{_cases(found)}
B = sum(p * B for p, _, B in cases)
v = {_from(found)}
for m in range({_passes(found)}):  # Eq. (9): one round's A-hat, to the power m
    v = v + B @ sum(p * np.linalg.matrix_power(A, m) @ c for p, A, _ in cases)
{_apart(found, "v")}"""


def _listed(found: HgpUnbiased, column: str) -> str:
    """Over every sequence of rounds: B comes in one round and A in the next, or both in one."""
    M, joint = _passes(found), found.constants()["outcomes"].value
    if found.rule.power or found.rule.message == "u":
        raise UnwrittenError("the joint outcomes of this reading are not listed by a script")
    if joint > MOST_LISTED:
        raise UnwrittenError(f"{joint:.0f} joint outcomes are too many for a script")
    rounds, B, A = 2 * M - 1, "2 * m", f"(2 * m + 1) % {2 * M - 1}"
    told, last = "B, A, B, .. of rounds 0, 1, ..", "  # the last A is not used"
    if found.together:
        rounds, B, A, told, last = M, "m", "m", "A and B of one round", ""
    more, end = "first = first + p * v", _apart(found, "first")
    square = column == "variance"
    if square:
        more = "square, first = square + p * v @ v, first + p * v"
        end = "measured = square - first @ first  # the trace of the covariance"
    return f"""{_cases(found)}
{"square, first = 0.0," if square else "first ="} 0 * c_lam
for drawn in itertools.product(cases, repeat={rounds}):  # {told}
    v, u, w = {_from(found)}, c, c
    for m in range({M}):{last}
        B, A = drawn[{B}][2], drawn[{A}][1]
{_loop(found, "        ")}
    p = math.prod(case[0] for case in drawn)
    {more}
{end}"""


def _printed_B(variant: str) -> str:
    """A.3.1's first display: d_lambda phi_i stands where d_lambda psi_i belongs, too."""
    told = "# A.3.1's first display has d_lambda phi_i in both places;"
    if variant == "4b":
        rest = f"{told} phi_i of (4b) does not read lambda\nprinted = 0 * B_bar"
    else:
        rest = f"{told}\nprinted = hats(mean.T + np.eye(n))[1]  # psi_i has none in (4a)"
    return f"B_bar = hats(mean.T)[1]\n{rest}\nmeasured = np.abs(printed - B_bar).max()"
