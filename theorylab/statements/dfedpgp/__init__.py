"""DFedPGP, "Decentralized Directed Collaboration for Personalized Federated Learning"."""

LOCATORS = (  # a module each, in the paper's order
    "sec31 alg1_input eq6 asm1 asm2 asm3 asm4 thm1 thm1_growth cor1 cor1_rate cor1_growth rem1 "
    "rem2 rem2_lemma3 rem3 lem1 eq8 lem2 eq11 lem3 eq15 eq16 eq17 eq18 eq22 eq23 eq23_descent eq24 "
    "eq25 eq26 eq28 eq29 eq30 eq31 eq33 tab1 tab1_accuracy tab2 tab2_rounds tab3 "
    "tab4 tab6 tab7 tab8"
).split()

NOT_RUN = {  # locator -> why it is no statement that runs
    "Eq. (1), (2)": "definitions of the problem; they claim nothing",
    "Assumption 5": "Theorem 1 is stated under Assumptions 1-5; the paper has four. Remark 1 "
    "speaks of a gradient bound B, which may be what is missing",
    "Section 3.1, a network without links (i,i)": "'(where i != j)' could be read so, but Appendix "
    "B has a client pull from itself as well: no reading of the paper; sec31 has why it matters",
    "Eq. (3)": "Theorem 1's O(.): thm1_growth",
    "Eq. (4), (5)": "Corollary 1's O(.): cor1_rate and cor1_growth",
    "delta": "Theorem 1's definition and Property 2.1 of [57], that some delta > 0 is below every "
    "mu_i^t: an assumption here, with delta as it is; at most, not below, where it is attained",
    "Appendix B, push-sum": "what Kempe et al. (2003) prove of averaging, quoted; with P(t) that "
    "changes the limit need not exist, the ratios' does (lem3 with eta_u = 0)",
    "Eq. (7), (9)": "steps inside the proof of Lemma 1 (with (1 + 2/(K_v-1))^(K_v-1) <= e^2 < 8); "
    "true by themselves, and their end is lem1. The two slips of (8) between them are in eq8",
    "Eq. (10), (12)": "Lemma 2 and its proof: lem2, with the factor K_u - 1 that (12) loses; "
    "(11) is eq11",
    "Eq. (13), (14), (19)": "Lemma 3: lem3, each a reading of it; what (14) asks for is in eq33",
    "Eq. (18), the rest": "squares (15), eq18 and (16) with (17); its end is (19), lem3",
    "Eq. (25), the rest": "eq25's sum with Lemmas 2 and 3 put in; its last line has AA where (26) "
    "has L_u^2 AA",
    "Eq. (32)": "thm1 is (32) summed over the rounds",
    "Eq. (34), (35)": "(5) and (4) once more",
    "Algorithm 1": "what runs; line 4's one minibatch is a reading of thm1, cor1, cor1_growth, "
    "eq23, eq23_descent and eq26, its input is alg1_input",
    "Section 4.2, challenges": "words, and sum_j p_ij != 1, which is what push-sum is for",
    "Tables 1 to 4 and 6, the accuracies themselves": "CIFAR-10, CIFAR-100 and Tiny-ImageNet, 100 "
    "clients, 500 rounds, ResNet-18: data and hours on a GPU that no check has; what the text says "
    "of them is tab1 to tab7, and of smaller runs tab1_accuracy and tab2_rounds",
    "Tables 3 and 4 in smaller runs": "clients with unlike work, and the ablation: not among the "
    "checks; both methods and options are there for an instance of one's own",
    "Table 5": "sizes of the data sets",
    "Figure 1": "a drawing of the algorithm",
    "Figure 2": "the curves behind Table 1",
    "Figure 3": "curves of ablations on CIFAR-10; as Table 1",
    "Figure 4": "a drawing of how labels are split",
    "Figure 5": "the curves behind Table 6",
}
