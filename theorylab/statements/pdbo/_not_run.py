"""PDBO's quantitative claims that are no statement here: locator -> why."""

NOT_RUN = {
    "Section 2, line 61: SGP recovers DSGD and FedAvg": "which iteration other papers run is taken "
    "from their texts; that doubly stochastic P leaves omega at 1 in Eq. (2) is a line of algebra, "
    "and an experiment would compare a loop with its copy",
    "Section 4.1, 4.2: O(n d_x + n d_lambda) time, O(d_y) messages": "orders of cost without a "
    "formula; the products are timed by `bench`",
    "Section 5, line 209: AID-CG is slower than AID-RB": "quoted from another paper, without a "
    "rate; conjugate gradients on the normal equations are not reproduced",
    "Appendix C.7, line 869: ||B-tilde - B-hat|| <= eta_B L_lambda G": "its twin for A is "
    "pdbo.thm11_gap; the maps at hand have d_lambda phi constant in y, on which it says 0 <= 0",
    "Table 1": "accuracies on EMNIST with n = 100 and CNNs, data that are not here; the methods "
    "run on digits, and on EMNIST's files where they are given",
    "Table 3, Appendix E": "who sends or computes full Jacobians; it is about algorithms of other "
    "papers, which are not reproduced",
    "Table 4, Appendix G": "accuracies on CIFAR10, CIFAR100, Shakespeare and EMNIST with "
    "MobileNet-v2 and LSTMs, data that are not here",
    "Appendix F: outer steps converge as SGD does": "no rate is printed; the unbiasedness that it "
    "rests on is pdbo.appf",
    "Appendix H: ITD sends O(d_lambda d_y) and waits for all; backward needs static edges": "what "
    "can be sent, without a quantity",
}
