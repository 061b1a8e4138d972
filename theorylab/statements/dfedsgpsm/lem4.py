r"""Lemma 4: how far a client's debiased model is from the average.

Printed (Appendix B; the topology is strongly connected):

    E||z_i^t - xbar^t||^2 <= 2 C^2 q^{2t} ||x_i^0||^2 + 2 eta^2 a~^2 C^2 (B^2 + sigma_l^2)/(1-q)^2,

for every i and t, with C > 0, q in (0, 1) of the topology alone.

Readings. C and q are Lemma 3 of Assran et al. (2019): `printed` takes the smallest pair of the
per-client inequality on the sequence at hand, `printed/sgp` the closed formulas.

``one-away``: with x_i^0 = 0 and another client at 1, ||z_i^0 - xbar^0|| does not depend on eta
while the right side is O(eta^2). With SAM the gradients of line 9 may also have more than
B^2 + sigma_l^2 (``alg1_line9``).

`implied` is what Proof 5 needs where it bounds R1 by Lemma 4 (Le3,4): (1/n) sum_i of both sides,
which does not suffer from another client's start. An average of squares needs the 2-norm of M(t, 0)
(the pair of ``thm1``'s corrected version), which the row sums that (6) is about bound only with a
factor of sqrt(n). Of the smallest pair of these row sums: with two sources and m listeners
each (topology two-sources) it is q = |lambda_2| = 1/(m+1), C = 2 - 2/n, and x^0 = e_0 - e_1 has
left side (m+1)^{-2t} and right side 4 C^2 q^{2t} / n as eta -> 0. The ratio n/(4 C^2) is 25 at
m = 200 and grows with n; at t = 1 it leaves every q up to 5 |lambda_2| refuted. `implied/sgp` takes
the closed formulas: they need lambda = 1 - n D^{-Delta B} > 0, so C_sgp > 2 D^{Delta B} > 2n leaves
room for sqrt(n), and no instance was found.

Corrected. With M(t,s) = D_t^{-1} Phi(t,s) - 11^T/n and sum_j |M_ij(t,s)| <= C q^{t-s},
z_i^t - xbar^t = sum_j M_ij(t,0) x_j^0 - sum_{s<t} sum_j M_ij(t,s) U_j^s: a round's update is mixed
in the same round, so M(t, s) stands with U^s = x^s - x^{s+1/2}. The rows of M(t, 0) sum to 0, so
first models may be counted from their mean. sqrt(E||U||^2) <= eta a~ G (``lem4_update``), so by
Minkowski, shown as either part times the sum of both,

    E||z_i^t - xbar^t||^2 <= (C q^t max_j ||x_j^0 - xbar^0|| + eta a~ C G S_t)^2,
    S_t = sum_{s<t} q^{t-s} = q (1 - q^t)/(1-q).
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.statements.dfedsgpsm._algorithm1 import INPUTS, a_tilde
from theorylab.statements.dfedsgpsm._causes import OWN_MODEL, ROW_SUMS
from theorylab.statements.dfedsgpsm._proof5 import SMOOTH_SAMPLES, G, squared
from theorylab.statements.dfedsgpsm._symbols import largest_gap, own_start, t
from theorylab.symbols import B, C, eta, q, sigma_l, window, x0_sq

_ASSUMES = (
    *INPUTS,
    Assumption("Lemma 4: strongly connected over time", finite=(window,)),
    Assumption("Assumption 3 (bounded gradient noise)", finite=(sigma_l,)),
    Assumption("Assumption 5 (bounded gradient)", finite=(B,)),
    Assumption("Lemma 4: q < 1, C finite", rule=q < 1, finite=(C,)),
)
_PRINTED = {
    "initial disagreement": 2 * C**2 * q ** (2 * t) * own_start**2,
    "updates": 2 * eta**2 * a_tilde**2 * C**2 * (B**2 + sigma_l**2) / (1 - q) ** 2,
}
_ROW, _SGP = {C: "C_row", q: "q_row"}, {C: "C_sgp", q: "q_sgp"}

_TWO_SOURCES = {
    **cases.LEM4_ONE_AWAY,
    "topology": {"name": "two-sources"},
    "clients": 402,
    "rounds": 2,
    "x0": [[1.0], [-1.0], *([0.0] for _ in range(400))],
}
_MORE = {  # as the clients get more
    **_TWO_SOURCES,
    "sweep": {
        "parameter": "clients",
        "values": [10, 26, 66, 162, 402],
        "each": [
            {"x0": [[1.0], [-1.0], *([0.0] for _ in range(n - 2))]} for n in (10, 26, 66, 162, 402)
        ],
    },
}
_MEAN = Quantity(
    "dfedsgpsm.consensus_mean", "rows", (0, 2), r"\frac{1}{n}\sum_i E\|z_i^t - \bar{x}^t\|^2"
)
_AVERAGE = {
    "initial disagreement": 2 * C**2 * q ** (2 * t) * x0_sq,
    "updates": _PRINTED["updates"],
}

STATEMENT = Statement(
    id="dfedsgpsm.lem4",
    source=Source("dfedsgpsm", "Lemma 4", "consensus of the debiased models"),
    algorithm="dfedsgpsm",
    quantity=Quantity("dfedsgpsm.consensus", "rows", (0, 2), r"E\|z_i^t - \bar{x}^t\|^2"),
    versions={
        "printed": Version(
            terms=_PRINTED,
            assumes=_ASSUMES,
            constants=_ROW,
            note="C, q: smallest pair for the per-client inequality of the SGP lemma",
            causes=(OWN_MODEL,),
            checks=(
                Check("one-away", cases.LEM4_SMALLER_STEPS, "VIOLATED"),
                Check("together", cases.LEM4_TOGETHER),
            ),
        ),
        "printed/sgp": Version(
            terms=_PRINTED,
            assumes=_ASSUMES,
            constants=_SGP,
            note="C, q: the closed formulas of the lemma, as DFedPGP quotes it",
            causes=(OWN_MODEL,),
            checks=(
                Check("one-away", cases.LEM4_SMALLER_STEPS, "VIOLATED"),
                Check("together", cases.LEM4_TOGETHER),
            ),
        ),
        "implied": Version(
            terms=_AVERAGE,
            assumes=_ASSUMES,
            quantity=_MEAN,
            constants=_ROW,
            note="the mean over the clients of both sides, as Proof 5 uses it",
            mends=(OWN_MODEL,),
            causes=(ROW_SUMS,),
            checks=(
                Check("two-sources", _MORE, "VIOLATED", quick=False),
                Check("one-away", cases.LEM4_ONE_AWAY),
                Check("together", cases.LEM4_TOGETHER),
                Check("noise", cases.LEM4_NOISE, "INCONCLUSIVE"),
            ),
        ),
        "implied/sgp": Version(
            terms=_AVERAGE,
            assumes=_ASSUMES,
            quantity=_MEAN,
            constants=_SGP,
            note="the same with the closed formulas of the lemma, as DFedPGP quotes it",
            mends=(OWN_MODEL, ROW_SUMS),
            checks=(
                Check("two-sources", _TWO_SOURCES),
                Check("one-away", cases.LEM4_ONE_AWAY),
                Check("together", cases.LEM4_TOGETHER),
                Check("noise", cases.LEM4_NOISE, "INCONCLUSIVE"),
            ),
        ),
        "corrected": Version(
            terms=squared(
                {
                    "initial disagreement": C * q**t * largest_gap,
                    "updates": eta * a_tilde * C * G * q * (1 - q**t) / (1 - q),
                }
            ),
            assumes=(*_ASSUMES, SMOOTH_SAMPLES),
            constants=_ROW,
            note="the first model farthest from their mean, and SAM's gradients",
            mends=(OWN_MODEL,),
            checks=(
                Check("one-away", cases.LEM4_ONE_AWAY),
                Check("together", cases.LEM4_TOGETHER),
                Check("six-clients", cases.CHORDS),
                Check("two-sources", cases.LEM4_FEWER),
                Check("noise", cases.LEM4_NOISE, "INCONCLUSIVE"),
            ),
        ),
    },
)  # fmt: skip
