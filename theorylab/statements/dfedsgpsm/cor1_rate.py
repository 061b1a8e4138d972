r"""Corollary 1 and Remark 2: the rate O(1/sqrt(T)) with eta ~ 1/(LK sqrt(T)), rho ~ 1/(L sqrt(T)).

Judged as the growth, per decade of the swept parameter, of the left side over
L (f(xbar^0) - f*)/sqrt(T), the order of the first term: at most 9/8 (1 in the limit; the rest is
for what is still transient over the decades looked at). The swept parameter is T (three decades),
or with T fixed K, L or n. A window proves nothing against a limit: a transient of thousands of
rounds refutes nothing.

The rate is right. The dependence on alpha (``cor1_growth``) is not.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements._order import Order
from theorylab.symbols import L, T, f0, f_star, sigma_g, sigma_l

_BASE: dict[str, Any] = {
    "algorithm": {"eta": 0.1, "alpha": 0.5, "rho": 0.02, "local_steps": 2},
    "problem": {"name": "log-cosh", "center": 2.0, "spread": 0.5, "seed": 1},
    "topology": {"name": "directed-ring"},
    "clients": 3,
    "rounds": 200,
}


def _along(parameter: str, values: list[int], **follow: str) -> dict[str, Any]:
    sets = {f"algorithm.{name}": text for name, text in follow.items()}
    return {"sweep": {"parameter": parameter, "values": values, "set": sets}}


def _in_t(values: list[int]) -> dict[str, Any]:
    root = f"sqrt({values[0]}/rounds)"
    return _along("rounds", values, eta=f"0.1*{root}", rho=f"0.02*{root}")


_IN_T = {**_BASE, **_in_t([10, 32, 100, 316, 1000, 3162, 10000])}
_NOISE = {
    **_BASE,
    "problem": {**_BASE["problem"], "sigma": 1.0},
    **_in_t([20, 63, 200, 632, 2000]),
}
_IN_K = {**_BASE, **_along("algorithm.local_steps", [1, 3, 10, 32, 100], eta="0.1/local_steps")}
_IN_L = {
    **_BASE,
    "problem": {"name": "log-cosh", "center": 2.0, "scale": 1.0},
    **_along("problem.scale", [1, 10, 100, 1000], eta="0.1/scale"),
}
# the same loss for every client: what the order has in it beside n must not move
_IN_N = {
    **_BASE,
    "problem": {"name": "log-cosh", "center": 2.0},
    **_along("clients", [2, 4, 8, 16, 32]),
}
BRACKET = L * (f0 - f_star) / sp.sqrt(T)

STATEMENT = Statement(
    id="dfedsgpsm.cor1_rate",
    source=Source("dfedsgpsm", "Corollary 1, Remark 2", "the rate 1/sqrt(T)"),
    algorithm="dfedsgpsm",
    quantity="mean_squared_gradient",
    versions={
        "printed": Version(
            terms={"bounded": sp.Rational(9, 8)},
            assumes=(),
            order=Order(BRACKET, fixed=(sigma_l, sigma_g)),
            checks=(
                Check("rounds", _IN_T),
                Check("rounds-noise", _NOISE, "INCONCLUSIVE", quick=False),
                Check("local-steps", _IN_K),
                Check("smoothness", _IN_L),
                Check("clients", _IN_N),
            ),
        ),
    },
)
