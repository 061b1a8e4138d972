"""DFedAlt, "Towards More Suitable Personalization in Federated Learning": its statements in order.

DFedSalt's own are in ``theorylab.statements.dfedsalt``.
"""

LOCATORS = (  # a module each, in the paper's order
    "def1 alg1 asm1 asm2 asm3 thm1 thm1_bound lem1 lem2 lem3 lem5 eq8 eq9 eq10 eq12 eq13 eq15 "
    "eq16 eq17 eq18 eq19 tab1 tab1_accuracy tab2 tab2_rounds tab3 tab5 tab6"
).split()
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
    "what the text says of them is tab1 to tab6, and of smaller runs tab1_accuracy and tab2_rounds",
    "Table 4": "sizes of the data sets",
}
