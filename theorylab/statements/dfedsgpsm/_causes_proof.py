"""What is wrong with the lemmas of dfedsgpsm and the lines of their proofs."""

from __future__ import annotations

from theorylab.statements._cause import Cause, Line
from theorylab.statements._severity import Severity

SAM_DRIFT = Cause(
    id="dfedsgpsm/sam-drift",
    clause="64 K L^2 rho^2 for 64 K^2 L^2 rho^2, wrong from K = 65 on",
    fails="4(K-1) times 16 K L^2 rho^2 is of the order of 64 K^2 L^2 rho^2, and C_1 ends with "
    "64 K L^2 rho^2, as does the last line of Proof 3. SAM's K steps of one sign go as far as "
    "K^2 eta^2 L^2 rho^2, so the lemma is false from K = 65 on, by any factor.",
    repair="Write 64 K^2 L^2 rho^2, or bound K steps by eta^2 a~_k^2 G^2 without any cap.",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "dfedsgpsm.lem3",
            "Lemma 3, last term of C_1",
            r"\frac{1}{n} \sum_{i=1}^n \mathbb{E} \|\mathbf{x}_{i,k}^t - \mathbf{x}_i^t\|^2 "
            r"\leq C_1 \eta_l^2 + 64K^2 \eta_l^2 \frac{\sum_{i=1}^n \mathbb{E} \|\nabla "
            r"f(\mathbf{z}_i^t)\|^2}{n}, \quad C_1 := 8K\sigma_l^2 + 64K^2\sigma_g^2 + "
            r"\frac{32K^2\alpha^2}{(1-\alpha)^2}(\sigma_l^2 + B^2) + 64KL^2\rho^2",
        ),
    ),
    effect="None at the paper's K = 20, which is below 65. At alpha = .9 there is none for any K "
    "where gradients are exact: from alpha = .18 on the momentum term of C_1 covers the drift.",
)
OWN_MODEL = Cause(
    id="dfedsgpsm/own-model",
    clause="the right side knows client i alone",
    fails="The display bounds how far client i's debiased model is from the average by the first "
    "model and the updates of client i alone, and the average moves with every client. A client "
    "that starts at 0, has no slope there and has heard of nobody who moved has a right side of 0, "
    "and the average has moved. No C and q mend that. The display is false as quoted; the source, "
    "Lemma 3 of Assran et al. (2019), was not at hand.",
    repair="Take the largest over the clients on the right, of the first models' distances from "
    "their mean and of the updates: max_l ||x_l^0 - xbar^0|| and max_l ||U_l^j||.",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "dfedsgpsm.eq6",
            "Eq. (6), Proof 4",
            r"\|\mathbf{z}_i^t - \bar{\mathbf{x}}^t\| \leq Cq^t\|\mathbf{x}_i^0\| + "
            r"C\sum_{j=0}^t q^{t-j}\|\eta_l\sum_{k=1}^K\sum_{s=1}^k "
            r"\alpha^{k-s}\mathbf{g}_{i,s}^j\|",
            "Based on Lemma 3 in Assran et al. (2019), we can obtain the following expression",
        ),
        Line(
            "dfedpgp.eq15",
            "Eq. (15), proof of Lemma 3",
            r"\|\bar{u}^t - z_i^t\| \le Cq^t \|u_i^0\| + \eta_u C \sum_{j=1}^t q^{t-j} "
            r"\|\sum_{k=0}^{K_u-1} \nabla_u F_i(z_i^{t,k}, v_i^{j+1}; \xi_i)\|",
        ),
    ),
)
ROW_SUMS = Cause(
    id="dfedsgpsm/row-sums-averaged",
    clause="pairs (C, q) of (6)'s row sums; the closed formulas hold",
    fails='"Le3,4" averages Lemma 4 over the clients. Row sums of the debiased products bound one '
    "client's distance; they bound the mean of the squares only with a factor that grows with the "
    "number of clients, and the printed factors cover few clients. With the closed formulas, as "
    "DFedPGP's (14) quotes them, C is at least 2n, and no instance was found that refutes it. "
    "DFedSGPSM prints no formula of C and q.",
    repair="Take the 2-norm of the debiased products for (C, q).",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "dfedsgpsm.lem5_r1",
            'Proof 5, R1, "Le3,4"',
            r"\mathbf{R1} \leq \frac{3L^2 \eta_l^2}{\delta} (C_1 + 64K^2 B^2) + 6L^2 \left( "
            r"C^2 q^{2t} \frac{1}{n} \sum_{i=1}^n \|\mathbf{x}_i^0\|^2 + \eta_l^2 "
            r"\tilde{\alpha}^2 C^2 \frac{B^2 + \sigma_l^2}{(1-q)^2} \right) + 3L^2 \rho^2",
        ),
    ),
)
NO_EXPECTATION = Cause(
    id="dfedsgpsm/no-expectation",
    clause="no E is printed, and there is noise",
    fails="No expectation is printed, and a single realisation with noise reaches B + sigma_l, "
    'which is more than sqrt(B^2 + sigma_l^2). The end of Proof 4 has it: "After squaring both '
    'sides and taking expectations".',
    repair="Take the root mean square on the left.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "dfedsgpsm.lem4_update",
            "Proof 4, second display",
            r"\|\eta_l\sum_{k=1}^K\sum_{s=1}^k \alpha^{k-s}\mathbf{g}_{i,s}^j\| \leq "
            r"\eta_l\tilde{\alpha}\sqrt{B^2 + \sigma_l^2}",
            "Based on Assumption 5, 3",
        ),
    ),
)
NOISE_SPLIT = Cause(
    id="dfedsgpsm/noise-split",
    clause="a round's noise taken for independent of its later points",
    fails="E||G||^2 is split into noise and signal as if the later gradients of a round did not "
    "depend on its earlier noise, and from K = 2 on they do. The cross term fits into "
    "a~^2 sigma_l^2 up to K = 600; with momentum and long rounds it does not, and grows by any "
    "factor with K.",
    repair="Use E||N||^2 <= sum_s b_s^2 sigma_l^2 and Young's inequality for the cross term.",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "dfedsgpsm.lem5_split",
            "Proof 5, conditional expectations, third line",
            r"\begin{aligned} &= \mathbb{E}f(\bar{\mathbf{x}}^t) - \eta_l \tilde{\alpha} "
            r"\mathbb{E} \langle \nabla f(\bar{\mathbf{x}}^t), \frac{1}{n\tilde{\alpha}} "
            r"\sum_{i=1}^n \sum_{k=1}^K \sum_{s=1}^k \alpha^{k-s} \nabla "
            r"f_i(\tilde{\mathbf{z}}_{i,s}^t) \rangle + \frac{L\eta_l^2}{2} \mathbb{E} "
            r"\left\| \frac{1}{n} \sum_{i=1}^n \sum_{k=1}^K \sum_{s=1}^k \alpha^{k-s} "
            r"\mathbf{g}_{i,s}^t \right\|^2 \\ &\leq \mathbb{E}f(\bar{\mathbf{x}}^t) - "
            r"\frac{\tilde{\alpha}\eta_l}{2} \mathbb{E} \|\nabla f(\bar{\mathbf{x}}^t)\|^2 - "
            r"\frac{\tilde{\alpha}\eta_l}{2} \mathbb{E} \left\| \frac{1}{n\tilde{\alpha}} "
            r"\sum_{i=1}^n \sum_{k=1}^K \sum_{s=1}^k \alpha^{k-s} \nabla "
            r"f_i(\tilde{\mathbf{z}}_{i,s}^t) \right\|^2 + \frac{L\eta_l^2 \tilde{\alpha}^2 "
            r"\sigma_l^2}{2} \\ &\quad + \frac{\tilde{\alpha}\eta_l}{2} \mathbb{E} \left\| "
            r"\frac{1}{n\tilde{\alpha}} \sum_{i=1}^n \sum_{k=1}^K \sum_{s=1}^k \alpha^{k-s} "
            r"(\nabla f_i(\tilde{\mathbf{z}}_{i,s}^t) - \nabla f(\bar{\mathbf{x}}^t)) "
            r"\right\|^2 + \frac{L\eta_l^2 \tilde{\alpha}^2}{2} \mathbb{E} \left\| "
            r"\frac{1}{n\tilde{\alpha}} \sum_{i=1}^n \sum_{k=1}^K \sum_{s=1}^k \alpha^{k-s} "
            r"\nabla f_i(\tilde{\mathbf{z}}_{i,s}^t) \right\|^2 \end{aligned}",
        ),
    ),
    effect="None at the paper's K = 20.",
)
OTHER_GRADIENT = Cause(
    id="dfedsgpsm/other-gradient",
    clause="grad f for grad f_i; R1's bound survives",
    fails='Smoothness bounds grad f_i(.) - grad f_i(xbar), and grad f(xbar) stands there ("Le2" is '
    "read as Assumption 2). Where different clients are near one point the right side is near 0, "
    "and the left side is their heterogeneity.",
    repair="Write grad f_i(xbar); the bound on R1 survives, as the clients' gradients average to "
    "grad f(xbar).",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "dfedsgpsm.lem5_smooth",
            'Proof 5, R1, second inequality ("Le2")',
            r"\begin{aligned} \mathbf{R1} &\stackrel{Jensen}{\leq} \frac{1}{n\tilde{\alpha}} "
            r"\sum_{i=1}^n \sum_{k=1}^K \sum_{s=1}^k \alpha^{k-s} \mathbb{E} \|\nabla "
            r"f_i(\mathbf{z}_{i,s}^t) - \nabla f(\bar{\mathbf{x}}^t)\|^2 \\ "
            r"&\stackrel{Le2}{\leq} \frac{L^2}{n\tilde{\alpha}} \sum_{i=1}^n \sum_{k=1}^K "
            r"\sum_{s=1}^k \alpha^{k-s} \mathbb{E} \|\check{\mathbf{z}}_{i,s}^t - "
            r"\mathbf{z}_{i,s}^t + \mathbf{z}_{i,s}^t - \mathbf{z}_i^t + \mathbf{z}_i^t - "
            r"\bar{\mathbf{x}}^t\|^2 \\ \end{aligned}",
        ),
    ),
)
STEP_CAP = Cause(
    id="dfedsgpsm/step-cap",
    clause="a~ <= K, which fails for K > 1 and alpha > 0",
    fails="The conclusion needs L eta a~ < 1, which eta < 1/(KL) gives only where a~ <= K. With "
    "momentum a~ grows to K(K+1)/2 as alpha tends to 1.",
    repair="Ask for eta <= (1-alpha)/(KL).",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "dfedsgpsm.lem5_step",
            "Proof 5, step size",
            words="Assuming that 0 < eta_l < 1/(KL). Then a~ eta_l - L eta_l^2 a~^2 > 0",
        ),
    ),
    effect="At the paper's K = 20 and alpha = .9 a~ is 121, so the conclusion needs a step six "
    "times as small as printed; Lemma 3's cap, 1/8 of it, is small enough there.",
)
