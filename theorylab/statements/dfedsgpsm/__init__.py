"""DFedSGPSM, "Asymmetrically Decentralized Federated Learning": its statements in order."""

LOCATORS = (  # a module each, in the paper's order
    "alg1_input alg1_line8 alg1_line9 asm1 asm2 asm3 asm4 asm5 thm1 cor1 cor1_rate cor1_growth "
    "cor1_asyng rem1 rem1_trend rem2 tab1 tab1_accuracy tab2 appa_data eq2 eq3 lem1 eq5 lem2 lem3 "
    "lem3_delta lem3_factor lem3_growth lem4 lem4_weight eq6 lem4_update lem5 lem5_mean "
    "lem5_split lem5_smooth lem5_r1 lem5_step lem5_descent lem5_last"
).split()

NOT_RUN = {  # locator -> why it is no statement that runs
    "Eq. (1)": "the problem's definition; it claims nothing",
    "Section 4, on the assumptions": "Assumption 1 is weaker than connected graphs (it "
    "follows from them with a window of 1) and Assumptions 2 to 5 are mild: words; what they "
    "exclude is said at each",
    "Section 5.3": "what ablations show: accuracies, without data or seeds here. A remark: alpha = "
    ".7 and rho = .2 are best there, and the experiments use .9 or .1 (Appendix A) and .1 (Section "
    "5.1); what is best at one setting and used at another is no contradiction",
    "Appendix A.1, advantages of the selection": "stronger consistency and stability: "
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
    "this paper does not print it. What it says of it (Sections 1, 3.4, 4) is cor1_asyng",
    "Section 4, challenges": "words. Local steps make a biased update: how far is Lemma 3 and R1. "
    "sum_j p_ij != 1 is what push-sum is for; a remark: on a directed ring, where all degrees are "
    "alike, the rows sum to 1 all the same. The third is the word non-convex",
    "Table 1, the runs behind it": "test accuracies on MNIST, CIFAR-10 and CIFAR-100, 100 clients, "
    "300 to 500 rounds, ResNet-18: data and hours on a GPU that no check has, and no seed is "
    "given; smaller runs are tab1_accuracy",
    "Table 2, the runs behind it": "test accuracies of an ablation on CIFAR-10; as Table 1",
    "Figure 1": "the curves behind Table 1",
    "Figure 2": "curves of ablations on CIFAR-10; as Table 1",
    "Remark 2, Chen et al. (2023)": "O(1/T^theta), strongly convex: a claim of another paper",
}
