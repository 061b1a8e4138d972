"""What the paper prints where it is false: its own formula, the line that fails, the repair."""

from theorylab.statements._printed import Printed

PRINTED = {  # locator -> what is printed there
    "alg1": Printed(
        formula=r"u_i^{t+1} = \sum_{l \in \mathcal{N}(i)} w_{i,l} z_i^t",
        fails="Line 13 sums over l and has z_i: to the letter nothing that was received is used.",
        repair="Write z_l.",
    ),
    "thm1": Printed(
        formula=r"\frac{1}{T} \sum_{i=1}^{T} \left(\frac{1}{L_u} \mathbb{E} "
        r"\left[\Delta_{\bar{u}}^t \right] + \frac{1}{L_v} \mathbb{E} \left[\Delta_v^t "
        r"\right] \right) \le \mathcal{O} \left(\frac{F(\bar{u}^1, V^1) - F^*}{\sqrt{T}} "
        r"+ \frac{\sigma_1^2}{\sqrt{T}} + \frac{\sigma_2^2}{T(1 - \lambda)^2} \right),",
        fails="(13) has the noise of the local steps, 2 eta_u^2 K_u L_u sigma_u^2; (20) has "
        "lost it. Without coupling the left side falls as 1/sqrt(T) and the bracket as "
        "1/T: the ratio grows as sqrt(T).",
        repair="Add sigma_u^2/(m K_u L_u sqrt(T)), as the corrected bound with constants has it.",
    ),
    "lem3": Printed(
        formula=r"\frac{1}{m} \sum_{i=1}^{m} \mathbb{E} \left\| u_i^{t,k} - u_i^t \right\|^2 \le "
        r"18 \eta_u^2 K_u^2 \left(\sigma_u^2 + \delta^2 + \frac{1}{m} \sum_{i=1}^{m} "
        r"\mathbb{E} \left\| \nabla_u F(u_i^t, V^{t+1}) \right\|^2 \right).",
        fails="The proof bounds how grad_u F_i changes along the local steps by nothing at "
        "all, and no cap on the step is stated: with eta_u L_u = 3 the steps explode.",
        repair="Carry the factor (1 + eta_u L_u)^k, or ask for a cap on eta_u K_u L_u.",
    ),
    "lem5": Printed(
        formula=r"\frac{1}{m} \sum_{i=1}^{m} \mathbb{E} \|u_i^t - \bar{u}^t\|^2 \le "
        r"\frac{18\eta_u^2 K_u^2}{(1-\lambda)^2} \Big(\sigma_u^2 + \delta^2 + \frac{1}{m} "
        r"\sum_{i=1}^{m} \mathbb{E} \|\nabla_u F(u_i^t, V^{t+1})\|^2\Big).",
        fails="The proof drops W^t U^0: Algorithm 1 starts the clients apart, the left side is "
        "then any number at t = 0, and the right side is as small as eta_u^2.",
        repair="Add the distance of the starts, or start together and use the cap.",
    ),
    "eq8": Printed(
        formula=r"\mathbb{E}\left[F\left(\bar{u}^{t+1}, V^{t+1}\right) - F\left(\bar{u}^{t}, "
        r"V^{t+1}\right)\right] \leq \left\langle\nabla_{u}F\left(\bar{u}^{t}, "
        r"V^{t+1}\right), \bar{u}^{t+1} - \bar{u}^{t}\right\rangle + "
        r"\frac{L_{u}}{2}\mathbb{E}\|\bar{u}^{t+1} - \bar{u}^{t}\|^{2} \leq "
        r"\frac{-\eta_{u}}{m} \sum_{i=1}^{m} "
        r"\mathbb{E}\left\langle\nabla_{u}F\left(\bar{u}^{t}, V^{t+1}\right), "
        r"\sum_{k=0}^{K_{u}-1} \nabla_{u}F\left(u_{i}^{t,k}, v_{i}^{t+1}; "
        r"\xi_{i}\right)\right\rangle + \frac{L_{u}}{2}\mathbb{E}\|\bar{u}^{t+1} - "
        r"\bar{u}^{t}\|^{2} \leq "
        r"-\eta_{u}K_{u}\mathbb{E}\left[\Delta_{\bar{u}}^{t}\right] + \frac{\eta_{u}}{m} "
        r"\sum_{i=1}^{m} \sum_{k=0}^{K_{u}-1} "
        r"\mathbb{E}\left\langle\nabla_{u}F\left(\bar{u}^{t}, V^{t+1}\right), \nabla "
        r"F\left(\bar{u}^{t}, v_{i}^{t+1}\right) - \nabla_{u}F\left(u_{i}^{t,k}, "
        r"v_{i}^{t+1}; \xi_{i}\right)\right\rangle + "
        r"\frac{L_{u}}{2}\mathbb{E}\|\bar{u}^{t+1} - \bar{u}^{t}\|^{2} "
        r"\stackrel{a)}{\leq} "
        r"\frac{-\eta_{u}K_{u}}{2}\mathbb{E}\left[\Delta_{\bar{u}}^{t}\right] + "
        r"\underbrace{\frac{\eta_{u}L_{u}^{2}}{2m} \sum_{i=1}^{m} \sum_{k=0}^{K_{u}-1} "
        r"\mathbb{E}\|u_{i}^{t,k} - \bar{u}^{t}\|^{2}}_{T_{1,u}} + "
        r"\underbrace{\frac{L_{u}}{2}\mathbb{E}\|\bar{u}^{t+1} - "
        r"\bar{u}^{t}\|^{2}}_{T_{2,u}}.",
        fails="Line 4 of Algorithm 1 draws one minibatch a round: from the second step on the "
        "point depends on the sample, and the mean of its gradient is not the gradient.",
        repair="Draw a minibatch a step; (8) is then true.",
    ),
    "eq9": Printed(
        formula=r"\mathcal{T}_{1,u} \le \frac{9\eta_u^3 K_u^2 L_u^2}{(1-\lambda)^2} "
        r"\left[\sigma_u^2 + \delta^2 + \underbrace{\frac{1}{m} \sum_{i=1}^m \mathbb{E} "
        r"\|\nabla_u F(u_i^t, V^{t+1})\|^2}_{\mathcal{T}_{2,u}} \right]",
        fails='"We can use Lemma 5": it bounds u_i^t - ubar^t, and (9) needs u_i^{t,k} - '
        "ubar^t for all K_u local steps, so a factor K_u is missing. False from K_u = 56 "
        "on, by any factor.",
        repair="Add the way within the round, 2 K_u^3 eta_u^2 (...), to 2 K_u times the "
        "disagreement.",
    ),
    "eq12": Printed(
        formula=r"\begin{aligned} \mathcal{T}_{2,u} \leq \frac{\eta_{u}^{2} L_{u}}{2m} "
        r"\sum_{i=1}^{m} \sum_{k=0}^{K_{u}-1} \left\| \nabla_{u} F\left(u_{i}^{t,k}, "
        r"v_{i}^{t+1}; \xi_{i}\right) - \nabla_{u} F\left(u_{i}^{t}, v_{i}^{t+1}\right) + "
        r"\nabla_{u} F\left(u_{i}^{t}, v_{i}^{t+1}\right) - \nabla_{u} F\left(u_{i}^{t}, "
        r"V^{t+1}\right) + \nabla_{u} F\left(u_{i}^{t}, V^{t+1}\right) - \nabla_{u} "
        r"F\left(\bar{u}^{t}, V^{t+1}\right) + \nabla_{u} F\left(\bar{u}^{t}, "
        r"V^{t+1}\right) \right\|^{2} \\ \leq 2\eta_{u}^{2} K_{u} L_{u} "
        r"\left(\sigma_{u}^{2} + \delta^{2} + \frac{L_{u}^{2}}{m} \sum_{i=1}^{m} "
        r"\mathbb{E} \|u_{i}^{t} - \bar{u}^{t}\|^{2} + \mathbb{E} [\Delta_{\bar{u}}^{t}] "
        r"\right) \\ \leq 2\eta_{u}^{2} K_{u} L_{u} \left(\sigma_{u}^{2} + \delta^{2} + "
        r"\mathbb{E} [\Delta_{\bar{u}}^{t}] \right) + \underbrace{\frac{2\eta_{u}^{2} "
        r"K_{u} L_{u}^{3}}{m} \sum_{i=1}^{m} \mathbb{E} \|u_{i}^{t} - "
        r"\bar{u}^{t}\|^{2}}_{\mathcal{I}} \end{aligned}",
        fails="The first line bounds the square of a sum of K_u gradients by the sum of their "
        "squares: the factor K_u is missing, and (12) is false from K_u = 5 on.",
        repair="Write eta_u^2 K_u^2 before the gradient; the noise keeps K_u.",
    ),
    "eq13": Printed(
        formula=r"\mathbb{E}\Big[F\left(\bar{u}^{t+1}, V^{t+1}\right) - F\left(\bar{u}^{t}, "
        r"V^{t+1}\right)\Big] \leq "
        r"\frac{-\eta_{u}K_{u}}{2}\mathbb{E}[\Delta_{\bar{u}}^{t}] + \mathcal{T}_{1,u} + "
        r"\mathcal{T}_{2,u} \leq \left(\frac{-\eta_{u}K_{u}}{2} + 2\eta_{u}^{2}K_{u}L_{u} "
        r"+ \frac{18\eta_{u}^{2}K_{u}^{2}(2 + \eta_{u}L_{u}^{2})}{(1 - "
        r"\lambda)^{2}}\right)\mathbb{E}[\Delta_{\bar{u}}^{t}] + "
        r"2\eta_{u}^{2}K_{u}L_{u}(\sigma_{u}^{2} + \delta^{2}) + "
        r"\frac{9\eta_{u}^{2}K_{u}^{2}(2 + \eta_{u}L_{u}^{2})}{(1 - "
        r"\lambda)^{2}}\left(\sigma_{u}^{2} + \delta^{2}\right).",
        fails="It sums (9) and (12), each of which has lost a factor K_u.",
        repair="The u-step of the corrected descent, for eta_u K_u L_u <= 1/2.",
    ),
    "eq15": Printed(
        formula=r"\begin{aligned} \mathcal{T}_{1,v} \leq \frac{1}{m} \sum_{i=1}^{m} \mathbb{E} "
        r"\left\langle \nabla_{v} F_{i} \left(\bar{u}^{t}, v_{i}^{t} \right) - \nabla_{v} "
        r"F_{i} \left(u_{i}^{t}, v_{i}^{t} \right) + \nabla_{v} F_{i} \left(u_{i}^{t}, "
        r"v_{i}^{t} \right), -\eta_{v} \sum_{k=0}^{K_{v}-1} \mathbb{E} \nabla_{v} F_{i} "
        r"\left(u_{i}^{t}, v_{i}^{t}; \xi_{i} \right) \right\rangle \\ "
        r"\stackrel{a)}{\leq} \frac{-\eta_{v} K_{v}}{m} \sum_{i=1}^{m} \mathbb{E} \| "
        r"\nabla_{v} F_{i} \left(u_{i}^{t}, v_{i}^{t} \right) \|^{2} + \frac{1}{m} "
        r"\sum_{i=1}^{m} \mathbb{E} \left\langle \nabla_{v} F_{i} \left(\bar{u}^{t}, "
        r"v_{i}^{t} \right) - \nabla_{v} F_{i} \left(u_{i}^{t}, v_{i}^{t} \right), "
        r"v_{i}^{t+1} - v_{i}^{t} \right\rangle \\ \stackrel{b)}{\leq} -\eta_{v} K_{v} "
        r"\mathbb{E} \left[\Delta_{v}^{t} \right] + \underbrace{\frac{L_{vu}^{2}}{2m} "
        r"\sum_{i=1}^{m} \mathbb{E} \| \bar{u}^{t} - u_{i}^{t} \|^{2}}_{T_{3,v}} + "
        r"\underbrace{\frac{1}{2m} \sum_{i=1}^{m} \mathbb{E} \| v_{i}^{t+1} - v_{i}^{t} "
        r"\|^{2}}_{L_{v} T_{2,v}}, \end{aligned}",
        fails="The second factor takes the gradient of every local step at v_i^t, where line 6 "
        "has v_i^{t,k}: along the steps the gradient shrinks, and the printed descent is "
        "too large.",
        repair="Keep half of the descent and bound the drift by Lemma 2.",
    ),
    "eq17": Printed(
        formula=r"\frac{L_{vu}^2}{2m} \sum_{i=1}^m \mathbb{E} \|\bar{u}^t - u_i^t\|^2 \le "
        r"\frac{L_{vu}^2}{(1-\lambda)^2} \left[18\eta_u^2 K_u^2 \left(\sigma_u^2 + "
        r"\delta^2 + 2\mathbb{E}[\Delta_{\bar{u}}^t] \right) \right].",
        fails='"According to Eq. (11)", which rests on Lemma 5: the starts are apart, and '
        "together a large step throws the clients apart.",
        repair="Lemma 5's corrected version.",
    ),
    "eq18": Printed(
        formula=r"\begin{aligned} \mathbb{E}\Big[F\left(\bar{u}^{t}, V^{t+1}\right) - "
        r"F\left(\bar{u}^{t}, V^{t}\right)\Big] \leq \Big(-\eta_{v}K_{v} + "
        r"8\eta_{v}^{2}K_{v}^{2}(L_{v} + 1)\Big)\mathbb{E}[\Delta_{v}^{t}] + "
        r"4\eta_{v}^{2}K_{v}^{2}\sigma_{v}^{2}(L_{v} + 1) \\ + "
        r"\frac{L_{vu}^{2}}{(1-\lambda)^{2}} "
        r"\left[18\eta_{u}^{2}K_{u}^{2}\left(\sigma_{u}^{2} + \delta^{2} + "
        r"2\mathbb{E}[\Delta_{\bar{u}}^{t}]\right)\right]. \end{aligned}",
        fails="It uses (17): with starts apart, each client steps down for itself, and at the "
        "average that is up.",
        repair="Keep the disagreement itself on the right.",
    ),
    "eq19": Printed(
        formula=r"\begin{aligned} \mathbb{E}\Big[F\left(\bar{u}^{t+1}, V^{t+1}\right) - "
        r"F\left(\bar{u}^{t}, V^{t}\right)\Big] = \mathbb{E}\Big[F\left(\bar{u}^{t}, "
        r"V^{t+1}\right) - F\left(\bar{u}^{t}, V^{t}\right) + F\left(\bar{u}^{t+1}, "
        r"V^{t+1}\right) - F\left(\bar{u}^{t}, V^{t+1}\right)\Big] \\ \leq "
        r"\left(\frac{-\eta_{u}K_{u}}{2} + 2\eta_{u}^{2}K_{u}L_{u} + "
        r"\frac{18\eta_{u}^{2}K_{u}^{2}(2 + \eta_{u}L_{u}^{2})}{(1 - "
        r"\lambda)^{2}}\right)\mathbb{E}\left[\Delta_{\bar{u}}^{t}\right] \\ + "
        r"2\eta_{u}^{2}K_{u}L_{u}(\sigma_{u}^{2} + \delta^{2}) + "
        r"\frac{9\eta_{u}^{2}K_{u}^{2}(2 + \eta_{u}L_{u}^{2})}{(1 - "
        r"\lambda)^{2}}\left(\sigma_{u}^{2} + \delta^{2}\right) \\ + \left(-\eta_{v}K_{v} "
        r"+ 8\eta_{v}^{2}K_{v}^{2}(L_{v} + 1)\right)\mathbb{E}\left[\Delta_{v}^{t}\right] "
        r"+ 4\eta_{v}^{2}K_{v}^{2}\sigma_{v}^{2}(L_{v} + 1) \\ + "
        r"\frac{18\eta_{u}^{2}L_{vu}^{2}K_{u}^{2}\left(\sigma_{u}^{2} + \delta^{2} + "
        r"2\mathbb{E}\left[\Delta_{\bar{u}}^{t}\right]\right)}{(1 - \lambda)^{2}}. "
        r"\end{aligned}",
        fails="(9) sums K_u distances and bounds one, (12) loses a factor K_u: the printed "
        "gain of a round, eta_u K_u/2, grows beyond all that there is to gain.",
        repair="The corrected descent, for eta_u K_u L_u <= 1/2 and eta_v K_v L_v <= 1/4.",
    ),
    "tab1": Printed(
        words="DFedAlt and DFedSalt achieve 87.67% and 86.50% on the Directlet-0.3 setups",
        fails="In Table 1 DFedAlt has 86.50 and DFedSalt 87.67: the two numbers are swapped.",
        repair="Write 86.50 % and 87.67 %.",
    ),
    "tab5": Printed(
        words="DFedSalt and DFedAlt are 1.15% and 2.78% ahead of the other baselines in "
        "Pathological-10 setting",
        fails="50.79 - 48.01 = 2.78 is DFedSalt's lead, and 1.15 DFedAlt's: the two numbers "
        "are swapped.",
        repair="Write 2.78 % and 1.15 %.",
    ),
    "tab6": Printed(
        words="3.51x and 3.04x on average",
        fails="The average is 3.5174, which is 3.52 to the nearest hundredth, as every single "
        "speedup is shortened.",
        repair="Write 3.52x.",
    ),
}
