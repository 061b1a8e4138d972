"""DFedAlt, "Towards More Suitable Personalization in Federated Learning": its statements in order.

DFedSalt's own are in ``theorylab.statements.dfedsalt``.
"""

LOCATORS = (  # a module each, in the paper's order
    "def1 asm1 asm2 asm3 thm1 thm1_bound lem1 lem2 lem3 lem5 eq8 eq9 eq10 eq12 eq13 eq15 eq16 "
    "eq17 eq18 eq19"
).split()
# What cannot be run, and why: locator -> reason.
NOT_RUN = {
    "Equation (1), (2)": "definitions of the losses; what is minimised, not a claim",
    "Remark 1": "says in words on what Theorem 1's bound depends; no formula",
    "Equations (5) to (7), (14)": "(5) adds and subtracts one number; the others are Assumption 1 "
    "(asm1), integrated: F is L_u-smooth in u, F_i is L_v-smooth in v_i",
    "Proofs of Lemmas 3 to 6": "their displays lead to the lemma in one or two lines; lem3 to lem6 "
    "say which line fails",
    "Equations (20), (21)": "Theorem 1's display; (20) has L_v^2 for L_u^2 under L_vu^2",
    "Figure 1": "training curves on CIFAR-10 and CIFAR-100, data that are not here",
    "Figure 2": "a drawing of Algorithm 1",
    "Figures 3, 4, 5, 6": "test accuracies on CIFAR-10 and CIFAR-100 with ResNet-18; data, and the "
    "hours of training, are not here",
    "Figure 7": "the same on Tiny-ImageNet",
    "Tables 1, 2, 3": "accuracies and rounds to an accuracy on CIFAR-10 and CIFAR-100, the same",
    "Table 4": "sizes of the data sets",
    "Tables 5, 6": "accuracies and rounds to an accuracy on Tiny-ImageNet, the same",
}
