"""The certificate of a rate, as ``check_forever`` reads it: a Lyapunov program, rounded."""

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
_DIGITS = 10**9  # denominators of what is claimed


def certificate(
    setting: Setting,
    cut: Reduced,
    program: Program,
    rate: Fraction,
    y: NDArray[np.float64],
    about: dict[str, Any],
) -> dict[str, Any]:
    """What ``y`` proves at ``rate``, as JSON has it. Nothing is checked here."""
    told, L = setting.round_map, setting.L
    P, multipliers, tau, sigma, gamma, nu = program.split(y)
    forms = _forms(program, P, L)
    if program.bregman:
        pairs, values = _with_values(
            rate, *([v / L for v in _rounded(k)] for k in (multipliers, tau, sigma))
        )
    else:
        pairs, values = _sectors(setting, [v / L**2 for v in _rounded(multipliers)]), None
    shares, noise = ([v / L**2 for v in _rounded(kind)] for kind in (gamma, nu))
    start = [row[0] for row in cut.starts]
    size = sum(a * b * forms[0][i][j] for i, a in enumerate(start) for j, b in enumerate(start))
    stays = setting.stays()
    early = setting.weights is None or setting.weights["from"] == 0
    single = stays and early and cut.starts.shape[1] == 1 and not program.bregman
    rows = ("queries", "sends", "after", "starts")
    return {
        "version": 1,
        "kind": "forever",
        "clients": told.clients,
        "class": {"mu": str(setting.mu), "L": str(L)},
        "owners": list(told.owners),
        "rows": {key: _texts(getattr(told, key)) for key in rows},
        "networks": setting.networks,
        "weights": setting.weights,
        "quotient": _texts(cut.quotient),
        "span": _texts(cut.span.T),
        "V": [_texts(form) for form in forms],
        "multipliers": pairs,
        "values": values,
        "spread": str(shares[0]) if program.spread else None,
        "noise": [str(v) for v in noise] if program.noise else None,
        "claim": {
            "rate": str(rate),
            "reference": stays and not program.bregman,
            "factor": _up(size) if single else None,
            "spread": _up(shares[0] / (1 - rate)) if program.spread else None,
            "noise": _up(sum(noise) / (1 - rate)) if program.noise else None,
        },
        "about": about,
    }


def _forms(program: Program, triangles: NDArray[np.float64], L: Fraction) -> list[Any]:
    """P of every phase; gradients of a program are divided by L."""
    scale = [Fraction(1)] * program.state + [1 / L] * (program.side - program.state)
    made = []
    for triangle in np.split(triangles, len(program.steps)):
        form = [[Fraction(0)] * program.side for _ in range(program.side)]
        for v, a, b in zip(_rounded(triangle), *np.triu_indices(program.side), strict=True):
            form[a][b] = form[b][a] = v * scale[a] * scale[b]
        made.append(form)
    return made


def _sectors(setting: Setting, multipliers: list[Fraction]) -> list[Any]:
    """(g - mu x)(L x - g) is L - mu times the sum of both inequalities between x and x*."""
    rest, made = iter(multipliers), list[Any]()
    for some, slopes in zip(setting.phases, setting.slopes, strict=True):
        gaps = [slopes[i][1] - slopes[i][0] for i in setting.round_map.owners]
        shares = [[str(next(rest) * gap) for gap in gaps] for _ in some]
        made.append([[[[v, 1, 0], [v, 0, 1]] for v in each] for each in shares])
    return made


def _with_values(
    rate: Fraction, free: list[Fraction], tau: list[Fraction], sigma: list[Fraction]
) -> tuple[list[Any], dict[str, Any]]:
    """Multipliers among x*, x and x+: free ones, and two that follow. And what V has of values."""
    made, q = [], len(tau)
    for j, value in enumerate(tau):
        share = {pair: free[k * q + j] for k, pair in enumerate(PAIRS)}
        share[0, 2] = value + share[2, 0] + share[2, 1] - share[1, 2]
        share[1, 0] = rate * value + share[2, 1] + share[0, 1] - share[1, 2]
        made.append([[str(v), a, b] for (a, b), v in share.items()])
    above = [[[str(a + b), 1, 0], [str(b), 0, 1]] for a, b in zip(tau, sigma, strict=True)]
    return [[made]], {"tau": [str(v) for v in tau], "above": above}


def _texts(rows: Any) -> list[list[str]]:
    return [[str(v) for v in row] for row in rows]


def _rounded(values: NDArray[np.float64]) -> list[Fraction]:
    return [Fraction(round(float(v) * BITS), BITS) for v in values]


def _up(value: Any) -> str:
    """A short rational that is at least ``value``."""
    return str(Fraction(math.ceil(value * _DIGITS), _DIGITS))
