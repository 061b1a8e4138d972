"""DePRL, "DePRL: Achieving Linear Convergence Speedup in Personalized Decentralized Learning"."""

LOCATORS = (  # a module each, in the paper's order
    "eq8 asm1 asm2 asm3 asm4 asm5 thm1 thm1_mixing cor1 cor1_rate cor1_speedup cor1_consensus eq12"
).split()
# What cannot be run, and why: locator -> reason.
NOT_RUN = {
    "Equation (9), (10)": "definitions of an epsilon-approximate solution and of M(k); M(k) is the "
    "left side of Theorem 1",
    "Remark 1": "extensions in words (momentum, several representation steps); no formula",
    "Remark 2": "comparison with other papers in words; no formula",
    "Theorem 1, text: the noise of the heads is 0 at tau = 1": "a factor tau - 1 of the bound, "
    "not a claim about a run",
    "Corollary 1, text: local SGD slows down as O(tau/K)": "a claim of Li et al. (2020), quoted",
    "Introduction; Corollary 1, text: first linear speedup": "a comparison with other papers; the "
    "speedup itself is deprl.cor1_speedup",
    "Introduction: generalization to unseen workers": "in words; its numbers are Table 2",
    "Theorem 1, text: a vanishing and a constant term, alpha = O(1/tau)": "what the bound's own "
    "terms do as K or tau grows, not a claim about a run",
    "Corollary 1, text: tau does not hurt": "the check along tau of deprl.cor1_rate",
    "Figure 1": "a drawing of Algorithm 1",
    "Figure 2": "learning curves of ResNet-18 on CIFAR-100, data that are not here",
    "Figure 3": "cosine similarities from the same CIFAR-100 runs",
    "Figure 4": "times to accuracy on CIFAR-100 and HARBox, data that are not here",
    "Table 1": "accuracies on CIFAR-100, CIFAR-10, Fashion-MNIST, HARBox, data that are not here",
    "Table 2": "accuracies on new workers, the same data",
    "Appendix": "this version of the paper has none; it refers to arXiv:2312.10815 for the proofs",
}
