r"""Corollary 1, last lines: AsyNG without strong convexity.

Printed (Section 4; Section 1 says the same): "by setting rho = 0 and alpha = 0, we obtain the
convergence of the AsyNG algorithm (Chen et al., 2023) in non-convex setting", that is Theorem 1's
bound without what SAM and momentum add,

    1/T sum_t E||grad f(xbar^t)||^2
      <= 2 (f(xbar^0) - f*) / (T eta K) + L eta K sigma_l^2
       + 3 eta^2 L^2 / delta (8 K sigma_l^2 + 64 K^2 sigma_g^2 + 64 K^2 B^2)
       + 6 L^2 C^2 / (T (1-q^2)) 1/n sum_i ||x_i^0||^2
       + 6 L^2 eta^2 K^2 C^2 (B^2 + sigma_l^2) / (1-q)^2.

Readings. AsyNG is not Algorithm 1 with rho = alpha = 0: Section 3.4 has all its gradients of a
round taken at one debiased point, where Algorithm 1 recomputes z in every local step. `printed`
is Section 4 to the letter, Algorithm 1; `printed/one-point` is Section 3.4's algorithm, of which
Corollary 1 says nothing. For K = 1 they are one. Neither has AsyNG's asynchrony, which this paper
does not describe. C and q: the smallest pair of the per-client inequality, as in ``thm1``.

Both are true when all clients start at one point, delta for delta^2 notwithstanding. Then
M(t, 0) X^0 = 0, and row sums bound what the updates leave, as E||U||^2 <= eta^2 K^2 G^2 for all of
them, G^2 = B^2 + sigma_l^2. Without momentum the noise is split off rightly (``lem5_split``). By
||a+b||^2 <= 2 ||a||^2 + 2 ||b||^2, R1 is at most 2/3 L^2 eta^2 K^2 G^2 / delta^2 of drift and
2 C^2 L^2 eta^2 K^2 G^2 / (1-q)^2 of consensus. Three times the second is printed, and C >= 1/delta
for n > 1 (lag 0); for n = 1 the drift and noise terms have room. For other starts the 2-norm would
be needed (``lem4``, printed/average); no instance was found that refutes them.

Corrected, for every start. `corrected`: ``thm1``'s with alpha = rho = 0. `corrected/one-point`:
with H = (K/n) sum_i grad f_i(z_i^t), known when the round starts, and noise N, E||N||^2 <=
K sigma_l^2 / n_xi, E||H+N||^2 = E||H||^2 + E||N||^2, so for L eta K <= 1 the step of ``thm1``
leaves L eta sigma_l^2 / n_xi and R = E||grad f(xbar) - H/K||^2 <= L^2/n sum_i E||z_i - xbar||^2:
the square of ``thm1`` without drift.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from theorylab.statements import Assumption, Check, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.statements.dfedsgpsm._proof5 import CAPS, FINITE_MINIMUM, ROOTS, SHARED, squared
from theorylab.symbols import (
    B,
    C,
    K,
    L,
    T,
    alpha,
    delta,
    eta,
    f0,
    f_star,
    noise_clients,
    q,
    rho,
    sigma_g,
    sigma_l,
    x0_sq,
)

_FIRST = 2 * (f0 - f_star) / (T * eta * K)
_size = sp.sqrt(B**2 + sigma_l**2)
_DRIFT = L * eta * _size / delta * sp.sqrt((K - 1) * (2 * K - 1) / 6)
_CONSENSUS = {  # the roots of ``thm1`` without SAM and momentum
    "initial disagreement": ROOTS["initial disagreement"],
    "consensus": L * eta * K * C * _size * q / (1 - q),
}
_PRINTED = {
    "optimisation": _FIRST,
    "noise": L * eta * K * sigma_l**2,
    "client drift": 3 * eta**2 * L**2 / delta
    * (8 * K * sigma_l**2 + 64 * K**2 * sigma_g**2 + 64 * K**2 * B**2),
    "initial disagreement": 6 * L**2 * C**2 / (T * (1 - q**2)) * x0_sq,
    "consensus": 6 * L**2 * eta**2 * K**2 * C**2 * (B**2 + sigma_l**2) / (1 - q) ** 2,
}  # fmt: skip
_PLAIN = (
    Assumption("Corollary 1: rho = 0", rule=sp.Eq(rho, 0)),
    Assumption("Corollary 1: alpha = 0", rule=sp.Eq(alpha, 0)),
)
_PRINTED_ASSUMES = (*SHARED, FINITE_MINIMUM, *_PLAIN, *CAPS[:2])
_ROW = {C: "C_row", q: "q_row"}


def _one_point(instance: dict[str, Any]) -> dict[str, Any]:
    """The instance with all of a round's gradients at one debiased point."""
    return {**instance, "algorithm": {**instance["algorithm"], "point": "one-point"}}


_AT_ONE_POINT = (
    Check("chords", _one_point(cases.COR1_ASYNG_CHORDS)),
    Check("noise", _one_point(cases.COR1_ASYNG_NOISE)),
    Check("apart", _one_point(cases.COR1_ASYNG_APART)),
)

STATEMENT = Statement(
    id="dfedsgpsm.cor1_asyng",
    source=Source("dfedsgpsm", "Section 1 and Corollary 1, AsyNG", "AsyNG without convexity"),
    algorithm="asyng",
    quantity="mean_squared_gradient",
    trivial=B**2,  # Assumption 5 alone
    versions={
        "printed": Version(
            terms=_PRINTED,
            assumes=_PRINTED_ASSUMES,
            constants=_ROW,
            note="AsyNG as Algorithm 1 with rho = alpha = 0",
            checks=(
                Check("chords", cases.COR1_ASYNG_CHORDS),
                Check("noise", cases.COR1_ASYNG_NOISE),
                Check("apart", cases.COR1_ASYNG_APART),
                Check("step-above-cap", cases.COR1_ASYNG_STEEP, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/one-point": Version(
            terms=_PRINTED,
            assumes=_PRINTED_ASSUMES,
            constants=_ROW,
            note="AsyNG as Section 3.4 describes it: one debiased point a round",
            checks=_AT_ONE_POINT,
        ),
        "corrected": Version(
            terms={
                "optimisation": _FIRST,
                "noise": L * eta * sigma_l**2 / (noise_clients * (1 - L * eta * K)),
                **squared({"client drift": _DRIFT, **_CONSENSUS}),
            },
            assumes=(
                *SHARED,
                FINITE_MINIMUM,
                *_PLAIN,
                Assumption("corrected: eta_l < 1 / (L K)", rule=eta < 1 / (L * K)),
            ),
            note="Theorem 1's corrected bound at rho = alpha = 0",
            checks=(
                Check("chords", cases.COR1_ASYNG_CHORDS),
                Check("noise", cases.COR1_ASYNG_NOISE),
                Check("apart", cases.COR1_ASYNG_APART),
            ),
        ),
        "corrected/one-point": Version(
            terms={
                "optimisation": _FIRST,
                "noise": L * eta * sigma_l**2 / noise_clients,
                **squared(_CONSENSUS),
            },
            assumes=(
                *SHARED,
                FINITE_MINIMUM,
                *_PLAIN,
                Assumption("corrected: eta_l <= 1 / (L K)", rule=eta <= 1 / (L * K)),
            ),
            note="one debiased point a round: no drift",
            checks=_AT_ONE_POINT,
        ),
    },
)  # fmt: skip
