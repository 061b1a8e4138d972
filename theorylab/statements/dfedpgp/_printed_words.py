"""What the paper claims in words where that is false: its words, what fails, the repair."""

from theorylab.statements._printed import Printed

WORDS = {  # locator -> what is printed there
    "rem2": Printed(
        words="the bound will be tighter as q decreases, which means the network connectivity "
        "improves [...] the connectivity constant C decreases as the connectivity of the "
        "communication network improves",
        fails="With a = 1/D an added link raises the out-degree D and leaves the diameter, so "
        "q rises; the lemma's C rises, too.",
        repair="Keep a the same on both networks.",
    ),
    "tab1": Printed(
        words="on the CIFAR-10 dataset, DFedPGP achieves 86.50% on the Directlet-0.3 setups",
        fails="Table 1 has 85.61, as the text itself has further down.",
        repair="Write 85.61 %.",
    ),
    "tab2": Printed(
        words="DFedPGP is almost twice as fast as the other methods",
        fails="FedRep needs 189 rounds on CIFAR-10, 1.44 times DFedPGP's 131.",
        repair="Say it of the average of the other methods.",
    ),
    "tab3": Printed(
        words="FedRep is the best PFL method encountering the computation heterogeneous "
        "challenge in CFL",
        fails="In the row Pat FedPer has 91.09 and FedRep 88.57.",
        repair="Say it of the row Dir alone.",
    ),
    "tab6": Printed(
        words="state-of-the-art (SOTA) accuracy in both data and computation heterogeneity "
        "scenarios",
        fails="With Dirichlet-0.3 DFedPGP has 14.94, and the best method 18.18.",
        repair="Say it of the columns where it is so.",
    ),
    "tab7": Printed(
        words="3.51x on average",
        fails="The average of the four speedups is 3.5174, which is 3.52 to the nearest "
        "hundredth, as every single one is shortened.",
        repair="Write 3.52x.",
    ),
    "tab8": Printed(
        words="decreasing by 0.99x exponentially. All methods are set with a decay rate of 0.005",
        fails="Table 8 has a weight decay of 5e-4 and a learning rate decay of 0.9.",
        repair="Print one of the two settings in both places.",
    ),
}
