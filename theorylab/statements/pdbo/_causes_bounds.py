"""What is wrong in PDBO's assumptions and in Appendix C: the error bounds and their proofs."""

from theorylab.statements._cause import Cause, Line
from theorylab.statements._severity import Severity

OMEGA = Cause(
    id="pdbo/omega-handed-on",
    clause="SGP, Eq. (4a)/(4b), hands omega on: an eigenvalue 1 of A-bar, d omega_i'/d omega_i = 1",
    fails="No instance of SGP, the paper's own algorithm, satisfies Assumption 4, 8 or 9: y_i = "
    "(z_i, omega_i), and Eq. (4a) and (4b) send omega_i as it is. So A-bar has the block (E "
    "P)^T with the eigenvalue 1, its largest singular value is at least 1, and I - A-bar has "
    "no inverse. And ||d_y phi_i||_2 is at least 1, where Assumptions 8 and 9 ask for "
    "eta_A/(2 kappa), which is below 1/(2n). Maps that hand no weight on can satisfy them, "
    "and for these the bounds are true.",
    repair="State the assumptions on z, with omega* fixed: rho(A-bar) < 1 there, and a = max "
    "||A||_2 < 1 and b = max ||B||_2 over the draws of a round in the place of Assumptions 8 and 9 "
    "(the corrected bound).",
    severity=Severity.EMPTY,
    lines=(
        Line(
            "pdbo.asm4",
            "Section 4.1, Assumption 4",
            words="The largest singular value of A-bar is strictly smaller than one.",
        ),
        Line(
            "pdbo.thm1",
            "Section 4.2, Theorem 1",
            r"\left\| \widehat{\mathbf{d}}_{\lambda_i} \bar{F} - \mathbf{d}_\lambda "
            r"\bar{F}(\mathbf{x}^*, \boldsymbol{\lambda}) \right\| \leq \mu_{\alpha, \beta} "
            r"\tau \sqrt{\left(\sum_{i,j} \frac{\bar{p}_{ji}^2}{\delta_{i \rightarrow j}^2} + "
            r"\frac{4n}{b} \right) \log \frac{n(d_{\mathbf{y}} + d_\lambda)}{\epsilon}} + "
            r"e^{-O(M)},",
            "Suppose that Assumptions 1-8 hold true",
        ),
        Line(
            "pdbo.asm8",
            "Section 4.2, Assumption 8, Eq. (14)",
            r"\max \{ \|\partial_{\mathbf{y}_i} \psi_i\|_2, \|\partial_{\mathbf{y}_i} "
            r"\varphi_i\|_2 \} \leq \frac{\eta_A}{2\kappa}",
        ),
        Line(
            "pdbo.asm9",
            "Appendix C, Assumption 9, first line",
            r"\max \left\{ \sup_{\mathbf{y}_i, \boldsymbol{\lambda}_i, \xi} "
            r"\|\partial_{\mathbf{y}_i} g_i(\mathbf{y}_i, \boldsymbol{\lambda}_i, \xi)\|_2, "
            r"\sup_{\mathbf{y}_j, \boldsymbol{\lambda}_j, \xi} \|\partial_{\mathbf{y}_j} "
            r"h_j(\mathbf{y}_j, \boldsymbol{\lambda}_j, \xi)\|_2 \right\} \leq "
            r"\frac{\eta_A}{2 \sum_{i,j} \frac{\bar{p}_{ji}}{\bar{\delta}_{i+j}}}",
        ),
    ),
    effect="With the paper's n = 100 clients Assumption 8 allows a norm below 1/200 on any "
    "network, where SGP's is at least 1.",
)
SMALL_OMEGA = Cause(
    id="pdbo/omega-near-zero",
    clause="SGP's own maps, Eq. (4a)/(4b), as omega goes to 0",
    fails="No instance of SGP satisfies Assumption 10, which is about all y_i: the Jacobian of "
    "SGP's step has the block (alpha_i/omega_i) H_i, whose slope in omega has no bound as "
    "omega tends to 0.",
    repair="Ask for it where omega_i >= w and ||z_i|| <= R, where the weights and models stay.",
    severity=Severity.EMPTY,
    lines=(
        Line(
            "pdbo.asm10",
            "Appendix C.7, Assumption 10, first line",
            r"\sup_{\boldsymbol{\lambda}_i, \xi} \|\partial_{\mathbf{y}_i} "
            r"g_i(\mathbf{y}_i, \boldsymbol{\lambda}_i, \xi) - \partial_{\mathbf{y}_i} "
            r"g_i(\mathbf{y}'_i, \boldsymbol{\lambda}_i, \xi)\|_2 \leq L_y \|\mathbf{y}_i - "
            r"\mathbf{y}'_i\|",
        ),
    ),
)
PAIRED_EDGES = Cause(
    id="pdbo/paired-edges",
    clause="StoU of Section 6.1, whose edges are drawn in pairs",
    fails="No StoU network, of the paper's own experiments, satisfies Assumption 7: delta_ij = "
    "delta_ji for every edge, so that the two directions are not independent.",
    repair="Ask that rounds are independent for unbiasedness, which needs no more; the tail bound "
    "of Theorem 1 then speaks of StoD alone.",
    severity=Severity.EMPTY,
    lines=(
        Line(
            "pdbo.asm7",
            "Section 4.2, Assumption 7",
            words="The realization of delta_{i->j}^(m) are independent over different j and i for "
            "all m in N",
        ),
    ),
)
ALPHA_TWICE = Cause(
    id="pdbo/alpha-twice",
    clause="alpha (1 - alpha) before w^(0), where 1 - alpha belongs",
    fails="The line that sets M = 0 in (23) has a factor alpha too many before w^(0): its right "
    "side is not B-hat^(0) c^y. (23) itself is true.",
    repair="Delete the alpha.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "pdbo.lem4",
            "Appendix C.1, proof of Lemma 4, the line for M = 0",
            r"\mathbf{v}^{(1)} = \alpha \hat{\mathbf{B}}^{(0)} \mathbf{c}^{\mathbf{y}} + "
            r"(1-\alpha) \alpha \hat{\mathbf{B}}^{(0)} \mathbf{w}^{(0)} = "
            r"\hat{\mathbf{B}}^{(0)} \mathbf{c}^{\mathbf{y}},",
        ),
    ),
)
W_AHEAD = Cause(
    id="pdbo/w-ahead",
    clause="w^(M+1), where w^(M) belongs",
    fails="The line before the last of the induction has w^(M+1), of a round that (17) does not "
    "read. (23) itself is true.",
    repair="Write w^(M).",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "pdbo.lem4",
            "Appendix C.1, proof of Lemma 4, the line before the last",
            r"\begin{aligned} &\left(\sum_{i=0}^{M-1} \alpha^{M-i+1} \hat{\mathbf{B}}^{(2i)} "
            r"\mathbf{u}^{(i)} + \alpha \hat{\mathbf{B}}^{(2M)} \mathbf{u}^{(M)} \right) \\ "
            r"&\quad + (1-\alpha) \left(\sum_{i=0}^{M-1} \alpha^{M-i} \hat{\mathbf{B}}^{(2i)} "
            r"\mathbf{w}^{(i)} + \hat{\mathbf{B}}^{(2M)} \mathbf{w}^{(M+1)} \right) \end{aligned}",
        ),
    ),
)
HALF_APART = Cause(
    id="pdbo/half-as-far-apart",
    clause="two such matrices can be twice as far apart; the next line makes up for it",
    fails="Two matrices of norm eta_B/(2 kappa) can be eta_B/kappa apart: the line is too small, "
    'by a factor up to 4. The "=" after it brings the 4 back, so that (32) and (33) are right. The '
    "proof of Lemma 9 has the same line.",
    repair="Write 4 eta_B^2/kappa^2, and 4 eta_A^2/kappa^2 for A.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "pdbo.lem7_lines",
            "Appendix C.3, proof of Lemma 7, Y_B",
            r"\begin{aligned} \|\mathbf{Y}_{B,s}^{(i,\xi)}\|_2^2 &\leq "
            r"\frac{1}{|\zeta_t^{(2i)}|^2} \sum_{s=1}^n \left\| \mathbb{1}_{ts} "
            r"\partial_{\lambda_t} g_t(\mathbf{y}_t^*, \boldsymbol{\lambda}_t, \xi) + "
            r"\bar{p}_{ts} \partial_{\lambda_t} h_t(\mathbf{y}_t^*, \boldsymbol{\lambda}_t, "
            r"\xi) - \mathbb{1}_{ts} \bar{\mathbf{B}}_t^\psi - \bar{p}_{ts} "
            r"\bar{\mathbf{B}}_t^\varphi \right\|_2^2 \|\mathbf{R}_3^{(i,M)}\|_2^2 \\ &\leq "
            r"\frac{1}{|\zeta_s^{(2i)}|^2} \left(\frac{\eta_B}{2\kappa}\right)^2 \left(2 + 2 "
            r"\underbrace{\sum_{s=1}^n \bar{p}_{ts}}_{=1}\right) "
            r"\left(\frac{1-\alpha}{1-\eta_A} \alpha^{M-i} + \exp(-O(M))\right)^2 "
            r"\end{aligned}",
        ),
    ),
)
TWO_FOR_ONE = Cause(
    id="pdbo/two-for-one",
    clause="a 2 for a 1; shows on edges with dbar < 1/2",
    fails="The 2 stands where all other lines have a 1. With it the bound fails on edges with "
    "dbar < 1/2. The line after it, with 1/dbar^2, is true.",
    repair="Write 1/dbar - 1.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "pdbo.lem9_lines",
            "Appendix C.4, proof of Lemma 9, X_A",
            r"\left\| \mathbf{X}_{A,st}^{(i)} \right\|_2^2 \leq \left\{ 1 + "
            r"\left(\frac{1}{\bar{\delta}_{s \rightarrow t}} - 2 \right)^2 \right\} "
            r"\bar{p}_{ts}^2 \left\| \hat{\mathbf{A}}_t^{\varphi(2i+1)} \right\|_2^2 "
            r"\left(\left\| \hat{\mathbf{L}}_4^{(i,M)} \right\|_2 \eta_A^i + \left\| "
            r"\hat{\mathbf{L}}_5^{(i,M)} \right\|_2 \right) \left\| \mathbf{R}_1^{(i)} "
            r"\right\|_2^2",
        ),
    ),
)
NO_OUTER = Cause(
    id="pdbo/start-without-c-lambda",
    clause="v^(0) = 0 (C.1), so that c^lambda is left out; with A.4's start it holds",
    fails="With v^(0) = 0, which Appendix C.1 prints, the estimate lacks c^lambda, and no bound "
    "without ||c^lambda|| can hold. With v^(0) = c^lambda the theorem is true: so naive HGP "
    'starts in Appendix A.4 and Algorithm 4, and C.4 "recovers naive HGP". Theorem 8 has '
    "c^lambda on its left side, and Theorem 10 has not.",
    repair="Say in C.4 that v^(0) = c^lambda, or add c^lambda to the estimate as Theorem 8 does.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "pdbo.thm10",
            "Appendix C.1, below (19), and C.4, Theorem 10",
            r"\left\| \mathbf{v}^{(M+1)} - d_{\lambda_j} F(\mathbf{y}^*, "
            r"\boldsymbol{\lambda}) \right\| \leq \mu_{1,0} \tau \sqrt{\left(\sum_{s,t=1}^n "
            r"\frac{\bar{p}_{ts}^2}{\bar{\delta}_{s+t}^2} + \frac{4n}{|\zeta|} \right) \log "
            r"\frac{n(d_{\mathbf{y}} + d_{\boldsymbol{\lambda}})}{\epsilon}} + \exp(-O(M)),",
            "with the initial conditions v^(0) <- 0",
        ),
    ),
    effect="Of PDBO-DA nothing is lost: lambda_i does not stand in its F_i, whose L2 rate is 0, so "
    "that c^lambda = 0. Of PDBO-MTL the ensemble weights stand in F_i, and no number is printed.",
)
