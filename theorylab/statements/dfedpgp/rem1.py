r"""Remark 1: "more local update steps K_u accelerate the convergence".

Judged as the left side of Corollary 1 at its step sizes, at K_u > 1 against K_u = 1.

Readings. `printed`: Algorithm 1, one minibatch a round. `printed/fresh`: one a step. With noise and
one a step it is true of the noise: sigma_u^2/(K_u L_u). Otherwise false, and for any K_u: eta_u
K_u does not depend on K_u, so K_u steps go as far as one, or a little less, (1 - x/K)^K >= 1 - x
for L_u/2 u^2; and one minibatch a round is one noise, of the same size for every K_u.

The rest is in words, or hangs on the bracket by inspection; but the "gradient bounded B" that is
said to slow convergence down stands nowhere in the paper (nor does an Assumption 5).
"""

from __future__ import annotations

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements.dfedpgp import _sweeps as made
from theorylab.statements.dfedpgp._instances import changed
from theorylab.statements.dfedpgp._symbols import first_value
from theorylab.statements.dfedpgp._theorem1 import FRESH, ONE_BATCH

_TERMS = {"one step": first_value}

STATEMENT = Statement(
    id="dfedpgp.rem1",
    source=Source("dfedpgp", "Remark 1", "more local steps accelerate the convergence"),
    experiment="dfedpgp-growth",
    quantity=Quantity("trend", "rows", (1, 0), r"\text{LHS}(K_u)"),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=(ONE_BATCH,),
            note="one minibatch a round",
            checks=(Check("no-noise", changed(made.MORE_STEPS, batch="per-round"), "VIOLATED"),),
        ),
        "printed/fresh": Version(
            terms=_TERMS,
            assumes=(FRESH,),
            note="a minibatch a step",
            checks=(
                Check("no-noise", made.MORE_STEPS, "VIOLATED"),
                Check("noise", made.MORE_STEPS_NOISE, "HOLDS"),
            ),
        ),
    },
)
