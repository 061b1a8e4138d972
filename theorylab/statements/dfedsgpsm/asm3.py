r"""Assumption 3: bounded gradient noise.

Printed: the stochastic gradient is unbiased and E||g_{i,k} - grad f_i(x_{i,k})||^2 <= sigma_g^2,
for all x_{i,k}.

Readings. sigma_g is Assumption 4's letter, for something else. `printed` is the letter: one number
bounds the noise here and the heterogeneity there, which the larger of both does (and sigma_l of
the theorem is left without a meaning). `printed/heterogeneity` takes sigma_g for the heterogeneity
itself, Assumption 4's least number: noise is then bounded by it, which fails as soon as clients
with like data have noise (sigma_g = 0). `printed/sigma-l` reads sigma_l, which the theorem, the
lemmas and their proofs have; all other statements do so. `printed/line-9` is what line 9 of
Algorithm 1 says ("unbiased stochastic gradient") and Proof 5 (line 395 of the text) uses: that line
9's gradient is unbiased too, at SAM's point. Since SAM's point depends on the sample, it is not,
unless the noise does not depend on the point.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements._base import Assumption, Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements.dfedsgpsm._symbols import gradient_rounding
from theorylab.symbols import sigma_g, sigma_l

_NOISE = Quantity("noise", "rows", (2, -2), r"E\|g_i-\nabla f_i\|^2")


def _noisy(field: str, **options: float) -> dict[str, object]:
    base = {"name": "log-cosh", "dim": 2, "spread": 1.0}
    return {
        "problem": {"name": "noisy", "base": base, "field": field, "sigma": 0.5, **options},
        "topology": {"name": "directed-ring"},
        "clients": 3,
    }


_ALIKE = {**_noisy("rademacher"), "problem": {"name": "log-cosh", "sigma": 0.1}}
_STATE: dict[str, object] = {"name": "noisy", "field": "state", "length": 0.5, "sigma": 0.5}
_ALIKE_STATE = {**_ALIKE, "problem": {**_STATE, "base": {"name": "log-cosh", "dim": 2}}}
_SAM = {"rho": 0.2, "clients": 1, "topology": {"name": "complete"}}

STATEMENT = Statement(
    id="dfedsgpsm.asm3",
    source=Source("dfedsgpsm", "Assumption 3", "bounded gradient noise"),
    experiment="assumption-probes",
    quantity=_NOISE,
    versions={
        "printed": Version(
            terms={"sigma_g^2": sp.Max(sigma_g, sigma_l) ** 2},
            assumes=(Assumption("Assumptions 3 and 4: sigma_g finite", finite=(sigma_g, sigma_l)),),
            note="one sigma_g for Assumptions 3 and 4: the larger number",
            checks=(
                Check("alike-clients", _ALIKE_STATE),
                Check("spread-clients", _noisy("rademacher")),
            ),
        ),
        "printed/heterogeneity": Version(
            terms={"sigma_g^2": sigma_g**2},
            assumes=(Assumption("Assumption 3: sigma_g finite", finite=(sigma_g,)),),
            note="sigma_g is the heterogeneity itself",
            checks=(
                Check("alike-clients", _ALIKE, "VIOLATED"),
                Check("spread-clients", _noisy("rademacher")),
            ),
        ),
        "printed/sigma-l": Version(
            terms={"sigma_l^2": sigma_l**2},
            assumes=(Assumption("Assumption 3: sigma_l finite", finite=(sigma_l,)),),
            note="sigma_l, as the theorem has it",
            checks=(
                Check("state-noise", _noisy("state", length=0.5)),
                Check("pinwheel", {**_SAM, "problem": {"name": "pinwheel"}, "reach": 0.1}),
            ),
        ),
        "printed/line-9": Version(
            terms={"rounding": gradient_rounding},
            assumes=(),
            quantity=Quantity(
                "bias",
                "rows",
                (1, -1),
                r"\|E\breve g_i-E\nabla f_i(\breve z_i)\|",
                pathwise=True,
            ),
            note="line 9's gradient is unbiased at SAM's point, as Proof 5 uses it",
            checks=(
                Check("state-noise", {**_noisy("state", length=0.5), **_SAM}, "VIOLATED"),
                Check("additive-noise", {**_noisy("rademacher"), **_SAM}),
            ),
        ),
    },
)
