r"""Lemma 4, its last line: "it is evident that 0 < a~ < K/(1-alpha)".

a~ = sum_{k=1}^K sum_{s=1}^k alpha^{k-s}. True for alpha in (0, 1), as every inner sum is below
1/(1-alpha). At alpha = 0, which Corollary 1 uses, a~ = K = K/(1-alpha): the sign is then <=, and
<= is what is judged.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import K, alpha

STATEMENT = Statement(
    id="dfedsgpsm.lem4_weight",
    source=Source("dfedsgpsm", "Lemma 4, last line", "size of a~"),
    experiment="momentum-sums",
    quantity=Quantity("sum", "rows", (0, 0), r"\sum_{k=1}^K\sum_{s=1}^k\alpha^{k-s}"),
    versions={
        "printed": Version(
            terms={"upper end": K / (1 - alpha)},
            assumes=(
                Assumption("Algorithm 1, line 10: alpha >= 0", rule=alpha >= 0),
                Assumption("Algorithm 1, line 10: alpha < 1", rule=alpha < 1),
            ),
            checks=(
                Check("many", {}),
                Check("close", {"steps": [1, 60], "alphas": [1e-9, 1 - 1e-6]}),
            ),
        ),
    },
)
