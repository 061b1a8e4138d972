r"""What is wrong in DFedPGP's theory, a record a fault; ``_causes_tables`` has tables and words."""

from __future__ import annotations

from theorylab.statements._cause import Cause, Line
from theorylab.statements._severity import Severity

HEADS_AT_U = Cause(
    id="dfedpgp/heads-at-u",
    clause="Delta_v is taken at u_i, where line 6 has z_i",
    fails="Delta_v takes the heads' gradients at u_i^t = mu_i^t z_i^t, and line 6 steps along "
    "those at z_i^t. Where mu_i is not 1 one of them may be 0 and the other not: at a stationary "
    "point z_i = u^* no client moves and Delta_v stays above a positive number, and elsewhere "
    "v_i moves although Delta_v is 0.",
    repair="Write z_i^t for u_i^t in Delta_v.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "dfedpgp.thm1",
            "Theorem 1, the definition of Delta_v",
            display=r"\Delta_v^t = \frac{1}{m} \sum_{i=1}^m \left\| \nabla_v F_i(u_i^t, v_i^t) "
            r"\right\|^2",
        ),
    ),
    effect="None in the paper's own runs: the rows of (6) sum to 1, so every mu_i stays 1.",
)
VANISHING_NOISE = Cause(
    id="dfedpgp/vanishing-head-noise",
    clause="the noise of v has L_v^2 (1 + L_v), and vanishes with L_v",
    fails="(31) has L_v^2 (1 + L_v) before sigma_v^2, and the sum of (28) and (29) gives 1 + L_v. "
    "Over the coefficient of Delta_v, at Corollary 1's steps, it becomes the (1 + L_v) sigma_v^2 "
    "of (3) and (5), where the noise of a head is sigma_v^2/(L_v K_v): the flatter the heads are "
    "in v, the more the noise moves them, and the printed term does not grow. 1 + L_v adds "
    "numbers of different units, too.",
    repair="Write eta_v^2 K_v L_v sigma_v^2 (1 + eta_v L_v (K_v - 1))/2 for the noise in (31), and "
    "sigma_v^2/(L_v K_v) in (3) and (5).",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "dfedpgp.eq31",
            "Eq. (31), the noise of v",
            display=r"4\eta_{v}^{2}K_{v}^{2}\sigma_{v}^{2}L_{v}^{2}(1+L_{v})",
        ),
        Line(
            "dfedpgp.thm1",
            "Eq. (3), the second term",
            display=r"\frac{(1 + L_{v})\sigma_{v}^{2}}{\sqrt{T}}",
        ),
        Line(
            "dfedpgp.cor1_growth",
            "Eq. (5), the first term of sigma_1^2",
            display=r"\sigma_1^2 = (1+L_v)\sigma_v^2 + \left(\frac{1}{K_u L_u} + \frac{L_v \chi^2 "
            r"C^2}{(1-q)^2 L_u}\right) \left(\sigma_u^2 + \sigma_g^2\right)",
        ),
    ),
    effect="From the optimum, with a small step, a round's noise raises the loss of a head by "
    "1/(8 K_v L_v (1 + L_v)) times what (31) allows. With the paper's K_v = 4 (1 epoch of 4 "
    "minibatches) that is above 1 for L_v < .0303; the paper prints no L_v.",
)
NO_STEP_SIZE = Cause(
    id="dfedpgp/no-step-size",
    clause="(3) is claimed for every eta_u below its cap",
    fails="Theorem 1 allows every eta_u below its cap and says nothing of eta_v, and its O(.) "
    "falls as 1/sqrt(T) whatever they are. With eta_u K_u = w/T the models go a way of order 1 in "
    "all T rounds together, and the left side stays above a positive number.",
    repair="State the steps eta_u = O(1/(L_u K_u sqrt(T))), eta_v = O(1/(L_v K_v sqrt(T))) that "
    "the proof assumes above (33).",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "dfedpgp.thm1_growth",
            "Theorem 1, its step sizes",
            display=r"0 < \eta_u < \frac{\delta}{4\sqrt{2L_uK_u}}",
            words="the local learning rates satisfy",
        ),
    ),
    effect="The paper's runs take eta_u = .1 in the first round and .99 times as much in every "
    "next one (Section 5.1; Table 8 has .9). Over however many rounds these add up to less than 10 "
    "for each of the local steps, and to less than 200 in all with K_u = 20, so (3) claims too "
    "much of them, too.",
)
CAP = Cause(
    id="dfedpgp/cap-of-theorem-1",
    clause="the cap on eta_u is not free of units",
    fails="Theorem 1's cap has the root of L_u K_u, which is no inverse step size in any units; "
    "the proof of Lemma 3 has delta/(4 sqrt(2) K_u L_u). Where L_u > 128 K_u the printed cap "
    "allows eta_u > 2/L_u, and gradient descent diverges.",
    repair="Write 0 < eta_u < delta/(4 sqrt(2) K_u L_u), as the proof of Lemma 3 does.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "dfedpgp.thm1_growth",
            "Theorem 1, the cap on eta_u",
            display=r"0 < \eta_u < \frac{\delta}{4\sqrt{2L_uK_u}}",
        ),
    ),
    effect="The paper prints no L_u. At its K_u = 20 the cap lets gradient descent diverge where "
    "L_u > 2560, in the units in which the root is taken.",
)
ROWS = Cause(
    id="dfedpgp/rows-sum-to-1",
    clause="rows of P^t sum to 1 in (6), and the theory needs columns",
    fails="Every client draws whom to pull from and weighs these and itself by 1/(n + 1): rows "
    "of this matrix sum to 1. Algorithm 1, and its proof from (23) on, need columns that do: "
    "unless all clients are drawn equally often, the average moves by mixing alone, and no mu_i "
    "undoes it.",
    repair="Draw whom to push to, and give each of them and itself 1/(n + 1).",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "dfedpgp.eq6",
            "Appendix B, Eq. (6)",
            display=r"p_{i,j}^{t} = \begin{cases} 1/(n+1), & j \in \mathcal{N}_{i,t}^{in}; \\ 0, & "
            r"\text{otherwise.} \end{cases}",
            words="a simple yet effective random client selection method that satisfies our theory",
        ),
    ),
)
OUT_OF_REACH = Cause(
    id="dfedpgp/out-of-reach",
    clause="C^2 << (1-q)^2 T, with a closed formula for C and q",
    fails='"Assume C^2 << (1-q)^2 T" stands above (33) alone, not in Theorem 1. "<<" is read as '
    '"at most a hundredth of". With (14), whose C grows with K_u, a ring of 100 then asks for '
    "10^719 rounds at K_u = 5. The lemma that the theorem refers to was not at hand: with (14), "
    "and 1 for K_u + 1 in it, the ring asks for more than 10^120 rounds.",
    repair="State the condition in the theorem, with constants of the network.",
    severity=Severity.EMPTY,
    lines=(
        Line(
            "dfedpgp.eq33",
            "the condition above Eq. (33)",
            display=r"C^2 \ll (1-q)^2 T",
            words="Assume C^2 << (1-q)^2 T, then unfold AA",
        ),
    ),
)
