r"""kappa = sum_{s,t} pbar_ts / dbar_{s->t} >= n (Eq. (34); the claim is in Appendix C).

Printed (C): "Recall that sum_{i,j} pbar_ji / dbar_{i->j} >= n by the properties sum_{i=1}^n
pbar_ji = 1, dbar_{i->j} in [0, 1]." True where it is finite (Assumption 6): dbar <= 1 makes every
summand at least pbar_ji, and these sum to n. Equality on static networks. Measured: sum pbar_ji.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._rounding import gamma
from theorylab.statements.pdbo._symbols import kappa
from theorylab.symbols import n

STATEMENT = Statement(
    id="pdbo.eq34",
    source=Source("pdbo", "Eq. (34)", "kappa is at least n"),
    experiment="hgp-network",
    quantity=Quantity("sent", "rows", (0, 0), r"\textstyle\sum_{i,j} \bar p_{ji} = n"),
    versions={
        "printed": Version(
            terms={"kappa": kappa, "rounding": gamma(8 * n**2 + 16) * kappa},
            assumes=(Assumption("Assumption 6: no division by zero", finite=(kappa,)),),
            checks=(
                Check("sto-d", {"network": {"name": "sto-d"}, "clients": 6}),
                Check("sto-u", {"network": {"name": "sto-u"}, "clients": 6}),
                Check("complete", {"network": {"name": "complete"}, "clients": 7}),
                Check(
                    "directed-ring",
                    {"network": {"name": "directed-ring"}, "clients": 4},
                    "ASSUMPTION_FAILS",
                ),
            ),
        )
    },
)
