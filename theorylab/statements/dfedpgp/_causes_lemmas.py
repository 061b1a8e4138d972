r"""What is wrong in the lemmas of DFedPGP's proof, a record a fault."""

from __future__ import annotations

from theorylab.statements._cause import Cause, Line
from theorylab.statements._severity import Severity

SUM_TWICE = Cause(
    id="dfedpgp/sum-taken-twice",
    clause="(8) puts the last term for a sum and keeps the sum's size",
    fails="The last line of (8) puts r^{K_v-1} for the sum of r^k over k < K_v, r = 1 + 2/(K_v-1), "
    "behind a factor (K_v-1)/2 that already stands for that sum. At K_v = 2 it reads 4 <= 3. The "
    "ends of (8) are right: K_v - 1 steps add r^k over k < K_v - 1, at most (K_v-1)/2 r^{K_v-1}.",
    repair="Let the sums end at k = K_v - 2, with the base 1 + 2/(K_v - 1), and leave out A/2 "
    "(K_v - 1) before a sum.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "dfedpgp.eq8",
            "Eq. (8), its last step",
            display=r"\frac{A}{2} (K_v - 1) \sum_{k=0}^{K_v - 1} \left(1 + \frac{2}{K_v - "
            r"1}\right)^k \leq \frac{A}{2} (K_v - 1) \left(1 + \frac{2}{K_v - 1}\right)^{K_v - 1}",
        ),
    ),
)
LOST_STEPS = Cause(
    id="dfedpgp/lost-steps-of-lemma-2",
    clause="(12)'s last line loses its factor K_u - 1",
    fails="The last line of (12) drops the factor K_u - 1 that stands before the parenthesis in "
    "the line above. K_u - 1 steps along one slope g go (K_u - 1) eta_u |g| far, and (K_u - 1)^2 "
    "<= 32 K_u fails from K_u = 34 on; the ratio grows as K_u. (The paper's own runs have K_u = "
    "20.)",
    repair="Write 32 K_u^2 for 32 K_u.",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "dfedpgp.lem2",
            "Lemma 2, Eq. (10), and the last line of Eq. (12)",
            display=r"\frac{1}{m}\sum_{i=1}^{m}\mathbb{E}\left\|u_{i}^{t,k}-u_{i}^{t}\right\|^{2} "
            r"\leq 32K_{u}\eta_{u}^{2}\sigma_{u}^{2}+32K_{u}\eta_{u}^{2}\sigma_{g}^{2}+\frac{32K_{u"
            r"}\eta_{u}^{2}}{m}\sum_{i=1}^{m}\mathbb{E}\|\nabla f(z_{i}^{t},V^{t+1})\|^{2}.",
        ),
    ),
)
LOST_FACTOR = Cause(
    id="dfedpgp/lost-factor-of-eq19",
    clause="(13) has lost the K_u + 1 of (19); C, q free of K_u",
    fails="The proof of Lemma 3 ends with (19), which has K_u + 1 beside C^2 in both places; (13) "
    "has lost it. At equal (C, q) it grows as K_u eta_u^2, and the left side as K_u^2 eta_u^2. The "
    "C and q of (14), which grow with K_u, make up for it; those of the network, as Theorem 1 has "
    "them, do not.",
    repair="(19), or the corrected bound, which holds for all step sizes and any start.",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "dfedpgp.lem3",
            "Lemma 3, Eq. (13)",
            display=r"\frac{1}{m}\sum_{i=1}^{m} \mathbb{E}\|\bar{u}^t - z_i^t\|^2 \le "
            r"\frac{8K_u^2\eta_u^2 C^2}{(1-q)^2 K_u - 8K_u^2\eta_u^2 L_u^2 C^2} "
            r"\Big(\sigma_u^2 + \sigma_g^2 + \mathbb{E}[\Delta_{\bar{u}}^t]\Big).",
        ),
    ),
)
LOST_TWO = Cause(
    id="dfedpgp/lost-two",
    clause="||a + b||^2 by ||a||^2 + ||b||^2, without the factor 2",
    fails="||a + b||^2 is at most 2 ||a||^2 + 2 ||b||^2, and the 2 is missing. The two gradients "
    "point the same way wherever z_i is on the far side of ubar from the minimum: two clients at "
    "1 and 0 with F = u^2/2 have 1 on the left and 1/4 + 1/4 on the right.",
    repair="Write the factor 2.",
    severity=Severity.WRONG_CONSTANT,
    lines=(
        Line(
            "dfedpgp.eq17",
            "Eq. (17), its second line",
            display=r"\begin{aligned} \mathbb{E} \|\nabla_{u} F(z_{i}^{t}, V^{t+1})\|^{2} \leq "
            r"\mathbb{E} \|\nabla_{u} F(z_{i}^{t}, V^{t+1}) - \nabla_{u} F(\bar{u}^{t}, "
            r"V^{t+1}) + \nabla_{u} F(\bar{u}^{t}, V^{t+1})\|^{2} \\ \leq L_{u}^{2} "
            r"\mathbb{E} \|\bar{u}^{t} - z_{i}^{t}\|^{2} + \mathbb{E} [\Delta_{\bar{u}}^{t}]. "
            r"\end{aligned}",
        ),
    ),
)
LAST_FOR_ALL = Cause(
    id="dfedpgp/last-round-for-all",
    clause="(18) puts the last round's gradient for those of all rounds",
    fails="The third line of (18) takes one gradient out of a sum over all rounds j, although j is "
    "bound in that sum. (16) has its share: v^{j+1} stands on its left side and v^{t+1} on its "
    "right one, so that the gradient of whatever round is bounded by that of round t. Where "
    "gradients fade, what is left of the first rounds is soon more than all of the last.",
    repair="Take the largest gradient of all rounds j <= t.",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "dfedpgp.eq18",
            "Eq. (18), its third line",
            display=r"\begin{aligned} \mathbb{E} \|\bar{u}^{t} - z_{i}^{t}\|^{2} "
            r"&\stackrel{a)}{\leq} 2C^{2}q^{2t} \|u_{i}^{0}\|^{2} + 2\eta_{u}^{2}C^{2} "
            r"\Big(\sum_{j=1}^{t} q^{t-j}\mathbb{E} \|\sum_{k=0}^{K_{u}-1} "
            r"\nabla_{u}F_{i}(z_{i}^{t,k}, v_{i}^{j+1}; \xi_{i})\|\Big)^{2} \\ &\leq "
            r"2C^{2}q^{2t} \|u_{i}^{0}\|^{2} + "
            r"\frac{2K_{u}^{2}\eta_{u}^{2}C^{2}}{(1-q)^{2}}\mathbb{E} "
            r"\|\nabla_{u}F_{i}(z_{i}^{t,k}, v_{i}^{j+1}; \xi_{i})\|^{2} \end{aligned}",
        ),
    ),
)
