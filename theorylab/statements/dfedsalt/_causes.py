"""What is wrong with DFedSalt besides what it has from DFedAlt: two faults that SAM brings."""

from __future__ import annotations

from theorylab.statements._cause import Cause, Line
from theorylab.statements._severity import Severity

LOST_PRODUCT = Cause(
    id="dfedsalt/lost-product",
    clause="K_u L_u^2 rho^2 is printed where steps alike make K_u^2",
    fails="In I the square ||D - eta_u p||^2, D the way so far and p the change that SAM makes, is "
    "bounded by ||D||^2 + ||eta_u p||^2, without the product of both. All K_u changes can point "
    "the same way: together they go K_u eta_u L_u rho far, and the square has K_u^2 where K_u is "
    "printed. No constant replaces it, however small eta_u is.",
    repair="Write K_u^2 L_xi^2 rho^2, with the smoothness L_xi of the samples.",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "dfedsalt.lem4",
            "Lemma 4, and I in its proof",
            display=r"\frac{1}{m} \sum_{i=1}^{m} \mathbb{E} \left\| u_i^{t,k} - u_i^t \right\|^2 "
            r"\le 6\eta_u^2 K_u L_u^2 \rho^2 + 18\eta_u^2 K_u^2 \left(\sigma_u^2 + \delta^2 + "
            r"\frac{1}{m} \sum_{i=1}^{m} \mathbb{E} \left\| \nabla_u F(u_i^t, V^{t+1}) "
            r"\right\|^2 \right).",
        ),
    ),
)
BIAS = Cause(
    id="dfedsalt/sam-bias",
    clause="the change that SAM makes is taken for unbiased noise",
    fails="The second line of the display has DFedAlt's step, the gradient at u_i^{t,k}, where "
    "line 19 of Algorithm 1 has the gradient at the point of SAM. The change that SAM makes is no "
    "unbiased noise: it costs a term of first order in eta_u and in rho, and rho^2 stands in the "
    "bounds with eta_u^2 alone. For gradients small beside rho a round goes uphill, however small "
    "eta_u and rho are.",
    repair="Add eta_u K_u L_xi rho times the size of the gradient, or eta_u K_u L_xi^2 rho^2 and "
    "T_{1,u} once more.",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "dfedsalt.eq22",
            "Appendix C.2.2, first display, second line",
            display=r"\leq \frac{-\eta_{u}}{m} \sum_{i=1}^{m} \mathbb{E}\left\langle\nabla_{u}F"
            r"\left(\bar{u}^{t}, V^{t+1}\right), \sum_{k=0}^{K_{u}-1} \nabla_{u}F\left("
            r"u_{i}^{t,k}, v_{i}^{t+1}; \xi_{i}\right)\right\rangle + \frac{L_{u}}{2}"
            r"\mathbb{E}\|\bar{u}^{t+1} - \bar{u}^{t}\|^{2}",
        ),
    ),
)
