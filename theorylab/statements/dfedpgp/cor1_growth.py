r"""Corollary 1's bracket at its extremes: the left side over it must stay bounded.

`printed`: (4) to the letter. It does not stay bounded (as ``cor1_rate`` reads it, it does along
seven sweeps); the lower bounds are proved in ``_floors``:
 1. K_u -> infinity, one minibatch a round (Algorithm 1, line 4). One client, L_u/2 u^2, additive
    noise: all steps of a round see one xi, so the left side is about c_u sigma_u^2/(2 L_u sqrt T)
    for every K_u; C = q = 0, and the bracket is sigma_u^2/(K_u L_u sqrt T) + O(1/T^{3/2}): along
    T = K_u^2 (or any power above) the ratio grows as K_u.
 2. L_v -> 0. One client, L_v/2 v^2: the left side is about c_v sigma_v^2/(2 L_v K_v sqrt T), the
    bracket (1 + L_v) sigma_v^2/sqrt T and less: along T = L_v^-2 the ratio grows as 1/L_v. 1 + L_v
    adds numbers of different units.
 3. T -> infinity with mu_i != 1: grad_v F_i is taken at u_i = mu_i z_i in Delta_v, so at the
    stationary point of ``thm1``'s check the left side stays above a positive number for ever.

Judged as growth per decade, at most 9/8 claimed; the argument gives 10, 10 and at least sqrt 10.
The three do not hang on (C, q): the first two have one client, C = q = 0, and with larger C and q
the third's bracket still goes as 1/sqrt T.

`corrected`: cor1's, whose bracket has sigma_v^2/(L_v K_v) for (1 + L_v) sigma_v^2, the heads'
gradient at ubar and a minibatch a step. With c_u, c_v <= 1/2 and half of every cap its ratio is at
most 31 (``_orders.FAR_BELOW``), by cor1. Swept: T, K_u, K_v, L_u, L_v, m (on rings, where 1/(1-q)
goes as m^2) and 1/delta: two clients, one of which keeps delta/2 of all weight, with T as delta^-2
(what the step size cap asks for) and delta^-4. The terms with delta and C are needed: the local
steps of a client of weight mu_i go 1/mu_i times as far.
"""

from __future__ import annotations

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements._order import Order
from theorylab.statements._severity import Severity
from theorylab.statements.dfedpgp import _sweeps as made
from theorylab.statements.dfedpgp._floors import BIASED, FACTS, FLAT, ONE_BATCH
from theorylab.statements.dfedpgp._orders import (
    BELOW,
    BOUNDED,
    CHOSEN,
    CORRECTED,
    FAR_BELOW,
    PRINTED,
)
from theorylab.statements.dfedpgp._theorem1 import DESCENT, FRESH, SHARED, STATIONARITY

STATEMENT = Statement(
    id="dfedpgp.cor1_growth",
    source=Source("dfedpgp", "Corollary 1", "the bracket at its extremes"),
    algorithm="dfedpgp",
    quantity=STATIONARITY,
    versions={
        "printed": Version(
            terms=BOUNDED,
            assumes=(*SHARED, *BELOW, *CHOSEN),
            order=Order(PRINTED, floors=(ONE_BATCH, FLAT, BIASED)),
            constants=FACTS,
            note="to the letter",
            severity=Severity.WRONG_ORDER,
            rests_on="line 4's one minibatch; (1 + L_v) sigma_v^2; Delta_v at u_i",
            checks=(
                Check("body-steps-one-batch", made.IN_K_U_ONE_BATCH, "VIOLATED"),
                Check("flat-heads", made.IN_L_V, "VIOLATED"),
                Check("biased", made.BIASED, "VIOLATED"),
            ),
        ),
        "corrected": Version(
            terms=BOUNDED,
            assumes=(*SHARED, FRESH, *FAR_BELOW, *CHOSEN),
            quantity=DESCENT,
            order=Order(CORRECTED),
            note="cor1's bracket",
            checks=(
                Check("rounds", made.IN_T),
                Check("clients", made.IN_N_FAR),
                Check("flat-heads", made.IN_L_V),
                Check("body-steps", made.IN_K_U),
                Check("head-steps", made.IN_K_V_ALONE),
                Check("smoothness", made.IN_L_U),
                Check("one-over-delta", made.IN_DELTA),
                Check("one-over-delta-late", made.IN_DELTA_LATE),
                Check("one-batch", made.IN_K_U_ONE_BATCH, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
