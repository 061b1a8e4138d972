r"""A.3.1: the first estimators of A-bar and B-bar.

Printed (Appendix A.3.1): A-hat = [1_ji A-hat_i^psi + pbar_ji A-hat_j^phi]_ji, B-hat likewise, with
A-hat_i^psi the minibatch mean of d_y g_i, A-hat_j^phi of d_y h_j, but B-hat_i^psi of d_lambda h_i
and B-hat_j^phi of d_lambda phi_ji. What is claimed of them is Appendix A.4, E B-hat_i^psi =
B-bar_i^psi: A.4 keeps these parts and changes only the edges.

`printed`: to the letter (phi_ji is defined nowhere; read phi_j). On (4a) h is then counted twice.
`corrected`: d_lambda g_i, d_lambda h_j (and A.4's edges): unbiased.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._causes import H_FOR_G
from theorylab.statements.pdbo._unbiased import B_TERMS, instances
from theorylab.statements.pdbo.asm6 import BOTH_WAYS

_BY_NAME = instances("eq12")

STATEMENT = Statement(
    id="pdbo.appa31",
    source=Source("pdbo", "Appendix A.3.1", "the estimators of A-bar and B-bar"),
    experiment="hgp-unbiased",
    quantity=Quantity("bias_B", "rows", (0, 1), r"\|E\hat B - \bar B\|_\infty"),
    versions={
        "printed": Version(
            terms=B_TERMS,
            assumes=(BOTH_WAYS,),
            quantity=Quantity("bias_B_a31", "rows", (0, 1), r"\|E\hat B - \bar B\|_\infty"),
            causes=(H_FOR_G,),
            note="to the letter, a misprint: d_lambda h_i in B-hat^psi",
            checks=(
                Check("4b", _BY_NAME["sto-d"], "VIOLATED"),
                Check("4a", _BY_NAME["sto-d-4a"], "VIOLATED"),
            ),
        ),
        "corrected": Version(
            terms=B_TERMS,
            assumes=(BOTH_WAYS,),
            note="the obvious repair: d_lambda g_i in B-hat^psi",
            mends=(H_FOR_G,),
            checks=tuple(Check(name, one) for name, one in _BY_NAME.items()),
        ),
    },
)
