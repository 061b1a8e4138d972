"""What is wrong in Theorem 11, VR-HGP at y^(T), and in its proof (Appendix C.7)."""

from theorylab.statements._cause import Cause, Line
from theorylab.statements._severity import Severity

_GAPS = Line(
    "pdbo.thm11_gap",
    'Appendix C.7, the line "by Assumption 10, we have"',
    r"\left\| \tilde{\mathbf{A}} - \hat{\mathbf{A}} \right\|_2 \leq L_y n "
    r"\sum_{i=1}^n \left\| \mathbf{y}_i^* - \mathbf{y}_i^{(T)} \right\| = L_y G, \quad "
    r"\left\| \tilde{\mathbf{B}} - \hat{\mathbf{B}} \right\|_2 \leq \eta_B L_\lambda "
    r"n \sum_{i=1}^n \left\| \mathbf{y}_i^* - \mathbf{y}_i^{(T)} \right\| = \eta_B "
    r"L_\lambda G.",
)
_THEOREM = (
    r"\begin{aligned} &\left\| \tilde{\mathbf{v}}^{(M+1)} + \mathbf{c}^{\lambda} - "
    r"\mathrm{d}_{\lambda_j} F(\mathbf{y}^*, \boldsymbol{\lambda}) \right\| \\ &\leq "
    r"\mu_{\alpha, \beta} \tau \sqrt{\left(\sum_{s, t=1}^n "
    r"\frac{\tilde{p}_{is}^2}{\tilde{\delta}_{s+t}^2} + \frac{4n}{b} \right) \log "
    r"\frac{n(d_{\mathbf{y}} + d_{\lambda})}{\epsilon}} + \frac{\eta_B "
    r"\|\mathbf{c}^{\mathbf{y}}\|}{1 - \eta_A} (L_y + L_{\lambda}) G + \exp(-O(M)), "
    r"\end{aligned}"
)
ONE_CLIENT = Cause(
    id="pdbo/one-map-counted",
    clause="false for n = 1 only, where both maps move and one is counted; n >= 2 is missing",
    fails="True for n >= 2 (with c^y at y*, and with pbar in A and B): what refutes it has one "
    "client. Both maps, g and h, move from y* to y^(T), and the proof counts L_y and eta_B "
    "L_lambda once. The n in G = n sum_i ||y_i* - y_i^(T)|| makes up for that from n = 2 on; "
    "for n = 1 there is no factor 2.",
    repair="Suppose n >= 2, or write 2 L_y and 2 eta_B L_lambda.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(Line("pdbo.thm11", "Appendix C.7, Theorem 11", _THEOREM), _GAPS),
    effect="None at the paper's n = 100: there the proved bias is below 1/50 of the printed one.",
)
LOST_REST = Cause(
    id="pdbo/lost-one-over-one-minus-eta",
    clause="1/(1 - eta_A) is lost in the sum over rounds, for every alpha and beta",
    fails='Theorem 11 is true for n >= 2 all the same (with c^y at y*), but the last "=" of its '
    "proof takes a sum for 1 that tends to 1/(1 - eta_A). The sum is (1-alpha) beta sum_k "
    "(alpha^k - g^k)/(alpha - g) with g = 1 - beta + beta eta_A, so that 1 - g = beta (1 - "
    "eta_A): it grows without limit as eta_A goes to 1, for any n. From n = 2 on the n in G "
    "makes up for the factor; what refutes the theorem by it has one client.",
    repair="Write eta_B/(1-eta_A) (L_y/(1-eta_A) + L_lambda) G.",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "pdbo.thm11_sum",
            "Appendix C.7, the last display of Theorem 11's proof",
            r"\begin{aligned} \frac{\|(\text{Bias})\|}{\|\mathbf{c}^y\|} &\leq \eta_B "
            r"L_\lambda G \frac{1-\alpha}{1-\eta_A} \sum_{i=0}^M \alpha^{M-i} \\ &\quad + "
            r"L_y G \frac{\eta_B}{1-\eta_A} \frac{(1-\alpha)\beta}{\alpha - (1-\beta + "
            r"\beta\eta_A)} \sum_{i=0}^{M-1} (\alpha^{M-i} - (1-\beta + \beta\eta_A)^{M-i}) "
            r"+ \exp(-O(M)) \\ &= \frac{\eta_B}{1-\eta_A} (L_y + L_\lambda) G + \exp(-O(M)). "
            r"\end{aligned}",
        ),
    ),
    effect="None for Theorem 11 at the paper's n = 100: there the proved term of L_y is below "
    "1/900 of the printed one.",
)
C_AT_YT = Cause(
    id="pdbo/c-at-y-of-t",
    clause="c^y at y^(T), as Algorithm 1 has it, has no term in the bound; for every n",
    fails="The bound has no term for c^y at y^(T) less c^y at y*, whatever the number of clients. "
    'Theorem 11 says "using y^(T) instead of y*", and Algorithm 1 hands y^(T) alone to '
    "Algorithm 5, whose first line computes c^y from it. The printed bias is a multiple of "
    "L_y + L_lambda, which are 0 for affine maps; an F_i with curvature then leaves an error "
    "that nothing bounds.",
    repair="Add r eta_B/(1 - r eta_A) ||c~^y - c^y|| + ||c~^lambda - c^lambda||, r = (1 + "
    "sqrt(n))/(2 kappa), with c~ at y^(T); or say that c^y and c^lambda are those at y*.",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "pdbo.thm11",
            "Appendix C.7, Theorem 11",
            _THEOREM,
            "the estimate of v^(M+1) obtained by VR-HGP using y^(T) instead of y*",
        ),
    ),
    effect="It is of the order of the curvature of F_i times ||y^(T) - y*||; the paper prints "
    "neither.",
)
DEBIASED_EDGES = Cause(
    id="pdbo/debiased-edges",
    clause="a round's debiased edges weigh 1/dbar each, which has no limit as an edge gets rare",
    fails="False for every n, where an edge is rare enough: C.7 writes A-tilde and B-tilde with "
    "pbar, and uses the line for the matrices of a round, which have delta/dbar pbar in its "
    "place. An edge that is there weighs pbar/dbar, which has no limit as dbar goes to 0.",
    repair="Write (1 + r) L_y and (1 + r) eta_B L_lambda for n L_y and n eta_B L_lambda, r^2 = sum "
    "pbar^2/dbar^2.",
    severity=Severity.WRONG_ORDER,
    lines=(_GAPS,),
)
