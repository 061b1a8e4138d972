r"""Algorithm 1, line 9: "compute unbiased stochastic gradient" at SAM's point.

Printed: g-breve_{i,k+1}^t = grad f_i(z-breve_{i,k+1}^t; eps_{i,k}^t), line 6's minibatch once more;
Section 3.4 says the same: "computing the unbiased stochastic gradient [...] with the same sampled
mini-batch data in (2) at the z-breve". Proof 5 uses the word where it takes the mean. Judged is the
bias over all outcomes of the noise, against what rounding can do.

The word is right without noise, without SAM, and where the noise does not depend on the point.

Readings. Where a lemma needs Assumption 3 of line 9's gradient, given the point where it is taken,
its reading `printed/line-9` asks for that; on one minibatch it is met without SAM or without noise.
"""

from __future__ import annotations

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm._causes import UNBIASED
from theorylab.symbols import gradient_rounding


def _noisy(field: str, clients: int, **options: float) -> dict[str, object]:
    base = {"name": "log-cosh", "dim": 2, "spread": 1.0}
    return {
        "problem": {"name": "noisy", "base": base, "field": field, "sigma": 0.5, **options},
        "clients": clients,
        "rho": 0.2,
    }


STATEMENT = Statement(
    id="dfedsgpsm.alg1_line9",
    source=Source("dfedsgpsm", "Algorithm 1, line 9", "line 9's gradient is unbiased"),
    experiment="drawn-points",
    quantity=Quantity(
        "bias",
        "rows",
        (1, -1),
        r"\|E\breve g_i-E\nabla f_i(\breve z_i)\|",
        pathwise=True,
    ),
    versions={
        "printed": Version(
            terms={"rounding": gradient_rounding},
            assumes=(),
            causes=(UNBIASED,),
            checks=(
                Check("three-clients", _noisy("state", 3, length=0.5), "VIOLATED"),
                Check("state-noise", _noisy("state", 1, length=0.5), "VIOLATED"),
                Check("additive-noise", _noisy("rademacher", 1)),
            ),
        ),
    },
)
