r"""Eq. (29): the parts X_A and Y_A have conditional mean zero.

Printed (Appendix C.2): given A-hat^(2i+3), ..., A-hat^(2M-1), B-hat^(2i+2), ...,
B-hat^(2M),

    E[X_{A,st}^(i) | ...] = 0,    E[Y_{A,t}^(i,xi) | ...] = 0,

"by the independence of delta_{s->t}^(2i+1) and zeta_t^(2i+1) in Assumption 5".

Reading. Assumption 5 says "independent across the time steps"; Appendix A.4 ("by the
independence of delta^(2i+1) and zeta^(2i+1) in Assumption 5") fix what is meant: delta^(t) and
zeta^(t) are independent of each other, too. True, as L-hat_4 and L-hat_5 are made of later rounds,
E (delta/dbar - 1) = 0 and E d_y g = A-bar^psi. Where an edge depends on the minibatch of its own
round E X_A = pbar Cov(delta, A-hat^phi) / dbar between L-hat and A-bar^i, which is not 0: the check
"coupled". (The first conditional mean also needs dbar > 0, Assumption 6.)

The mean is an exact sum over the edge and all minibatches; judged against rounding.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._rounding import OPERATIONS, gamma
from theorylab.statements.pdbo._symbols import dependence
from theorylab.symbols import magnitude

_TERMS = {"rounding": gamma(OPERATIONS + 8 * 4096) * magnitude}
_INDEPENDENT = Assumption("delta^(t) and zeta^(t) are independent", rule=sp.Eq(dependence, 0))
_X = Quantity("mean_X", "rows", (0, 1), r"\|E X_{A,st}^{(i)}\|_\infty", pathwise=True)
_Y = Quantity("mean_Y", "rows", (0, 1), r"\|E Y_{A,t}^{(i,\xi)}\|_\infty", pathwise=True)
_DIRECTED = {"network": {"name": "sto-d", "seed": 1, "high": 0.6}, "terms": [1, 3]}
_COUPLED = {**_DIRECTED, "coupling": 0.5}
_CHECKS = (
    Check("sto-d", _DIRECTED),
    Check("sto-u", {**_DIRECTED, "network": {"name": "sto-u", "seed": 1}, "batch": 2}),
)

STATEMENT = Statement(
    id="pdbo.eq29",
    source=Source("pdbo", "Eq. (29)", "conditional means of X_A and Y_A are zero"),
    experiment="hgp-blocks",
    quantity=_X,
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=(_INDEPENDENT,),
            note="X_A",
            checks=(*_CHECKS, Check("coupled", _COUPLED, "ASSUMPTION_FAILS")),
        ),
        "printed/y": Version(
            terms=_TERMS, assumes=(_INDEPENDENT,), quantity=_Y, note="Y_A", checks=_CHECKS
        ),
    },
)
