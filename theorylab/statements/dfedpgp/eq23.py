r"""(23) a), (28) a): "the unbiased expectation property" of the local gradients.

Printed: E[grad_u F(z_i^{t,k}, v_i^{t+1}; xi_i)] = grad_u F(z_i^{t,k}, v_i^{t+1}), where F is read
F_i, as xi_i is client i's; (28) says the same of grad_v F_i in words. Judged in the mean:
||E g - E grad F_i(the same point)|| for every local step.

Readings. `printed`: as the proof uses it, a minibatch of its own for every local step. It is true:
the point does not depend on that minibatch. `printed/line-4`: Algorithm 1's line 4, one minibatch a
round, which has chosen the point from the second step on, and for u even at k = 0, since v_i^{t+1}
depends on it. A loss F_i(v; xi) = F_i(v) + s sin(v), s = +-1, moves v by -eta s cos v, so that the
mean gradient is off by about -eta cos v (cos v)', to first order. (A noise that does not depend on
the point has no such bias.) ``dfedalt.eq8`` reads the same line of Algorithm 1 likewise.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedalt._causes import ONE_MINIBATCH
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._symbols import bias_room
from theorylab.statements.dfedpgp._theorem1 import FRESH, ONE_BATCH

_TERMS = {"rounding": bias_room}

STATEMENT = Statement(
    id="dfedpgp.eq23",
    source=Source("dfedpgp", "Eq. (23) a), (28) a)", "unbiased local gradients"),
    algorithm="dfedpgp",
    quantity=Quantity(
        "dfedpgp.bias", "rows", (1, -1), r"\|E\nabla F_i(\cdot;\xi_i)-E\nabla F_i(\cdot)\|"
    ),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=(FRESH,),
            note="a minibatch a step",
            mends=(ONE_MINIBATCH,),
            checks=(
                Check("signs", cases.changed(cases.SIGNS, steps_u=2)),
                Check("one-batch", cases.SIGNS_ONE_BATCH, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/line-4": Version(
            terms=_TERMS,
            assumes=(ONE_BATCH,),
            note="one minibatch a round",
            causes=(ONE_MINIBATCH,),
            checks=(Check("signs-of-two", cases.SIGNS_OF_TWO, "VIOLATED"),),
        ),
    },
)
