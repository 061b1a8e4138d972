r"""Second display of Proof 3: what eta < delta/(8LK) is for.

    1/(2K-1) + 16 K L^2 eta^2 / delta^2 <= 1/(K-1),   K > 1.

Printed without a word, between the two lines where (1 + 1/(2K-1) + 16 K L^2 eta^2 / delta^2)
becomes 1 + 1/(K-1). True: the second term is below 1/(4K), and 1/(K-1) - 1/(2K-1) = K/((K-1)(2K-1))
> 1/(2K-1) > 1/(4K). The step could be larger: K/((K-1)(2K-1)) > 1/(2K) leaves eta < delta/(5.66
LK).
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm._symbols import step_share
from theorylab.symbols import K

STATEMENT = Statement(
    id="dfedsgpsm.lem3_factor",
    source=Source("dfedsgpsm", "Proof 3, second display", "the factor of one local step"),
    experiment="momentum-sums",
    quantity=Quantity(
        "factor", "rows", (0, 0), r"\frac{1}{2K-1} + \frac{16 K L^2 \eta_l^2}{\delta^2}"
    ),
    versions={
        "printed": Version(
            terms={"factor": 1 / (K - 1)},
            assumes=(
                Assumption("Proof 3: K > 1", rule=K > 1),
                Assumption("Lemma 3: eta_l <= delta / (8 L K)", rule=step_share <= 1),
            ),
            checks=(
                Check("largest-step", {"steps": [2, 3, 5, 10, 100, 1000], "share": 1.0}),
                Check("small-step", {"steps": [2, 3, 5, 10, 100], "share": 0.1}),
            ),
        ),
    },
)
