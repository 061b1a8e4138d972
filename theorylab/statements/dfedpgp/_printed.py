"""What the paper prints where it is false: its own formula, the line that fails, the repair."""

from theorylab.statements._printed import Printed
from theorylab.statements.dfedpgp._printed_words import WORDS

PRINTED = {  # locator -> what is printed there
    **WORDS,
    "alg1_input": Printed(
        formula=r"p_{j,i}^t = 1/|\mathcal{N}_{i,0}^{out}|",
        fails="A client that has more or fewer out-neighbors in a later round gives away more or "
        "less than it has.",
        repair="Write the out-degree of round t.",
    ),
    "eq6": Printed(
        formula=r"p_{i,j}^{t} = \begin{cases} 1/(n+1), & j \in \mathcal{N}_{i,t}^{in}; \\ 0, & "
        r"\text{otherwise.} \end{cases}",
        fails="Rows of this matrix sum to 1, and Algorithm 1 and the proof, at (23) already, "
        "need columns that do: unless all clients are drawn equally often the average "
        "moves by mixing alone.",
        repair="Draw whom to push to, and give each and itself 1/(n+1).",
    ),
    "asm4": Printed(
        formula=r"\left\|\nabla_{u}F_{i}(u_{i}, v_{i}) - \nabla_{u}F(u_{i}, V)\right\|^{2} \leq "
        r"\sigma_{g}^{2}, \forall u_{i}, V.",
        fails="A coupled quadratic moves grad_u F_i - grad_u F by s (1 - 1/m) C_i e when one "
        "head moves by s e, without bound: no coupled quadratic satisfies the assumption.",
        repair="Take one head for all, or a coupling of bounded range.",
    ),
    "thm1": Printed(
        formula=r"\frac{1}{T} \sum_{i=1}^{T} \left(\frac{1}{L_{u}} \mathbb{E} "
        r"\left[\Delta_{u}^{t} \right] + \frac{1}{L_{v}} \mathbb{E} \left[\Delta_{v}^{t} "
        r"\right] \right) \leq \mathcal{O} \left(\frac{F(\bar{u}^{1}, V^{1}) - "
        r"F^{*}}{\sqrt{T}} + \frac{(1 + L_{v})\sigma_{v}^{2}}{\sqrt{T}} + "
        r"\left(\sigma_{u}^{2} + \sigma_{g}^{2} \right) \left(\frac{C^{2}}{(1 - "
        r"q)^{2}L_{u}T} + \frac{1}{K_{u}L_{u}\sqrt{T}} + \frac{1}{K_{u}L_{u}\sqrt{T}} + "
        r"\frac{1}{K_{u}L_{u}\delta^{2}T^{3/2}} + \frac{C^{2}}{K_{u}L_{u}(1 - "
        r"q)^{2}T^{3/2}} + \frac{L_{vu}^{2}C^{2}}{(1 - q)^{2}L_{u}^{2}\sqrt{T}} \right) "
        r"\right)",
        fails="(25) bounds the square of a sum of K_u gradients by the sum of their squares, "
        "without the factor K_u: with one minibatch a round the K_u noises are one "
        "noise, K_u^2 times its variance. (28) takes the heads' gradient at u_i, where "
        "nothing vanishes at a stationary point; (31) has L_v^2 too many.",
        repair="A minibatch a step, the heads' gradient at the mean model, and the corrected "
        "bound of the statement.",
    ),
    "thm1_growth": Printed(
        formula=r"\frac{1}{T} \sum_{i=1}^{T} \left(\frac{1}{L_{u}} \mathbb{E} "
        r"\left[\Delta_{u}^{t} \right] + \frac{1}{L_{v}} \mathbb{E} \left[\Delta_{v}^{t} "
        r"\right] \right) \leq \mathcal{O} \left(\frac{F(\bar{u}^{1}, V^{1}) - "
        r"F^{*}}{\sqrt{T}} + \frac{(1 + L_{v})\sigma_{v}^{2}}{\sqrt{T}} + "
        r"\left(\sigma_{u}^{2} + \sigma_{g}^{2} \right) \left(\frac{C^{2}}{(1 - "
        r"q)^{2}L_{u}T} + \frac{1}{K_{u}L_{u}\sqrt{T}} + \frac{1}{K_{u}L_{u}\sqrt{T}} + "
        r"\frac{1}{K_{u}L_{u}\delta^{2}T^{3/2}} + \frac{C^{2}}{K_{u}L_{u}(1 - "
        r"q)^{2}T^{3/2}} + \frac{L_{vu}^{2}C^{2}}{(1 - q)^{2}L_{u}^{2}\sqrt{T}} \right) "
        r"\right)",
        fails="The theorem allows every eta_u below its cap, and its O(.) falls as 1/sqrt(T) "
        "whatever eta_u is: with eta_u = w/(K T) the left side stays where it is. The "
        "cap delta/(4 sqrt(2 L_u K_u)) also lets gradient descent diverge.",
        repair="State the steps eta_u = O(1/(L_u K_u sqrt(T))) that the proof assumes above (33).",
    ),
    "cor1": Printed(
        formula=r"\begin{aligned} \frac{1}{T} \sum_{i=1}^{T} \left(\frac{1}{L_u} \mathbb{E} "
        r"\left[\Delta_{\bar{u}}^t \right] + \frac{1}{L_v} \mathbb{E} \left[\Delta_v^t "
        r"\right] \right) \\ \leq \mathcal{O} \left(\frac{F(\bar{u}^1, V^1) - F^* + "
        r"\sigma_1^2}{\sqrt{T}} + \frac{\sigma_2^2}{T} + \frac{\sigma_3^2}{\sqrt{T^3}} "
        r"\right), \end{aligned}",
        fails="It is Theorem 1 at its step sizes: (25) drops a factor K_u, and (28) takes the "
        "heads' gradient at u_i.",
        repair="Theorem 1's corrected bound at the same step sizes; the rate 1/sqrt(T) is right.",
    ),
    "cor1_growth": Printed(
        formula=r"\begin{aligned} \frac{1}{T} \sum_{i=1}^{T} \left(\frac{1}{L_u} \mathbb{E} "
        r"\left[\Delta_{\bar{u}}^t \right] + \frac{1}{L_v} \mathbb{E} \left[\Delta_v^t "
        r"\right] \right) \\ \leq \mathcal{O} \left(\frac{F(\bar{u}^1, V^1) - F^* + "
        r"\sigma_1^2}{\sqrt{T}} + \frac{\sigma_2^2}{T} + \frac{\sigma_3^2}{\sqrt{T^3}} "
        r"\right), \end{aligned}",
        fails="(25) divides the noise by K_u although one minibatch serves a whole round, (31) "
        "has 1 + L_v where 1/L_v belongs, and Delta_v is taken at u_i: the ratio of both "
        "sides grows without limit along K_u, 1/L_v and T.",
        repair="Put sigma_v^2/(L_v K_v) for (1 + L_v) sigma_v^2, a minibatch a step, and the "
        "heads' gradient at the mean model.",
    ),
    "lem2": Printed(
        formula=r"\frac{1}{m}\sum_{i=1}^{m}\mathbb{E}\left\|u_{i}^{t,k}-u_{i}^{t}\right\|^{2} "
        r"\leq "
        r"32K_{u}\eta_{u}^{2}\sigma_{u}^{2}+32K_{u}\eta_{u}^{2}\sigma_{g}^{2}+\frac{32K_{u"
        r"}\eta_{u}^{2}}{m}\sum_{i=1}^{m}\mathbb{E}\|\nabla f(z_{i}^{t},V^{t+1})\|^{2}.",
        fails="(12), last line, loses the factor K_u - 1 before its parenthesis: k steps along "
        "one slope g go k eta_u g far, and (K_u-1)^2 <= 32 K_u fails from K_u = 34 on.",
        repair="Write 32 K_u^2 for 32 K_u.",
    ),
    "lem3": Printed(
        formula=r"\frac{1}{m}\sum_{i=1}^{m} \mathbb{E}\|\bar{u}^t - z_i^t\|^2 \le "
        r"\frac{8K_u^2\eta_u^2 C^2}{(1-q)^2 K_u - 8K_u^2\eta_u^2 L_u^2 C^2} "
        r"\Big(\sigma_u^2 + \sigma_g^2 + \mathbb{E}[\Delta_{\bar{u}}^t]\Big).",
        fails="Its own proof ends with (19), which has K_u + 1 beside C^2 in both places; (13) "
        "has lost it, and grows as K_u eta_u^2 where the left side grows as K_u^2 "
        "eta_u^2.",
        repair="(19), or the corrected bound, which holds for all step sizes and any start.",
    ),
    "eq15": Printed(
        formula=r"\|\bar{u}^t - z_i^t\| \le Cq^t \|u_i^0\| + \eta_u C \sum_{j=1}^t q^{t-j} "
        r"\|\sum_{k=0}^{K_u-1} \nabla_u F_i(z_i^{t,k}, v_i^{j+1}; \xi_i)\|.",
        fails="The quoted lemma is about all clients, and (15) keeps client i alone: a client "
        "without a slope that has heard of nobody who moved has a right side of 0.",
        repair="Take the largest over the clients on the right.",
    ),
    "eq17": Printed(
        formula=r"\begin{aligned} \mathbb{E} \|\nabla_{u} F(z_{i}^{t}, V^{t+1})\|^{2} \leq "
        r"\mathbb{E} \|\nabla_{u} F(z_{i}^{t}, V^{t+1}) - \nabla_{u} F(\bar{u}^{t}, "
        r"V^{t+1}) + \nabla_{u} F(\bar{u}^{t}, V^{t+1})\|^{2} \\ \leq L_{u}^{2} "
        r"\mathbb{E} \|\bar{u}^{t} - z_{i}^{t}\|^{2} + \mathbb{E} [\Delta_{\bar{u}}^{t}]. "
        r"\end{aligned}",
        fails="||a + b||^2 is at most 2||a||^2 + 2||b||^2, and the 2 is missing: two clients "
        "at 1 and 0 with F = u^2/2 have 1 on the left and 1/2 on the right.",
        repair="Write the factor 2.",
    ),
    "eq18": Printed(
        formula=r"\begin{aligned} \mathbb{E} \|\bar{u}^{t} - z_{i}^{t}\|^{2} "
        r"&\stackrel{a)}{\leq} 2C^{2}q^{2t} \|u_{i}^{0}\|^{2} + 2\eta_{u}^{2}C^{2} "
        r"\Big(\sum_{j=1}^{t} q^{t-j}\mathbb{E} \|\sum_{k=0}^{K_{u}-1} "
        r"\nabla_{u}F_{i}(z_{i}^{t,k}, v_{i}^{j+1}; \xi_{i})\|\Big)^{2} \\ &\leq "
        r"2C^{2}q^{2t} \|u_{i}^{0}\|^{2} + "
        r"\frac{2K_{u}^{2}\eta_{u}^{2}C^{2}}{(1-q)^{2}}\mathbb{E} "
        r"\|\nabla_{u}F_{i}(z_{i}^{t,k}, v_{i}^{j+1}; \xi_{i})\|^{2} \end{aligned}",
        fails="The third line takes the gradient of round t out of a sum over all rounds j: j "
        "is bound on the left alone. Where gradients fade, what is left of the first "
        "round is soon more than all of the last.",
        repair="Take the largest gradient of all rounds j <= t.",
    ),
    "eq23": Printed(
        formula=r"\mathbb{E}\left[\nabla_u F(z_i^{t,k}, v_i^{t+1}; \xi_i)\right] = \nabla_u "
        r"F\left(z_i^{t,k}, v_i^{t+1}\right)",
        fails="a) of (23): line 4 of Algorithm 1 draws one minibatch a round, so from the "
        "second step on the point has been chosen by the very sample.",
        repair="Draw a minibatch a step.",
    ),
    "eq23_descent": Printed(
        formula=r"\begin{aligned} \mathbb{E}\left[F\left(\bar{u}^{t+1}, V^{t+1}\right) - "
        r"F\left(\bar{u}^{t}, V^{t+1}\right)\right] \leq \left\langle "
        r"\nabla_{u}F\left(\bar{u}^{t}, V^{t+1}\right), \bar{u}^{t+1} - "
        r"\bar{u}^{t}\right\rangle + \frac{L_{u}}{2}\mathbb{E}\|\bar{u}^{t+1} - "
        r"\bar{u}^{t}\|^{2} \\ \leq \frac{-\eta_{u}}{m} \sum_{i=1}^{m} "
        r"\mathbb{E}\left\langle \nabla_{u}F\left(\bar{u}^{t}, V^{t+1}\right), "
        r"\sum_{k=0}^{K_{u}-1} \nabla_{u}F\left(z_{i}^{t,k}, v_{i}^{t+1}; "
        r"\xi_{i}\right)\right\rangle + \frac{L_{u}}{2}\mathbb{E}\|\bar{u}^{t+1} - "
        r"\bar{u}^{t}\|^{2} \\ \leq -\eta_{u}K_{u}\mathbb{E}[\Delta_{\bar{u}}^{t}] + "
        r"\frac{\eta_{u}}{m} \sum_{i=1}^{m} \sum_{k=0}^{K_{u}-1} \mathbb{E}\left\langle "
        r"\nabla_{u}F\left(\bar{u}^{t}, V^{t+1}\right), \nabla F\left(\bar{u}^{t}, "
        r"v_{i}^{t+1}\right) - \nabla_{u}F\left(z_{i}^{t,k}, v_{i}^{t+1}; "
        r"\xi_{i}\right)\right\rangle + \frac{L_{u}}{2}\mathbb{E}\|\bar{u}^{t+1} - "
        r"\bar{u}^{t}\|^{2} \\ \stackrel{a)}{\leq} "
        r"\frac{-\eta_{u}K_{u}}{2}\mathbb{E}[\Delta_{\bar{u}}^{t}] + "
        r"\underbrace{\frac{\eta_{u}L_{u}^{2}}{2m} \sum_{i=1}^{m} \sum_{k=0}^{K_{u}-1} "
        r"\mathbb{E}\|z_{i}^{t,k} - \bar{u}^{t}\|^{2}}_{\mathcal{T}_{1,u}} + "
        r"\underbrace{\frac{L_{u}}{2}\mathbb{E}\|\bar{u}^{t+1} - "
        r"\bar{u}^{t}\|^{2}}_{\mathcal{T}_{2,u}}. \end{aligned}",
        fails="a) of (23) takes the mean of every local gradient for the gradient at a point "
        "that the minibatch has chosen.",
        repair="Draw a minibatch a step; the display is then true.",
    ),
    "eq24": Printed(
        formula=r"\mathcal{T}_{1,u} \le \frac{K_u L_u^2 \eta_u}{2} \left(\sigma_u^2 + \sigma_g^2 "
        r"+ \mathbb{E}[\Delta_{\bar{u}}^t] \right) AA.",
        fails="Lemma 3 is about the models before a round, z_i^t; (24) is about z_i^{t,k} and "
        "drops what a client goes in its own round. One client has C = q = 0, so the "
        "right side is 0 and it moves.",
        repair="Add Lemma 2's distance within the round.",
    ),
    "eq25": Printed(
        formula=r"\mathcal{T}_{2,u} \leq \frac{\eta_{u}^{2}L_{u}}{2m} \sum_{i=1}^{m} "
        r"\sum_{k=0}^{K_{u}-1} \left\| \nabla_{u}F\left(z_{i}^{t,k}, v_{i}^{t+1}; "
        r"\xi_{i}\right) \right\|^{2}",
        fails="(25), first inequality: the square of a sum of K_u gradients is bounded by the "
        "sum of their squares; the factor K_u is missing.",
        repair="Write K_u eta_u^2 for eta_u^2.",
    ),
    "eq26": Printed(
        formula=r"\mathbb{E}\Big[F\left(\bar{u}^{t+1}, V^{t+1}\right) - F\left(\bar{u}^{t}, "
        r"V^{t+1}\right)\Big] \leq "
        r"\frac{K_{u}\eta_{u}}{2}\mathbb{E}[\Delta_{\bar{u}}^{t}] + \mathcal{T}_{1,u} + "
        r"\mathcal{T}_{2,u} \leq \left(\frac{-\eta_{u}K_{u}}{2} + "
        r"\frac{K_{u}L_{u}^{2}\eta_{u}}{2}AA + \frac{5K_{u}L_{u}\eta_{u}^{2}}{2}\left[1 + "
        r"\frac{32K_{u}L_{u}^{2}\eta_{u}^{2}}{\delta^{2}}(L_{u}^{2}AA + 1) + "
        r"L_{u}^{2}AA\right]\right)\mathbb{E}[\Delta_{\bar{u}}^{t}] + "
        r"\left(\frac{k_{u}L_{u}^{2}\eta_{u}}{2}AA + "
        r"\frac{5K_{u}L_{u}\eta_{u}^{2}}{2}\left[1 + "
        r"\frac{32K_{u}L_{u}^{2}\eta_{u}^{2}}{\delta^{2}}(L_{u}^{2}AA + 1) + "
        r"L_{u}^{2}AA\right]\right)\left(\sigma_{u}^{2} + \sigma_{g}^{2}\right).",
        fails="It sums (25), which has lost a factor K_u: with one minibatch a round K_u equal "
        "noises have K_u^2 times the variance of one.",
        repair="A minibatch a step, and the corrected descent.",
    ),
    "eq28": Printed(
        formula=r"\begin{aligned} \mathcal{T}_{1,v} \leq \frac{1}{m} \sum_{i=1}^{m} \mathbb{E} "
        r"\left\langle \nabla_{v} F_{i}\left(\bar{u}^{t}, v_{i}^{t}\right) - \nabla_{v} "
        r"F_{i}\left(z_{i}^{t}, v_{i}^{t}\right) + \nabla_{v} F_{i}\left(z_{i}^{t}, "
        r"v_{i}^{t}\right), -\eta_{v} \sum_{k=0}^{K_{v}-1} \mathbb{E} \nabla_{v} "
        r"F_{i}(u_{i}^{t}, v_{i}^{t}; \xi_{i}) \right\rangle \\ \stackrel{a)}{\leq} "
        r"\frac{-\eta_{v} K_{v}}{m} \sum_{i=1}^{m} \mathbb{E} \|\nabla_{v} "
        r"F_{i}(u_{i}^{t}, v_{i}^{t})\|^{2} + \frac{1}{m} \sum_{i=1}^{m} \mathbb{E} "
        r"\left\langle \nabla_{v} F_{i}\left(\bar{u}^{t}, v_{i}^{t}\right) - \nabla_{v} "
        r"F_{i}\left(z_{i}^{t}, v_{i}^{t}\right), v_{i}^{t+1} - v_{i}^{t} \right\rangle "
        r"\\ \stackrel{b)}{\leq} -\eta_{v} K_{v} \mathbb{E} [\Delta_{v}^{t}] + "
        r"\underbrace{\frac{L_{vu}^{2}}{2m} \sum_{i=1}^{m} \mathbb{E} \|\bar{u}^{t} - "
        r"z_{i}^{t}\|^{2}}_{\mathcal{T}_{3,v}} + \underbrace{\frac{1}{2m} \sum_{i=1}^{m} "
        r"\mathbb{E} \|v_{i}^{t+1} - v_{i}^{t}\|^{2}}_{\frac{1}{L_{v}} "
        r"\mathcal{T}_{2,v}}. \end{aligned}",
        fails="Step a) puts the first step's gradient for those of all K_v steps, and takes it "
        "at u_i, where the algorithm takes it at z_i: at a stationary point the left "
        "side is 0 and the right side negative.",
        repair="Keep half of the descent, with the gradient at the mean model and the drift of "
        "v_i.",
    ),
    "eq29": Printed(
        formula=r"\begin{aligned} \mathcal{T}_{2,v} \leq \frac{L_v}{2} \Big(\frac{16\eta_v^2 "
        r"K_v^2}{m} \sum_{i=1}^m \mathbb{E} \| \nabla_v F_i(u_i^t, v_i^t) \|^2 + "
        r"8\eta_v^2 K_v^2 \sigma_v^2 \Big) \\ \leq 8L_v \eta_v^2 K_v^2 "
        r"\mathbb{E}[\Delta_v^t] + 4L_v \eta_v^2 K_v^2 \sigma_v^2. \end{aligned}",
        fails="Line 6 steps along the gradient at z_i; (29) has it at u_i = mu_i z_i, where it "
        "may be 0 while v_i moves.",
        repair="Write z_i for u_i.",
    ),
    "eq31": Printed(
        formula=r"\mathbb{E}\left[F\left(\bar{u}^{t}, V^{t+1}\right) - F\left(\bar{u}^{t}, "
        r"V^{t}\right)\right] \leq \left(-\eta_{v}K_{v} + 8\eta_{v}^{2}K_{v}^{2}L_{v} + "
        r"8\eta_{v}^{2}K_{v}^{2}\right)\mathbb{E}[\Delta_{v}^{t}] + "
        r"4\eta_{v}^{2}K_{v}^{2}\sigma_{v}^{2}L_{v}^{2}(1+L_{v}) + "
        r"\frac{L_{vu}^{2}}{2}\left(\sigma_{u}^{2} + \sigma_{g}^{2} + "
        r"\mathbb{E}[\Delta_{\bar{u}}^{t}]\right)AA.",
        fails="It inherits the gradient at u_i from (28), and has L_v^2 (1 + L_v) before the "
        "noise where the sum of (28) and (29) gives 1 + L_v.",
        repair="The heads' gradient at the mean model, and eta_v^2 K_v L_v sigma_v^2/2 for the "
        "noise.",
    ),
    "eq33": Printed(
        formula=r"\frac{1}{T}\sum_{i=1}^{T} "
        r"\left(\frac{1}{L_{u}}\mathbb{E}\left[\Delta_{\bar{u}}^{t}\right] + "
        r"\frac{1}{L_{v}}\mathbb{E}\left[\Delta_{v}^{t}\right]\right) \leq "
        r"\mathcal{O}\left(\frac{F(\bar{u}^{1}, V^{1}) - F^{*}}{\sqrt{T}} + "
        r"\frac{(1+L_{v})\sigma_{v}^{2}}{\sqrt{T}} + \left(\sigma_{u}^{2} + "
        r"\sigma_{g}^{2}\right)\left(\frac{C^{2}}{(1-q)^{2}L_{u}T} + "
        r"\frac{1}{K_{u}L_{u}\sqrt{T}} + \frac{1}{K_{u}L_{u}\delta^{2}T^{3/2}} + "
        r"\frac{C^{2}}{K_{u}L_{u}(1-q)^{2}T^{3/2}} + "
        r"\frac{L_{vu}^{2}C^{2}}{(1-q)^{2}L_{u}^{2}\sqrt{T}}\right) \right)",
        fails='"Assume C^2 << (1-q)^2 T" stands above (33) alone: with the constants that the '
        "theorem refers to, a ring of 100 asks for more than 10^120 rounds.",
        repair="State the condition in the theorem, with constants of the network.",
    ),
}
