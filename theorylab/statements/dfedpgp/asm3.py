r"""Assumption 3: bounded variance.

Printed: "for all u_i and v_i, there exist constants sigma_u and sigma_v such that" E||grad_u F_i(
u_i, v_i; xi_i) - grad_u F_i(u_i, v_i)||^2 <= sigma_u^2 and likewise for v. Constants that do not
depend on the point are read.

Judged at a drawn point, one draw of the noise a run. Satisfiable. It says nothing of a point that
xi_i itself has chosen, which is what Algorithm 1's one minibatch a round makes of every step but
the first (``eq23``).
"""

from __future__ import annotations

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._symbols import sigma_u, sigma_v


def _noise(part: str) -> Quantity:
    text = rf"E\|\nabla_{part} F_i(\cdot;\xi_i)-\nabla_{part} F_i\|^2"
    return Quantity(f"noise_{part}", "rows", (2, -2), text)


STATEMENT = Statement(
    id="dfedpgp.asm3",
    source=Source("dfedpgp", "Assumption 3", "bounded variance"),
    experiment="drawn-points",
    quantity=_noise("u"),
    versions={
        "printed": Version(
            terms={"variance": sigma_u**2},
            assumes=(Assumption("Assumption 3", finite=(sigma_u,)),),
            checks=(Check("sin-sin", cases.PROBED),),
            note="grad_u",
        ),
        "printed/v": Version(
            terms={"variance": sigma_v**2},
            assumes=(Assumption("Assumption 3", finite=(sigma_v,)),),
            checks=(Check("sin-sin", cases.PROBED),),
            quantity=_noise("v"),
            note="grad_v",
        ),
    },
)
