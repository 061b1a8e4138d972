r"""Theorem 1's C and q: what they are there for.

Printed: C := 2 (1 + p^-N)/(1 - p^N), q := (1 - p^N)^(1/N), "p = arg min P_ij, P_ij > 0", under
Assumption 1 and a strongly connected graph. What they must satisfy is not printed, so the claim is
`implied`. In the cited Nedic and Ozdaglar (2009), Proposition 1, and in (11)'s cap on beta, it is

    |(P^k)_ij - 1/N| <= C q^k   for all i, j and k >= 1,

which that paper proves for P_ii > 0, with N - 1 for N. (p = 1, where C is 4/0, is left out.)
Readings. `implied`: P_ii > 0, as N_i has i in it. `implied/no-self-loops`: Assumption 1 alone;
P_ij = 1/2 between neighbours on a ring of four has (P^k)_ij in {0, 1/2} for ever.

Corrected, P_ii > 0: |(P^k)_ij - 1/N| <= (1 - p^N)^(k/N - 1) = q^k/(1 - p^N).
Proof. P^(N-1) has a path of N - 1 edges from any j to any i, self-loops filling up, so all its
entries are at least p^(N-1). In every column the gap between largest and smallest entry shrinks by
1 - N p^(N-1) <= 1 - p^N over N - 1 factors, and never grows; 1/N lies between both as columns of
P^k sum to 1. So the left side is at most (1 - p^N)^floor(k/(N-1)), and floor(k/(N-1)) >= k/N - 1.
C is larger by the factor 2 (1 + p^-N); both leave the true rate, |lambda_2|, far below.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.deprl import _instances as cases
from theorylab.statements.deprl._causes import NO_LOOPS
from theorylab.statements.deprl._symbols import doubly, lag, p
from theorylab.statements.deprl._theorem1 import (
    C_PRINTED,
    CONNECTED,
    P_BELOW_1,
    Q_PRINTED,
    SELF_LOOPS,
)
from theorylab.symbols import n

_ASSUMES = (
    Assumption("Assumption 1 (doubly stochastic P)", rule=sp.Eq(doubly, 1)),
    CONNECTED,
    P_BELOW_1,
)
_LAG = {lag: "t"}
_PRINTED = {"envelope": C_PRINTED * Q_PRINTED**lag}

STATEMENT = Statement(
    id="deprl.thm1_mixing",
    source=Source("deprl", "Theorem 1", "C and q: how fast powers of P tend to the average"),
    experiment="network-matrices",
    quantity=Quantity("entries", "rows", (0, 0), r"\max_{i,j}|(P^k)_{i,j}-1/N|"),
    versions={
        "implied": Version(
            terms=_PRINTED,
            constants=_LAG,
            assumes=(*_ASSUMES, SELF_LOOPS),
            note="the cited lemma, P_ii > 0",
            mends=(NO_LOOPS,),
            checks=(
                Check("metropolis", cases.NETWORK, "HOLDS"),
                Check("directed-ring", cases.THM1_MIXING_DIRECTED, "HOLDS"),
                Check("ring-without-self-loops", cases.THM1_MIXING_RING, "ASSUMPTION_FAILS"),
            ),
        ),
        "implied/no-self-loops": Version(
            terms=_PRINTED,
            constants=_LAG,
            assumes=_ASSUMES,
            note="the cited lemma without its P_ii > 0",
            causes=(NO_LOOPS,),
            checks=(
                Check("ring-without-self-loops", cases.THM1_MIXING_RING, "VIOLATED"),
                Check("metropolis", cases.NETWORK, "HOLDS"),
            ),
        ),
        "corrected": Version(
            terms={"envelope": (1 - p**n) ** (lag / n - 1)},
            constants=_LAG,
            assumes=(*_ASSUMES, SELF_LOOPS),
            note="self-loops, and a smaller C",
            mends=(NO_LOOPS,),
            checks=(
                Check("ring-without-self-loops", cases.THM1_MIXING_RING, "ASSUMPTION_FAILS"),
                Check("metropolis", cases.NETWORK, "HOLDS"),
                Check("directed-ring", cases.THM1_MIXING_DIRECTED, "HOLDS"),
            ),
        ),
    },
)
