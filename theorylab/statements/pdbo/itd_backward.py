r"""Iterative differentiation, backward mode (Appendix H; no number).

Printed: u^(T) <- c^y, v^(T) <- c^lambda, and for t = T-1 .. 0

    v^(t) <- B^(t+1) u^(t+1) + v^(t+1),    u^(t) <- A^(t+1) u^(t+1);    the estimate is v^(0).

Corrected: B^(t) and A^(t) for B^(t+1) and A^(t+1) (first line before the second). That is Appendix
H's u^(t) = prod_{s=t}^{T-1} A^(s) c^y, which begins with A^(T-1). Its v^(t) = sum_{s=t+1}^{T-1}
B^(s) u^(s) would need u^(s+1), too, and s from t.
"""

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.pdbo._causes import NEXT_INDEX
from theorylab.statements.pdbo.eq41 import NOISY, PAIR, RANDOM, ROUNDING, residual

STATEMENT = Statement(
    id="pdbo.itd_backward",
    source=Source("pdbo", "Appendix H, backward", "iterative differentiation, backward mode"),
    experiment="itd",
    quantity=residual("backward"),
    versions={
        "printed": Version(
            terms=ROUNDING,
            assumes=(),
            quantity=residual("backward_printed"),
            causes=(NEXT_INDEX,),
            note="to the letter, a misprint: indices t + 1",
            checks=(
                Check("random-edges", RANDOM, "VIOLATED"),
                Check("two-clients", PAIR, "VIOLATED"),
            ),
        ),
        "corrected": Version(
            terms=ROUNDING,
            assumes=(),
            note="the obvious repair: indices t",
            mends=(NEXT_INDEX,),
            checks=(
                Check("random-edges", RANDOM),
                Check("two-clients", PAIR),
                Check("minibatches", NOISY),
            ),
        ),
    },
)
