"""PDBO's quantitative claims that are no statement here: locator -> why."""

NOT_RUN = {
    "Section 4.1, 4.2: O(n d_x + n d_lambda) time, O(d_y) messages": "orders of cost without a "
    "formula; the products are timed by `bench`",
    "Assumption 5": "rounds are independent: so is how every network and minibatch here is drawn, "
    "from one stream a round, and a law that is a product has nothing to measure; it is used in "
    "pdbo.eq29, whose check 'coupled' breaks it within a round, and in pdbo.sec61",
    "Eq. (1), (5), (7)": "definitions of the problems; that Eq. (6)'s point is no optimum of "
    "Eq. (1) is pdbo.eq6; what it does to Eq. (7) in the place of Eq. (5) is a remark of pdbo.sec3",
    "Section 1 and 5: immune to failures and deadlocks, the first that runs on such networks": "no "
    "quantity",
    "Section 5: model interpolation is recovered": "f_i has no lambda_i then, so that "
    "B-bar is 0 and the hypergradient is c^lambda, the scheme's own derivative at the same model: "
    "by definition",
    "Section 5: FedEM, clustering, data augmentation are recovered": "what is "
    "solved, not how: FedEM's steps are expectation maximisation and Astraea's sampling follows "
    "fixed rules; the two problems run as pdbo-mtl and pdbo-da",
    "Appendix A.3: psi_i, phi_j are averages over the minibatch, true for (4a), (4b)": "z and "
    "omega are their own averages: by definition",
    "Appendix A.4, the estimator rewritten; Appendix B, the means of u and w": "the recursions of "
    "pdbo.eq10, pdbo.eq12 and pdbo.appb, line by line",
    "Appendix C.1, proofs of Lemmas 2, 3 and 5": "the same identities half-way; their ends are "
    "pdbo.lem2, pdbo.lem3 and pdbo.lem5",
    "Appendix C.3: sigma^2": "sums whose ends are pdbo.thm8_series; K for n in "
    "one index, and s for t in others, change nothing",
    "Appendix C.6: (alpha, beta) = (.9, .1) performed well": "pdbo.fig2 has what is compared",
    "Section 5: PDBO recovers CDBO": "which outer problem is solved, Eq. (39) and (40), "
    "without a quantity; the self-loops of its inner problem are pdbo.sec2 [printed/self-loops]",
    "Appendix C.7: Lemma 5 for v-tilde": "Lemma 5 is algebra for any matrices, and "
    "pdbo.lem5 has it for random ones; what is added, Atilde - Ahat + Ahat - Abar, is an identity, "
    "with tildes and hats for bars in this text. The bound of its last part is pdbo.thm11",
    "Algorithm 1": "Algorithms 2, 4 and 5 and a step of SGD, one after the other: a definition",
    "Table 1, the accuracies themselves": "EMNIST with n = 100 and CNNs, data that are not here; "
    "the methods run on digits, and on EMNIST's files where they are given. What the text says of "
    "the table is pdbo.tab1, and of smaller runs pdbo.tab1_da, tab1_both, tab1_fc and tab1_low",
    "Section 6.2: VR-HGP estimated the hyper-gradient with sufficiently small errors": "no number; "
    "the errors are bounded in pdbo.thm1, and measured in pdbo.fig2 and pdbo.appc6_rounds",
    "Table 2, Appendix D": "settings, with which no sentence is at odds",
    "Table 3, the entries themselves": "they are about algorithms of other papers, which are not "
    "reproduced; what the text says of the table is pdbo.tab3",
    "Table 4, the accuracies themselves": "CIFAR10, CIFAR100, Shakespeare and EMNIST with "
    "MobileNet-v2 and LSTMs, data that are not here; what the text says of the table is pdbo.tab4 "
    "and pdbo.tab4_percentile, and of smaller runs pdbo.tab4_baselines",
    "Appendix F: outer steps converge as SGD does": "no rate is printed; the unbiasedness that it "
    "rests on is pdbo.appf",
    "Appendix H: ITD sends O(d_lambda d_y) and waits for all; backward needs static edges": "what "
    "can be sent, without a quantity",
}
