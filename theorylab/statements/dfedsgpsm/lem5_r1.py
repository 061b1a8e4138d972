r"""Proof 5, R1: how far the mean gradient of a round is from grad f(xbar).

Printed (last line of the bound on R1, with eta < delta/(8LK) from Lemma 3):

    E||1/(n a~) sum_i sum_k sum_{s<=k} alpha^{k-s} (grad f_i(breve z_{i,s}) - grad f(xbar^t))||^2
      <= 3 L^2 eta^2 / delta (C_1 + 64 K^2 B^2)
       + 6 L^2 (C^2 q^{2t} 1/n sum_i ||x_i^0||^2 + eta^2 a~^2 C^2 (B^2 + sigma_l^2)/(1-q)^2)
       + 3 L^2 rho^2.

Readings. The underbrace puts a~ eta / 2 into R1, its bound leaves it out: without it is judged.
z_{i,s} - z_i = (x_{i,s} - x_i) / w_i asks for delta^2 where delta is printed; no instance was found
where that shows, as C >= 1/delta - 1/n (the lag 0 of the envelope) and the consensus term has C^2.

False for another reason: 1/n sum_i ||z_i - xbar||^2 is bounded by row sums (``lem4``,
printed/average), and the factor 6 covers that for few clients only. With two sources of m = 50
listeners each (``_proof5.two_sources``), x^0 = a (e_0 - e_1) and eta -> 0, all z_i^1 are at
+-a / (m+1). Where f_i is curved for the one half and saturated for the other, the mean gradient is
off by a / (2 (m+1)); the bound has 12 L^2 C^2 q^2 a^2 / n with C < 2 and, at T = 2, C q^2 about
(m+1)^{-2}. (For long horizons q is near 1/(m+1), and n > 192 is needed.)

Corrected: delta^2, and the drift bounded as in Theorem 1's corrected proof; (C, q) of the 2-norm,
in which the average over the clients is bounded.
"""

from __future__ import annotations

from theorylab.statements._base import Assumption, Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements.dfedsgpsm._proof5 import (
    CAPS,
    CHORDS,
    CONSENSUS,
    DRIFT,
    PRINTED_CONSENSUS,
    PRINTED_DRIFT,
    PRINTED_SHARPNESS,
    SHARED,
    SMOOTH_SAMPLES,
    WAVE,
    two_sources,
)
from theorylab.statements.dfedsgpsm._symbols import t
from theorylab.symbols import C, L, eta, q, rho, x0_sq

_START = 6 * L**2 * C**2 * q ** (2 * t) * x0_sq
_APART = {  # client 0 starts at 3, the others at 0; eta so small that nothing else is seen
    "problem": {"name": "log-cosh", "dim": 1, "center": 1.0},
    "topology": {"name": "directed-ring"},
    "clients": 3,
    "rounds": 6,
    "algorithm": {"eta": 1e-6, "alpha": 0.5, "rho": 0.0, "local_steps": 2},
    "x0": [[3.0], [0.0], [0.0]],
}
_NEAR = {  # all of the bound is SAM's
    **_APART,
    "problem": {"name": "log-cosh", "dim": 1},
    "algorithm": {"eta": 1e-6, "alpha": 0.0, "rho": 1e-2, "local_steps": 2},
    "x0": 1e-4,
}
_DRIFT = {  # one client, so that a long round is all there is
    "problem": {"name": "log-cosh", "dim": 1},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 2,
    "algorithm": {"eta": 0.02, "alpha": 0.0, "rho": 0.0, "local_steps": 6},
    "x0": 0.5,
}
_TWO_SOURCES = {  # curvature 1 at 0 for the one half of the clients, 0 for the other
    **_APART,
    "problem": {
        "name": "log-cosh",
        "centers": [[0.0], [-40.0], *([[0.0]] * 50), *([[-40.0]] * 50)],
    },
    "topology": two_sources(50),
    "clients": 102,
    "rounds": 2,
    "algorithm": {"eta": 1e-9, "alpha": 0.0, "rho": 0.0, "local_steps": 1},
    "x0": [[0.02], [-0.02], *([[0.0]] * 100)],
    "at": [1],
}

STATEMENT = Statement(
    id="dfedsgpsm.lem5_r1",
    source=Source("dfedsgpsm", "Proof 5, R1", "bias of a round's mean gradient"),
    experiment="local-rounds",
    quantity=Quantity(
        "r1",
        "rows",
        (2, -2),
        r"E\|\frac{1}{n\tilde\alpha}\sum_{i,k,s}\alpha^{k-s}"
        r"(\nabla f_i(\breve z_{i,s}^t)-\nabla f(\bar x^t))\|^2",
    ),
    versions={
        "printed": Version(
            terms={
                "client drift": PRINTED_DRIFT,
                "initial disagreement": _START,
                "consensus": PRINTED_CONSENSUS,
                "sharpness": PRINTED_SHARPNESS,
            },
            assumes=(*SHARED, *CAPS),
            constants={C: "C_row", q: "q_row"},
            checks=(
                Check("six-clients", CHORDS),
                Check("apart", _APART),
                Check("two-sources", _TWO_SOURCES, "VIOLATED"),
                Check("wave", {**WAVE, "law": "exact"}),
            ),
        ),
        "corrected": Version(
            terms={
                "client drift": DRIFT,
                "initial disagreement": _START,
                "consensus": CONSENSUS,
                "sharpness": 3 * L**2 * rho**2,
            },
            assumes=(
                *SHARED,
                SMOOTH_SAMPLES,
                Assumption("corrected: eta_l > 0 is all", rule=eta > 0),
            ),
            note="delta^2, exact momentum weights",
            checks=(
                Check("six-clients", CHORDS),
                Check("apart", _APART),
                Check("near", _NEAR),
                Check("drift", _DRIFT),
                Check("two-sources", _TWO_SOURCES),
                Check("wave", {**WAVE, "law": "exact"}),
            ),
        ),
    },
)
