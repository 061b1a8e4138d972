"""PDBO's quantitative claims that are no statement here: locator -> why."""

NOT_RUN = {
    "Section 4.1, 4.2: O(n d_x + n d_lambda) time, O(d_y) messages": "orders of cost without a "
    "formula; the products are timed by `bench`",
    "Table 1": "accuracies on EMNIST with n = 100 and CNNs, data that are not here; the methods "
    "run on digits, and on EMNIST's files where they are given",
    "Table 3, Appendix E": "who sends or computes full Jacobians; it is about algorithms of other "
    "papers, which are not reproduced",
    "Table 4, Appendix G": "accuracies on CIFAR10, CIFAR100, Shakespeare and EMNIST with "
    "MobileNet-v2 and LSTMs, data that are not here",
    "Appendix D: A and B drawn in one round are no more unbiased": "no formula; the reading with "
    "rounds together of the hypergradients shows it",
    "Appendix F: outer steps converge as SGD does": "no rate is printed; the unbiasedness that it "
    "rests on is pdbo.appf",
    "Appendix H: ITD sends O(d_lambda d_y) and waits for all; backward needs static edges": "what "
    "can be sent, without a quantity",
}
