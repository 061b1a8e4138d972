r"""Inequality (15): the lemma of stochastic gradient push, as the proof of Lemma 3 quotes it.

Printed, for all i and t, (C, q) of the network:

    ||ubar^t - z_i^t|| <= C q^t ||u_i^0||
        + eta_u C sum_{j=1}^t q^{t-j} ||sum_{k<K_u} grad_u F_i(z_i^{t,k}, v_i^{j+1}; xi_i)||.

(z_i^{t,k} is read z_i^{j,k}, and j counts rounds from 0 to t, which makes the right side larger. To
the letter, round t's z_i with round j's v_i, the first instance refutes it as well.)

On a ring of three where only client 0 has a slope at 0, client 2 has moved nowhere and has no
gradient at t = 1, but ubar has moved; and where only client 0 starts away from 0, the others' right
side is O(eta_u) and their left side is 1/3. ``dfedsgpsm.eq6`` quotes the same lemma.

Corrected, M(t,j) = D_t^{-1} Phi(t,j) - 11^T/m, sum_l |M_il(t,j)| <= C q^{t-j}:

    ||ubar^t - z_i^t|| <= C q^t max_l ||u_l^0|| + C sum_{j<t} q^{t-j} max_l ||eta_u sum_k
        grad_u F_l^{j,k}||,

from z_i^t - ubar^t = sum_l M_il(t,0) u_l^0 - eta_u sum_{j<t} sum_l M_il(t,j) sum_k g_l^{j,k}.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._symbols import largest_sum, own_start, own_sum, start_size
from theorylab.statements.dfedsgpsm._causes import OWN_MODEL
from theorylab.statements.dfedsgpsm._symbols import t
from theorylab.symbols import C, q, window

_ASSUMES = (
    Assumption("Assumption 1 (bounded connectivity)", finite=(window,)),
    Assumption("Lemma 3: q < 1, C finite", rule=q < 1, finite=(C,)),
)
_ROW, _EQ14 = {C: "C_row", q: "q_row"}, {C: "C_dfedpgp", q: "q_dfedpgp"}
_PRINTED = {"first model": C * q**t * own_start, "updates": C * own_sum}
_PATH = r"\|\bar u^t-z_i^t\|"

STATEMENT = Statement(
    id="dfedpgp.eq15",
    source=Source("dfedpgp", "Eq. (15), proof of Lemma 3", "consensus by a client's own updates"),
    algorithm="dfedpgp",
    quantity=Quantity("dfedpgp.path", "rows", (0, 1), _PATH, pathwise=True),
    versions={
        "printed": Version(
            terms=_PRINTED,
            assumes=_ASSUMES,
            constants=_ROW,
            fixed_pair=True,
            causes=(OWN_MODEL,),
            checks=(
                Check("one-moves", cases.ONE_MOVES, "VIOLATED"),
                Check("one-away", cases.ONE_AWAY, "VIOLATED"),
                Check("pulled-apart", cases.PULLED),
            ),
        ),
        "printed/eq14": Version(
            terms=_PRINTED,
            assumes=_ASSUMES,
            constants=_EQ14,
            quantity=Quantity("dfedpgp.path_eq14", "rows", (0, 1), _PATH, pathwise=True),
            fixed_pair=True,
            note="with C and q of (14)",
            causes=(OWN_MODEL,),
            checks=(
                Check("one-moves", cases.ONE_MOVES, "VIOLATED"),
                Check("one-away", cases.ONE_AWAY, "VIOLATED"),
                Check("three-clients", cases.ROUNDS),
            ),
        ),
        "corrected": Version(
            terms={
                "first model": C * q**t * sp.sqrt(start_size),
                "updates": C * largest_sum,
            },
            assumes=_ASSUMES,
            constants=_ROW,
            fixed_pair=True,
            note="the largest of all clients, updates of earlier rounds",
            mends=(OWN_MODEL,),
            checks=(
                Check("one-moves", cases.ONE_MOVES),
                Check("one-away", cases.ONE_AWAY),
                Check("pulled-apart", cases.PULLED),
                Check("three-clients", cases.ROUNDS),
            ),
        ),
    },
)
