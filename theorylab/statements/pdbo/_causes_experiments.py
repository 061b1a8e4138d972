"""What is wrong in what PDBO says of its experiments: Section 6, Appendices C.6, E and G."""

from theorylab.statements._cause import Cause, Line
from theorylab.statements._severity import Severity

STILL_UNBIASED = Cause(
    id="pdbo/still-unbiased",
    clause="the bias is 0, as rounds are independent (Assumption 5); it errs on the safe side",
    fails="The estimate stays unbiased for the same series: A and B of one round never meet in a "
    "product, as u^(m) is made of rounds before m, so that by Assumption 5 the mean is what "
    "it was. Its variance changes. The paper is harder on its own modification than it need "
    "be, and nothing is built on it.",
    repair="Write that it stays unbiased, and that its variance changes.",
    severity=Severity.HARMLESS,
    lines=(
        Line(
            "pdbo.sec61",
            "Section 6.1, training procedure, the last sentence",
            words="to sample A^(m) and B^(m) together at the single m-th round, which leads to the "
            "same length of the Neumann series with the half sampling costs of the original HGP, "
            "while they are no longer unbiased",
        ),
    ),
)
DRAWN_EDGES = Cause(
    id="pdbo/edges-drawn-anew",
    clause="edges are drawn anew: the iterate goes on moving, and only its mean converges",
    fails="Where edges are drawn anew in every round, as on StoU and StoD, omega^(T) and z^(T) do "
    "not settle at y*, and only their means do. The mean squared distance tends to a floor, "
    "whose root is of the order of the step. With three clients on StoU the root of "
    "E||z^(500) - z*||^2 is 33 % of ||z*|| at the step .3, and 3 % at .01. Appendix C.6, "
    'which has "500 iterations of Eq. (4b) ensuring the convergence of SGP" there, prints no '
    "step. On static networks the claim is true.",
    repair="Say it of the mean, with a rate: ||E omega^(T) - omega*|| <= sqrt(omega_max/omega_min) "
    "sigma^T ||1 - omega*||, and ||E z^(T) - z*|| <= ||A-bar||_2^T ||z^(0) - z*|| where omega "
    "stays 1.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "pdbo.sec61_point",
            "Section 6.1, training procedure",
            words="approximates y_i^* by y_i^(T) obtained from the T steps of inner-optimization",
        ),
    ),
)
SECOND_MOMENT = Cause(
    id="pdbo/second-moment",
    clause="steps at which rho(E[A (x) A]) > 1; no step is printed",
    fails="At small steps rho(E[A (x) A]) is above 1 while rho(A-bar) is below it: the mean "
    "converges, and the mean squared error grows with the number of rounds. At the step that "
    "stands for the figure's the sentence is true.",
    repair="Ask for rho(E[A (x) A]) < 1, or print the step.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "pdbo.appc6_rounds",
            "Appendix C.6, below Figure 2",
            words="the larger number of estimation rounds tends to have smaller error",
        ),
    ),
)
DA_GAIN = Cause(
    id="pdbo/gain-of-da",
    clause="DA adds less to PDBO-MTL than to SGP on FC, FixU and StoD; on StoU it adds more",
    fails="Read as what DA adds: by Table 1 it adds 0.0, 0.1, 1.4 and 0.6 points to PDBO-MTL on "
    "FC, FixU, StoU and StoD, and 0.7, 0.7, 1.2 and 1.1 to SGP. Read as PDBO-MTL&DA against "
    "PDBO-DA alone the sentence is true on all four.",
    repair="Say it of StoU, or say that the combination is above PDBO-DA alone.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "pdbo.tab1",
            "Section 6.2, personalization performance",
            words="it was especially effective when combined with PDBO-MTL",
        ),
    ),
)
LIU_FOR_LI = Cause(
    id="pdbo/liu-for-li",
    clause="Liu is static and undirected there; Li is centralized",
    fails="Table 3 has Liu et al. (2022) as static and undirected, as the sentence before does.",
    repair="Write Li et al. (2022), whom the table has as centralized.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "pdbo.tab3",
            "Appendix E, communication networks",
            words="Tarzanagh et al. (2022); Liu et al. (2022) addresses the consensus in the "
            "outer-problem by adopting centralized communication settings",
        ),
    ),
)
PERCENTILE = Cause(
    id="pdbo/percentile-of-two",
    clause="not PDBO-MTL on CIFAR10, nor PDBO-DA on EMNIST",
    fails="In Table 4 PDBO-MTL has 65.2 on CIFAR10 where SGP has 69.7, and PDBO-DA has 72.9 on "
    "EMNIST where SGP-MTL has 73.2. Against the baselines of the same model alone the sentence is "
    "true.",
    repair="Except these two, as the text does for the averages.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "pdbo.tab4_percentile",
            "Appendix G, results and discussions",
            words="Accuracy at the 10% percentile are also improved from the baselines in all the "
            "tasks and our approaches",
        ),
    ),
)
