"""DFedAlt, "Towards More Suitable Personalization in Federated Learning": its statements in order.

DFedSalt's own are in ``theorylab.statements.dfedsalt``.
"""

from theorylab.statements.dfedalt.alg1 import STATEMENT as ALG1
from theorylab.statements.dfedalt.asm1 import STATEMENT as ASM1
from theorylab.statements.dfedalt.asm2 import STATEMENT as ASM2
from theorylab.statements.dfedalt.asm3 import STATEMENT as ASM3
from theorylab.statements.dfedalt.def1 import STATEMENT as DEF1
from theorylab.statements.dfedalt.eq8 import STATEMENT as EQ8
from theorylab.statements.dfedalt.eq9 import STATEMENT as EQ9
from theorylab.statements.dfedalt.eq10 import STATEMENT as EQ10
from theorylab.statements.dfedalt.eq12 import STATEMENT as EQ12
from theorylab.statements.dfedalt.eq13 import STATEMENT as EQ13
from theorylab.statements.dfedalt.eq15 import STATEMENT as EQ15
from theorylab.statements.dfedalt.eq16 import STATEMENT as EQ16
from theorylab.statements.dfedalt.eq17 import STATEMENT as EQ17
from theorylab.statements.dfedalt.eq18 import STATEMENT as EQ18
from theorylab.statements.dfedalt.eq19 import STATEMENT as EQ19
from theorylab.statements.dfedalt.lem1 import STATEMENT as LEM1
from theorylab.statements.dfedalt.lem2 import STATEMENT as LEM2
from theorylab.statements.dfedalt.lem3 import STATEMENT as LEM3
from theorylab.statements.dfedalt.lem5 import STATEMENT as LEM5
from theorylab.statements.dfedalt.tab1 import STATEMENT as TAB1
from theorylab.statements.dfedalt.tab2 import STATEMENT as TAB2
from theorylab.statements.dfedalt.tab3 import STATEMENT as TAB3
from theorylab.statements.dfedalt.tab5 import STATEMENT as TAB5
from theorylab.statements.dfedalt.tab6 import STATEMENT as TAB6
from theorylab.statements.dfedalt.thm1 import STATEMENT as THM1
from theorylab.statements.dfedalt.thm1_bound import STATEMENT as THM1_BOUND

STATEMENTS = (  # the paper's order
    DEF1,
    ALG1,
    ASM1,
    ASM2,
    ASM3,
    THM1,
    THM1_BOUND,
    LEM1,
    LEM2,
    LEM3,
    LEM5,
    EQ8,
    EQ9,
    EQ10,
    EQ12,
    EQ13,
    EQ15,
    EQ16,
    EQ17,
    EQ18,
    EQ19,
    *(TAB1, TAB2, TAB3, TAB5, TAB6),
)
# What cannot be run, and why: locator -> reason.
NOT_RUN = {
    "Equation (1), (2)": "definitions of the losses; what is minimised, not a claim",
    "Algorithm 1, line 1": "a start for each client: lem5 [printed], lem6 and (17) are false for "
    "it, and thm1_bound has its term",
    "Algorithm 1, line 4": "one minibatch for a whole round: eq8 [printed/line-4]; asm2 and lem2 "
    "need another for each step",
    "Algorithm 1, lines 5 to 12, 16": "the steps that every run takes; line 13 is alg1",
    "Assumptions, text: mild and commonly used": "no formula; asm3 says which losses they exclude",
    "Theorem 1, the second form of sigma_1^2": "equal to the first where L_vu >= L_uv, larger "
    "elsewhere, by the definition of chi; thm1's docstring",
    "Remark 1": "says in words on what Theorem 1's bound depends; no formula",
    "Equations (5) to (7), (14)": "(5) adds and subtracts one number; the others are Assumption 1 "
    "(asm1), integrated: F is L_u-smooth in u, F_i is L_v-smooth in v_i",
    "Proofs of Lemmas 3 to 6": "their displays lead to the lemma in one or two lines; lem3 to lem6 "
    "say which line fails",
    "Equations (20), (21)": "Theorem 1's display; (20) has L_v^2 for L_u^2 under L_vu^2, and an "
    "uncoupled loss, which refutes thm1, has neither",
    "Figure 1": "training curves on CIFAR-10 and CIFAR-100, data that are not here",
    "Figure 2": "a drawing of Algorithm 1",
    "Figures 3, 4, 5, 6": "test accuracies on CIFAR-10 and CIFAR-100 with ResNet-18; data, and the "
    "hours of training, are not here, and the numbers of the text are not printed elsewhere",
    "Figure 7": "the same on Tiny-ImageNet",
    "Tables 1 to 3, 5 and 6, the accuracies themselves": "ResNet-18 with 100 clients, the same; "
    "what the text says of them is tab1 to tab6",
    "Table 4": "sizes of the data sets",
}
