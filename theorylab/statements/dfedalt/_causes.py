"""What is wrong with DFedAlt and DFedSalt, one record a fault; DFedPGP prints some lines again.

The faults of tables are in ``_table_causes``, those that SAM brings in ``dfedsalt._causes``.
"""

from __future__ import annotations

from theorylab.statements._cause import Cause, Line
from theorylab.statements._severity import Severity

_DRAWN = "sample a batch of local data ξ_i and calculate local gradient iteration"

LINE_13 = Cause(
    id="dfedalt/line-13-letter",
    clause="line 13 averages z_i, the client's own model, where z_l is meant",
    fails="Line 13 sums over the neighbours l, and the model in the sum is z_i, the client's own. "
    "To the letter nothing that was received is used, and no two models ever come closer.",
    repair="Write z_l^t in the sum.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "dfedalt.alg1",
            "Algorithm 1, line 13",
            display=r"u_i^{t+1} = \sum_{l \in \mathcal{N}(i)} w_{i,l} z_i^t",
        ),
    ),
)
LOST_NOISE = Cause(
    id="dfedalt/lost-noise",
    clause="the noise of the shared steps is lost between (19) and (20)",
    fails="(13) and (19) have the noise of the local steps, 2 eta_u^2 K_u L_u sigma_u^2, which "
    "over eta_u K_u falls as 1/sqrt(T) at the theorem's step sizes. In (20), which is (19) summed "
    "over the rounds at these steps and becomes (3), sigma_u^2 is left over T (1 - lambda)^2, and "
    "with L_vu^2, alone. From (33) to (34), for DFedSalt, it is lost in the same way, and (4) has "
    "it no more. Without coupling and without diversity the left side falls as 1/sqrt(T) and the "
    "bracket, from the minimum, as 1/T: the ratio grows as sqrt(T).",
    repair="Add sigma_u^2/(m K_u L_u sqrt(T)) to the brackets of (3) and (4).",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "dfedalt.thm1",
            "Theorem 1, Eq. (3)",
            display=r"\frac{1}{T} \sum_{i=1}^{T} \left(\frac{1}{L_u} \mathbb{E} "
            r"\left[\Delta_{\bar{u}}^t \right] + \frac{1}{L_v} \mathbb{E} \left[\Delta_v^t "
            r"\right] \right) \le \mathcal{O} \left(\frac{F(\bar{u}^1, V^1) - F^*}{\sqrt{T}} "
            r"+ \frac{\sigma_1^2}{\sqrt{T}} + \frac{\sigma_2^2}{T(1 - \lambda)^2} \right),",
        ),
        Line(
            "dfedsalt.thm2",
            "Theorem 2, Eq. (4)",
            display=r"\frac{1}{T} \sum_{i=1}^{T} \left(\frac{1}{L_u} \mathbb{E} "
            r"\left[\Delta_{\bar{u}}^t \right] + \frac{1}{L_v} \mathbb{E} \left[\Delta_v^t "
            r"\right] \right) \leq \mathcal{O} \left(\frac{F(\bar{u}^1, V^1) - F^*}{\sqrt{T}} "
            r"+ \frac{\sigma_v^2 (L_v + 1)}{L_v^2 \sqrt{T}} + \frac{L_u}{T} + \frac{\sigma^2 "
            r"L_{vu}^2}{T^{1/2} (1 - \lambda)^2} + \frac{\sigma^2 L_u}{T (1 - \lambda)^2} "
            r"\right),",
        ),
    ),
    effect="Small in the paper's own runs. With T = 500 rounds, m = 100 clients and K_u = 20 (5 "
    "epochs of 4 batches: 500 images a client of CIFAR-10, 128 a batch) the lost term is .0112 "
    "(1 - lambda)^2 times sigma_u^2/(L_u T (1 - lambda)^2), which is printed. It is the larger "
    "one from T = 4e6/(1 - lambda)^4 rounds on.",
)
NO_CAP = Cause(
    id="dfedalt/no-step-cap",
    clause="nothing keeps eta_u K_u L_u small",
    fails="The proof of Lemma 3 bounds how grad_u F_i changes along the local steps by nothing at "
    "all, and the lemma asks for no small step: above eta_u L_u = 2 the local steps explode. The "
    "cap that is printed with (11), eta_u << (1 - lambda)/(3 sqrt(2 K_u L_u)), is none on eta_u "
    "K_u L_u: where L_u is large in the units of the losses it allows any.",
    repair="Ask for eta_u <= (1 - lambda)/(3 sqrt(2) K_u L_u), or carry the factor "
    "(1 + eta_u L_u)^k.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "dfedalt.lem3",
            "Lemma 3",
            display=r"\frac{1}{m} \sum_{i=1}^{m} \mathbb{E} \left\| u_i^{t,k} - u_i^t \right\|^2 "
            r"\le 18 \eta_u^2 K_u^2 \left(\sigma_u^2 + \delta^2 + \frac{1}{m} \sum_{i=1}^{m} "
            r"\mathbb{E} \left\| \nabla_u F(u_i^t, V^{t+1}) \right\|^2 \right).",
        ),
    ),
)
STARTS = Cause(
    id="dfedalt/starts-apart",
    clause="Algorithm 1 starts the u_i apart, the proof of Lemma 5 together",
    fails="Line 1 of Algorithm 1 says \"Randomly initialize each device's shared parameters "
    'u_i^0". The proof of Lemma 5 writes U^t - P U^t as a sum over the rounds before t, without '
    "(W^t - P) U^0. At t = 0 the left side is then any number, and the right side as small as "
    "eta_u^2.",
    repair="Start all u_i at one point, or add the distance of the starts.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "dfedalt.lem5",
            "Lemma 5",
            display=r"\frac{1}{m} \sum_{i=1}^{m} \mathbb{E} \|u_i^t - \bar{u}^t\|^2 \le "
            r"\frac{18\eta_u^2 K_u^2}{(1-\lambda)^2} \Big(\sigma_u^2 + \delta^2 + \frac{1}{m} "
            r"\sum_{i=1}^{m} \mathbb{E} \|\nabla_u F(u_i^t, V^{t+1})\|^2\Big).",
        ),
    ),
)
LOST_M = Cause(
    id="dfedalt/lost-m",
    clause="the last display of Lemma 5's proof has lost the factor m",
    fails="U^t - P U^t has a row for every client, so its square is the sum over all clients. The "
    "display before has m in front of the bracket, and this one has not.",
    repair="Write m in front of the bracket. The lemma itself, with 1/m on the left, is right "
    "about it.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "dfedalt.lem5",
            "Proof of Lemma 5, last display",
            display=r"\mathbb{E}\|U^t - \mathbf{P}U^t\|^2 \le \frac{18\eta_u^2 K_u^2}{"
            r"(1-\lambda)^2} \Big(\sigma_u^2 + \delta^2 + \frac{1}{m} \sum_{i=1}^m "
            r"\mathbb{E}\|\nabla_u F(u_i^t, V^{t+1})\|^2\Big).",
        ),
    ),
)
ONE_MINIBATCH = Cause(
    id="dfedalt/one-minibatch",
    clause="line 4 draws one minibatch for a whole round",
    fails="Read to the letter, line 4 draws one minibatch for all local steps of a round, and the "
    "proofs take every stochastic gradient for unbiased and every noise for a new one. From the "
    "second step on the point depends on the sample, and the mean of the stochastic gradient is "
    "not the gradient there, if the noise depends on the model. And the noises of a round's K_u "
    "steps are one noise, with K_u^2 times the variance of one step, where (26) of DFedPGP allows "
    "5 K_u times whatever the number of clients is.",
    repair="Draw a minibatch for each local step.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line("dfedalt.eq8", "Algorithm 1, line 4", words=_DRAWN),
        Line(
            "dfedpgp.eq23",
            "Algorithm 1, line 4, and step a) of Eq. (23)",
            display=r"\mathbb{E}\left[\nabla_u F(z_i^{t,k}, v_i^{t+1}; \xi_i)\right] = \nabla_u "
            r"F\left(z_i^{t,k}, v_i^{t+1}\right)",
            words=_DRAWN,
        ),
    ),
    effect="DFedPGP's runs have m = 100 clients with 500 samples each, 5 epochs of batches of 128, "
    "so K_u = 20. The noise of u is K_u/(5 m) = .04 times what (26) allows for it: (26) is not "
    "passed there.",
)
LOST_LOCAL = Cause(
    id="dfedalt/lost-local-steps",
    clause="(9) bounds K_u local steps by the disagreement before them",
    fails='"We can use Lemma 5": it bounds u_i^t - ubar^t, the models before the round. (9) sums '
    "u_i^{t,k} - ubar^t over all K_u local steps, and the way that a client goes in its own round "
    "is lost. With it goes a factor K_u, which no constant replaces, however small eta_u is. (11), "
    "(23) and (25) have it from (9). (24) of DFedPGP puts its Lemma 3 in the same place; there the "
    "constant C hides the loss, and no instance with two clients or more is known to break (24).",
    repair="Add twice the way within the round, of the order eta_u^2 K_u^3 (...), to 2 K_u times "
    "the disagreement.",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "dfedalt.eq9",
            "Eq. (9)",
            display=r"\mathcal{T}_{1,u} \le \frac{9\eta_u^3 K_u^2 L_u^2}{(1-\lambda)^2} "
            r"\left[\sigma_u^2 + \delta^2 + \underbrace{\frac{1}{m} \sum_{i=1}^m \mathbb{E} "
            r"\|\nabla_u F(u_i^t, V^{t+1})\|^2}_{\mathcal{T}_{2,u}} \right]",
        ),
        Line(
            "dfedpgp.eq24",
            "Eq. (24), where no instance with two clients or more is known to break it",
            display=r"\mathcal{T}_{1,u} \le \frac{K_u L_u^2 \eta_u}{2} \left(\sigma_u^2 + "
            r"\sigma_g^2 + \mathbb{E}[\Delta_{\bar{u}}^t] \right) AA.",
        ),
    ),
)
LOST_SQUARE = Cause(
    id="dfedalt/lost-square",
    clause="the square of a sum of K_u gradients has lost its factor K_u",
    fails="The average moves by the sum of K_u gradients. The first line of the display bounds the "
    "square of that sum by the sum of the squares, where Cauchy and Schwarz give K_u times it. For "
    "K_u gradients that are nearly alike no constant replaces the factor, however small eta_u is. "
    "(26) of DFedSalt does the same.",
    repair="Write eta_u^2 K_u^2 before the gradient. Independent noise alone keeps K_u.",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "dfedalt.eq12",
            "Eq. (12), first line",
            display=r"\mathcal{T}_{2,u} \leq \frac{\eta_{u}^{2} L_{u}}{2m} \sum_{i=1}^{m} "
            r"\sum_{k=0}^{K_{u}-1} \left\| \nabla_{u} F\left(u_{i}^{t,k}, v_{i}^{t+1}; "
            r"\xi_{i}\right) - \cdots + \nabla_{u} F\left(\bar{u}^{t}, V^{t+1}\right) "
            r"\right\|^{2} \leq 2\eta_{u}^{2} K_{u} L_{u} \left(\sigma_{u}^{2} + \delta^{2} + "
            r"\frac{L_{u}^{2}}{m} \sum_{i=1}^{m} \mathbb{E} \|u_{i}^{t} - \bar{u}^{t}\|^{2} + "
            r"\mathbb{E} [\Delta_{\bar{u}}^{t}] \right)",
        ),
        Line(
            "dfedpgp.eq25",
            "Eq. (25), first inequality",
            display=r"\mathcal{T}_{2,u} \leq \frac{\eta_{u}^{2}L_{u}}{2m} \sum_{i=1}^{m} "
            r"\sum_{k=0}^{K_{u}-1} \left\| \nabla_{u}F\left(z_{i}^{t,k}, v_{i}^{t+1}; "
            r"\xi_{i}\right) \right\|^{2}",
        ),
    ),
)
_FIRST_LINE = (
    r"\mathcal{T}_{1,v} \leq \frac{1}{m} \sum_{i=1}^{m} \mathbb{E} \left\langle \cdots, "
    r"-\eta_{v} \sum_{k=0}^{K_{v}-1} \mathbb{E} \nabla_{v} F_{i} \left(u_{i}^{t}, v_{i}^{t}; "
    r"\xi_{i} \right) \right\rangle \stackrel{a)}{\leq} \frac{-\eta_{v} K_{v}}{m} "
    r"\sum_{i=1}^{m} \mathbb{E} \| \nabla_{v} F_{i} \left(u_{i}^{t}, v_{i}^{t} \right) \|^{2} "
    r"+ \cdots"
)
FIRST_HEADS = Cause(
    id="dfedalt/first-head-gradient",
    clause="step a) takes the first head gradient for those of all K_v steps",
    fails="The first line and a) take the gradient of each of the K_v local steps at v_i^t, where "
    "line 6 of Algorithm 1 has v_i^{t,k}. Along the steps the gradient shrinks, and the descent "
    "-eta_v K_v Delta_v that is printed is more than the steps reach.",
    repair="Keep half of the descent, and bound the drift of the heads by Lemma 2.",
    severity=Severity.WRONG_CONSTANT,
    lines=(
        Line("dfedalt.eq15", "Eq. (15), step a)", display=_FIRST_LINE),
        Line("dfedpgp.eq28", "Eq. (28), step a)", display=_FIRST_LINE),
    ),
)
UNITS = Cause(
    id="dfedalt/units",
    clause="not free of units: 2 + eta_u L_u^2 adds a number to a smoothness",
    fails="(13) and (19) print 2 where Lemma 5, put into the last term of (12), gives 4 eta_u^2 "
    "K_u L_u^3: where L_u is large in the units of the losses, the 2 is nothing beside what it "
    "stands for. Step b) of (15) adds halves of squares of different units, as do (29) of DFedSalt "
    "and (28) of DFedPGP, and (18) and (19) go on with L_v + 1: where L_v is large, the 1 is "
    "nothing. Then the half square of the heads' steps no longer covers what step a) loses to "
    "noise, and no factor before the descent mends (15).",
    repair="Write 4 eta_u^2 K_u L_u^3 for the 2, and split the product in (15) so that both "
    "halves scale as the loss does.",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "dfedalt.eq13",
            "Eq. (13), the factor of Delta_u",
            display=r"\frac{18\eta_{u}^{2}K_{u}^{2}(2 + \eta_{u}L_{u}^{2})}{(1 - \lambda)^{2}}",
        ),
        Line(
            "dfedalt.eq15",
            "Eq. (15), step b)",
            display=r"\frac{L_{vu}^{2}}{2m} \sum_{i=1}^{m} \mathbb{E} \| \bar{u}^{t} - u_{i}^{t} "
            r"\|^{2} + \frac{1}{2m} \sum_{i=1}^{m} \mathbb{E} \| v_{i}^{t+1} - v_{i}^{t} \|^{2}",
        ),
        Line(
            "dfedpgp.eq28",
            "Eq. (28), step b)",
            display=r"\frac{L_{vu}^{2}}{2m} \sum_{i=1}^{m} \mathbb{E} \| \bar{u}^{t} - z_{i}^{t} "
            r"\|^{2} + \frac{1}{2m} \sum_{i=1}^{m} \mathbb{E} \| v_{i}^{t+1} - v_{i}^{t} \|^{2}",
        ),
    ),
    effect="Not known: the paper prints neither L_u nor L_v.",
)
