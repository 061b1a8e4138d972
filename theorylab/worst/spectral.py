"""Decentralized subgradient descent on every symmetric network with eigenvalues in a range, proved.

The program is that of ``check_certificate``, whose points are used here: it has two forms, of means
and of rests over the clients, so that the bound holds for every number of them.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.worst import check_certificate
from theorylab.worst.barrier import Block, minimise, scalars, strictly_inside
from theorylab.worst.certificate import (
    Bound,
    NotCertifiedError,
    accepted,
    forms_of,
    table_of,
    tables_of,
)
from theorylab.worst.flow import Flow
from theorylab.worst.question import content

Floats = NDArray[np.float64]
BITS = 2**44  # denominators of multipliers
_GAP = 1e-6  # relative, of the claim over the least value
_DIGITS = 10**9  # denominator of a claim


def every_spectrum(
    rounds: int,
    low: Fraction,
    high: Fraction,
    *,
    ratio: Fraction,
    about: dict[str, Any] | None = None,
) -> Bound:
    """A bound on alpha (f(x_av) - f(x*)) after K = ``rounds`` steps, in units of R^2.

    For convex f_i with subgradients of norm at most B, |x^0 - x*| <= R, alpha^2 B^2 <= ratio R^2,
    every n, and every symmetric W, W 1 = 1, whose other eigenvalues are in [low, high]. With alpha
    = R / (B sqrt K), where ratio is 1 / K, f(x_av) - f(x*) <= claim sqrt(K) B R.

    Raises NotCertifiedError where no bound is found, ValueError on a range or ratio that is none.

    >>> told = every_spectrum(1, Fraction(0), Fraction(1, 2), ratio=Fraction(1))
    >>> 0.75 <= told.claim < 0.75001
    True
    """
    if not low <= high or ratio <= 0 or not 1 <= rounds <= check_certificate.ROUNDS:
        raise ValueError(
            f"low = {low}, high = {high}, ratio = {ratio}, {rounds} rounds; need low <= high, "
            f"ratio > 0 and 1 to {check_certificate.ROUNDS} rounds"
        )
    program = _Program(rounds, low, high, ratio, about or {})
    objective = np.zeros(program.size)
    objective[0], objective[1 : rounds + 4] = 1.0, float(ratio)
    start = np.full(program.size, 0.1)
    start[: rounds + 4] = 10.0
    start[program.first[3] :] = 0.0
    start[program.first[2] + program.diagonal] = 1.0
    inside = strictly_inside(program.forms, [*program.others], start, 1e-9)
    if inside is None:
        raise NotCertifiedError("no multipliers make both forms positive")
    y = minimise(objective, [*program.forms, *program.others], inside, gap=_GAP)
    data = program.told(y)
    accepted(data)
    return Bound(data, Fraction(data["claim"]))


class _Program:
    """Unknowns: distance, a bound for each node, free pairs, M, N. Pairs (x*, b) are derived.

    Nodes: x* is 0, then those of rounds 0 .. K, then x_av.
    """

    def __init__(
        self, K: int, low: Fraction, high: Fraction, ratio: Fraction, about: dict[str, Any]
    ) -> None:
        method = {"rounds": K, "low": str(low), "high": str(high), "ratio": str(ratio)}
        self.data = content(
            "spectral", None, {"mu": 0}, start={"distance": 1}, metric="gap", method=method,
            about=about,
        )  # fmt: skip
        self.data["proof"] = {"network": [], "symmetric": []}
        self.K, self.ratio, self.flow = K, ratio, Flow(K + 2, K + 2)
        a, b = np.triu_indices(K - 1)
        self.diagonal = np.flatnonzero(a == b)
        self.upper, self.above = (a, b), np.triu_indices(K - 1, 1)
        sizes = [1, K + 3, len(self.flow.free), len(a), len(self.above[0])]
        self.first = np.cumsum(sizes)
        self.size = int(self.first[-1])
        rows = np.zeros((K + 2, self.size))
        rows[:, self.first[1] : self.first[2]] = self.flow.derived
        signs = np.eye(self.size)[: self.first[2]]
        offsets = np.concatenate([np.zeros(len(signs)), self.flow.constant])
        self.forms = self._forms()
        units = np.zeros((len(a), K - 1, K - 1))
        units[np.arange(len(a)), a, b] = units[np.arange(len(a)), b, a] = 1.0
        network = Block(np.zeros((K - 1, K - 1)), units, self.first[2] + np.arange(len(a)))
        numbers = scalars(offsets, np.concatenate([signs, rows]).T)
        self.others = [numbers, *([network] if K > 1 else [])]

    def _forms(self) -> list[Block]:
        """The forms of means and of rests, as the checker makes them."""
        runs = check_certificate.Runs(self.data)
        pairs = self.flow.pairs
        names = [("distance",), *(("bounded", 0, a) for a in range(self.K + 3))]
        told = forms_of(runs, tables_of(runs, [*names, *(("pair", 0, *at) for at in pairs)]))
        pair = dict(zip(pairs, told[len(names) :], strict=True))
        made = [*told[: len(names)], *self.flow.forms(pair)]
        for kind, places_of, sign in ((0, self.upper, 1), (1, self.above, -1)):
            for a, b in zip(*(each.tolist() for each in places_of), strict=True):
                both = np.zeros((2, self.K - 1, self.K - 1), dtype=int)
                both[kind, a, b], both[kind, b, a] = 1, sign
                table = table_of(runs.network(*both.tolist()), runs.size)
                made.append((table + table.T) / 2)
        mean = np.array([k for k in range(runs.size) if k in runs.means])
        rest = np.array([k for k in range(runs.size) if k not in runs.means])
        blocks = []
        for part in (mean, rest):
            F = np.array(made)[:, part[:, None], part]
            blocks.append(Block(pair[0, self.K + 2][part[:, None], part], F, np.arange(self.size)))
        return blocks

    def told(self, y: Floats) -> dict[str, Any]:
        """The certificate of ``y``, rounded."""
        exact, K = [round(float(v) * BITS) for v in y], self.K
        made: list[Any] = [[exact[0], "distance"]]
        made += [[v, "bounded", 0, a] for a, v in enumerate(exact[1 : K + 4])]
        made += self.flow.told(exact[self.first[1] : self.first[2]], 0, BITS)
        M = [["0"] * (K - 1) for _ in range(K - 1)]
        N = [["0"] * (K - 1) for _ in range(K - 1)]
        for v, k, j in zip(exact[self.first[2] :], *self.upper, strict=False):
            M[k][j] = M[j][k] = str(Fraction(v, BITS))
        for v, k, j in zip(exact[self.first[3] :], *self.above, strict=False):
            N[k][j], N[j][k] = str(Fraction(v, BITS)), str(Fraction(-v, BITS))
        claim = (exact[0] + self.ratio * sum(exact[1 : K + 4])) / BITS
        bound = Fraction(math.ceil(claim * _DIGITS), _DIGITS)
        told = {"claim": str(bound), "denominator": BITS, "multipliers": made}
        return self.data | told | {"proof": {"network": M, "symmetric": N}}
