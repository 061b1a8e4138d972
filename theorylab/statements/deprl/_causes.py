"""What is wrong with DePRL, one record a fault."""

from __future__ import annotations

from theorylab.statements._cause import Cause, Line
from theorylab.statements._severity import Severity

_ASK = "Say in Assumption 1 that P_ij > 0 for every j in N_i, i itself included."

LINE_10 = Cause(
    id="deprl/line-10",
    clause="line 10 goes on from theta(k, tau - 1): a head step is lost",
    fails="Line 10, and the line under (4), set theta_i(k+1) to theta_i(k, tau - 1), where "
    "theta_i(k, tau) is the head after the tau steps of Figure 1. One step a round is thrown "
    "away. With tau = 1 no head ever moves, and M(k) does not fall.",
    repair="Write theta_i(k, tau).",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "deprl.thm1",
            "Algorithm 1, line 10",
            display=r"\boldsymbol{\theta}_i(k+1,0) \leftarrow \boldsymbol{\theta}_i(k,\tau-1)",
        ),
    ),
    effect="The paper's runs have two epochs of head steps a round, so that tau is 2 at least: at "
    "most one step in two is lost, and the heads move.",
)
HEAD_CAP = Cause(
    id="deprl/head-cap",
    clause="the cap on alpha lies above 2/L, where heads diverge",
    fails="A head step multiplies the slope of L theta^2/2 by 1 - alpha L, which grows above alpha "
    "= 2/L. The cap has 1 + 36 tau^2 in its numerator and allows 37/L at tau = 1, and more at "
    "every other tau.",
    repair="Ask for alpha <= 1/(tau L).",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(Line("deprl.thm1", "Theorem 1", display=r"\alpha \leq \frac{1+36\tau^2}{\tau L}"),),
    effect="With two head steps or more, as in the paper's runs, the cap is 72.5/L or more: 36 "
    "times the 2/L above which heads diverge. The paper prints no alpha and no L.",
)
NO_LOOPS = Cause(
    id="deprl/no-self-loops",
    clause="Assumption 1 does not ask for P_ii > 0",
    fails="Assumption 1 asks for sums of rows and columns alone. The system model has i in N_i, "
    "and (7) sums over N_i: read so, P_ii is above 0. Where P_ii = 0 is allowed, the "
    "representations need not mix. On a ring of four with P_ij = 1/2 between neighbours, noise "
    "along (1, -1, 1, -1) is never averaged, and at Corollary 1's step sizes the mean squared "
    "distance tends to half the variance.",
    repair=_ASK,
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "deprl.thm1",
            "Assumption 1",
            display=r"\sum_{j=1}^{N} P_{i,j} = \sum_{i=1}^{N} P_{i,j} = 1, \forall i \in [N], "
            r"j \in [N].",
        ),
    ),
    effect="Not known: the paper does not print the weights of its runs.",
)
OFF_GRAPH = Cause(
    id="deprl/weights-off-the-graph",
    clause="the graph is connected, and P may be 0 on its edges",
    fails="What the text asks to be connected is the graph, and Assumption 1 asks of P for sums of "
    "rows and columns alone. Where P_ij = 0 is allowed on an edge, P may use only some edges of "
    "a connected graph: of two pairs of workers that average within the pair alone, each has P_ii "
    "> 0, p is 1/2, and the pairs drift apart.",
    repair=_ASK,
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "deprl.thm1",
            "System Model",
            words="an edge (i, j) ∈ E indicates that workers i and j can communicate with each "
            "other. We assume the graph is strongly connected",
        ),
    ),
    effect="Not known: the paper does not print the weights of its runs.",
)
UNITS = Cause(
    id="deprl/units",
    clause="not free of units: M(k), beta <= N/2 and 1 + 1/L^2",
    fails="M(k) adds a squared distance to squared gradients, and beta <= N/2 and 1 + 1/L^2 put "
    "numbers beside what has units. Assumption 2 allows any L > 0. Multiply the losses by s and "
    "divide alpha and beta by s: the models move as before, the gradients on the left grow as s^2, "
    "and the last two terms on the right as s. So (11) is false where L is large in the units of "
    "the losses, and holds on the same run in units where L is near 1.",
    repair="Put L^2 before the distance in M(k), and write the last two terms as beta^2 L^2 times "
    "a constant of the network, as the corrected bound has them.",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "deprl.thm1",
            "Theorem 1, Eq. (11), last two terms",
            display=r"\frac{2\beta}{3N} \left(1 + \frac{1}{L^{2}}\right)\sigma^{2} + "
            r"\frac{2\beta}{N} \left(1 + \frac{1}{L^{2}}\right)\varsigma^{2}.",
        ),
    ),
    effect="Not known: the paper prints no L and no step sizes.",
)
OUT_OF_REACH = Cause(
    id="deprl/rounds-out-of-reach",
    clause="K >= 18 C^2 L^2 N^3/(1-q)^2 grows as N^5 p^(-4N)",
    fails="The corollary holds from a number of rounds on that grows as N^5 p^(-4N), and K is to "
    "fall as 1/N. Beyond a few workers no run has as many rounds, and K cannot be decreased as N "
    "increases.",
    repair="Ask for K >= N^3 S^4 and K >= N L^2 max(1, 4 S^2), S = C_2 q_2/(1 - q_2), by the "
    "second largest modulus of P's eigenvalues.",
    severity=Severity.EMPTY,
    lines=(
        Line(
            "deprl.cor1_speedup",
            "Corollary 1, and the text after it",
            display=r"K \ge \max\left(\frac{18C^2L^2N^3}{(1-q)^2}, \frac{(2L^2+2)^2}{NL^4}, "
            r"NL^2\right)",
            words="we can proportionally decrease K as N increases while keeping the same "
            "convergence rate",
        ),
    ),
    effect="For the paper's 128 workers and L = 1 it asks for 10^256.7 rounds on their ring "
    "(p = 1/3) and for 10^1091.3 on their complete graph (p = 1/128).",
)
