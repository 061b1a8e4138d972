"""DFedSGPSM, "Asymmetrically Decentralized Federated Learning": its statements in order."""

from theorylab.statements.dfedsgpsm.alg1_input import STATEMENT as ALG1_INPUT
from theorylab.statements.dfedsgpsm.alg1_line8 import STATEMENT as ALG1_LINE8
from theorylab.statements.dfedsgpsm.appa_data import STATEMENT as APPA_DATA
from theorylab.statements.dfedsgpsm.asm1 import STATEMENT as ASM1
from theorylab.statements.dfedsgpsm.asm2 import STATEMENT as ASM2
from theorylab.statements.dfedsgpsm.asm3 import STATEMENT as ASM3
from theorylab.statements.dfedsgpsm.asm4 import STATEMENT as ASM4
from theorylab.statements.dfedsgpsm.asm5 import STATEMENT as ASM5
from theorylab.statements.dfedsgpsm.cor1 import STATEMENT as COR1
from theorylab.statements.dfedsgpsm.cor1_asyng import STATEMENT as COR1_ASYNG
from theorylab.statements.dfedsgpsm.cor1_growth import STATEMENT as COR1_GROWTH
from theorylab.statements.dfedsgpsm.cor1_rate import STATEMENT as COR1_RATE
from theorylab.statements.dfedsgpsm.eq2 import STATEMENT as EQ2
from theorylab.statements.dfedsgpsm.eq3 import STATEMENT as EQ3
from theorylab.statements.dfedsgpsm.eq5 import STATEMENT as EQ5
from theorylab.statements.dfedsgpsm.eq6 import STATEMENT as EQ6
from theorylab.statements.dfedsgpsm.lem1 import STATEMENT as LEM1
from theorylab.statements.dfedsgpsm.lem2 import STATEMENT as LEM2
from theorylab.statements.dfedsgpsm.lem3 import STATEMENT as LEM3
from theorylab.statements.dfedsgpsm.lem3_delta import STATEMENT as LEM3_DELTA
from theorylab.statements.dfedsgpsm.lem3_factor import STATEMENT as LEM3_FACTOR
from theorylab.statements.dfedsgpsm.lem3_growth import STATEMENT as LEM3_GROWTH
from theorylab.statements.dfedsgpsm.lem4 import STATEMENT as LEM4
from theorylab.statements.dfedsgpsm.lem4_update import STATEMENT as LEM4_UPDATE
from theorylab.statements.dfedsgpsm.lem4_weight import STATEMENT as LEM4_WEIGHT
from theorylab.statements.dfedsgpsm.lem5 import STATEMENT as LEM5
from theorylab.statements.dfedsgpsm.lem5_descent import STATEMENT as LEM5_DESCENT
from theorylab.statements.dfedsgpsm.lem5_last import STATEMENT as LEM5_LAST
from theorylab.statements.dfedsgpsm.lem5_mean import STATEMENT as LEM5_MEAN
from theorylab.statements.dfedsgpsm.lem5_r1 import STATEMENT as LEM5_R1
from theorylab.statements.dfedsgpsm.lem5_smooth import STATEMENT as LEM5_SMOOTH
from theorylab.statements.dfedsgpsm.lem5_split import STATEMENT as LEM5_SPLIT
from theorylab.statements.dfedsgpsm.lem5_step import STATEMENT as LEM5_STEP
from theorylab.statements.dfedsgpsm.rem1 import STATEMENT as REM1
from theorylab.statements.dfedsgpsm.rem1_trend import STATEMENT as REM1_TREND
from theorylab.statements.dfedsgpsm.rem2 import STATEMENT as REM2
from theorylab.statements.dfedsgpsm.sec4_rows import STATEMENT as SEC4_ROWS
from theorylab.statements.dfedsgpsm.tab1 import STATEMENT as TAB1
from theorylab.statements.dfedsgpsm.tab2 import STATEMENT as TAB2
from theorylab.statements.dfedsgpsm.thm1 import STATEMENT as THM1

STATEMENTS = (  # the paper's order; a proof's displays where they stand
    *(ALG1_INPUT, ALG1_LINE8),
    *(ASM1, ASM2, ASM3, ASM4, ASM5, SEC4_ROWS, THM1, COR1, COR1_RATE, COR1_GROWTH, COR1_ASYNG),
    *(REM1, REM1_TREND, REM2),
    *(TAB1, TAB2, APPA_DATA, EQ2),
    *(EQ3, LEM1, EQ5, LEM2, LEM3, LEM3_DELTA, LEM3_FACTOR, LEM3_GROWTH),
    *(LEM4, LEM4_WEIGHT, EQ6, LEM4_UPDATE),
    *(LEM5, LEM5_MEAN, LEM5_SPLIT, LEM5_SMOOTH, LEM5_R1, LEM5_STEP, LEM5_DESCENT, LEM5_LAST),
)

NOT_RUN = {  # locator -> why it is no statement that runs
    "Eq. (1)": "the problem's definition; it claims nothing",
    "Section 4, on the assumptions": "line 126, Assumption 1 is weaker than connected graphs (it "
    "follows from them with a window of 1) and Assumptions 2 to 5 are mild: words; what they "
    "exclude is said at each",
    "Section 5.3": "what ablations show (lines 193 to 205): accuracies, without data or seeds here",
    "Appendix A.1, advantages of the selection": "stronger consistency and stability (line 289): "
    "words, no formula",
    "Algorithm 1, other lines": "what it does; lines 10, 11 and 15 are lem1, eq5 and eq3",
    "Eq. (4)": "Lemma 1",
    "Proof 1": "differences of local models and their sum: Eq. (5) and Lemma 1 again",
    "Proof 3, first two displays": "one local step, and E||grad f_i||^2 where line 9 takes it, by "
    "(a+b)^2 <= 2a^2 + 2b^2 and its like: steps to Lemma 3, which is judged at every k. The second "
    "line of the first takes line 9's noise for sigma_l^2, which Lemma 2's pinwheel refutes",
    "Proof 4, third display": "Eq. (6) with the display after it put in: eq6 and lem4_update",
    "Proof 5, up to the smoothness of f": "columns of P sum to 1, which the constants ask of a "
    "topology before anything is judged, and the descent lemma, true of every L-smooth f",
    "Proof 5, R1, other lines": "Jensen, a sum of three squares, delta for w_i, Lemmas 3 and 4 put "
    "in: judged as a whole, lem5_r1",
    "Proof 5, R1 substituted": "lem5_descent times a~ eta / 2; its sum over t is Lemma 5",
    "Section 3.4 and Corollary 1, AsyNG as published": "asynchronous, with neighbor selection: "
    "this paper does not print it. What it says of it (lines 23, 110, 144) is cor1_asyng",
    "Section 4, first and third challenge": "local steps make a biased update: how far is Lemma 3 "
    "and R1; the other is the word non-convex. The second is sec4_rows",
    "Table 1, the runs behind it": "test accuracies on MNIST, CIFAR-10 and CIFAR-100, 100 clients, "
    "300 to 500 rounds, ResNet-18: data and hours on a GPU that no check has, and no seed is given",
    "Table 2, the runs behind it": "test accuracies of an ablation on CIFAR-10; as Table 1",
    "Figure 1": "the curves behind Table 1",
    "Figure 2": "curves of ablations on CIFAR-10; as Table 1",
    "Remark 2, Chen et al. (2023)": "O(1/T^theta), strongly convex: a claim of another paper",
}
