r"""Footnote 2: why alpha is not set to 1 although mu_{1,beta} = 0.

Printed (line 187): "Although setting alpha = 1 makes mu_{alpha,beta} = 0, the remaining error is no
longer e^{-O(M)} in that case. This observation implies that alpha slightly smaller than 1 is
preferred."

Reading: at alpha = 1 the error does not decay exponentially in M. v is HGP's then, whatever beta,
and its variance tends to that of the whole series. As an inequality: the root mean square error
after the first M over the one after M terms stays below 2, where an error e^{-cM} would let it grow
like e^{cM}. The control is a network without randomness, whose error does decay like that.
(What is left at alpha = 1 is mu_{1,0}, see ``_mu``.)
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements._base import Assumption, Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements.pdbo._bound import EDGES, NORMS
from theorylab.statements.pdbo._symbols import vr_alpha

_SHRINKAGE = Quantity("shrinkage", "rows", (0, 0), r"\mathrm{rms}(M_0) / \mathrm{rms}(M)")
ONE_RANDOM_EDGE = {
    **{"clients": 2, "network": {"name": "sto-d", "probabilities": [[1, 0.5], [1, 1]]}},
    **{"alpha": 1.0, "beta": 0.3, "terms": [1, 2, 4, 8], "eta_A": 0.9},
}
STATIC = {**ONE_RANDOM_EDGE, "network": {"name": "complete"}}

STATEMENT = Statement(
    id="pdbo.fn2",
    source=Source("pdbo", "footnote 2", "at alpha = 1 the error does not decay"),
    experiment="hgp-error",
    quantity=_SHRINKAGE,
    versions={
        "printed": Version(
            terms={"no decay": sp.Integer(2)},
            assumes=(
                *EDGES[:2],
                *NORMS,
                Assumption("footnote 2: alpha = 1", rule=sp.Eq(vr_alpha, 1)),
            ),
            note="the error does not shrink by more than 2, at any M",
            checks=(
                Check("one-random-edge", ONE_RANDOM_EDGE),
                Check("static-control", STATIC, "VIOLATED"),
            ),
        ),
    },
)
