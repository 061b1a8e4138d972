"""What the paper prints where it is false: its own formula, the line that fails, the repair."""

from theorylab.statements._printed import Printed

PRINTED = {  # locator -> what is printed there
    "eq8": Printed(
        formula=r"\nabla_{\boldsymbol{\theta}} f(\bar{\boldsymbol{\phi}}(k), "
        r"\{\boldsymbol{\theta}_i(k)\}_{i=1}^N) := \frac{1}{N} \sum_{i=1}^N "
        r"\nabla_{\boldsymbol{\theta}} F_i(\bar{\boldsymbol{\phi}}(k), "
        r"\boldsymbol{\theta}_i(k)),",
        fails="The sum of the heads' gradients may be 0 where two heads pull opposite ways, "
        "and M(k) of (10) with it, far from any stationary point of (2).",
        repair="Sum the squared gradients of the heads: 1/N sum_i ||grad_theta F_i||^2.",
    ),
    "thm1": Printed(
        formula=r"\begin{aligned} \frac{1}{K} \sum_{k=0}^{K-1} \mathbb{E}[M(k)] \leq "
        r"\frac{4f(\bar{\phi}(0), \{\boldsymbol{\theta}_{i}(0)\}_{i=1}^{N}) - "
        r"4f(\boldsymbol{\phi}^{*}, \{\boldsymbol{\theta}_{i}^{*}\}_{i=1}^{N})}{K\beta} "
        r"\\ + \frac{2\beta L}{N} \sigma^{2} + \frac{12\alpha^{3}L^{2}\tau}{\beta} (\tau "
        r"- 1)(6\tau + 1)\sigma^{2} + \frac{2\alpha^{2}\tau L}{\beta}\sigma^{2} \\ + "
        r"\frac{2\beta}{3N} \left(1 + \frac{1}{L^{2}}\right)\sigma^{2} + \frac{2\beta}{N} "
        r"\left(1 + \frac{1}{L^{2}}\right)\varsigma^{2}. \end{aligned}",
        fails="Line 10 of Algorithm 1 throws a head step away, so with tau = 1 no head moves; "
        "the cap on alpha has 1 + 36 tau^2 in its numerator, so the heads diverge; and "
        "without P_ii > 0 the representations need not mix.",
        repair="Ask for alpha <= 1/(m L) and for a P whose powers tend to 11^T/N, and use (C_2, "
        "q_2) of the 2-norm.",
    ),
    "thm1_mixing": Printed(
        formula=r"C := \frac{2(1+p^{-N})}{1-p^N}, \quad q := (1-p^N)^{1/N}",
        fails="The source of C and q needs P_ii > 0, which is not asked for here: on a ring of "
        "four without self-loops P^k never comes near 1/N.",
        repair="Ask for P_ii > 0, and use |(P^k)_ij - 1/N| <= q^k/(1 - p^N).",
    ),
    "cor1": Printed(
        formula=r"\mathcal{O}\left(\frac{1}{\sqrt{NK}} + \frac{1}{K\sqrt{N}} + "
        r"\frac{1}{\tau\sqrt{NK}}\right)",
        fails="It is Theorem 1 at its step sizes: by line 10 and tau = 1 no head moves, and "
        "without self-loops the representations never agree.",
        repair="Theorem 1's corrected bound at the same step sizes.",
    ),
    "cor1_rate": Printed(
        formula=r"\mathcal{O}\left(\frac{1}{\sqrt{NK}} + \frac{1}{K\sqrt{N}} + "
        r"\frac{1}{\tau\sqrt{NK}}\right)",
        fails="On a ring of four without self-loops the left side is at least sigma^2 "
        "(K-1)/(2K) at every K, and the bracket falls as 1/sqrt(K).",
        repair="Ask for P_ii > 0.",
    ),
    "cor1_speedup": Printed(
        words="we can proportionally decrease K as N increases while keeping the same "
        "convergence rate",
        fails="The number of rounds that the corollary itself asks for grows as N^5 p^{-4N}: "
        "for the paper's 128 workers it is 10^256.7 on their ring and 10^1091.3 on their "
        "complete graph, so nobody can decrease K as N increases.",
        repair="Ask for K >= N^3 S^4 and N L^2 max(1, 4 S^2), S = C_2 q_2/(1-q_2).",
    ),
    "cor1_consensus": Printed(
        words="our results guarantee that all workers reach a consensus on the shared global "
        "representation",
        fails="Assumption 1 and strong connection allow a ring of four without self-loops, "
        "where noise along (1, -1, 1, -1) is never mixed away: the mean squared distance "
        "tends to sigma^2/2.",
        repair="Ask for P_ii > 0, so that P^m tends to 11^T/N.",
    ),
}
