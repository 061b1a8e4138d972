"""Decentralized subgradient descent on every symmetric network with eigenvalues in a range, proved.

The program is that of ``check_spectral``, whose points are used here: it has two forms, of means
and of rests over the clients, so that the bound holds for every number of them.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.report.atomic import write_atomic
from theorylab.worst import check_spectral
from theorylab.worst.barrier import Block, minimise, scalars, strictly_inside
from theorylab.worst.check_spectral import Runs
from theorylab.worst.rounding import NotCertifiedError

Floats = NDArray[np.float64]
BITS = 2**44  # denominators of multipliers
_GAP = 1e-6  # relative, of the claim over the least value
_DIGITS = 10**9  # denominator of a claim


@dataclass(frozen=True)
class SpectralBound:
    """alpha (f(x_av) - f(x*)) <= ``claim`` R^2; ``certificate`` proves it."""

    claim: Fraction
    certificate: dict[str, Any]

    def save(self, path: str | Path) -> None:
        """The certificate as JSON."""
        write_atomic(Path(path), json.dumps(self.certificate))


def every_spectrum(
    rounds: int,
    low: Fraction,
    high: Fraction,
    *,
    ratio: Fraction,
    about: dict[str, Any] | None = None,
) -> SpectralBound:
    """A bound on alpha (f(x_av) - f(x*)) after K = ``rounds`` steps, in units of R^2.

    For convex f_i with subgradients of norm at most B, |x^0 - x*| <= R, alpha^2 B^2 <= ratio R^2,
    every n, and every symmetric W, W 1 = 1, whose other eigenvalues are in [low, high]. With alpha
    = R / (B sqrt K), where ratio is 1 / K, f(x_av) - f(x*) <= claim sqrt(K) B R.

    Raises NotCertifiedError where no bound is found, ValueError on a range or ratio that is none.

    >>> told = every_spectrum(1, Fraction(0), Fraction(1, 2), ratio=Fraction(1))
    >>> 0.75 <= told.claim < 0.75001
    True
    """
    if not low <= high or ratio <= 0 or not 1 <= rounds <= check_spectral.LARGEST:
        raise ValueError(
            f"low = {low}, high = {high}, ratio = {ratio}, {rounds} rounds; need low <= high, "
            f"ratio > 0 and 1 to {check_spectral.LARGEST} rounds"
        )
    program = _Program(rounds, float(low), float(high))
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
    certificate = program.certificate(y, low, high, ratio, about or {})
    try:
        return SpectralBound(check_spectral.proved(certificate), certificate)
    except ValueError as error:
        raise NotCertifiedError(f"the rounded certificate fails: {error}") from None


class _Program:
    """Unknowns: distance, a bound for each node, free pairs, M, N. Pairs (x*, b) are derived."""

    def __init__(self, K: int, low: float, high: float) -> None:
        self.K, runs = K, Runs(K)
        x, g = ([[_floats(v[k]) for v in kind] for k in range(2)] for kind in (runs.x, runs.g))
        X, Y = (np.array([_floats(v) for v in kind[1:K]]) for kind in (runs.X, runs.Y))
        nodes, star = range(K + 3), K + 2
        self.free = [(a, b) for a in nodes if a != star for b in nodes if b != a]
        a, b = np.triu_indices(K - 1)
        self.diagonal = np.flatnonzero(a == b)
        self.upper, self.above = (a, b), np.triu_indices(K - 1, 1)
        sizes = [1, K + 3, len(self.free), len(a), len(self.above[0])]
        self.first = np.cumsum(sizes)
        self.size = int(self.first[-1])
        rows, constant = np.zeros((K + 2, self.size)), np.zeros(K + 2)
        constant[K + 1] = 1.0
        for k, (one, other) in enumerate(self.free):
            rows[one, self.first[1] + k] += 1
            if other != star:
                rows[other, self.first[1] + k] -= 1
        signs = np.eye(self.size)[: self.first[2]]
        offsets = np.concatenate([np.zeros(len(signs)), constant])
        self.forms = [self._form(x[k], g[k], X, Y, low, high, rest=k == 1) for k in range(2)]
        units = np.zeros((len(a), K - 1, K - 1))
        units[np.arange(len(a)), a, b] = units[np.arange(len(a)), b, a] = 1.0
        network = Block(np.zeros((K - 1, K - 1)), units, self.first[2] + np.arange(len(a)))
        numbers = scalars(offsets, np.concatenate([signs, rows]).T)
        self.others = [numbers, *([network] if K > 1 else [])]

    def _form(
        self, x: list[Floats], g: list[Floats], X: Floats, Y: Floats, low: float, high: float,
        *, rest: bool,
    ) -> Block:  # fmt: skip
        star, size = self.K + 2, len(x[0])
        pair = {
            (a, b): _product(g[b], x[a] - x[b])
            for a in range(self.K + 3)
            for b in range(self.K + 3)
            if a != b
        }
        made = [_product(x[0], x[0]), *(_product(v, v) for v in g)]
        for a, b in self.free:
            made.append(pair[a, b] + pair[star, a] - (pair[star, b] if b != star else 0))
        nothing = np.zeros((size, size))
        for a, b in self._places(self.upper):
            if not rest:
                made.append(nothing)
                continue
            one = _product(Y[a] - low * X[a], high * X[b] - Y[b])
            other = _product(Y[b] - low * X[b], high * X[a] - Y[a])
            made.append(-(one + other) / (1 + (a == b)))
        for a, b in self._places(self.above):
            made.append(2 * (_product(X[a], Y[b]) - _product(Y[a], X[b])) if rest else nothing)
        return Block(pair[star, self.K + 1], np.array(made), np.arange(self.size))

    @staticmethod
    def _places(some: Any) -> list[tuple[int, int]]:
        return [(int(a), int(b)) for a, b in zip(*some, strict=True)]

    def certificate(
        self, y: Floats, low: Fraction, high: Fraction, ratio: Fraction, about: dict[str, Any]
    ) -> dict[str, Any]:
        """``y``, rounded, as ``check_spectral`` reads it."""
        exact = [Fraction(round(float(v) * BITS), BITS) for v in y]
        K, star = self.K, self.K + 2
        level = [Fraction(0)] * (K + 3)
        level[K + 1] = Fraction(1)
        pairs: list[Any] = []
        for share, (a, b) in zip(exact[self.first[1] :], self.free, strict=False):
            pairs.append([str(share), a, b])
            level[a] += share
            level[b] -= share
        pairs += [[str(level[b]), star, b] for b in range(K + 2)]
        M = [[Fraction(0)] * (K - 1) for _ in range(K - 1)]
        N = [[Fraction(0)] * (K - 1) for _ in range(K - 1)]
        for v, (a, b) in zip(exact[self.first[2] :], self._places(self.upper), strict=False):
            M[a][b] = M[b][a] = v
        for v, (a, b) in zip(exact[self.first[3] :], self._places(self.above), strict=False):
            N[a][b], N[b][a] = v, -v
        bounded = exact[1 : K + 4]
        claim = exact[0] + ratio * sum(bounded)
        return {
            "version": 1,
            "kind": "spectral",
            "rounds": K,
            "low": str(low),
            "high": str(high),
            "ratio": str(ratio),
            "distance": str(exact[0]),
            "bounded": [str(v) for v in bounded],
            "pairs": pairs,
            "network": [[str(v) for v in row] for row in M],
            "symmetric": [[str(v) for v in row] for row in N],
            "claim": str(Fraction(math.ceil(claim * _DIGITS), _DIGITS)),
            "about": about,
        }


def _floats(row: Any) -> Floats:
    return np.array([float(v) for v in row])


def _product(u: Floats, v: Floats) -> Floats:
    made: Floats = (np.outer(u, v) + np.outer(v, u)) / 2
    return made
