r"""Corollary 1, Remark 3, abstract: the rate O(1/sqrt T); the bracket in m, K, L_u and 1/delta.

Judged as the growth, per decade of what is swept, of the left side over (4)'s bracket with its own
constants: at most 9/8 (1 in the limit; the rest is for what is transient). Swept: T over four
decades, m, K_u and K_v with T along, L_u, and 1/delta with T as delta^-2 and delta^-4.

z_i stands for u_i, and every step has a minibatch of its own: what the printed readings do to the
bracket is in ``cor1_growth``.
"""

from theorylab.statements import Check, Order, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._orders import BELOW, BOUNDED, CHOSEN, PRINTED
from theorylab.statements.dfedpgp._theorem1 import DEBIASED, FRESH, NETWORK_S, SHARED

STATEMENT = Statement(
    id="dfedpgp.cor1_rate",
    source=Source("dfedpgp", "Corollary 1, Remark 3", "the rate 1/sqrt T"),
    algorithm="dfedpgp",
    quantity=DEBIASED,
    versions={
        "printed": Version(
            terms=BOUNDED,
            assumes=(*SHARED, FRESH, *BELOW, *CHOSEN),
            order=Order(PRINTED),
            constants=NETWORK_S,
            note="z_i in Delta_v, a minibatch a step",
            checks=(
                Check("rounds", cases.IN_T),
                Check("clients", cases.IN_N),
                Check("head-steps", cases.IN_K_V),
                Check("smoothness", cases.IN_L_U),
                Check("body-steps", cases.IN_K_U),
                Check("one-over-delta", cases.IN_DELTA),
                Check("one-over-delta-late", cases.IN_DELTA_LATE),
                Check("one-batch", cases.IN_K_U_ONE_BATCH, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
