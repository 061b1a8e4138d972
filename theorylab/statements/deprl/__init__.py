"""DePRL, "DePRL: Achieving Linear Convergence Speedup in Personalized Decentralized Learning"."""

LOCATORS = (  # a module each, in the paper's order
    "eq8 asm1 asm2 asm3 asm4 asm5 thm1 thm1_mixing thm1_heads cor1 cor1_rate cor1_dominated "
    "cor1_speedup cor1_consensus eq12 fig4 tab1 tab1_accuracy tab2"
).split()
# What cannot be run, and why: locator -> reason.
NOT_RUN = {
    "Equations (1), (2)": "what is minimised; (2) is over each theta_i inside the sum, so that "
    "(1) is (2) with all theta_i equal",
    "Equations (3), (5), (6)": "the steps that every run takes; theta_i(k+1) = theta_i(k, tau-1) "
    "below (4) against Figure 1's tau steps is a reading of thm1, cor1",
    "Equation (4)": "a minibatch; that its gradient is unbiased is asm3, its variance asm4",
    "Equation (7)": "what mixes; its sums are asm1, j in N_i with P_ij = 0 is thm1 "
    "[printed/graph], and P_ii = 0 is thm1 [printed/no-self-loops]",
    "Equation (9), (10)": "definitions of an epsilon-approximate solution and of M(k); M(k) is "
    "the left side of Theorem 1",
    "Remark 1": "extensions in words (momentum, several representation steps); no formula",
    "Remark 2": "comparison with other papers in words; no formula",
    "Assumptions, text: 1 to 5 are standard": "no formula; what they exclude is asm1 to asm5",
    "Assumptions, text: varsigma = 0 means i.i.d. data": "a reading of asm5 for one model, quoted",
    "Theorem 1, p = arg min": "a place, where the entry at it is meant: every version reads the "
    "entry",
    "Theorem 1, p = 1": "C = 4/0; the versions ask for p < 1",
    "Theorem 1, text: ... sigma^2 for varsigma^2 in the last term": "a misprint of the text "
    "alone; (11) has varsigma^2",
    "Theorem 1, text: the noise of the heads is 0 at tau = 1": "a factor tau - 1 of the bound, "
    "not a claim about a run",
    "Theorem 1, text: a vanishing and a constant term": "what the bound's own terms do as K grows",
    "Corollary 1, text: local SGD slows down as O(tau/K)": "a claim of Li et al. (2020), quoted",
    "Introduction; Corollary 1, text: first linear speedup": "a comparison with other papers; "
    "the speedup itself is deprl.cor1_speedup",
    "Introduction: generalization to unseen workers": "in words; its numbers are tab2",
    "Corollary 1, text: tau does not hurt": "the check along tau of deprl.cor1_rate",
    "Proof sketch, 1) to 3)": "in words; (12) is eq12",
    "Figure 1": "a drawing of Algorithm 1",
    "Figure 2": "learning curves of ResNet-18 on CIFAR-100, data that are not here",
    "Figure 3": "cosine similarities from the same CIFAR-100 runs",
    "Figure 4, the times themselves": "CIFAR-100 and HARBox, data that are not here; what they "
    "are measured by is fig4",
    "Tables 1 and 2, the accuracies themselves": "CIFAR-100, CIFAR-10, Fashion-MNIST and HARBox, "
    "data that are not here; what the text says of them is tab1 and tab2, and of smaller runs "
    "tab1_accuracy",
    "Table 2 in smaller runs": "new workers learn a head on a representation that is given; no "
    "experiment does so",
    "Appendix": "this version of the paper has none; it refers to arXiv:2312.10815 for the proofs",
}
