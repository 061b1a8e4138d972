"""What the paper prints where it is false: its own formula, the line that fails, the repair."""

from theorylab.statements._printed import Printed
from theorylab.statements.pdbo._printed_words import WORDS

PRINTED = {  # locator -> what is printed there
    **WORDS,
    "eq6": Printed(
        formula=r"\mathbf{y}_i^* = \mathbb{E}_{\delta, \zeta} \left[\sum_{j=1}^n "
        r"p_{ji}(\delta_j) \varphi_j(\mathbf{y}_j^*; \boldsymbol{\lambda}_j, \zeta_j) + "
        r"\psi_i(\mathbf{y}_i^*; \boldsymbol{\lambda}_i, \zeta_i) \right] = "
        r"[\mathbf{z}_i^{*\top} \ \omega_i^{*\top}]^\top \quad \text{s.t.} \quad "
        r"\mathbf{x}_i^* = \mathbf{z}_i^*/\omega_i^*",
        fails="The cited works let the step sizes decrease; with a constant step a, two clients "
        "with optima at -1 and 1 stop at -a/(1+a) and a/(1+a), and the optimum of Eq. "
        "(1) is 0. The point is not unique either: omega* may be scaled.",
        repair="Bound the distance by (1 + L/(mu sqrt(n))) a ||g_0||/gamma.",
    ),
    "asm4": Printed(
        formula=r"\|\bar{\mathbf{A}}\|_2 < 1",
        fails="y_i = (z_i, omega_i), and omega is handed on as it is: A-bar has the eigenvalue "
        "1 for every instance of SGP.",
        repair="Ask for rho(A-bar) < 1 on the z-components.",
    ),
    "eq9": Printed(
        formula=r"d_\lambda \bar{F}(\mathbf{x}^*(\mathbf{y}^*(\lambda)), \lambda) \approx "
        r"\bar{\mathbf{B}} \sum_{m=0}^{M-1} \bar{\mathbf{A}}^m \mathbf{c}^{\mathbf{y}} + "
        r"\mathbf{c}^\lambda \approx \sum_{m=0}^{M-1} \hat{\mathbf{B}}^{(2m)} "
        r"\prod_{s=0}^{m-1} \hat{\mathbf{A}}^{(2m+1)} \mathbf{c}^{\mathbf{y}} + "
        r"\mathbf{c}^\lambda =: \widehat{d}_\lambda \bar{F}.",
        fails="The product runs over s, and its factor A-hat^(2m+1) has no s: to the letter it "
        "is one draw to the power m, whose mean is not A-bar^m.",
        repair="Write A-hat^(2s+1).",
    ),
    "asm7": Printed(
        words="The realization of delta_{i->j}^(m) are independent over different j and i for all "
        "m in N",
        fails="StoU, a network of the paper's own experiments, has delta_ij = delta_ji for "
        "every edge.",
        repair="Ask that rounds are independent; unbiasedness needs no more.",
    ),
    "eq13": Printed(
        words="w^(m) corresponds to the estimator of sum_{m'=0}^{m-1} A^{m'} c^y",
        fails="For m = 0 the sum is empty, and w^(0) = c^y.",
        repair="Let the sum run to m, as in Appendix B.",
    ),
    "asm8": Printed(
        formula=r"\max \{ \|\partial_{\mathbf{y}_i} \psi_i\|_2, \|\partial_{\mathbf{y}_i} "
        r"\varphi_i\|_2 \} \leq \frac{\eta_A}{2\kappa}, \quad \max \{ "
        r"\|\partial_{\lambda_i} \psi_i\|_2, \|\partial_{\lambda_i} \varphi_i\|_2 \} \leq "
        r"\frac{\eta_B}{2\kappa},",
        fails="SGP hands omega on, so ||d_y phi_i||_2 >= 1, and the right side is below 1/2.",
        repair="Bound the Jacobians on the z-components, where rho(A-bar) < 1.",
    ),
    "thm1": Printed(
        formula=r"\left\| \widehat{\mathbf{d}}_{\lambda_i} \bar{F} - \mathbf{d}_\lambda "
        r"\bar{F}(\mathbf{x}^*, \boldsymbol{\lambda}) \right\| \leq \mu_{\alpha, \beta} "
        r"\tau \sqrt{\left(\sum_{i,j} \frac{\bar{p}_{ji}^2}{\delta_{i \rightarrow j}^2} + "
        r"\frac{4n}{b} \right) \log \frac{n(d_{\mathbf{y}} + d_\lambda)}{\epsilon}} + "
        r"e^{-O(M)},",
        fails="Assumption 8 asks for ||d_y phi_i||_2 <= eta_A/(2 kappa) < 1/2, and (4a) and "
        "(4b) send omega_i as it is, so that the norm is at least 1: no instance of the "
        "paper's own algorithm satisfies it.",
        repair="Take a = max ||A||_2 < 1 and b = max ||B||_2 over the draws of a round, on z, "
        "and the corrected bound.",
    ),
    "appa2": Printed(
        formula=r"d_{\boldsymbol{\lambda}} \mathbf{y}^* = \bar{\mathbf{B}} (\mathbf{I} - "
        r"\bar{\mathbf{A}})^{-1}.",
        fails="On y = (z, omega) I - A-bar is singular for SGP, as Assumption 4's statement shows.",
        repair="Take z alone, with omega* fixed.",
    ),
    "appa31": Printed(
        formula=r"\begin{aligned}\hat{\mathbf{A}} &= \left[\mathbb{1}_{ji} "
        r"\hat{\mathbf{A}}_i^\psi + \bar{p}_{ji} \hat{\mathbf{A}}_j^\varphi \right]_{ji} "
        r"\in \mathbb{R}^{nd_y \times nd_y}, \\ \hat{\mathbf{A}}_i^\psi &= "
        r"\frac{1}{|\zeta_i|} \sum_{\xi \in \zeta_i} \partial_{\mathbf{y}_i} "
        r"g_i(\mathbf{y}_i^*; \boldsymbol{\lambda}_i, \xi) \in \mathbb{R}^{d_y \times "
        r"d_y}, \quad \hat{\mathbf{A}}_j^\varphi = \frac{1}{|\zeta_j|} \sum_{\xi \in "
        r"\zeta_j} \partial_{\mathbf{y}_j} h_j(\mathbf{y}_j^*; \boldsymbol{\lambda}_j, "
        r"\xi) \in \mathbb{R}^{d_y \times d_y}, \\ \hat{\mathbf{B}} &= "
        r"\left[\mathbb{1}_{ji} \hat{\mathbf{B}}_i^\psi + \bar{p}_{ji} "
        r"\hat{\mathbf{B}}_j^\varphi \right]_{ji} \in \mathbb{R}^{nd_\lambda \times "
        r"nd_y}, \\ \hat{\mathbf{B}}_i^\psi &= \frac{1}{|\zeta_i|} \sum_{\xi \in \zeta_i} "
        r"\partial_{\boldsymbol{\lambda}_i} h_i(\mathbf{y}_i^*; \boldsymbol{\lambda}_i, "
        r"\xi) \in \mathbb{R}^{d_\lambda \times d_y}, \quad \hat{\mathbf{B}}_j^\varphi = "
        r"\frac{1}{|\zeta_j|} \sum_{\xi \in \zeta_j} \partial_{\boldsymbol{\lambda}_j} "
        r"\varphi_{ji}(\mathbf{y}_j^*; \boldsymbol{\lambda}_j, \xi) \in "
        r"\mathbb{R}^{d_\lambda \times d_y}.\end{aligned}",
        fails="B-hat^psi is made of h where g belongs: on (4b) h does not depend on lambda, so "
        "its mean is 0.",
        repair="Write d_lambda g_i and d_lambda h_j.",
    ),
    "eq15": Printed(
        formula=r"(\mathbf{I} - \bar{\mathbf{A}})^{-1} = \sum_{m=0}^{\infty} \bar{\mathbf{A}}^m "
        r"\approx \sum_{m=0}^{M-1} \bar{\mathbf{A}}^m.",
        fails="On y = (z, omega) A-bar has the eigenvalue 1 for SGP: there is no inverse and "
        "no convergence.",
        repair="Take z alone, where rho(A-bar) < 1.",
    ),
    "asm9": Printed(
        formula=r"\begin{aligned} \max \left\{ \sup_{\mathbf{y}_i, \boldsymbol{\lambda}_i, \xi} "
        r"\|\partial_{\mathbf{y}_i} g_i(\mathbf{y}_i, \boldsymbol{\lambda}_i, \xi)\|_2, "
        r"\sup_{\mathbf{y}_j, \boldsymbol{\lambda}_j, \xi} \|\partial_{\mathbf{y}_j} "
        r"h_j(\mathbf{y}_j, \boldsymbol{\lambda}_j, \xi)\|_2 \right\} &\leq "
        r"\frac{\eta_A}{2 \sum_{i,j} \frac{\bar{p}_{ji}}{\bar{\delta}_{i+j}}}, \\ \max "
        r"\left\{ \sup_{\mathbf{y}_i, \boldsymbol{\lambda}_i, \xi} "
        r"\|\partial_{\boldsymbol{\lambda}_i} g_i(\mathbf{y}_i, \boldsymbol{\lambda}_i, "
        r"\xi)\|_2, \sup_{\mathbf{y}_j, \boldsymbol{\lambda}_j, \xi} "
        r"\|\partial_{\boldsymbol{\lambda}_j} h_j(\mathbf{y}_j, \boldsymbol{\lambda}_j, "
        r"\xi)\|_2 \right\} &\leq \frac{\eta_B}{2 \sum_{i,j} "
        r"\frac{\bar{p}_{ji}}{\bar{\delta}_{i+j}}}. \end{aligned}",
        fails="SGP hands omega on sample by sample, so the left side is at least 1, and the "
        "right side is below 1/2.",
        repair="Bound the Jacobians on z.",
    ),
    "lem4": Printed(
        formula=r"\mathbf{v}^{(M+1)} = \sum_{i=0}^M \alpha^{M-i+1} \hat{\mathbf{B}}^{(2i)} "
        r"\mathbf{u}^{(i)} + (1-\alpha) \sum_{i=0}^M \alpha^{M-i} \hat{\mathbf{B}}^{(2i)} "
        r"\mathbf{w}^{(i)}.",
        fails="In its proof two lines have a factor alpha too many and w^(M+1) for w^(M); the "
        "claim itself is true.",
        repair="Delete the alpha, and write w^(M).",
    ),
    "lem6": Printed(
        formula=r"\left\| \mathbf{R}_3^{(i,M)} \right\|_2 \leq \frac{1-\alpha}{1-\eta_A} "
        r"\alpha^{M-i} + \frac{1}{1-\eta_A} \alpha^{M-i+1} \eta_A^i - \frac{1}{1-\eta_A} "
        r"\alpha^{M-i} \eta_A^{i+1},",
        fails="It stands under Assumption 9, which no instance of SGP satisfies.",
        repair="Ask for ||A|| <= eta_A < 1 and ||B|| <= eta_B on z, and avoid the quotient by "
        "alpha - b.",
    ),
    "lem7_lines": Printed(
        formula=r"\begin{aligned} \|\mathbf{Y}_{B,s}^{(i,\xi)}\|_2^2 &\leq "
        r"\frac{1}{|\zeta_t^{(2i)}|^2} \sum_{s=1}^n \left\| \mathbb{1}_{ts} "
        r"\partial_{\lambda_t} g_t(\mathbf{y}_t^*, \boldsymbol{\lambda}_t, \xi) + "
        r"\bar{p}_{ts} \partial_{\lambda_t} h_t(\mathbf{y}_t^*, \boldsymbol{\lambda}_t, "
        r"\xi) - \mathbb{1}_{ts} \bar{\mathbf{B}}_t^\psi - \bar{p}_{ts} "
        r"\bar{\mathbf{B}}_t^\varphi \right\|_2^2 \|\mathbf{R}_3^{(i,M)}\|_2^2 \\ &\leq "
        r"\frac{1}{|\zeta_s^{(2i)}|^2} \left(\frac{\eta_B}{2\kappa}\right)^2 \left(2 + 2 "
        r"\underbrace{\sum_{s=1}^n \bar{p}_{ts}}_{=1}\right) "
        r"\left(\frac{1-\alpha}{1-\eta_A} \alpha^{M-i} + \exp(-O(M))\right)^2 "
        r"\end{aligned}",
        fails="Two matrices of norm eta_B/(2 kappa) can be eta_B/kappa apart: the line is too "
        'small by a factor up to 4, which the next "=" brings back.',
        repair="Write 4 eta_B^2/kappa^2.",
    ),
    "lem9_lines": Printed(
        formula=r"\left\| \mathbf{X}_{A,st}^{(i)} \right\|_2^2 \leq \left\{ 1 + "
        r"\left(\frac{1}{\bar{\delta}_{s \rightarrow t}} - 2 \right)^2 \right\} "
        r"\bar{p}_{ts}^2 \left\| \hat{\mathbf{A}}_t^{\varphi(2i+1)} \right\|_2^2 "
        r"\left(\left\| \hat{\mathbf{L}}_4^{(i,M)} \right\|_2 \eta_A^i + \left\| "
        r"\hat{\mathbf{L}}_5^{(i,M)} \right\|_2 \right) \left\| \mathbf{R}_1^{(i)} "
        r"\right\|_2^2",
        fails="The 2 stands for a 1, which the other lines have.",
        repair="Write 1/dbar - 1.",
    ),
    "thm10": Printed(
        formula=r"\left\| \mathbf{v}^{(M+1)} - d_{\lambda_j} F(\mathbf{y}^*, "
        r"\boldsymbol{\lambda}) \right\| \leq \mu_{1,0} \tau \sqrt{\left(\sum_{s,t=1}^n "
        r"\frac{\bar{p}_{ts}^2}{\bar{\delta}_{s+t}^2} + \frac{4n}{|\zeta|} \right) \log "
        r"\frac{n(d_{\mathbf{y}} + d_{\boldsymbol{\lambda}})}{\epsilon}} + \exp(-O(M)),",
        fails="The recursion of Appendix C starts at v^(0) = 0, so the estimate lacks "
        "c^lambda, and no bound without ||c^lambda|| can hold.",
        repair="Add c^lambda to the estimate.",
    ),
    "asm10": Printed(
        formula=r"\begin{aligned} \sup_{\boldsymbol{\lambda}_i, \xi} \|\partial_{\mathbf{y}_i} "
        r"g_i(\mathbf{y}_i, \boldsymbol{\lambda}_i, \xi) - \partial_{\mathbf{y}_i} "
        r"g_i(\mathbf{y}'_i, \boldsymbol{\lambda}_i, \xi)\|_2 &\leq L_y \|\mathbf{y}_i - "
        r"\mathbf{y}'_i\|, \\ \sup_{\boldsymbol{\lambda}_i, \xi} "
        r"\|\partial_{\mathbf{y}_i} h_i(\mathbf{y}_i, \boldsymbol{\lambda}_i, \xi) - "
        r"\partial_{\mathbf{y}_i} h_i(\mathbf{y}'_i, \boldsymbol{\lambda}_i, \xi)\|_2 "
        r"&\leq L_y \|\mathbf{y}_i - \mathbf{y}'_i\|, \\ \sup_{\boldsymbol{\lambda}_i, "
        r"\xi} \|\partial_{\boldsymbol{\lambda}_i} g_i(\mathbf{y}_i, "
        r"\boldsymbol{\lambda}_i, \xi) - \partial_{\boldsymbol{\lambda}_i} "
        r"g_i(\mathbf{y}'_i, \boldsymbol{\lambda}_i, \xi)\|_2 &\leq \eta_B L_{\lambda} "
        r"\|\mathbf{y}_i - \mathbf{y}'_i\|, \\ \sup_{\boldsymbol{\lambda}_i, \xi} "
        r"\|\partial_{\boldsymbol{\lambda}_i} h_i(\mathbf{y}_i, \boldsymbol{\lambda}_i, "
        r"\xi) - \partial_{\boldsymbol{\lambda}_i} h_i(\mathbf{y}'_i, "
        r"\boldsymbol{\lambda}_i, \xi)\|_2 &\leq \eta_B L_{\lambda} \|\mathbf{y}_i - "
        r"\mathbf{y}'_i\|. \end{aligned}",
        fails="SGP's Jacobian has alpha_i/omega_i, whose slope in omega has no bound as omega "
        "tends to 0.",
        repair="Ask for it where omega_i >= w and ||z_i|| <= R, where the weights and models stay.",
    ),
    "thm11": Printed(
        formula=r"\begin{aligned} &\left\| \tilde{\mathbf{v}}^{(M+1)} + \mathbf{c}^{\lambda} - "
        r"\mathrm{d}_{\lambda_j} F(\mathbf{y}^*, \boldsymbol{\lambda}) \right\| \\ &\leq "
        r"\mu_{\alpha, \beta} \tau \sqrt{\left(\sum_{s, t=1}^n "
        r"\frac{\tilde{p}_{is}^2}{\tilde{\delta}_{s+t}^2} + \frac{4n}{b} \right) \log "
        r"\frac{n(d_{\mathbf{y}} + d_{\lambda})}{\epsilon}} + \frac{\eta_B "
        r"\|\mathbf{c}^{\mathbf{y}}\|}{1 - \eta_A} (L_y + L_{\lambda}) G + \exp(-O(M)), "
        r"\end{aligned}",
        fails="The last line of the proof sums (1-alpha) beta (alpha^k - g^k)/(alpha - g) to "
        "1, and it is 1/(1 - eta_A); two maps move, and one L_y is counted; and c^y at "
        "y^(T) is missing.",
        repair="Write 1/(1-eta_A)^2 before L_y, a factor 2, and the change of c^y.",
    ),
    "thm11_gap": Printed(
        formula=r"\left\| \tilde{\mathbf{A}} - \hat{\mathbf{A}} \right\|_2 \leq L_y n "
        r"\sum_{i=1}^n \left\| \mathbf{y}_i^* - \mathbf{y}_i^{(T)} \right\| = L_y G",
        fails="Both g and h move from y* to y^(T), and one L_y is counted: false for one "
        "client, and with a round's debiased edges for every number of clients.",
        repair="Write (1 + r) L_y, with r^2 = sum pbar^2/dbar^2.",
    ),
    "thm11_cross": Printed(
        formula=r"\left\| \tilde{\mathbf{B}} - \hat{\mathbf{B}} \right\|_2 \leq \eta_B L_\lambda "
        r"n \sum_{i=1}^n \left\| \mathbf{y}_i^* - \mathbf{y}_i^{(T)} \right\| = \eta_B "
        r"L_\lambda G",
        fails="Both maps move, and one eta_B L_lambda is counted, as for A.",
        repair="Write (1 + r) eta_B L_lambda.",
    ),
    "thm11_sum": Printed(
        formula=r"\begin{aligned} \frac{\|(\text{Bias})\|}{\|\mathbf{c}^y\|} &\leq \eta_B "
        r"L_\lambda G \frac{1-\alpha}{1-\eta_A} \sum_{i=0}^M \alpha^{M-i} \\ &\quad + "
        r"L_y G \frac{\eta_B}{1-\eta_A} \frac{(1-\alpha)\beta}{\alpha - (1-\beta + "
        r"\beta\eta_A)} \sum_{i=0}^{M-1} (\alpha^{M-i} - (1-\beta + \beta\eta_A)^{M-i}) "
        r"+ \exp(-O(M)) \\ &= \frac{\eta_B}{1-\eta_A} (L_y + L_\lambda) G + \exp(-O(M)). "
        r"\end{aligned}",
        fails="The sum is 1/(1 - eta_A) in the limit, as 1 - g = beta (1 - eta_A); the last "
        "line takes it for 1.",
        repair="Write eta_B/(1-eta_A) (L_y/(1-eta_A) + L_lambda) G.",
    ),
    "eq41": Printed(
        formula=r"d_{\lambda}^{\text{ITD}} \bar{F}(\mathbf{x}^{(T)}, \lambda) := \sum_{t=0}^{T-1} "
        r"\hat{\mathbf{B}}^{(t)} \prod_{s=t+1}^{T-1} \hat{\mathbf{A}}^{(s)} "
        r"\mathbf{c}^{\mathbf{x}} + \mathbf{c}^{\lambda}.",
        fails="With the paper's own sign for products the factors stand in the wrong order: d "
        "y^(t+1) = d y^(t) A^(t) + B^(t) puts the later ones further right.",
        repair="Let the factors increase to the right, as in Eq. (42).",
    ),
    "itd_backward": Printed(
        formula=r"\begin{cases} \mathbf{v}^{(t)} \leftarrow \hat{\mathbf{B}}^{(t+1)} "
        r"\mathbf{u}^{(t+1)} + \mathbf{v}^{(t+1)}, \\ \mathbf{u}^{(t)} \leftarrow "
        r"\hat{\mathbf{A}}^{(t+1)} \mathbf{u}^{(t+1)}, \end{cases}",
        fails="It reads A^(T) and B^(T), which no round of the inner loop used, and never B^(0).",
        repair="Write B^(t) and A^(t) for B^(t+1) and A^(t+1).",
    ),
}
