r"""Appendix D on the ensembles, measured: better than the models that they start from.

Printed: "We confirmed PDBO-MTL and PDBO-MTL&DA improved their test accuracy from the initial
hyperparameter both in StoU and StoD". At the initial hyperparameter, 0, they are SGP-MTL, which
here takes the step size that is best for itself. ``_accuracy`` says what is run, and what a verdict
means.
"""

from theorylab.statements import Source, Statement
from theorylab.statements._accuracy import LEAD, ahead, pairs
from theorylab.statements.pdbo._accuracy import TABLE_1, concepts

_CLAIM = ["PDBO-MTL", "PDBO-MTL&DA"], ["SGP-MTL"]

STATEMENT = Statement(
    id="pdbo.appd_initial",
    source=Source("pdbo", "Appendix D", "the ensembles improve on where they start"),
    experiment="pdbo-accuracy",
    quantity=LEAD,
    versions={
        "printed": ahead(
            [
                *pairs("concepts, StoU", concepts("sto-u"), *_CLAIM),
                *pairs("concepts, StoD", concepts("sto-d"), *_CLAIM),
            ],
            TABLE_1,
        )
    },
)
