"""The certificate of a rate: a Lyapunov program, rounded."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.worst.lyapunov import PAIRS, Program
from theorylab.worst.recursion import Reduced
from theorylab.worst.setting import Setting

BITS = 2**40  # denominators of what is rounded


def certificate(
    setting: Setting,
    cut: Reduced,
    program: Program,
    rate: Fraction,
    y: NDArray[np.float64],
) -> dict[str, Any]:
    """Claim, multipliers and proof that ``y`` has at ``rate``. Nothing is checked here."""
    L = setting.L
    P, multipliers, tau, sigma, gamma, nu = program.split(y)
    above: list[Any] = []
    if program.bregman:
        parts = ([v / L for v in _rounded(kind)] for kind in (multipliers, tau, sigma))
        pairs, values, above = _with_values(rate, *parts)
    else:
        pairs, values = _sectors(setting, [v / L**2 for v in _rounded(multipliers)]), []
    shares, noise = ([v / L**2 for v in _rounded(kind)] for kind in (gamma, nu))
    lists = [above, *(some for each in pairs for some in each)]
    below = math.lcm(*(v.denominator for some in lists for v, *_ in some))
    for some in lists:
        some[:] = [[int(v * below), "pair", *at] for v, *at in some]
    proof = {
        "V": [_texts(form) for form in _forms(program, P, L, len(cut.coordinates))],
        "span": _texts(cut.span),
        "coordinates": _texts(cut.coordinates),
        "values": {"tau": [str(v) for v in values], "above": above} if values else None,
        "spread": str(shares[0]) if program.spread else None,
        "noise": [str(v) for v in noise] if program.noise else None,
    }
    told = {"claim": str(rate), "denominator": below, "multipliers": pairs}
    return told | {"proof": proof}


def _forms(program: Program, triangles: NDArray[np.float64], L: Fraction, state: int) -> list[Any]:
    """P of every phase, over ``state`` coordinates and gradients; those are divided by L."""
    scale = [Fraction(1)] * program.state + [1 / L] * (program.side - program.state)
    more = state - program.state
    place = [k + more * (k >= program.state) for k in range(program.side)]
    made = []
    for triangle in np.split(triangles, len(program.forms)):
        form = [[Fraction(0)] * (program.side + more) for _ in range(program.side + more)]
        for v, a, b in zip(_rounded(triangle), *np.triu_indices(program.side), strict=True):
            form[place[a]][place[b]] = form[place[b]][place[a]] = v * scale[a] * scale[b]
        made.append(form)
    return made


def _sectors(setting: Setting, multipliers: list[Fraction]) -> list[Any]:
    """(g - mu x)(L x - g) is L - mu times the sum of both inequalities between x and x*."""
    rest, made = iter(multipliers), list[Any]()
    for some, slopes in zip(setting.rounds.phases, setting.slopes, strict=True):
        gaps = [slopes[i][1] - slopes[i][0] for i in setting.round_map.owners]
        shares = [[next(rest) * gap for gap in gaps] for _ in some]
        made.append(
            [
                [[v, j, *at] for j, v in enumerate(each) for at in ((1, 0), (0, 1))]
                for each in shares
            ]
        )
    return made


def _with_values(
    rate: Fraction, free: list[Fraction], tau: list[Fraction], sigma: list[Fraction]
) -> tuple[list[Any], list[Fraction], list[Any]]:
    """Multipliers among x*, x and x+: free ones, and two that follow; tau; those of V itself."""
    made, above, q = [], [], len(tau)
    for j, value in enumerate(tau):
        share = {pair: free[k * q + j] for k, pair in enumerate(PAIRS)}
        share[0, 2] = value + share[2, 0] + share[2, 1] - share[1, 2]
        share[1, 0] = rate * value + share[2, 1] + share[0, 1] - share[1, 2]
        made += [[v, j, a, b] for (a, b), v in share.items()]
        above += [[value + sigma[j], j, 1, 0], [sigma[j], j, 0, 1]]
    return [[made]], tau, above


def _texts(rows: Any) -> list[list[str]]:
    return [[str(v) for v in row] for row in rows]


def _rounded(values: NDArray[np.float64]) -> list[Fraction]:
    return [Fraction(round(float(v) * BITS), BITS) for v in values]
