r"""Corollary 1's bracket at its extremes: the left side over it must stay bounded.

`printed`: (4) to the letter. It does not stay bounded (as ``cor1_rate`` reads it, it does along
seven sweeps):
 1. K_u -> infinity, one minibatch a round (Algorithm 1, line 4). One client, L_u/2 u^2, additive
    noise, from the optimum: a round is u -> a u - (1-a) xi/L_u, a = (1 - eta L_u)^{K_u}, with one
    xi, so E Delta_u/L_u tends to (1-a)/(1+a) sigma_u^2/L_u, about sigma_u^2/(2 L_u sqrt T) for
    every K_u; C = q = 0, and the bracket is sigma_u^2/(K_u L_u sqrt T) + O(K_u/T): along T = K_u^4
    the ratio is at least const K_u.
 2. L_v -> 0. One client, L_v/2 v^2 from the optimum: E Delta_v/L_v tends to eta_v sigma_v^2/(2 -
    eta_v L_v), about sigma_v^2/(2 L_v sqrt T) (K_v = 1), the bracket to (1 + L_v) sigma_v^2/sqrt T:
    along T = L_v^-2 the ratio grows as 1/L_v. 1 + L_v adds numbers of different units.
 3. T -> infinity with mu_i != 1: grad_v F_i is taken at u_i = mu_i z_i in Delta_v, so at the
    stationary point of ``thm1``'s check the left side is a positive number for ever.

Judged as growth per decade, at most 9/8 claimed; the argument gives 10, 10 and at least sqrt 10.
The three do not hang on (C, q): the first two have one client, C = q = 0, and with larger C and q
the third's bracket still goes as 1/sqrt T. An O(.) hides a constant, so growth counts as none where
it has ended by the last value, or the last ratio is below 32: what stays small refutes no O(.).

`corrected`: cor1's, whose bracket has sigma_v^2/(L_v K_v) for (1 + L_v) sigma_v^2, the heads'
gradient at ubar and a minibatch a step. With c_u, c_v <= 1/2 and half of every cap its ratio is at
most 31 (``shares_of_caps``), by cor1. Swept: T, K_u, K_v, L_u, L_v, m (on rings, where 1/(1-q) goes
as m^2) and 1/delta: two clients, one of which keeps delta/2 of all weight, with T as delta^-2 (what
the step size cap asks for) and delta^-4. The terms with delta and C are needed: a control without
them fails, for the local steps of a client of weight mu_i go 1/mu_i times as far.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements._base import Assumption, Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements._severity import Severity
from theorylab.statements.dfedpgp import _sweeps as made
from theorylab.statements.dfedpgp._symbols import caps
from theorylab.statements.dfedpgp._theorem1 import BELOW, FRESH

FAR_BELOW = Assumption("corrected: half of every cap, along the sweep", rule=caps <= 1)


def _against_cor1(sweep: made.Data) -> made.Data:
    return {**sweep, "bracket": "corrected"}


_BOUNDED = {"bounded": sp.Rational(9, 8)}

STATEMENT = Statement(
    id="dfedpgp.cor1_growth",
    source=Source("dfedpgp", "Corollary 1", "the bracket at its extremes"),
    experiment="dfedpgp-growth",
    quantity=Quantity("growth", "rows", (0, 0), r"\text{growth of LHS}/[\cdot]\text{ per decade}"),
    versions={
        "printed": Version(
            terms=_BOUNDED,
            assumes=(BELOW,),
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
            terms=_BOUNDED,
            assumes=(FRESH, FAR_BELOW),
            note="cor1's bracket",
            checks=(
                Check("rounds", _against_cor1(made.IN_T)),
                Check("clients", _against_cor1(made.IN_N_FAR)),
                Check("flat-heads", _against_cor1(made.IN_L_V)),
                Check("body-steps", _against_cor1(made.IN_K_U)),
                Check("head-steps", _against_cor1(made.IN_K_V_ALONE)),
                Check("smoothness", _against_cor1(made.IN_L_U)),
                Check("one-over-delta", _against_cor1(made.IN_DELTA)),
                Check("one-over-delta-late", _against_cor1(made.IN_DELTA_LATE)),
                Check("without-network", made.WITHOUT_NETWORK, "VIOLATED", control=True),
                Check("one-batch", _against_cor1(made.IN_K_U_ONE_BATCH), "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
