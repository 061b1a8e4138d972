"""What the paper claims in words where that is false: its words, what fails, the repair."""

from theorylab.statements._printed import Printed

WORDS = {  # locator -> what is printed there
    "sec2": Printed(
        words="We can also recover FedAVG [...] by choosing a fully-connected graph with averaging "
        "over all clients",
        fails="(4a) with p_ij = 1/n for all t averages after every single step; FedAVG with K "
        "> 1 local steps does not.",
        repair="Let p_ij = 1/n where K divides t + 1, and let clients keep to themselves in all "
        "other rounds.",
    ),
    "sec2_convergence": Printed(
        words="column stochastic matrix P^(t) [...] to ensure the convergence of x_i to the "
        "consensus",
        fails="Column stochastic weights may have p_ii = 0: two clients that only send to each "
        "other have the eigenvalue -1, and (4b) diverges for every step.",
        repair="Ask that every client keeps a share, and for alpha L <= theta omega_min.",
    ),
    "sec3": Printed(
        words="we can recover a family of personalized layer scheme",
        fails="At Eq. (6)'s stationary point the gradients d_x f_i(x_i*) do not sum to 0 over "
        "what each client's x_i* moves by.",
        repair="Say it of Eq. (5), or of steps that tend to 0.",
    ),
    "sec5": Printed(
        words="in our setting where I - A-bar can be asymmetric, AID-CG is slower than AID-RB",
        fails="AID-RB goes on as rho(A-bar)^k, where 1 - rho is of the order of the step: its "
        "rounds grow as 1/alpha, and AID-CG's hardly do.",
        repair="Compare the two bounds of the corrected version; at large steps the claim is true.",
    ),
    "sec61": Printed(
        words="sample A and B together at the single m-th round [...] while they are no longer "
        "unbiased",
        fails="A and B of one round never meet in a product, so by Assumption 5 the mean is "
        "what it was: the estimate stays unbiased, and its variance changes.",
        repair="Write that it stays unbiased.",
    ),
    "sec61_point": Printed(
        words="approximates y_i^* by y_i^(T) obtained from the T steps of inner-optimization",
        fails="On networks whose edges are drawn anew omega^(T) moves with every round: its "
        "mean converges, and its mean squared distance to omega* does not tend to 0.",
        repair="Speak of the mean: ||E omega^(T) - omega*|| <= sqrt(omega_max/omega_min) "
        "sigma^T ||1 - omega*||.",
    ),
    "tab1": Printed(
        words="it was especially effective when combined with PDBO-MTL",
        fails="What DA adds to PDBO-MTL is 0.0, 0.1, 1.4 and 0.6 points, and to SGP 0.7, 0.7, "
        "1.2 and 1.1.",
        repair="Say it of StoU alone.",
    ),
    "appb": Printed(
        words="the weighted average of two different estimators results in an estimator with a "
        "smaller variance",
        fails="The variance of an average of two estimators may be above that of the better "
        "one: with alpha = .05 it is 1.7 times that of HGP.",
        repair='Say "with alpha, beta chosen well", as Appendix B does later.',
    ),
    "appc6": Printed(
        words="500 iterations of Eq. (4b) ensuring the convergence of SGP",
        fails="Edges are drawn in every iteration, so E||z^(500) - z*||^2 does not vanish; the "
        "mean converges.",
        repair="Say it of the mean, with the step size.",
    ),
    "appc6_rounds": Printed(
        words="the larger number of estimation rounds tends to have smaller error",
        fails="At small steps rho(E[A (x) A]) is above 1 while rho(A-bar) is below it: the "
        "mean converges, and the error grows with the number of rounds.",
        repair="Ask for rho(E[A (x) A]) < 1.",
    ),
    "tab3": Printed(
        words="Tarzanagh et al. (2022); Liu et al. (2022) addresses the consensus in the "
        "outer-problem by adopting centralized communication settings",
        fails="The table has Liu et al. (2022) as static and undirected, as the sentence "
        "before says.",
        repair="Write Li et al. (2022), whom the table has as centralized.",
    ),
    "alg2_estimates": Printed(
        words="we can estimate them through T rounds of SGP communication",
        fails="The averages have the right means, and the ratio p-hat/d-hat that the estimator "
        "uses has not: 1/d-hat is convex.",
        repair="Let the bias be at most 1/((T+1) d) + 8/((T+1)(T+2) d^2).",
    ),
    "alg3": Printed(
        words="return v^(m)",
        fails="Line 20 returns v^(m) after the loop over m = 0 .. M-1: to the letter v^(M-1), "
        "one term fewer.",
        repair="Return v^(M).",
    ),
    "alg4": Printed(
        words="return v^(m)",
        fails="Line 20 returns v^(m) after the loop: to the letter v^(M-1), one term fewer.",
        repair="Return v^(M).",
    ),
    "alg5": Printed(
        words="w_i <- w_i + beta pbar_ij/dbar d phi_i u_j",
        fails="Line 22 adds u_j where Appendix B has w_j; line 2 starts at c^lambda and line "
        "25 adds it again; w^(0) is never set.",
        repair="Appendix B's recursion: w_j, v^(0) = 0, w^(0) = c^y.",
    ),
    "appf": Printed(
        words="the output of HGP can be seen as an unbiased estimate of stochastic gradient",
        fails="The mean of the estimate is the truncated series, which differs from the "
        "hypergradient by the rest of it.",
        repair="Add the bias of the truncation, which goes to 0 as M grows.",
    ),
    "tab4_percentile": Printed(
        words="Accuracy at the 10% percentile are also improved from the baselines in all the "
        "tasks and our approaches",
        fails="PDBO-MTL has 65.2 on CIFAR10 and SGP 69.7; PDBO-DA has 72.9 on EMNIST and "
        "SGP-MTL 73.2.",
        repair="Except these two, as the text does for the averages.",
    ),
}
