r"""Footnote 2: why alpha is not set to 1 although mu_{1,beta} = 0, nor beta to 0.

Printed (Sec. 5): "Although setting alpha = 1 makes mu_{alpha,beta} = 0, the remaining error is no
longer e^{-O(M)} in that case. This observation implies that alpha slightly smaller than 1 is
preferred. A similar analysis also shows that beta slightly larger than 0 is preferred."

Reading: at alpha = 1 the root mean square error has a floor, a positive number below which it is at
no M. True where a round is random enough to matter:

`printed`. v^(M) = sum_m B^(2m) u^(m) + c^lambda at alpha = 1, whatever beta, and u^(0) = c^y. B^(0)
is independent of all later rounds, which enter only the other terms, so E[v^(M) | B^(0)] = B^(0)
c^y + const, and with Var(v) >= Var(E[v | B^(0)]) for every M

    E ||v^(M) - d_lambda Fbar||^2 >= tr Cov(v^(M)) >= tr Cov(B^(0) c^y).

The floor is 0 where B-hat is not random (Eq. (4b) with full batches): assumed away here.

`printed/through-a` and `printed/beta`. Given A^(1) alone the other factors are means: E[v^(M) |
A^(1)] = Bbar c^y + Bbar sum_{k=0}^{M-2} Abar^k A^(1) c^y + c^lambda, so rms(M) >= sd(Bbar sum_{k <=
M-2} Abar^k A^(1) c^y), which tends to sd(Bbar (I - Abar)^{-1} A^(1) c^y): a floor where that is
positive. This is so at alpha = 1; and at beta = 0 for every alpha: w^(m) = sum_{m' <= m} u^(m')
there, so the mean of v^(M), given A^(1), is the sum of Bbar times the means of u^(0), .., u^(M-1),
by induction over v^(m+1) = alpha (v^(m) + Bbar u^(m)) + (1 - alpha) Bbar w^(m). That is the second
half as we read it: mu_{alpha,beta} is least as beta -> 0 (beta^2 / (1 - g^2) -> 0 in ``_mu``), and
what is left at beta = 0 is no e^{-O(M)} either. "Preferred" and "slightly" have no numbers.

(What is left at alpha = 1 is mu_{1,0}, see ``_mu``.)
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._bound import EDGES, NORMS
from theorylab.statements.pdbo._symbols import floor_A, floor_B, vr_alpha, vr_beta

_RMS = r"/ \mathrm{rms}(M)"
_FLOOR_B = Quantity("floor_B", "rows", (0, 0), r"\mathrm{sd}(\hat B c^{\mathbf y})" + _RMS)
_FLOOR_A = Quantity(
    "floor_A",
    "rows",
    (0, 0),
    r"\mathrm{sd}(\bar B \textstyle\sum_{k\leq M-2}\bar A^k \hat A c^{\mathbf y})" + _RMS,
)
_ALPHA_1 = Assumption("footnote 2: alpha = 1", rule=sp.Eq(vr_alpha, 1))
_BETA_0 = Assumption("footnote 2: beta = 0", rule=sp.Eq(vr_beta, 0))
_RANDOM_B = Assumption("B-hat c^y is random", rule=floor_B > 0)
_RANDOM_A = Assumption("A-hat leaves something in the series", rule=floor_A > 0)
_ONE = {"floor": sp.Integer(1)}
ONE_RANDOM_EDGE = {
    **{"clients": 2, "network": {"name": "sto-d", "probabilities": [[1, 0.5], [1, 1]]}},
    **{"alpha": 1.0, "beta": 0.3, "terms": [1, 2, 4, 8], "eta_A": 0.9},
}
RARELY_MISSING = {
    **ONE_RANDOM_EDGE,
    "network": {"name": "sto-d", "probabilities": [[1, 0.999], [1, 1]]},
}
STATIC = {**ONE_RANDOM_EDGE, "network": {"name": "complete"}}
BETA_0 = {**ONE_RANDOM_EDGE, "alpha": 0.7, "beta": 0.0}
SGP_4B = {
    **{"clients": 2, "maps": "sgp", "terms": [1, 2, 3], "alpha": 1.0},
    **{"sgp": {"step": 0.4, "variant": "4b"}, "network": ONE_RANDOM_EDGE["network"]},
}

STATEMENT = Statement(
    id="pdbo.fn2",
    source=Source("pdbo", "footnote 2", "at alpha = 1, or beta = 0, the error does not decay"),
    experiment="hgp-error",
    quantity=_FLOOR_B,
    versions={
        "printed": Version(
            terms=_ONE,
            assumes=(*EDGES[:2], *NORMS, _ALPHA_1, _RANDOM_B),
            note="at alpha = 1 the error is at no M below what the first round's B-hat leaves",
            checks=(
                Check("one-random-edge", ONE_RANDOM_EDGE),
                Check("an-edge-rarely-missing", RARELY_MISSING),
                Check("static", STATIC, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/through-a": Version(
            terms=_ONE,
            assumes=(*EDGES[:1], _ALPHA_1, _RANDOM_A),
            quantity=_FLOOR_A,
            note="at alpha = 1 it is at no M below what A-hat of the first round leaves",
            checks=(
                Check("one-random-edge", ONE_RANDOM_EDGE),
                Check("sgp-4b", SGP_4B),
                Check("static", STATIC, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/beta": Version(
            terms=_ONE,
            assumes=(*EDGES[:1], _BETA_0, _RANDOM_A),
            quantity=_FLOOR_A,
            note="the same at beta = 0, for every alpha",
            checks=(
                Check("one-random-edge", BETA_0),
                Check("sgp-4b", {**SGP_4B, "alpha": 0.7, "beta": 0.0}),
                Check("beta-0.3", {**BETA_0, "beta": 0.3}, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
