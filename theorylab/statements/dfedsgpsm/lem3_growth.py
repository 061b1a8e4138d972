r"""Last line of Proof 3: "(1 + 1/(K-1))^K <= 5 holds for any K > 1".

True: it falls from 4 at K = 2 to e, as log of it is K log(K/(K-1)), decreasing in K. Proof 3 sums K
terms of ratio 1 + 1/(K-1) to (K-1)((1 + 1/(K-1))^K - 1) <= 4 (K-1); 3 (K-1) would do.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import K

_MANY = {"steps": [2, 3, 4, 5, 10, 100, 1000]}

STATEMENT = Statement(
    id="dfedsgpsm.lem3_growth",
    source=Source("dfedsgpsm", "Proof 3, last line", "growth over K local steps"),
    experiment="momentum-sums",
    quantity=Quantity("growth", "rows", (0, 0), r"(1 + \frac{1}{K-1})^K"),
    versions={
        "printed": Version(
            terms={"five": sp.Integer(5)},
            assumes=(Assumption("Proof 3: K > 1", rule=K > 1),),
            checks=(Check("many", _MANY),),
        ),
    },
)
