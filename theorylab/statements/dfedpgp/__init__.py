"""DFedPGP, "Decentralized Directed Collaboration for Personalized Federated Learning"."""

LOCATORS = (  # a module each, in the paper's order
    "eq6 asm1 asm2 asm3 asm4 thm1 thm1_growth cor1 cor1_rate cor1_growth rem1 rem2 "
    "rem2_lemma3 rem3 lem1 lem2 lem3 eq15 eq16 eq17 eq18 eq22 eq23 eq25 eq28"
).split()

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
    "Table 1": "accuracies on CIFAR-10 and CIFAR-100, 100 clients, 500 rounds, ResNet-18: data and "
    "hours on a GPU that no check has",
    "Table 2": "rounds to an accuracy in the same runs",
    "Table 3": "the same with clients of different speed",
    "Table 4": "an ablation on CIFAR-10; as Table 1",
    "Table 5": "sizes of the data sets",
    "Table 6": "accuracies on Tiny-ImageNet; as Table 1",
    "Table 7": "rounds to an accuracy on Tiny-ImageNet; as Table 1",
    "Table 8": "hyperparameters",
    "Figure 1": "a drawing of the algorithm",
    "Figure 2": "the curves behind Table 1",
    "Figure 3": "curves of ablations on CIFAR-10; as Table 1",
    "Figure 4": "a drawing of how labels are split",
    "Figure 5": "the curves behind Table 6",
}
