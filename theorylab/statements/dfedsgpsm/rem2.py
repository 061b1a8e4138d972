r"""Remark 2: "the term O(1/T + 1/(T^2 K delta)) can be neglected compared to O(1/sqrt(T))".

Judged as sqrt(T) times the term, which has to vanish: with constants 1,

    1/sqrt(T) + 1/(T^{3/2} K delta) <= (1 + 1/(K delta)) / sqrt(T),     T >= 1.

True. How late it can be neglected depends on delta: the second part is below 1/sqrt(T) from
T > 1/(K delta) on, and delta may be exponentially small in n. That "when L is large, the
convergence bound will become looser" holds by inspection: every term of Corollary 1 is
nondecreasing in L at fixed T, K, alpha. The rate O(1/sqrt(T)) itself is ``cor1_rate``; the
comparison with O(1/T^theta) of Chen et al. (2023) is about another paper.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import K, T, delta

STATEMENT = Statement(
    id="dfedsgpsm.rem2",
    source=Source("dfedsgpsm", "Remark 2", "the term that SAM adds"),
    experiment="momentum-sums",
    quantity=Quantity(
        "sam_share", "rows", (0, 0), r"\sqrt{T}(\frac{1}{T} + \frac{1}{T^2 K \delta})"
    ),
    versions={
        "printed": Version(
            terms={"vanishing": (1 + 1 / (K * delta)) / sp.sqrt(T)},
            assumes=(Assumption("Remark 2: T >= 1", rule=T >= 1),),
            checks=(
                Check("decades", {"steps": [1, 5], "horizons": [4.0, 1e2, 1e4, 1e6, 1e8]}),
                Check("small-delta", {"steps": [5], "deltas": [1e-9], "horizons": [4.0, 1e8]}),
            ),
        ),
    },
)
