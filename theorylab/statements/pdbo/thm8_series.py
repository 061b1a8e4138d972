r"""The series in the proofs of Theorems 8 and 10: they do sum to mu_{alpha,beta} and mu_{1,0}.

Printed (Appendix C.3): with g = 1 - beta + beta eta_A, M -> oo,

    sum_{i=0}^M ((1-alpha)/(1-eta_A))^2 alpha^{2(M-i)}
      + sum_{i=0}^{M-1} (eta_A/(1-eta_A) (1-alpha) beta/(alpha-g))^2 (alpha^{M-i} - g^{M-i})^2
      -> 1/(1-eta_A)^2 (1-alpha)/(1+alpha)
             (1 + (1+alpha g)/(1-alpha g) beta^2 eta_A^2 / (1-g^2)) = mu^2 / (8 (1-eta_A)^2);

and in C.4 sum (1 + eta_A^2/(1-eta_A)^2) eta_A^{2i} -> mu_{1,0}^2 / (8 (1-eta_A)^2).

The step from Appendix C.3 is 1/(1-alpha^2) + 1/(1-g^2) - 2/(1-alpha g)
= (1+alpha g)(alpha-g)^2 / ((1-alpha^2)(1-g^2)(1-alpha g)), true. Measured are partial sums, added
without a closed form: they grow to the printed limit and never pass it, so HOLDS with a ratio near
1 says that no factor is lost and none can be saved at this place. (C.3 prints sum_{s=1}^K for
sum_{t=1}^n.)
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._bound import WEIGHTS
from theorylab.statements.pdbo._mu import MU, MU_HGP
from theorylab.statements.pdbo._symbols import eta_A, summands
from theorylab.symbols import roundoff

_VR = Quantity("vr_sum", "rows", (0, 0), r"8(1-\eta_A)^2\sum_i(\cdots)^2, \alpha,\beta\in(0,1)")
_HGP = Quantity("hgp_sum", "rows", (0, 0), r"8(1-\eta_A)^2\sum_i(\cdots)^2, \alpha=1,\beta=0")
_ASSUMES = (*WEIGHTS, Assumption("Assumption 8: eta_A < 1", rule=eta_A < 1))
_ROUNDING = summands * roundoff  # of the measured side, whose additions are all of positive numbers
GRID = {"eta": [0.01, 0.2, 0.5, 0.8, 0.95]}

STATEMENT = Statement(
    id="pdbo.thm8_series",
    source=Source("pdbo", "Theorem 8, proof", "the series that mu_{alpha,beta} stands for"),
    experiment="hgp-series",
    quantity=_VR,
    versions={
        "printed": Version(
            terms={"mu^2": MU**2, "rounding": _ROUNDING * MU**2},
            assumes=_ASSUMES,
            note="Appendix C.3",
            checks=(
                Check("paper-weights", GRID),
                Check("half-half", {**GRID, "alpha": 0.5, "beta": 0.5, "last": 2000}),
                Check("slow", {**GRID, "alpha": 0.99, "beta": 0.02, "last": 20000}, quick=False),
            ),
        ),
        "printed/hgp": Version(
            terms={"mu_{1,0}^2": MU_HGP**2, "rounding": _ROUNDING * MU_HGP**2},
            assumes=(_ASSUMES[-1],),
            quantity=_HGP,
            note="Theorem 10's",
            checks=(Check("grid", GRID),),
        ),
    },
)
