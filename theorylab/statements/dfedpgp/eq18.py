r"""(18), its third line: the gradients of all rounds by that of round t.

Printed (without 2 C^2, and its root):

    sum_{j=1}^t q^{t-j} ||eta_u sum_{k<K_u} grad_u F_i(z_i^{t,k}, v_i^{j+1}; xi_i)||
        <= K_u eta_u/(1-q) ||grad_u F_i(z_i^{t,k}, v_i^{j+1}; xi_i)||,

z_i^{t,k} being read z_i^{j,k} on the left, as in ``eq15``. j is bound on the left alone. `printed`:
round t's gradient on the right, for which (16) puts Delta_u^t next; the largest of its K_u steps
stands here. `printed/eq14`: the same with q of (14). `printed/largest-j`: the largest gradient of
all rounds j <= t on the right. Judged without noise.

On alike quadratics on a ring of 8, whose gradients lose 17 % a round, `printed` fails for every
valid q: it is at least |lambda_2| = 0.92, and q^t falls slower than .83^t. It is how Lemma 3 comes
to bound the disagreement at t by Delta_u^t alone.

Corrected: `printed/largest-j`, a geometric series; no step size cap is needed.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._causes import LAST_FOR_ALL
from theorylab.statements.dfedpgp._symbols import K_u, eta_u, largest_gradient, last_gradient
from theorylab.statements.dfedpgp._theorem1 import NETWORK, PROOF_CAP
from theorylab.symbols import C, q

_ROW, _EQ14 = {C: "C_row", q: "q_row"}, {C: "C_dfedpgp", q: "q_dfedpgp"}
_MEMORY = r"\sum_{j=1}^tq^{t-j}\Big\|\eta_u\sum_k\nabla_uF_i(z_i^{j,k})\Big\|"
_SERIES = K_u * eta_u / (1 - q)

STATEMENT = Statement(
    id="dfedpgp.eq18",
    source=Source("dfedpgp", "Eq. (18), proof of Lemma 3", "all rounds' gradients by the last"),
    algorithm="dfedpgp",
    quantity=Quantity("dfedpgp.memory", "rows", (0, 1), _MEMORY, pathwise=True),
    versions={
        "printed": Version(
            terms={"last": _SERIES * last_gradient},
            assumes=(*NETWORK, PROOF_CAP),
            constants=_ROW,
            fixed_pair=True,
            causes=(LAST_FOR_ALL,),
            checks=(
                Check("fading", cases.FADING, "VIOLATED"),
                Check("first-rounds", {**cases.FADING, "rounds": 3}),
                Check("step-above-cap", cases.changed(cases.FADING, eta_u=0.2), "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/eq14": Version(
            terms={"last": _SERIES * last_gradient},
            assumes=(*NETWORK, PROOF_CAP),
            constants=_EQ14,
            quantity=Quantity("dfedpgp.memory_eq14", "rows", (0, 1), _MEMORY, pathwise=True),
            fixed_pair=True,
            note="with q of (14)",
            causes=(LAST_FOR_ALL,),
            checks=(
                Check("fading", {**cases.FADING, "rounds": 80}, "VIOLATED"),
                Check("first-rounds", {**cases.FADING, "rounds": 30}),
            ),
        ),
        "printed/largest-j": Version(
            terms={"largest": _SERIES * largest_gradient},
            assumes=(*NETWORK, PROOF_CAP),
            constants=_ROW,
            fixed_pair=True,
            note="the largest of all rounds j",
            mends=(LAST_FOR_ALL,),
            checks=(Check("fading", cases.FADING), Check("steady", cases.STEADY)),
        ),
        "corrected": Version(
            terms={"largest": _SERIES * largest_gradient},
            assumes=NETWORK,
            constants=_ROW,
            fixed_pair=True,
            note="the largest of all rounds",
            mends=(LAST_FOR_ALL,),
            checks=(
                Check("fading", cases.FADING),
                Check("steady", cases.STEADY),
                Check("three-clients", cases.ROUNDS),
            ),
        ),
    },
)  # fmt: skip
