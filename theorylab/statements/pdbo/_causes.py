"""What is wrong in PDBO's Sections 2 to 5 and Appendices A, B, F and H: the method itself."""

from theorylab.statements._cause import Cause, Line
from theorylab.statements._severity import Severity

LOCAL_STEPS = Cause(
    id="pdbo/one-local-step",
    clause="K > 1 local steps; for K = 1 it holds",
    fails="Eq. (4a) with p_ij = 1/n in every round averages after every single step. FedAVG takes "
    "K local steps between two averages, and with K > 1 the two methods reach different models.",
    repair="Let p_ij = 1/n in the rounds where K divides t + 1, and let every client keep its own "
    "model in all other rounds.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "pdbo.sec2",
            "Section 2, special cases of SGP",
            words="We can also recover FedAVG [...] by choosing a fully-connected graph with "
            "averaging over all clients",
        ),
    ),
)
NO_SHARE = Cause(
    id="pdbo/no-share",
    clause="p_ii = 0 and a period: the radius is above 1 at every step",
    fails="Eq. (3) admits p_ii = 0, where a client sends all of its mass away, and Eq. (4b) may "
    "diverge then at every step. Two clients that only send to each other give E P the "
    "eigenvalue -1, and the mean iteration of Eq. (4b) has the spectral radius 1 + alpha h, "
    "with h the curvature of the losses.",
    repair="Ask that every client keeps a share theta > 0, and that alpha L <= theta omega_min.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "pdbo.sec2_convergence",
            "Section 2, below Eq. (3)",
            words="a weight function that forms column stochastic matrix P^(t) [...] to ensure "
            "the convergence of x_i to the consensus",
        ),
    ),
)
CONSTANT_STEP = Cause(
    id="pdbo/constant-step",
    clause="a constant step: the point is off by the order of the step",
    fails="With a constant step the stationary point is not the optimum of Eq. (1). For f_1 = "
    "(x + 1)^2/2, f_2 = (x - 1)^2/2, exact averages and Eq. (4b) with the step a the two models "
    "stop at -a/(1+a) and a/(1+a), and the optimum is 0.",
    repair="Say how near the point is: max_i ||x_i* - x0|| <= (1 + L/(mu sqrt(n))) a ||g_0||/gamma "
    "for Eq. (4b), with x0 the optimum and g_0 the clients' gradients there.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "pdbo.eq6",
            "Section 3, Eq. (6)",
            r"\mathbf{y}_i^* = \mathbb{E}_{\delta, \zeta} \left[\sum_{j=1}^n "
            r"p_{ji}(\delta_j) \varphi_j(\mathbf{y}_j^*; \boldsymbol{\lambda}_j, \zeta_j) + "
            r"\psi_i(\mathbf{y}_i^*; \boldsymbol{\lambda}_i, \zeta_i) \right] = "
            r"[\mathbf{z}_i^{*\top} \ \omega_i^{*\top}]^\top \quad \text{s.t.} \quad "
            r"\mathbf{x}_i^* = \mathbf{z}_i^*/\omega_i^*",
            "admits the following unique stationary point which gives the optimum of Eq. (1)",
        ),
    ),
)
FREE_SCALE = Cause(
    id="pdbo/free-scale",
    clause="sum omega is not given; with it Eq. (4b) has one point",
    fails="Eq. (6) fixes omega* up to a factor only: 2 omega* solves it, too, with a z* of its "
    "own. So y* is not unique. Nor is x* = z*/omega*, which depends on the factor unless all "
    "clients agree.",
    repair="Add sum_i omega_i = n, which the iteration keeps from omega^(0) = 1 on.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "pdbo.eq6",
            "Section 3, the sentence before Eq. (6)",
            words="admits the following unique stationary point",
        ),
    ),
)
LONG_STEP = Cause(
    id="pdbo/long-step",
    clause="Eq. (4a) at a step beyond gradient descent's own limit 2/L",
    fails="Eq. (4a) has no stationary point at some steps. With E P = [[1, 3], [3, 1]]/4 and f_i = "
    "(x - b_i)^2/2 a round multiplies the difference of the two clients by -(1 - a)/2, which is 1 "
    "at the step a = 3, and adds a constant that is not 0. There 2/L is 2: the step is one at "
    "which gradient descent itself diverges, and the paper has no limit on it.",
    repair="Ask for alpha_i L < 2 omega_i: the mean iteration contracts then.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "pdbo.eq6",
            "Section 3, the sentence before Eq. (6)",
            words="the expectation of iteration Eq. (2) with Assumptions 1 and 2 admits the "
            "following unique stationary point",
        ),
    ),
)
PRODUCT_INDEX = Cause(
    id="pdbo/product-index",
    clause="the product's index, 2m + 1 for 2s + 1",
    fails="The product runs over s, and its factor A-hat^(2m+1) has no s: to the letter it is one "
    "draw to the power m, and from m = 2 on the mean of a power is not the power of the mean. "
    "Eq. (9), the line on unbiasedness below it and Section 4.1's u^(m) print the same; "
    "Appendix A.3.2 and Eq. (16) have 2s + 1.",
    repair="Write A-hat^(2s+1).",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "pdbo.eq9",
            "Section 4.1, Eq. (9)",
            r"d_\lambda \bar{F}(\mathbf{x}^*(\mathbf{y}^*(\lambda)), \lambda) \approx "
            r"\bar{\mathbf{B}} \sum_{m=0}^{M-1} \bar{\mathbf{A}}^m \mathbf{c}^{\mathbf{y}} + "
            r"\mathbf{c}^\lambda \approx \sum_{m=0}^{M-1} \hat{\mathbf{B}}^{(2m)} "
            r"\prod_{s=0}^{m-1} \hat{\mathbf{A}}^{(2m+1)} \mathbf{c}^{\mathbf{y}} + "
            r"\mathbf{c}^\lambda =: \widehat{d}_\lambda \bar{F}.",
        ),
    ),
)
LAST_INDEX = Cause(
    id="pdbo/last-index",
    clause="the sum's last index, m - 1 for Appendix B's m",
    fails="The sum ends one term too early: for m = 0 it is empty, and w^(0) = c^y.",
    repair="Let the sum run to m, as in Appendix B.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "pdbo.eq13",
            "Section 4.2, below Eq. (13)",
            words="w^(m) corresponds to the estimator of sum_{m'=0}^{m-1} A^{m'} c^y",
        ),
    ),
)
EVERY_INSTANCE = Cause(
    id="pdbo/aid-cg-everywhere",
    clause="every single instance, not the worst case; ordinary quadratics at small steps",
    fails="The sentence is true of the worst case over all A-bar of one norm, and false of single "
    "instances. AID-RB's residual goes on as rho(A-bar)^k, where 1 - rho(A-bar) is of the order of "
    "the step, so that its rounds grow as 1/alpha; AID-CG's hardly grow. Counted in products, the "
    "claim is true at large steps.",
    repair='Say "in the worst case"; on every instance AID-CG needs at most about twice the '
    "products that AID-RB promises.",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "pdbo.sec5",
            "Section 5, hyper-gradient estimation for single agent",
            words="in our setting where I - A-bar can be asymmetric, AID-CG is slower than AID-RB",
        ),
    ),
)
H_FOR_G = Cause(
    id="pdbo/h-for-g",
    clause="h_i and phi_ji in B-hat, where g_i and h_j belong",
    fails="B-hat^psi is made of d_lambda h_i, where psi is made of g. On Eq. (4b) h does not "
    "depend on lambda, so that the mean of B-hat is 0 and not B-bar. phi_ji is defined nowhere. "
    "The proof of Theorem 11 (Appendix C.7) prints the same for B-tilde.",
    repair="Write d_lambda g_i and d_lambda h_j.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "pdbo.appa31",
            "Appendix A.3.1, the last line of the display",
            r"\hat{\mathbf{B}}_i^\psi = \frac{1}{|\zeta_i|} \sum_{\xi \in \zeta_i} "
            r"\partial_{\boldsymbol{\lambda}_i} h_i(\mathbf{y}_i^*; \boldsymbol{\lambda}_i, "
            r"\xi) \in \mathbb{R}^{d_\lambda \times d_y}, \quad \hat{\mathbf{B}}_j^\varphi = "
            r"\frac{1}{|\zeta_j|} \sum_{\xi \in \zeta_j} \partial_{\boldsymbol{\lambda}_j} "
            r"\varphi_{ji}(\mathbf{y}_j^*; \boldsymbol{\lambda}_j, \xi) \in "
            r"\mathbb{R}^{d_\lambda \times d_y}.",
        ),
    ),
)
ANY_WEIGHTS = Cause(
    id="pdbo/any-weights",
    clause="any weights; chosen appropriately, as Appendix B has it, it holds",
    fails="The variance of a weighted average may be above that of the better one of the two "
    "estimators, where most of the weight is on the worse one.",
    repair='Add "by choosing alpha, beta appropriately", as Appendix B does.',
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "pdbo.appb",
            "Section 4.2, variance reduction",
            words="the weighted average of two different estimators results in an estimator with a "
            "smaller variance",
        ),
    ),
)
RATIO = Cause(
    id="pdbo/ratio-of-estimates",
    clause="a finite number of rounds: the ratio has a bias of the order of 1/T",
    fails="The mean of p-hat/d-hat, by which the estimator weighs an edge, is not pbar/dbar, as "
    "1/d-hat is convex. The averages of T rounds themselves have the means pbar and dbar.",
    repair="Allow for the bias of the ratio, relatively at most 1/((T+1) d) + 8/((T+1)(T+2) d^2) "
    "with d = dbar.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "pdbo.alg2_estimates",
            "Section 4.2, and Algorithm 2, lines 7 to 15",
            words="In practice, we can estimate them through T rounds of SGP communication",
        ),
    ),
)
RETURN = Cause(
    id="pdbo/return-of-the-last-m",
    clause="the return's m is M - 1 after the loop, so one term is missing",
    fails="After the loop m is M - 1, and v^(M-1) has one term fewer than v^(M), which the "
    "loop has computed.",
    repair="Return v^(M).",
    severity=Severity.MISPRINT,
    lines=(
        Line("pdbo.alg3", "Algorithm 3, line 20", words="return v_i^(m)"),
        Line("pdbo.alg4", "Algorithm 4, line 20", words="return v_i^(m)"),
        Line("pdbo.alg5", "Algorithm 5, line 25", words="return v_i^(m) + c_i^lambda"),
    ),
)
U_FOR_W = Cause(
    id="pdbo/u-for-w",
    clause="line 22's u_j for w_j; shows from M = 3 on",
    fails="Line 22 adds u_j to w_i, where Appendix B has w_j. Lines 16 and 20 send and receive "
    "w_j, and nothing else in that half of the round uses it. It shows from M = 3 on, where w^(2) "
    "is used.",
    repair="Write w_j in line 22.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "pdbo.alg5",
            "Algorithm 5, line 22",
            r"\mathbf{w}_i^{(m+1)} \mathrel{+}= \beta \left(\frac{\bar{p}_{ij}}{\delta_{j "
            r"\rightarrow i}} \partial_{\mathbf{y}_i} \varphi_i(\mathbf{y}_i^*; "
            r"\boldsymbol{\lambda}_i, \zeta_i^{(2m+1)}) \mathbf{u}_j^{(m)} \right)",
        ),
    ),
)
C_TWICE = Cause(
    id="pdbo/c-lambda-twice",
    clause="lines 2 and 25: c^lambda at the start and again at the end",
    fails="Line 2 starts at v^(0) = c^lambda and line 25 adds c^lambda again. Every round keeps "
    "alpha of v, so that alpha^M c^lambda is left over after M rounds.",
    repair="Start at v^(0) = 0, as Appendix B does.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "pdbo.alg5",
            "Algorithm 5, lines 2 and 25",
            r"\mathbf{v}_i^{(0)} \leftarrow \frac{1}{n} \partial_{\boldsymbol{\lambda}_i} "
            r"F_i(\mathbf{x}_i^*, \boldsymbol{\lambda}_i), \qquad \mathbf{return}\ "
            r"\mathbf{v}_i^{(m)} + \mathbf{c}_i^{\boldsymbol{\lambda}}",
        ),
    ),
)
TRUNCATION = Cause(
    id="pdbo/truncated-series",
    clause="a finite M: the rest of the series is missing, gone as M grows",
    fails="The mean of the estimate is the truncated series B-bar sum_{m<M} A-bar^m c^y + c^lambda "
    "and not the hypergradient: the rest of the series is missing.",
    repair="Add the bias of the truncation, which goes to 0 as M grows.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "pdbo.appf",
            "Appendix F, outer-loop in PDBO",
            words="the output of HGP can be seen as an unbiased estimate of stochastic gradient",
        ),
    ),
)
FACTOR_ORDER = Cause(
    id="pdbo/factor-order",
    clause="the order of the factors, by Section 1's products",
    fails="The factors stand in the wrong order: Section 1 lets a product's later factors stand on "
    "the left, and d y^(t+1) = d y^(t) A^(t) + B^(t) puts them further right.",
    repair="Let the factors increase to the right, as Eq. (42) does when it is unrolled.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "pdbo.eq41",
            "Appendix H, Eq. (41)",
            r"d_{\lambda}^{\text{ITD}} \bar{F}(\mathbf{x}^{(T)}, \lambda) := \sum_{t=0}^{T-1} "
            r"\hat{\mathbf{B}}^{(t)} \prod_{s=t+1}^{T-1} \hat{\mathbf{A}}^{(s)} "
            r"\mathbf{c}^{\mathbf{x}} + \mathbf{c}^{\lambda}.",
        ),
    ),
)
NEXT_INDEX = Cause(
    id="pdbo/next-index",
    clause="the index of A and B, t + 1 for t",
    fails="For t = T - 1 .. 0 the recursion reads A^(T) and B^(T), which no round of the inner "
    "loop used, and never B^(0).",
    repair="Write B^(t) and A^(t) for B^(t+1) and A^(t+1).",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "pdbo.itd_backward",
            "Appendix H, backward mode",
            r"\begin{cases} \mathbf{v}^{(t)} \leftarrow \hat{\mathbf{B}}^{(t+1)} "
            r"\mathbf{u}^{(t+1)} + \mathbf{v}^{(t+1)}, \\ \mathbf{u}^{(t)} \leftarrow "
            r"\hat{\mathbf{A}}^{(t+1)} \mathbf{u}^{(t+1)}, \end{cases}",
        ),
    ),
)
