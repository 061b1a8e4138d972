"""What the paper prints where it is false: its own formula, the line that fails, the repair."""

from theorylab.statements._printed import Printed
from theorylab.statements.dfedalt._printed import PRINTED as DFEDALT

PRINTED = {  # locator -> what is printed there
    "thm2": Printed(
        formula=r"\frac{1}{T} \sum_{i=1}^{T} \left(\frac{1}{L_u} \mathbb{E} "
        r"\left[\Delta_{\bar{u}}^t \right] + \frac{1}{L_v} \mathbb{E} \left[\Delta_v^t "
        r"\right] \right) \leq \mathcal{O} \left(\frac{F(\bar{u}^1, V^1) - F^*}{\sqrt{T}} "
        r"+ \frac{\sigma_v^2 (L_v + 1)}{L_v^2 \sqrt{T}} + \frac{L_u}{T} + \frac{\sigma^2 "
        r"L_{vu}^2}{T^{1/2} (1 - \lambda)^2} + \frac{\sigma^2 L_u}{T (1 - \lambda)^2} "
        r"\right), \text{where } \mathcal{O} \left(\sigma^2 \right) = \mathcal{O} "
        r"\left(\frac{\rho^2}{K_v} + \frac{\sigma_u^2 + \delta^2}{L_v^2} \right) = "
        r"\mathcal{O} \left(\frac{1}{K_v T} + \frac{\sigma_u^2 + \delta^2}{L_v^2} \right) "
        r"\text{ when } \rho = \mathcal{O} \left(\frac{1}{\sqrt{T}} \right).",
        fails="The noise of the local steps, 5/2 eta_u^2 K_u L_u sigma_u^2 in (33), is lost "
        "where the coupling is 0: the left side falls as 1/sqrt(T), the bracket as 1/T.",
        repair="Add sigma_u^2/(m K_u L_u sqrt(T)), as the corrected bound has it.",
    ),
    "lem4": Printed(
        formula=r"\frac{1}{m} \sum_{i=1}^{m} \mathbb{E} \left\| u_i^{t,k} - u_i^t \right\|^2 \le "
        r"6\eta_u^2 K_u L_u^2 \rho^2 + 18\eta_u^2 K_u^2 \left(\sigma_u^2 + \delta^2 + "
        r"\frac{1}{m} \sum_{i=1}^{m} \mathbb{E} \left\| \nabla_u F(u_i^t, V^{t+1}) "
        r"\right\|^2 \right).",
        fails="I bounds ||D - eta p||^2 by ||D||^2 + ||eta p||^2, without the product; SAM's "
        "changes can all point the same way, and K_u of them go K_u^2 eta_u^2 L_u^2 "
        "rho^2 far. False from K_u = 8 on, for any step size.",
        repair="Write K_u^2 L_xi^2 rho^2, with the smoothness of the samples.",
    ),
    "lem6": Printed(
        formula=r"\frac{1}{m} \sum_{i=1}^{m} \mathbb{E} \|u_i^t - \bar{u}^t\|^2 \le "
        r"\frac{6\eta_u^2 K_u}{(1-\lambda)^2} \Big[L_u^2 \rho^2 + 3K_u \Big(\sigma_u^2 + "
        r"\delta^2 + \frac{1}{m} \sum_{i=1}^{m} \mathbb{E} \|\nabla_u F(u_i^t, "
        r"V^{t+1})\|^2 \Big) \Big].",
        fails="It sums Lemma 4, whose K_u L_u^2 rho^2 should be K_u^2 L_u^2 rho^2; and the "
        "starts are apart.",
        repair="Lemma 5's corrected version with Lemma 4's.",
    ),
    "eq22": Printed(
        formula=DFEDALT["eq8"].formula,  # (22) is (8) to the letter
        fails="Its second line has DFedAlt's step where line 19 of the algorithm has SAM's "
        "gradient: SAM's change is no unbiased noise, and costs a term of first order in "
        "eta_u and rho.",
        repair="Add eta_u K_u L_xi rho times the size of the gradient.",
    ),
    "eq23": Printed(
        formula=r"\mathcal{T}_{1,u} \le \frac{3\eta_u^3 K_u L_u^2}{(1-\lambda)^2} \left[L_u^2 "
        r"\rho^2 + 3K_u \left(\sigma_u^2 + \delta^2 + \underbrace{\frac{1}{m} "
        r"\sum_{i=1}^m \mathbb{E} \left\| \nabla_u F(u_i^t, V^{t+1}) "
        r"\right\|^2}_{\mathcal{T}_{3,u}} \right) \right]",
        fails="As (9): Lemma 6 bounds one disagreement, and K_u local steps are summed.",
        repair="Add the way within the round, with Lemma 4's corrected version.",
    ),
    "eq26": Printed(
        formula=r"\mathcal{T}_{2,u} \leq \frac{5}{2} \eta_{u}^{2} K_{u} L_{u} \left(L_{u}^{2} "
        r"\rho^{2} + \sigma_{u}^{2} + \delta^{2} + \frac{L_{u}^{2}}{m} \sum_{i=1}^{m} "
        r"\mathbb{E} \|u_{i}^{t} - \bar{u}^{t}\|^{2} + \mathbb{E} [\Delta_{\bar{u}}^{t}] "
        r"\right)",
        fails="As (12): the square of a sum of K_u gradients is bounded by the sum of their "
        "squares, without the factor K_u.",
        repair="Write eta_u^2 K_u^2 before the gradient and SAM's term.",
    ),
    "eq27": Printed(
        formula=r"\mathbb{E}\Big[F\left(\bar{u}^{t+1}, V^{t+1}\right) - F\left(\bar{u}^{t}, "
        r"V^{t+1}\right)\Big] \leq "
        r"\frac{-\eta_{u}K_{u}}{2}\mathbb{E}\left[\Delta_{\bar{u}}^{t}\right] + "
        r"\mathcal{T}_{1,u} + \mathcal{T}_{2,u} \leq \left(\frac{-\eta_{u}K_{u}}{2} + "
        r"\frac{5}{2}\eta_{u}^{2}K_{u}L_{u} + \frac{18\eta_{u}^{3}K_{u}^{2}L_{u}^{2}(1 + "
        r"5\eta_{u}K_{u}L_{u})}{(1 - "
        r"\lambda)^{2}}\right)\mathbb{E}\left[\Delta_{\bar{u}}^{t}\right] + "
        r"\frac{3\eta_{u}^{3}K_{u}L_{u}^{2}}{(1 - \lambda)^{2}}\left[L_{u}^{2}\rho^{2} + "
        r"3K_{u}\left(\sigma_{u}^{2} + \delta^{2}\right)\right] + "
        r"\frac{5}{2}\eta_{u}^{2}K_{u}L_{u}\left(L_{u}^{2}\rho^{2} + \sigma_{u}^{2} + "
        r"\delta^{2}\right) + \frac{15\eta_{u}^{4}K_{u}^{2}L_{u}^{3}}{(1 - "
        r"\lambda)^{2}}\left[L_{u}^{2}\rho^{2} + 3K_{u}\left(\sigma_{u}^{2} + "
        r"\delta^{2}\right)\right].",
        fails="The first display, (22), has lost SAM's bias: three clients go uphill for every "
        "rho > 0.",
        repair="The u-step with SAM of the corrected descent.",
    ),
    "eq31": Printed(
        formula=r"\frac{L_{vu}^2}{2m} \sum_{i=1}^m \mathbb{E} \|\bar{u}^t - u_i^t\|^2 \le "
        r"\frac{L_{vu}^2}{(1-\lambda)^2} \left[3\eta_u^2 K_u L_u^2 \rho^2 + 9\eta_u^2 "
        r"K_u^2 \left(\sigma_u^2 + \delta^2 + 2\mathbb{E}[\Delta_{\bar{u}}^t] \right) "
        r"\right].",
        fails='"According to Eq. (25)": the starts are apart, and K_u steps of SAM in one '
        "direction are K_u^2 L_u^2 rho^2.",
        repair="Lemma 6's corrected version.",
    ),
    "eq32": Printed(
        formula=r"\begin{aligned} \mathbb{E}\Big[F\left(\bar{u}^{t}, V^{t+1}\right) - "
        r"F\left(\bar{u}^{t}, V^{t}\right)\Big] \leq \Big(-\eta_{v}K_{v} + "
        r"8\eta_{v}^{2}K_{v}^{2}(L_{v} + 1)\Big)\mathbb{E}[\Delta_{v}^{t}] + "
        r"4\eta_{v}^{2}K_{v}^{2}\sigma_{v}^{2}(L_{v} + 1) \\ + "
        r"\frac{L_{vu}^{2}}{(1-\lambda)^{2}} \left[3\eta_{u}^{2}K_{u}L_{u}^{2}\rho^{2} + "
        r"9\eta_{u}^{2}K_{u}^{2}\left(\sigma_{u}^{2} + \delta^{2} + "
        r"2\mathbb{E}[\Delta_{\bar{u}}^{t}]\right)\right]. \end{aligned}",
        fails="It uses (31): with starts apart each client steps down for itself, and at the "
        "average that is up.",
        repair="Keep the disagreement itself on the right, as in (18).",
    ),
    "eq33": Printed(
        formula=r"\begin{aligned} \mathbb{E}\Big[F\left(\bar{u}^{t+1}, V^{t+1}\right) - "
        r"F\left(\bar{u}^{t}, V^{t}\right)\Big] = \mathbb{E}\Big[F\left(\bar{u}^{t}, "
        r"V^{t+1}\right) - F\left(\bar{u}^{t}, V^{t}\right) + F\left(\bar{u}^{t+1}, "
        r"V^{t+1}\right) - F\left(\bar{u}^{t}, V^{t+1}\right)\Big] \\ \leq "
        r"\left(\frac{\eta_{u}}{2} - \eta_{u}K_{u} + "
        r"\frac{54\eta_{u}^{3}K_{u}^{3}L_{u}^{2}}{(1-\lambda)^{2}}\right)\mathbb{E}\left["
        r"\Delta_{\bar{u}}^{t}\right] + "
        r"\frac{5}{2}\eta_{u}^{2}K_{u}L_{u}\left(L_{u}^{2}\rho^{2} + \sigma_{u}^{2} + "
        r"\delta^{2}\right) \\ + "
        r"\frac{3\eta_{u}K_{u}L_{u}^{2}}{2(1-\lambda)^{2}}\left(6\eta_{u}^{2}K_{u}L_{u}^{2"
        r"}\rho^{2} + 18\eta_{u}^{2}K_{u}^{2}(\sigma_{u}^{2} + \delta^{2})\right) \\ + "
        r"\left(-\eta_{v}K_{v} + 8\eta_{v}^{2}K_{v}^{2}(L_{v} + "
        r"1)\right)\mathbb{E}\left[\Delta_{v}^{t}\right] + "
        r"4\eta_{v}^{2}K_{v}^{2}\sigma_{v}^{2}(L_{v} + 1) \\ + "
        r"\frac{L_{vu}^{2}}{(1-\lambda)^{2}}\left[3\eta_{u}^{2}K_{u}L_{u}^{2}\rho^{2} + "
        r"9\eta_{u}^{2}K_{u}^{2}\left(\sigma_{u}^{2} + \delta^{2} + "
        r"2\mathbb{E}\left[\Delta_{\bar{u}}^{t}\right]\right)\right]. \end{aligned}",
        fails="It should be (27) + (32) and is not; and (22) has lost SAM's bias, which is of "
        "first order in eta_u, where the printed rho^2 comes with eta_u^2.",
        repair="The corrected descent with SAM, for eta_u K_u L_u <= 1/3 and eta_v K_v L_v <= 1/4.",
    ),
}
