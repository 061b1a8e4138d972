r"""Algorithm 2: SGP, client by client.

Printed (Appendix F): "We also describe the complete algorithms of
SGP (Alg. 2) formulated by Eq. (2)": in round t client i sends p_ij(delta_i) phi_i(y_i) to every j
with delta_{i->j} = 1, sets y_i to 0, adds what it receives, and then psi_i(y_i^(t)).

True, with y_i^(t) kept for line 13, which comes after line 8. Its counts of pbar_ij and
dbar_{j->i} (lines 7, 12, 14, 15) are averages over T rounds, so their means are what they estimate;
their ratio, which Algorithms 4 and 5 use, has another one (a bias of order 1/T).

Measured: the largest difference of x_i from Eq. (2)'s over t, clients and coordinates, against
rounding, as in ``sec2``.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo.sec2 import ROUNDING, STO_D, UNEVEN, WEIGHTED

_TEXT = r"\max_{t,i}\|x_i^{(t)} - x_i^{\mathrm{Alg.\,2}}\|_\infty"
_CHECKS = (
    Check("sto-d", STO_D),
    Check("uneven-star", UNEVEN),
    Check("other-weights", WEIGHTED),
)

STATEMENT = Statement(
    id="pdbo.alg2",
    source=Source("pdbo", "Algorithm 2", "SGP, client by client"),
    experiment="sgp-recovers",
    quantity=Quantity("alg2_4a", "rows", (0, 1), _TEXT, pathwise=True),
    versions={
        "printed": Version(terms=ROUNDING, assumes=(), note="with Eq. (4a)", checks=_CHECKS),
        "printed/4b": Version(
            terms=ROUNDING,
            assumes=(),
            quantity=Quantity("alg2_4b", "rows", (0, 1), _TEXT, pathwise=True),
            note="with Eq. (4b)",
            checks=_CHECKS,
        ),
    },
)
