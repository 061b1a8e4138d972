"""What DFedPGP claims in words, of its tables and its settings, where that is false."""

from __future__ import annotations

from theorylab.statements._cause import Cause, Line
from theorylab.statements._severity import Severity

ACCURACY = Cause(
    id="dfedpgp/accuracy-of-dirichlet",
    clause="86.50 for the 85.61 of the table",
    fails="Table 1 has 85.61, as the text itself has further down.",
    repair="Write 85.61 %.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "dfedpgp.tab1",
            "Section 5.2",
            words="on the CIFAR-10 dataset, DFedPGP achieves 86.50% on the Directlet-0.3 setups",
        ),
    ),
)
NOT_BEST = Cause(
    id="dfedpgp/not-best-of-all",
    clause="FedBABU is best on CIFAR-10 with two classes a client",
    fails='Read of every column of Table 1, "outperforms" fails in one: on CIFAR-10 with two '
    "classes FedBABU has 91.28 and DFedPGP 91.26, .02 apart where DFedPGP's +- is .05.",
    repair='Say "in seven of eight settings".',
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "dfedpgp.tab1",
            "Section 5.2",
            words="the proposed DFedPGP outperforms other baseline methods with the best stability "
            "and better performance in both different datasets and different data heterogeneity "
            "scenarios",
        ),
    ),
)
STABILITY = Cause(
    id="dfedpgp/stability",
    clause="on CIFAR-100 it drops by 8.60, FedAvg by 2.37, Ditto by .20",
    fails="The text claims the best stability on both data sets, and says what it is: from "
    "Dirichlet-0.1 to Dirichlet-0.3 on CIFAR-10 FedRep drops by 4.28 and DFedPGP by 3.24, "
    '"meaning its stronger stability". There DFedPGP drops least. On CIFAR-100 it drops by 8.60, '
    "FedAvg by 2.37 and Ditto by .20.",
    repair="Say it of CIFAR-10.",
    severity=Severity.MISSING_HYPOTHESIS,
    lines=(
        Line(
            "dfedpgp.tab1",
            "Section 5.2",
            words="the best stability and better performance in both different datasets [...] "
            "DFedPGP drops about 3.24% to 85.61%, meaning its stronger stability for several "
            "heterogeneous settings",
        ),
    ),
)
TWICE_AS_FAST = Cause(
    id="dfedpgp/twice-as-fast",
    clause="1.44 times as fast as FedRep on CIFAR-10",
    fails='Read of each other method, "almost twice as fast" fails for one: FedRep needs 189 '
    "rounds on CIFAR-10, 1.44 times DFedPGP's 131.",
    repair="Say it of the average of the other methods.",
    severity=Severity.WRONG_CONSTANT,
    lines=(
        Line(
            "dfedpgp.tab2",
            "Section 5.2",
            words="DFedPGP is almost twice as fast as the other methods",
        ),
    ),
)
DECAYS = Cause(
    id="dfedpgp/decays",
    clause="a weight decay of .005 for 5e-4, a rate decay of .99 for .9",
    fails="Table 8 has a weight decay of 5e-4 and a learning rate decay of 0.9.",
    repair="Print one of the two settings in both places.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "dfedpgp.tab8",
            "Section 5.1",
            words="decreasing by 0.99x exponentially. All methods are set with a decay rate of "
            "0.005",
        ),
    ),
)
TINY_IMAGENET = Cause(
    id="dfedpgp/rounds-of-tiny-imagenet",
    clause="300 rounds in Appendix C.2, 500 in Table 8",
    fails="Appendix C.2 has 300 rounds for Tiny-ImageNet, and Table 8 has 500 for all three data "
    "sets.",
    repair="Print one of the two numbers in both places.",
    severity=Severity.MISPRINT,
    lines=(
        Line(
            "dfedpgp.tab8",
            "Appendix C.2",
            words="500 communication rounds for CIFAR-10, CIFAR-100, and 300 rounds for "
            "Tiny-ImageNet",
        ),
    ),
)
