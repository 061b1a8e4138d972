r"""Assumption 3: bounded gradient noise.

Printed: the stochastic gradient is unbiased and E||g_{i,k} - grad f_i(x_{i,k})||^2 <= sigma_g^2,
for all x_{i,k}.

Readings. sigma_g is Assumption 4's letter, for something else: a misprint of sigma_l, which the
theorem, the lemmas and their proofs have (`printed/sigma-l`; all other statements read it so).
`printed` is the letter: one number bounds the noise here and the heterogeneity there, which the
larger of both does. That line 9 of Algorithm 1 is unbiased as well is ``alg1_line9``.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.symbols import sigma_g, sigma_l

_NOISE = Quantity("noise", "rows", (2, -2), r"E\|g_i-\nabla f_i\|^2")


def _noisy(field: str, **options: float) -> dict[str, object]:
    base = {"name": "log-cosh", "dim": 2, "spread": 1.0}
    return {
        "problem": {"name": "noisy", "base": base, "field": field, "sigma": 0.5, **options},
        "clients": 3,
    }


STATEMENT = Statement(
    id="dfedsgpsm.asm3",
    source=Source("dfedsgpsm", "Assumption 3", "bounded gradient noise"),
    experiment="drawn-points",
    quantity=_NOISE,
    versions={
        "printed": Version(
            terms={"sigma_g^2": sp.Max(sigma_g, sigma_l) ** 2},
            assumes=(Assumption("Assumptions 3 and 4: sigma_g finite", finite=(sigma_g, sigma_l)),),
            note="one sigma_g for Assumptions 3 and 4: the larger number",
            checks=(
                Check("alike-clients", cases.ASM3_ALIKE),
                Check("spread-clients", _noisy("rademacher")),
            ),
        ),
        "printed/sigma-l": Version(
            terms={"sigma_l^2": sigma_l**2},
            assumes=(Assumption("Assumption 3: sigma_l finite", finite=(sigma_l,)),),
            note="sigma_l, as the theorem has it",
            checks=(
                Check("state-noise", _noisy("state", length=0.5)),
                Check(
                    "pinwheel", {**cases.ASM3_SAM, "problem": {"name": "pinwheel"}, "reach": 0.1}
                ),
            ),
        ),
    },
)
