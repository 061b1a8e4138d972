r"""Assumption 2: bounded variance of both stochastic gradients.

Printed: for all u_i and v_i, E||grad_u F_i(u_i, v_i; xi_i) - grad_u F_i(u_i, v_i)||^2 <= sigma_u^2,
E||grad_v F_i(u_i, v_i; xi_i) - grad_v F_i(u_i, v_i)||^2 <= sigma_v^2.

That the mean is the gradient is not printed: F_i = E F_i(.; xi) in Section 3.1 gives it. It speaks
of points that do not depend on xi_i. Line 4 of Algorithm 1 draws one minibatch a round, so from
its second step on a local iterate depends on it, and neither the mean nor this bound is given
there; the proofs use both. Exact over all signs of "state" noise, at drawn points.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._symbols import sigma_u, sigma_v


def _of(part: str, sigma: sp.Symbol) -> Version:
    return Version(
        terms={"variance": sigma**2},
        assumes=(Assumption("Assumption 2: finite", finite=(sigma,)),),
        quantity=_noise(part),
        checks=(Check("state-noise", cases.PROBED_NOISE),),
    )


def _noise(part: str) -> Quantity:
    text = rf"E\|\nabla_{part} F_i(\xi)-\nabla_{part} F_i\|^2"
    return Quantity(f"noise_{part}", "rows", (2, -2), text)


STATEMENT = Statement(
    id="dfedalt.asm2",
    source=Source("dfedalt", "Assumption 2", "bounded variance"),
    experiment="drawn-points",
    quantity=_noise("u"),
    versions={"printed": _of("u", sigma_u), "printed/v": _of("v", sigma_v)},
)
