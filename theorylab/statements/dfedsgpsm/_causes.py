"""What is wrong with Algorithm 1, Theorem 1, the remarks and the tables of dfedsgpsm."""

from __future__ import annotations

from theorylab.statements._cause import Cause, Line
from theorylab.statements._severity import Severity

FIRST_SHARES = Cause(
    id="dfedsgpsm/first-shares",
    clause="shares of round 0 in networks whose out-degrees change",
    fails="The share of a message is fixed in round 0, and the number of receivers may change from "
    "round to round. A client that has more or fewer of them later sends more or less than it has, "
    "the columns of the mixing matrix no longer sum to 1, and the average of the models moves "
    "without a gradient. Networks whose out-degrees never change are not touched, and "
    "DFedSGPSM's Eq. (3) has the degree of round t, d_j^t.",
    repair="Write the out-degree of round t for that of round 0.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "dfedsgpsm.alg1_input",
            "Algorithm 1, input",
            r"p_{j,i}^t = \frac{1}{|N_i^{\text{out}}(0)|} \text{ for all nodes } i, j",
            "the communication topology is a column-stochastic matrix",
        ),
        Line(
            "dfedpgp.alg1_input",
            "Algorithm 1, input",
            r"p_{j,i}^t = 1/|\mathcal{N}_{i,0}^{out}|",
        ),
    ),
    effect="None in DFedSGPSM's runs, where every client has 10 neighbors in every round, and none "
    "in DFedPGP's, whose shares are those of its (6).",
)
NO_DIRECTION = Cause(
    id="dfedsgpsm/no-direction",
    clause="a client at a minimum of its sample's loss",
    fails="Line 8 divides by the length of a gradient, which is 0 where a client stands at a "
    "minimum of its sample's loss. The text does not say what happens then.",
    repair="Read 0/0 as 0; the proofs only need a step of length at most rho.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "dfedsgpsm.alg1_line8",
            "Algorithm 1, line 8",
            r"\check{\mathbf{z}}_{i,k+1}^t = \mathbf{z}_{i,k+1}^t + "
            r"\rho \frac{\mathbf{g}_{i,k+1}^t}{\|\mathbf{g}_{i,k+1}^t\|}",
            "update extra step",
        ),
    ),
)
UNBIASED = Cause(
    id="dfedsgpsm/line-9-unbiased",
    clause="line 9's gradient is called unbiased, on line 7's minibatch",
    fails="Line 9 calls its gradient unbiased, and takes it on line 7's minibatch, which chose "
    'the point. (Section 3.4: "computing the unbiased stochastic gradient [...] with the same '
    'sampled mini-batch data".) Line 8 has moved the model along the gradient of that minibatch. '
    "Wherever the noise depends on the point, line 9's gradient is biased, and its noise is not "
    "bounded by sigma_l: each sample may be sent to where it alone is large. Assumption 3 covers "
    "line 7, whose point does not depend on the sample. Without noise, or with rho = 0, the word "
    "is right.",
    repair="Ask Assumption 3 of line 7 alone, let every F_i(.; xi) be L_xi-smooth, and take "
    "G = sqrt(B^2 + sigma_l^2) + L_xi rho for the size of a gradient. Another repair is a "
    "minibatch of its own for line 9.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "dfedsgpsm.alg1_line9",
            "Algorithm 1, line 9",
            r"\check{\mathbf{g}}_{i,k+1}^t = "
            r"\nabla f_i(\check{\mathbf{z}}_{i,k+1}^t; \varepsilon_{i,k}^t)",
            "compute unbiased stochastic gradient",
        ),
    ),
    effect="Not known: the paper prints neither the smoothness of the samples' losses nor their "
    "noise.",
)
FIRST_TERM = Cause(
    id="dfedsgpsm/first-term",
    clause="1/a~ replaced by (1-alpha)/K, off without limit in alpha",
    fails='Proof 5 ends with "Finally, utilizing 0 < a~ < K/(1-alpha), we obtain the final '
    'result" and puts (1-alpha)/K in the place of 1/a~. The inequality that it cites says '
    "1/a~ > (1-alpha)/K. So the first term of the bound is too small, by the factor "
    "K/((1-alpha) a~), which grows without limit as alpha tends to 1.",
    repair="Use 1/a~ <= 1/K. Sharper, keep 1/a~ in the first term, with a~ = sum_k sum_{s<=k} "
    "alpha^{k-s}; in Corollary 1 K/a~ stands for 1-alpha. Both need L eta a~ < 1.",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "dfedsgpsm.thm1",
            "Theorem 1, first term (Proof 5, last step)",
            r"\begin{aligned} \frac{1}{T} \sum_{t=0}^{T-1} \mathbb{E} \|\nabla "
            r"f(\bar{\mathbf{x}}^t)\|^2 &\leq \frac{2(1-\alpha)(f(\bar{\mathbf{x}}^0) - "
            r"f^*)}{T\eta_l K} + \frac{L\eta_l K \sigma_l^2}{1-\alpha} + \frac{3\eta_l^2 "
            r"L^2}{\delta} (C_1 + 64K^2 B^2) \\ &\quad + \frac{6L^2 C^2}{T(1-q^2)} "
            r"\frac{1}{n} \sum_{i=1}^n \|\mathbf{x}_i^0\|^2 + 6L^2 \eta_l^2 K^2 C^2 "
            r"\frac{(B^2 + \sigma_l^2)}{(1-\alpha)^2(1-q)^2} + 3L^2 \rho^2 \end{aligned}",
            "Finally, utilizing 0 < a~ < K/(1-alpha), we obtain the final result",
        ),
    ),
    effect="With 5 epochs of batches of 128, 600 images a client of MNIST make K = 25 and 500 of "
    "CIFAR-10 or CIFAR-100 make K = 20. The first term should be 1.50 times as large on MNIST and "
    "1.65 times on CIFAR-10 (alpha = .9), and 1.006 times on CIFAR-100 (alpha = .1). The descent "
    "step has a factor of up to 2 to spare, and no run with these three is known that refutes the "
    "theorem; at K = 20 and alpha = .99 the factor is 10.1.",
)
DEGREE_RATE = Cause(
    id="dfedsgpsm/degree-in-q",
    clause="a = 1/D, with D the largest out-degree; true for a fixed a",
    fails='"a < 1 is a constant" is true of q while a stays the same. DFedSGPSM prints no D, and '
    "does not say what a is. With 1/D for a, where D is the largest out-degree that stands in the "
    "lemma as DFedPGP's (14) quotes it, a link that raises D and leaves the diameter as it is "
    "raises q, although the network mixes faster.",
    repair="Say that a is the same on both networks.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "dfedsgpsm.rem1_trend",
            "Remark 1, on q",
            words="as the connectivity of the communication network improves, the value of q "
            "will become smaller",
        ),
        Line(
            "dfedpgp.rem2",
            "Remark 2, on q",
            words="the bound will be tighter as q decreases, which means the network connectivity "
            "improves and clients exchange parameters with more neighbors",
        ),
    ),
)
DEGREE_FACTOR = Cause(
    id="dfedsgpsm/degree-in-c",
    clause="the closed formula of C, which grows with the degree",
    fails="DFedSGPSM prints no formula of C. With the one of the lemma that the remark cites, as "
    "DFedPGP's (14) quotes it, C is 2 sqrt(d) D^{Delta B} / lambda^{...}. It grows with the "
    "largest out-degree D, and without limit on the way to the complete graph, where lambda = "
    "1 - n/n is 0.",
    repair="Leave the sentence on C out.",
    severity=Severity.WRONG_ORDER,
    lines=(
        Line(
            "dfedsgpsm.rem1_trend",
            "Remark 1, on C",
            words="the value of C decreases as the connectivity of the communication network "
            "improves",
        ),
        Line(
            "dfedpgp.rem2",
            "Remark 2, on C",
            words="the connectivity constant C decreases as the connectivity of the communication "
            "network improves",
        ),
    ),
)
MNIST_LEAD = Cause(
    id="dfedsgpsm/mnist-lead",
    clause=".27 on MNIST, where the column Dir-0.6 has .23",
    fails="With Dir-0.6 Table 1 has 98.53 and 98.30 on MNIST, a lead of .23 and not of .27. The "
    ".27 of the text is the lead over DFedSAM in the column Dir-0.3, 98.51 - 98.24.",
    repair="Write .23 % on MNIST.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "dfedsgpsm.tab1",
            "Section 5.2, on Table 1",
            words="taking Dir-0.6 as an example, our algorithm outperforms symmetric DFL methods "
            "with an accuracy lead of 0.27% in MNIST, 1.80% in CIFAR10, and 1.87% in CIFAR100",
        ),
    ),
)
OTHER_RIVALS = Cause(
    id="dfedsgpsm/other-rivals",
    clause="1.80 on CIFAR-10 is over DFedSAM; DFedAvgM is closer",
    fails='"Symmetric DFL methods" are four in Table 1. On CIFAR-10 with Dir-0.6 DFedAvgM has '
    "80.73, which is more than DFedSAM's 80.56, and the lead over all four is 1.63, not 1.80.",
    repair="Name DFedSAM, or write 1.63 %.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "dfedsgpsm.tab1",
            "Section 5.2, on Table 1",
            words="our algorithm outperforms symmetric DFL methods with an accuracy lead of "
            "[...] 1.80% in CIFAR10",
        ),
    ),
)
SAM_EVERYWHERE = Cause(
    id="dfedsgpsm/sam-everywhere",
    clause="CIFAR-100 with Dir-0.3, where SAM loses .40",
    fails="On CIFAR-100 with Dir-0.3 Table 1 has 57.87 for DFedSAM and 58.27 for DFedAvg, the "
    "same method without SAM. It is so in this column alone of the nine.",
    repair="Say that SAM helps in eight of the nine columns.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "dfedsgpsm.tab1",
            "Section 5.2, impact of non-IID levels",
            words="methods based on the SAM optimizer consistently achieve higher accuracy "
            "across different levels of non-IID",
        ),
    ),
)
SAM_GAIN = Cause(
    id="dfedsgpsm/sam-gain",
    clause="4.72 for the 2.59 that SAM adds to momentum",
    fails="Table 2 has 78.72 with momentum and 81.31 with SAM on top of it, which is 2.59 more; "
    "4.72 is what both add to OSGP together.",
    repair="Write 2.59 %, or 4.72 % over OSGP.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "dfedsgpsm.tab2",
            "Section 5.3, on Table 2",
            words="by introducing the SAM optimizer on top of the momentum inclusion, we achieve "
            "an additional accuracy improvement of 4.72%",
        ),
    ),
)
MNIST_IMAGES = Cause(
    id="dfedsgpsm/mnist-images",
    clause="50,000 training images of MNIST, which has 60,000",
    fails="MNIST has 60,000 images for training.",
    repair="Write 60,000 for MNIST.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "dfedsgpsm.appa_data",
            "Appendix A, datasets",
            words="Each dataset comprises 50,000 images for training and 10,000 images for testing",
        ),
    ),
)
HEARS_NOBODY = Cause(
    id="dfedsgpsm/client-that-hears-nobody",
    clause="a client whose loss is between those of the others",
    fails='b_{i,j} "denotes j in N_i^out": client i sends to the clients that it picks. A client '
    "whose loss is closer to client i's than others' losses are is picked with a chance that is "
    "exponentially small in the difference. Where ten clients have a far smaller loss and ten a "
    "far larger one, both groups pick each other. A client halfway between them hears from another "
    "one once in e^{gap/2} rounds or so, and Assumption 1 asks for a window in which everybody "
    "hears.",
    repair="Scale the losses, or bound every chance from below.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "dfedsgpsm.eq2",
            "Eq. (2), Appendix A.1",
            r"p(b_{i,j}) = \frac{e^{|f_i - f_j|}}{\sum_{j=1}^n e^{|f_i - f_j|}}",
            "In this study, we set each client to have 10 neighbors.",
        ),
    ),
)
