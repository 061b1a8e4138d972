r"""Figure 1: mu_{alpha,beta} against mu_{1,0}.

Printed (Appendix C.5): "mu_{alpha,beta} is a few times smaller than mu_{1,0} for any
eta_A in (0, 1) if we choose alpha close to one and beta close to zero."

Readings. "A few times smaller": at most 1/2 (`printed`), at most 1/3 (`printed/three`). "Close
to": alpha >= .9 and beta <= .1, with (0.9, 0.1) the paper's own choice. mu^2 / 8 is

    (1-alpha)/(1+alpha)
      + beta eta_A^2 / (1-eta_A) (1-alpha)/(1-alpha g) (1+alpha g)/((1+alpha)(1+g))

(1 - g = beta (1 - eta_A)), every factor of which falls in alpha; and it grows in beta, as beta / (1
- alpha g) and (1 + alpha g)/(1 + g) = alpha + (1 - alpha)/(1 + g) do. So (.9, .1) is the worst of
these. There the ratio tends to sqrt(beta) = .316 as eta_A -> 1 (mu^2 ~ 4 beta / (1 - eta_A),
mu_{1,0}^2 ~ 4 / (1 - eta_A)) and to sqrt((1-alpha)/(1+alpha)) = .229 as eta_A -> 0. In between it
is larger than at both ends, .325, and below 1/3: mu_{1,0}^2 - 9 mu^2 has no root in (0, 1) (an
exact count in the test). With beta >= 1/4 no alpha makes it true near eta_A = 1: that is why "close
to" is an assumption here.

These are factors of bounds. The next sentence of the paper, that "the error of VR-HGP can be a few
times smaller", compares two upper bounds whose dropped terms differ: at alpha -> 1 they are larger
than what is kept (``_mu``).
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._symbols import eta_A, vr_alpha, vr_beta

_RATIO = Quantity("ratio", "rows", (0, 0), r"\mu_{\alpha,\beta} / \mu_{1,0}")
_RANGE = (
    Assumption("Figure 1: eta_A < 1", rule=eta_A < 1),
    Assumption("Figure 1: alpha close to one, >= 0.9", rule=vr_alpha >= 0.9),
    Assumption("Figure 1: beta close to zero, <= 0.1", rule=vr_beta <= 0.1),
)
ETA = [0.001, 0.01, 0.05, *[round(0.05 * k, 2) for k in range(2, 20)], 0.98, 0.99, 0.995]
PAPER = {"eta": ETA, "alpha": 0.9, "beta": 0.1}
SLOW = {**PAPER, "beta": 0.5}

STATEMENT = Statement(
    id="pdbo.fig1",
    source=Source("pdbo", "Figure 1", "mu_{alpha,beta} is a few times smaller than mu_{1,0}"),
    experiment="hgp-series",
    quantity=_RATIO,
    versions={
        "printed": Version(
            terms={"a few times": sp.Rational(1, 2)},
            assumes=_RANGE,
            note="at least twice smaller",
            checks=(
                Check("alpha-0.9-beta-0.1", PAPER),
                Check("alpha-0.99-beta-0.01", {**PAPER, "alpha": 0.99, "beta": 0.01}),
                Check("beta-0.3", {**PAPER, "beta": 0.3}, "ASSUMPTION_FAILS"),
                Check("beta-0.5", SLOW, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/three": Version(
            terms={"a few times": sp.Rational(1, 3)},
            assumes=_RANGE,
            note="at least three times smaller",
            checks=(Check("alpha-0.9-beta-0.1", PAPER),),
        ),
    },
)
