r"""Theorem 11: VR-HGP at y^(T) instead of at the stationary point y*.

Printed (Appendix C.7; Assumptions 1 to 10): with probability at least 1 - epsilon,

    || vtilde^(M+1) + c^lambda - d_{lambda_j} F(y*, lambda) ||
      <= mu_{alpha,beta} tau sqrt( (sum pbar^2/dbar^2 + 4n/b) log(n (d_y+d_lambda)/epsilon) )
         + eta_B ||c^y|| / (1-eta_A) (L_y + L_lambda) G + exp(-O(M)),
    G = n sum_i || y_i* - y_i^(T) ||.

Readings. `printed`: the Jacobians at y^(T), c^y at y*, as the proof has it. `printed/c-at-yt`:
"obtained by VR-HGP using y^(T) instead of y*", so c^y too (Algorithm 1 gives y^(T) alone to
Algorithm 5, whose first line computes c^y from it). (pbar_is with a tilde is pbar_ts. SGP can't
satisfy Assumption 8, see Theorem 1, nor 10, see ``asm10``. On random networks omega^(T) goes on
moving: G does not go to 0 with T.)

Instances. d_y phi = d_y psi = eta_A/(2 kappa) s(y), s affine and cut off at -1 and 1, no noise;
alpha, beta near 1 and 0 make mu small, M -> oo removes exp(-O(M)): the error is exactly
Bt (I-At)^{-1} c - Bbar (I-Abar)^{-1} c. The proof's own lines are ``thm11_sum``, ``thm11_gap`` and
``thm11_cross``.

Corrected (M terms; remainder of ``_bound``; ctilde = c^y at y^(T), ||c|| the larger norm):

    error <= noise and remainder of Theorem 8
      + 2 eta_B ||c|| / (1-r eta_A) ( r L_y / (1-r eta_A) + L_lambda ) sum_i || y_i* - y_i^(T) ||
      + r eta_B / (1-r eta_A) || ctilde - c^y || + || ctilde^lambda - c^lambda ||,
    r = (1 + sqrt(n)) / (2 kappa) <= (1 + sqrt(n)) / (2 n): 1 for one client, below 1/2 for ten.

Proof. Given y^(T), drawn before, the estimate is VR-HGP for the maps with Jacobians at y^(T); the
norms of Assumptions 8 and 9 hold there, so Theorem 8 bounds its distance to
Bt sum_{i<M} At^i ct + ct^lambda, At, Bt the means at y^(T), and the truncation to the full series.
Then Bt (I-At)^{-1} ct - Bbar (I-Abar)^{-1} c = (Bt-Bbar)(I-At)^{-1} ct
+ Bbar (I-At)^{-1} (At-Abar) (I-Abar)^{-1} ct + Bbar (I-Abar)^{-1} (ct - c), and block row t of
At - Abar is e_t (x) Dpsi + pbar_t (x) Dphi, of norm <= L_y ||y_t* - y_t^(T)|| (1 + ||pbar_t||_2)
<= 2 L_y ||.||: the root of the sum of their squares is at most 2 L_y sum_t ||.||. Likewise Bt with
eta_B L_lambda. At both points ||A|| <= (1 + ||Pbar||_2) eta_A / (2 kappa) <= r eta_A and ||B|| <= r
eta_B, by Assumption 8 at every y and ||Pbar||_2 <= sqrt(n), as rows of Pbar sum to 1.

`printed/two-or-more-clients`: for n >= 2 and c^y, c^lambda at y* it is true. As kappa >= n, r is at
most (1 + sqrt(n)) / (2n), which stands for it here, and the bias above is eta_B ||c|| sum ||.|| ( 2
r L_y / (1 - r eta_A)^2 + 2 L_lambda / (1 - r eta_A) ). The second is below n L_lambda / (1-eta_A)
as n >= 2, r < 1; the first below n L_y / (1-eta_A), as 2 r (1-eta_A) / (1 - r eta_A)^2 is at most
1.27 for n = 2 (at eta_A = 2 - 1/r = .343) and at most 2 r < 1 for n >= 3 (r <= 1/2: it falls in
eta_A).
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._bound import EDGES, NORMS, WEIGHTS, apart, explicit
from theorylab.statements.pdbo._causes import C_AT_YT, LOST_REST, ONE_CLIENT
from theorylab.statements.pdbo._symbols import (
    L_lambda,
    L_y,
    c_gap,
    c_lambda_gap,
    c_norm,
    eps_chance,
    eta_A,
    eta_B,
    kappa,
    terms,
    y_gap,
)
from theorylab.symbols import n

_LIMIT = Quantity(
    "limit_error",
    "rows",
    (1, 0),
    r"\lim_{M\to\infty}\|\tilde v^{(M)} + c^\lambda - \mathrm d_\lambda\bar F\|",
)
_ERROR = Quantity(
    "error",
    "rows",
    (1, 0),
    r"\|\tilde v^{(M)} + c^\lambda - \mathrm d_\lambda\bar F\|",
    chance=eps_chance,
)
_SMOOTH = Assumption("Assumption 10: L_y, L_lambda finite", finite=(L_y, L_lambda))
ASSUMES = (*EDGES, *WEIGHTS, *NORMS, _SMOOTH, apart(eta_A))
_C_AT_STAR = (
    Assumption("reading: c^y at y*", rule=sp.Eq(c_gap, 0)),
    Assumption("reading: c^lambda at y*", rule=sp.Eq(c_lambda_gap, 0)),
)
_TWO_OR_MORE = Assumption("n >= 2", rule=n >= 2)
_explicit = explicit(terms - 1)
_PRINTED = {
    "noise": _explicit["noise"],
    "bias": eta_B * c_norm / (1 - eta_A) * (L_y + L_lambda) * n * y_gap,
}
_r = (1 + sp.sqrt(n)) / (2 * kappa)
_rest = 1 / (1 - _r * eta_A)
_BIAS = {
    "Jacobians' bias": 2 * eta_B * c_norm * _rest * (_r * L_y * _rest + L_lambda) * y_gap,
    "bias of c": _r * eta_B * _rest * c_gap + c_lambda_gap,
}
_SLOW = {"alpha": 0.99999, "beta": 0.0001}
ALONE = {**_SLOW, "clients": 1, "eta_A": 0.8, "level": 0.5, "slope": 1.0, "gap": 0.5}
AFFINE = {
    **{**_SLOW, "clients": 3, "slope": 1e-9, "level": 1.0, "gap": -1.0},
    **{"curvature": 10.0, "follow": True},
}
# eta_A small, so that 1 / (1 - eta_A) is nearly 1: what is left is the factor 2 of both maps.
TWO_MAPS = {**ALONE, "alpha": 1 - 2.0**-40, "eta_A": 0.1, "level": 0.0}
# eta_A to 1, and the Jacobians at y* half as far from it as those at y^(T): the ratio is about
# 1 / (1 - eta_A), the factor that Appendix C.7 loses. With that factor the bound is still
# too small by 1/200, for the second map: both causes show.
NEAR_ONE = {
    **{**ALONE, "alpha": 1 - 2.0**-40},
    "sweep": {
        "parameter": "rest",
        "values": [0.5, 0.2, 0.1, 0.05, 0.02, 0.01],
        "set": {"eta_A": "1-rest", "level": "1-rest", "gap": "rest"},
    },
}
# Nearly affine maps: L_y falls with the slope, and the bias that c^y at y^(T) leaves does not.
NEARLY_AFFINE = {
    **AFFINE,
    "sweep": {
        "parameter": "slope",
        "values": [1.0, 0.1, 0.01, 0.001, 0.0001],
        "set": {"alpha": "1-1e-6*slope**2"},
    },
}
RANDOM = {
    **{"clients": 2, "network": {"name": "sto-d"}, "terms": [1, 2, 3], "eps_chance": 0.05},
    **{"curvature": 1.0, "follow": True},
}

STATEMENT = Statement(
    id="pdbo.thm11",
    source=Source("pdbo", "Theorem 11", "error of VR-HGP at y^(T)"),
    experiment="hgp-bias",
    quantity=_LIMIT,
    versions={
        "printed": Version(
            terms=_PRINTED,
            assumes=(*ASSUMES, *_C_AT_STAR),
            causes=(ONE_CLIENT, LOST_REST),
            note="c^y at y*; false for n = 1 only; M -> oo on a static network, which has a limit",
            checks=(
                Check("two-maps", TWO_MAPS, "VIOLATED", causes=(ONE_CLIENT,)),
                Check("one-client", ALONE, "VIOLATED", causes=(LOST_REST,)),
                Check("near-one", NEAR_ONE, "VIOLATED"),
                Check("three-affine-clients", AFFINE, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/two-or-more-clients": Version(
            terms=_PRINTED,
            assumes=(*ASSUMES, *_C_AT_STAR, _TWO_OR_MORE),
            note="c^y at y*, n >= 2: true, for another reason than the printed one",
            mends=(ONE_CLIENT,),  # the lost factor is there, and the n in G makes up for it
            checks=(
                Check("two-clients", {**ALONE, "clients": 2}),
                Check("five-clients", {**ALONE, "clients": 5, "eta_A": 0.99}),
                Check("two-maps", {**TWO_MAPS, "clients": 2}),
                Check("one-client", ALONE, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/c-at-yt": Version(
            terms=_PRINTED,
            assumes=ASSUMES,
            causes=(C_AT_YT,),
            note="c^y at y^(T), too",
            checks=(
                Check("three-affine-clients", AFFINE, "VIOLATED"),
                Check("nearly-affine", NEARLY_AFFINE, "VIOLATED"),
            ),
        ),
        "corrected": Version(
            terms={"noise": _explicit["noise"], **_BIAS},
            assumes=ASSUMES,
            note="the limit M -> oo",
            mends=(ONE_CLIENT, LOST_REST, C_AT_YT),
            checks=(
                Check("one-client", ALONE),
                Check("two-maps", TWO_MAPS),
                Check("near-one", NEAR_ONE),
                Check("three-affine-clients", AFFINE),
                Check("nearly-affine", NEARLY_AFFINE),
            ),
        ),
        "corrected/finite": Version(
            terms={**_explicit, **_BIAS},
            assumes=ASSUMES,
            quantity=_ERROR,
            note="at every M, with the remainder",
            mends=(ONE_CLIENT, LOST_REST, C_AT_YT),
            checks=(Check("every-pattern", RANDOM),),
        ),
    },
)
