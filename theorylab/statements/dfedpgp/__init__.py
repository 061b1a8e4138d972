"""DFedPGP, "Decentralized Directed Collaboration for Personalized Federated Learning"."""

from theorylab.statements.dfedpgp.asm1 import STATEMENT as ASM1
from theorylab.statements.dfedpgp.asm2 import STATEMENT as ASM2
from theorylab.statements.dfedpgp.asm3 import STATEMENT as ASM3
from theorylab.statements.dfedpgp.asm4 import STATEMENT as ASM4
from theorylab.statements.dfedpgp.cor1 import STATEMENT as COR1
from theorylab.statements.dfedpgp.cor1_growth import STATEMENT as COR1_GROWTH
from theorylab.statements.dfedpgp.cor1_rate import STATEMENT as COR1_RATE
from theorylab.statements.dfedpgp.eq6 import STATEMENT as EQ6
from theorylab.statements.dfedpgp.eq15 import STATEMENT as EQ15
from theorylab.statements.dfedpgp.eq16 import STATEMENT as EQ16
from theorylab.statements.dfedpgp.eq17 import STATEMENT as EQ17
from theorylab.statements.dfedpgp.eq18 import STATEMENT as EQ18
from theorylab.statements.dfedpgp.eq22 import STATEMENT as EQ22
from theorylab.statements.dfedpgp.eq23 import STATEMENT as EQ23
from theorylab.statements.dfedpgp.eq25 import STATEMENT as EQ25
from theorylab.statements.dfedpgp.eq28 import STATEMENT as EQ28
from theorylab.statements.dfedpgp.lem1 import STATEMENT as LEM1
from theorylab.statements.dfedpgp.lem2 import STATEMENT as LEM2
from theorylab.statements.dfedpgp.lem3 import STATEMENT as LEM3
from theorylab.statements.dfedpgp.rem1 import STATEMENT as REM1
from theorylab.statements.dfedpgp.rem2 import STATEMENT as REM2
from theorylab.statements.dfedpgp.rem2_lemma3 import STATEMENT as REM2_LEMMA3
from theorylab.statements.dfedpgp.rem3 import STATEMENT as REM3
from theorylab.statements.dfedpgp.tab1 import STATEMENT as TAB1
from theorylab.statements.dfedpgp.tab2 import STATEMENT as TAB2
from theorylab.statements.dfedpgp.tab3 import STATEMENT as TAB3
from theorylab.statements.dfedpgp.tab4 import STATEMENT as TAB4
from theorylab.statements.dfedpgp.tab6 import STATEMENT as TAB6
from theorylab.statements.dfedpgp.tab7 import STATEMENT as TAB7
from theorylab.statements.dfedpgp.tab8 import STATEMENT as TAB8
from theorylab.statements.dfedpgp.thm1 import STATEMENT as THM1
from theorylab.statements.dfedpgp.thm1_growth import STATEMENT as THM1_GROWTH

STATEMENTS = (  # the paper's order; a proof's displays where they stand
    *(EQ6, ASM1, ASM2, ASM3, ASM4, THM1, THM1_GROWTH),
    *(COR1, COR1_RATE, COR1_GROWTH),
    *(REM1, REM2, REM2_LEMMA3, REM3, LEM1, LEM2, LEM3, EQ15),
    *(EQ16, EQ17, EQ18, EQ22, EQ23, EQ25, EQ28),
    *(TAB1, TAB2, TAB3, TAB4, TAB6, TAB7, TAB8),
)

NOT_RUN = {  # locator -> why it is no statement that runs
    "Eq. (1), (2)": "definitions of the problem; they claim nothing",
    "Assumption 5": "Theorem 1 is stated under Assumptions 1-5; the paper has four. Remark 1 "
    "speaks of a gradient bound B, which may be what is missing",
    "Eq. (3)": "Theorem 1's O(.): thm1_growth",
    "Eq. (4), (5)": "Corollary 1's O(.): cor1_rate and cor1_growth",
    "delta": "Theorem 1's definition and Property 2.1 of [57], that some delta > 0 is below every "
    "mu_i^t: an assumption here, with delta as it is; at most, not below, where it is attained",
    "Appendix B, push-sum": "what Kempe et al. (2003) prove of averaging, quoted; with P(t) that "
    "changes the limit need not exist, the ratios' does (lem3 with eta_u = 0)",
    "Eq. (7)-(9)": "steps inside the proof of Lemma 1 (with (1 + 2/(K_v-1))^(K_v-1) <= e^2 < 8, "
    "true); its end is lem1",
    "Eq. (10)-(12)": "Lemma 2 and its proof: lem2, with the factor K_u - 1 that (12) loses",
    "Eq. (13), (14), (19)": "Lemma 3: lem3, each a reading of it",
    "Eq. (18), the rest": "squares (15), eq18 and (16) with (17); its end is (19), lem3",
    "Eq. (24), (26)": "(23) with Lemma 3, which is about z_i^t and not z_i^{t,k}, and (25) put in; "
    "the sign of (26)'s first term is lost; judged in thm1, which sums them",
    "Eq. (25), the rest": "eq25's sum with Lemmas 2 and 3 put in; its last line has AA where (26) "
    "has L_u^2 AA",
    "Eq. (29)-(31)": "the v-step with Lemma 1 (lem1, all-steps) and Lemma 3 put in; (31) has L_v^2 "
    "too many and a 1 in the place of L_v; judged in thm1, which sums them",
    "Eq. (32)": "thm1 is (32) summed over the rounds",
    "Eq. (33)-(35)": "(3), (5) and (4) once more, without the doubled term of (3)",
    "Algorithm 1": "what runs; line 4's minibatch is a reading of thm1, cor1, eq23",
    "Section 4.2, challenges": "words, and sum_j p_ij != 1, which is what push-sum is for",
    "Tables 1 to 4 and 6, the accuracies themselves": "CIFAR-10, CIFAR-100 and Tiny-ImageNet, 100 "
    "clients, 500 rounds, ResNet-18: data and hours on a GPU that no check has; what the text says "
    "of them is tab1 to tab7",
    "Table 5": "sizes of the data sets",
    "Figure 1": "a drawing of the algorithm",
    "Figure 2": "the curves behind Table 1",
    "Figure 3": "curves of ablations on CIFAR-10; as Table 1",
    "Figure 4": "a drawing of how labels are split",
    "Figure 5": "the curves behind Table 6",
}
