r"""Proof 5, R1: how far the mean gradient of a round is from grad f(xbar).

Printed (last line of the bound on R1, with eta < delta/(8LK) from Lemma 3):

    E||1/(n a~) sum_i sum_k sum_{s<=k} alpha^{k-s} (grad f_i(breve z_{i,s}) - grad f(xbar^t))||^2
      <= 3 L^2 eta^2 / delta (C_1 + 64 K^2 B^2)
       + 6 L^2 (C^2 q^{2t} 1/n sum_i ||x_i^0||^2 + eta^2 a~^2 C^2 (B^2 + sigma_l^2)/(1-q)^2)
       + 3 L^2 rho^2.

Readings. The underbrace puts a~ eta / 2 into R1, its bound leaves it out: without it is judged.
z_{i,s} - z_i = (x_{i,s} - x_i) / w_i asks for delta^2 where delta is printed; no instance was found
where that shows, as C >= 1/delta - 1/n (the lag 0 of the envelope) and the consensus term has C^2.

C and q are "defined in Lemma 4", which points to Lemma 3 of Assran et al. (2019): `printed` takes
the closed formulas with which DFedPGP quotes it. Their C is at least 2n (``lem4``), and no instance
was found that refutes it. With SAM and noise the drift has Lemma 2's fault besides, which no check
here looks at.

`implied` takes the smallest pair (C, q) of the row sums that (6) is about. With two sources of m
listeners each (the topology), n = 2m + 2, x^0 = a (e_0 - e_1) and eta -> 0, all z_i^1 are at
+-a / (m+1). Where f_i is curved for the one half and saturated for the other, the mean gradient is
off by a / (2 (m+1)). The bound has 12 L^2 C^2 q^2 a^2 / n, with q = |lambda_2| = 1/(m+1) and
C = 2 - 2/n for all lags: the ratio is n/(48 C^2), more than 1 for n > 192 or so, and 2.1 at
m = 200. It grows with n, and leaves every q up to its root times |lambda_2| refuted.

Corrected: the square of Theorem 1's corrected proof at round t, with C q^t for the start and L rho
for SAM, as grad f_i and no sample stands on the left; (C, q) of the 2-norm, in which the average
over the clients is bounded.
"""

from __future__ import annotations

from typing import Any

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.statements.dfedsgpsm._causes import ROW_SUMS
from theorylab.statements.dfedsgpsm._proof5 import (
    CAPS,
    PRINTED_CONSENSUS,
    PRINTED_DRIFT,
    PRINTED_SHARPNESS,
    ROOTS_AT_T,
    SHARED,
    SMOOTH_SAMPLES,
    squared,
)
from theorylab.statements.dfedsgpsm._symbols import t
from theorylab.symbols import C, L, eta, q, rho, x0_sq

_START = 6 * L**2 * C**2 * q ** (2 * t) * x0_sq


def _starts(clients: int) -> dict[str, Any]:
    """Curvature 1 at 0 for the even clients, 0 for the odd ones."""
    return {
        "problem": {"name": "log-cosh", "centers": [[0.0], [-40.0]] * (clients // 2)},
        "x0": [[0.02], [-0.02], *([[0.0]] * (clients - 2))],
    }


def _two_sources(clients: int) -> dict[str, Any]:
    return {
        **cases.LEM5_R1_APART,
        **_starts(clients),
        "topology": {"name": "two-sources"},
        "clients": clients,
        "rounds": 2,
        "algorithm": {"eta": 1e-9, "alpha": 0.0, "rho": 0.0, "local_steps": 1},
        "at": [1],
    }


_PRINTED = {
    "client drift": PRINTED_DRIFT,
    "initial disagreement": _START,
    "consensus": PRINTED_CONSENSUS,
    "sharpness": PRINTED_SHARPNESS,
}
_MANY = _two_sources(402)
_MORE = {  # as the clients get more
    **_MANY,
    "sweep": {
        "parameter": "clients",
        "values": [26, 66, 162, 402],
        "each": [_starts(n) for n in (26, 66, 162, 402)],
    },
}

STATEMENT = Statement(
    id="dfedsgpsm.lem5_r1",
    source=Source("dfedsgpsm", "Proof 5, R1", "bias of a round's mean gradient"),
    algorithm="dfedsgpsm",
    quantity=Quantity(
        "dfedsgpsm.r1",
        "rows",
        (2, -2),
        r"E\|\frac{1}{n\tilde\alpha}\sum_{i,k,s}\alpha^{k-s}"
        r"(\nabla f_i(\breve z_{i,s}^t)-\nabla f(\bar x^t))\|^2",
    ),
    versions={
        "printed": Version(
            terms=_PRINTED,
            assumes=(*SHARED, *CAPS),
            constants={C: "C_sgp", q: "q_sgp"},
            note="C, q: the closed formulas of the lemma, as DFedPGP quotes it",
            mends=(ROW_SUMS,),
            checks=(
                Check("six-clients", cases.CHORDS),
                Check("apart", cases.LEM5_R1_APART),
                Check("two-sources", _MANY),
            ),
        ),
        "implied": Version(
            terms=_PRINTED,
            assumes=(*SHARED, *CAPS),
            constants={C: "C_row", q: "q_row"},
            note="C, q: smallest pair for the per-client inequality of the SGP lemma",
            causes=(ROW_SUMS,),
            checks=(
                Check("six-clients", cases.CHORDS),
                Check("apart", cases.LEM5_R1_APART),
                Check("two-sources", _MORE, "VIOLATED"),
                Check("wave", {**cases.WAVE, "law": "enumerated"}),
            ),
        ),
        "corrected": Version(
            terms=squared({**ROOTS_AT_T, "sharpness": L * rho}),
            assumes=(
                *SHARED,
                SMOOTH_SAMPLES,
                Assumption("corrected: eta_l > 0 is all", rule=eta > 0),
            ),
            note="delta^2, exact momentum weights, the start from its mean",
            mends=(ROW_SUMS,),
            checks=(
                Check("six-clients", cases.CHORDS),
                Check("apart", cases.LEM5_R1_APART),
                Check("near", cases.LEM5_R1_NEAR),
                Check("drift", cases.LEM5_R1_DRIFT),
                Check("two-sources", _two_sources(102)),
                Check("wave", {**cases.WAVE, "law": "enumerated"}),
            ),
        ),
    },
)
