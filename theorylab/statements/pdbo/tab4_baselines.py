r"""Appendix G on PDBO and its baselines, measured.

Printed: "our approaches PDBO-DA, PDBO-MTL, and PDBO-MTL&DA improved accuracy from baselines on all
tasks with a few exceptions", the baselines being SGP, SGP-MTL, Local and Local-MTL on StoD; and
"the performance improvements did not come from the architectural differences in the models [...]
since PDBO-MTL and PDBO-MTL&DA outperformed SGP-MTL and Local-MTL". ``_accuracy`` says
what is run, and what a verdict means.
"""

from theorylab.statements import Source, Statement
from theorylab.statements._accuracy import LEAD, ahead, pairs
from theorylab.statements.pdbo._accuracy import TABLE_4, concepts
from theorylab.statements.pdbo._tables import BASELINES, DA, OURS

_LOCAL = ("Local", "Local-MTL")
_OPEN = [f"{m} on {r}" for m in OURS for r in BASELINES if m == DA or r in _LOCAL]

STATEMENT = Statement(
    id="pdbo.tab4_baselines",
    source=Source("pdbo", "Table 4, Appendix G", "PDBO improves on every baseline"),
    experiment="pdbo-accuracy",
    quantity=LEAD,
    versions={
        "printed": ahead(
            [
                *pairs("concepts, StoD", concepts("sto-d"), OURS, BASELINES, _OPEN),
            ],
            TABLE_4,
        )
    },
)
