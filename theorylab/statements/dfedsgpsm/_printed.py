"""What the paper prints where it is false: its own formula, the line that fails, the repair."""

from theorylab.statements._printed import Printed

PRINTED = {  # locator -> what is printed there
    "alg1_input": Printed(
        words="p_{j,i}^t = 1/|N_i^out(0)| for all nodes i, j [...] the communication topology is "
        "a column-stochastic matrix",
        fails="The share of a message is fixed in round 0, p_ji = 1/|N_i^out(0)|; a client "
        "with more or fewer neighbours later sends more or less than it has, and the "
        "average of the models moves without a gradient.",
        repair="Use 1/|N_i^out(t)|, the number of neighbours in the round itself.",
    ),
    "alg1_line8": Printed(
        words="update extra step: z-breve = z + rho g / ||g||",
        fails="Line 8 divides by the length of a gradient, which is 0 where a client stands at "
        "a minimum of its sample's loss; the text does not say what happens then.",
        repair="Read 0/0 as 0; the proofs only need a step of length at most rho.",
    ),
    "asm3": Printed(
        words="compute unbiased stochastic gradient",
        fails="Line 9 uses the sample of line 7 again, at a point that this sample has chosen, "
        "so the gradient there is biased wherever the noise depends on the point.",
        repair="Ask for unbiased gradients with variance sigma_l^2 at the point of line 7 "
        "alone, and pay L_xi rho for SAM's step.",
    ),
    "sec4_rows": Printed(
        words="our proposed algorithm employs an asymmetric topology, leading to the sum of "
        "sum_j p_{i,j}^t not being equal to 1",
        fails="A directed ring is asymmetric, and its rows sum to 1 all the same: unequal "
        "degrees matter, the direction of links does not.",
        repair="Say so of networks whose in-degrees and out-degrees differ.",
    ),
    "thm1": Printed(
        formula=r"\begin{aligned} \frac{1}{T} \sum_{t=0}^{T-1} \mathbb{E} \|\nabla "
        r"f(\bar{\mathbf{x}}^t)\|^2 &\leq \frac{2(1-\alpha)(f(\bar{\mathbf{x}}^0) - "
        r"f^*)}{T\eta_l K} + \frac{L\eta_l K \sigma_l^2}{1-\alpha} + \frac{3\eta_l^2 "
        r"L^2}{\delta} (C_1 + 64K^2 B^2) \\ &\quad + \frac{6L^2 C^2}{T(1-q^2)} "
        r"\frac{1}{n} \sum_{i=1}^n \|\mathbf{x}_i^0\|^2 + 6L^2 \eta_l^2 K^2 C^2 "
        r"\frac{(B^2 + \sigma_l^2)}{(1-\alpha)^2(1-q)^2} + 3L^2 \rho^2 \end{aligned}",
        fails='Proof 5 ends with "Finally, utilizing 0 < a~ < K/(1-alpha), we obtain the final '
        'result" and puts (1-alpha)/K in the place of 1/a~. The inequality that it cites '
        "says 1/a~ > (1-alpha)/K, so the first term of the bound is too small, by any "
        "factor as alpha tends to 1.",
        repair="Keep 1/a~ in the first term, with a~ = sum_k sum_{s<=k} alpha^{k-s}, and ask "
        "for L eta a~ < 1.",
    ),
    "cor1": Printed(
        formula=r"\begin{aligned} \frac{1}{T} \sum_{t=0}^{T-1} \mathbb{E} \|\nabla "
        r"f(\bar{\mathbf{x}}^t)\|^2 &= "
        r"\mathcal{O}\left(\frac{L(1-\alpha)(f(\bar{\mathbf{x}}^0) - f^*)}{\sqrt{T}} + "
        r"\frac{\sigma_l^2}{\sqrt{T}(1-\alpha)} + \frac{C_2}{T\delta} + \frac{L^2 "
        r"C^2}{T(1-q^2)} \frac{1}{n} \sum_{i=1}^n \|\mathbf{x}_i^0\|^2 \right. \\ &\quad "
        r"\left. + \frac{C^2(B^2 + \sigma_l^2)}{T(1-\alpha)^2(1-q)^2} + "
        r"\frac{1}{T}\right). \end{aligned}",
        fails="The first term repeats Theorem 1's (1-alpha)/K for 1/a~ (Proof 5, last line).",
        repair="Start with 2 K L (f(xbar^0) - f*) / (c a~ sqrt(T)).",
    ),
    "cor1_growth": Printed(
        formula=r"\begin{aligned} \frac{1}{T} \sum_{t=0}^{T-1} \mathbb{E} \|\nabla "
        r"f(\bar{\mathbf{x}}^t)\|^2 &= "
        r"\mathcal{O}\left(\frac{L(1-\alpha)(f(\bar{\mathbf{x}}^0) - f^*)}{\sqrt{T}} + "
        r"\frac{\sigma_l^2}{\sqrt{T}(1-\alpha)} + \frac{C_2}{T\delta} + \frac{L^2 "
        r"C^2}{T(1-q^2)} \frac{1}{n} \sum_{i=1}^n \|\mathbf{x}_i^0\|^2 \right. \\ &\quad "
        r"\left. + \frac{C^2(B^2 + \sigma_l^2)}{T(1-\alpha)^2(1-q)^2} + "
        r"\frac{1}{T}\right). \end{aligned}",
        fails="The first term falls with 1-alpha, and the left side does not: with K = 1 "
        "momentum has no effect at all. The ratio of both sides grows as 1/(1-alpha), so "
        "no hidden constant saves the O(.).",
        repair="Put K/a~ for 1-alpha in the first term.",
    ),
    "rem1_trend": Printed(
        words="as the connectivity of the communication network improves, the value of q will "
        "become smaller [...] the value of C decreases",
        fails="With a = 1/D, as in the lemma that the remark refers to, an added link raises "
        "the out-degree D and not the diameter, and q rises with it; the lemma's C "
        "rises, too.",
        repair="Keep a the same on both networks.",
    ),
    "tab1": Printed(
        words="an accuracy lead of 0.27% in MNIST, 1.80% in CIFAR10, and 1.87% in CIFAR100",
        fails="The differences of the table's own entries are .23, 1.80 and 1.87; the text has "
        ".27 for the first.",
        repair="Write .23 % on MNIST.",
    ),
    "tab2": Printed(
        words="by introducing the SAM optimizer on top of the momentum inclusion, we achieve "
        "an additional accuracy improvement of 4.72%",
        fails="Table 2 has 78.72 with momentum and 81.31 with SAM on top of it, which is 2.59 "
        "more; 4.72 is what both add to OSGP together.",
        repair="Write 2.59 %, or 4.72 % over OSGP.",
    ),
    "appa_data": Printed(
        words="Each dataset comprises 50,000 images for training and 10,000 images for testing",
        fails="MNIST has 60,000 images for training.",
        repair="Write 60,000 for MNIST.",
    ),
    "eq2": Printed(
        formula=r"p(b_{i,j}) = \frac{e^{|f_i - f_j|}}{\sum_{j=1}^n e^{|f_i - f_j|}}",
        fails="The exponent is a difference of losses: from a gap of 710 on e^{|f_i - f_j|} is "
        "no float64, and a client whose loss lies in the middle is heard once in e^{gap} "
        "rounds, so no window of a run is connected.",
        repair="Subtract the largest exponent, scale the losses, and bound every chance from "
        "below.",
    ),
    "lem2": Printed(
        formula=r"\mathbb{E} \|\mathbf{x}_{i,k+1}^t - \mathbf{x}_{i,k}^t\|^2 \leq "
        r"\frac{1}{(1-\alpha)^2} (2\eta_l^2 \sigma_l^2 + 2\eta_l^2 B^2)",
        fails="Assumption 3 bounds the noise of line 7's gradient, and the step uses line 9's: "
        "with SAM and noise every sample may be sent to where it alone is large. The ratio "
        "tends to the dimension d. (The paper refers to another one for the proof.)",
        repair="Put G = sqrt(B^2 + sigma_l^2) + L_xi rho for the size of a gradient.",
    ),
    "lem3": Printed(
        formula=r"\frac{1}{n} \sum_{i=1}^n \mathbb{E} \|\mathbf{x}_{i,k}^t - \mathbf{x}_i^t\|^2 "
        r"\leq C_1 \eta_l^2 + 64K^2 \eta_l^2 \frac{\sum_{i=1}^n \mathbb{E} \|\nabla "
        r"f(\mathbf{z}_i^t)\|^2}{n}",
        fails="C_1 ends with 64 K L^2 rho^2, and the last line of Proof 3 repeats it; 4(K-1) "
        "times 16 K L^2 rho^2 is 64 K^2 L^2 rho^2. Equal SAM steps go K^2 eta^2 L^2 "
        "rho^2 far, so the lemma is false from K = 65 on, by any factor.",
        repair="Write 64 K^2 L^2 rho^2, or bound K steps by eta^2 a~_k^2 G^2 without any cap.",
    ),
    "lem4": Printed(
        formula=r"\mathbb{E}\|\mathbf{z}_i^t - \bar{\mathbf{x}}^t\|^2 \leq "
        r"2C^2q^{2t}\|\mathbf{x}_i^0\|^2 + 2\eta_l^2\tilde{\alpha}^2C^2\frac{B^2 + "
        r"\sigma_l^2}{(1-q)^2}",
        fails="The right side looks at client i's own first model alone, as (6) does: with "
        "x_i^0 = 0 and another client at 1, the left side does not depend on eta and the "
        "right side is O(eta^2).",
        repair="Put the largest distance of a first model from the mean, max_j ||x_j^0 - "
        "xbar^0||, for ||x_i^0||.",
    ),
    "eq6": Printed(
        formula=r"\|\mathbf{z}_i^t - \bar{\mathbf{x}}^t\| \leq Cq^t\|\mathbf{x}_i^0\| + "
        r"C\sum_{j=0}^t q^{t-j}\|\eta_l\sum_{k=1}^K\sum_{s=1}^k "
        r"\alpha^{k-s}\mathbf{g}_{i,s}^j\|",
        fails="The quoted lemma is about all clients; (6) keeps client i's model and gradients "
        "alone. A client that has heard of nobody who moved has a right side of 0, and "
        "the average has moved.",
        repair="Take the largest over the clients on the right: max_l ||x_l^0 - xbar^0|| and "
        "max_l ||U_l^j||.",
    ),
    "lem4_update": Printed(
        formula=r"\|\eta_l\sum_{k=1}^K\sum_{s=1}^k \alpha^{k-s}\mathbf{g}_{i,s}^j\| \leq "
        r"\eta_l\tilde{\alpha}\sqrt{B^2 + \sigma_l^2}",
        fails="No expectation is printed, and a realisation with noise reaches B + sigma_l; "
        "with it, SAM's gradient may be larger still.",
        repair="Take the root mean square, and G = sqrt(B^2 + sigma_l^2) + L_xi rho.",
    ),
    "lem5": Printed(
        formula=r"\begin{aligned} \frac{1}{T} \sum_{t=0}^{T-1} \mathbb{E} \|\nabla "
        r"f(\bar{\mathbf{x}}^t)\|^2 &\leq \frac{2(f(\bar{\mathbf{x}}^0) - "
        r"f^*)}{T\tilde{\alpha}\eta_l} + L\eta_l\tilde{\alpha}\sigma_l^2 + "
        r"\frac{3\eta_l^2L^2}{\delta} (C_1 + 64K^2B^2) \\ &\quad + "
        r"\frac{6L^2C^2}{T(1-q^2)} \frac{1}{n} \sum_{i=1}^n \|\mathbf{x}_i^0\|^2 + "
        r"6L^2\eta_l^2\tilde{\alpha}^2C^2\frac{B^2 + \sigma_l^2}{(1-q)^2} + 3L^2\rho^2 "
        r"\end{aligned}",
        fails='"Taking conditional expectations" replaces the gradient of line 9 by grad f_i '
        "at the same point, which the sample has chosen: with SAM and noise the mean "
        "step need not go downhill.",
        repair="Theorem 1's corrected bound, whose square has L_xi rho for that bias.",
    ),
    "lem5_mean": Printed(
        formula=r"\begin{aligned} \mathbb{E}f(\bar{\mathbf{x}}^{t+1}) &\leq "
        r"\mathbb{E}f(\bar{\mathbf{x}}^t) - \eta_l \mathbb{E} \langle \nabla "
        r"f(\bar{\mathbf{x}}^t), \frac{1}{n} \sum_{i=1}^n \sum_{k=1}^K \sum_{s=1}^k "
        r"\alpha^{k-s} \nabla f_i(\tilde{\mathbf{z}}_{i,s}^t) \rangle + "
        r"\frac{L\eta_l^2}{2} \mathbb{E} \left\| \frac{1}{n} \sum_{i=1}^n \sum_{k=1}^K "
        r"\sum_{s=1}^k \alpha^{k-s} \mathbf{g}_{i,s}^t \right\|^2 \end{aligned}",
        fails='"Taking conditional expectations" in Proof 5 puts E grad f_i(z-breve) for E '
        "g-breve; the point z-breve depends on the sample that g-breve uses again.",
        repair="Let both sides differ by at most a~ (L_xi + L) rho E||grad f(xbar^t)||.",
    ),
    "lem5_split": Printed(
        formula=r"\begin{aligned} &= \mathbb{E}f(\bar{\mathbf{x}}^t) - \eta_l \tilde{\alpha} "
        r"\mathbb{E} \langle \nabla f(\bar{\mathbf{x}}^t), \frac{1}{n\tilde{\alpha}} "
        r"\sum_{i=1}^n \sum_{k=1}^K \sum_{s=1}^k \alpha^{k-s} \nabla "
        r"f_i(\tilde{\mathbf{z}}_{i,s}^t) \rangle + \frac{L\eta_l^2}{2} \mathbb{E} "
        r"\left\| \frac{1}{n} \sum_{i=1}^n \sum_{k=1}^K \sum_{s=1}^k \alpha^{k-s} "
        r"\mathbf{g}_{i,s}^t \right\|^2 \\ &\leq \mathbb{E}f(\bar{\mathbf{x}}^t) - "
        r"\frac{\tilde{\alpha}\eta_l}{2} \mathbb{E} \|\nabla f(\bar{\mathbf{x}}^t)\|^2 - "
        r"\frac{\tilde{\alpha}\eta_l}{2} \mathbb{E} \left\| \frac{1}{n\tilde{\alpha}} "
        r"\sum_{i=1}^n \sum_{k=1}^K \sum_{s=1}^k \alpha^{k-s} \nabla "
        r"f_i(\tilde{\mathbf{z}}_{i,s}^t) \right\|^2 + \frac{L\eta_l^2 \tilde{\alpha}^2 "
        r"\sigma_l^2}{2} \\ &\quad + \frac{\tilde{\alpha}\eta_l}{2} \mathbb{E} \left\| "
        r"\frac{1}{n\tilde{\alpha}} \sum_{i=1}^n \sum_{k=1}^K \sum_{s=1}^k \alpha^{k-s} "
        r"(\nabla f_i(\tilde{\mathbf{z}}_{i,s}^t) - \nabla f(\bar{\mathbf{x}}^t)) "
        r"\right\|^2 + \frac{L\eta_l^2 \tilde{\alpha}^2}{2} \mathbb{E} \left\| "
        r"\frac{1}{n\tilde{\alpha}} \sum_{i=1}^n \sum_{k=1}^K \sum_{s=1}^k \alpha^{k-s} "
        r"\nabla f_i(\tilde{\mathbf{z}}_{i,s}^t) \right\|^2 \end{aligned}",
        fails="Proof 5, third line of the conditional expectations, splits noise and signal as "
        "if later gradients did not depend on earlier noise; that is so for K = 1 and "
        "without SAM only.",
        repair="Use E||N||^2 <= sum_s b_s^2 sigma_l^2 and Young's inequality for the cross term.",
    ),
    "lem5_smooth": Printed(
        formula=r"\begin{aligned} \mathbf{R1} &\stackrel{Jensen}{\leq} \frac{1}{n\tilde{\alpha}} "
        r"\sum_{i=1}^n \sum_{k=1}^K \sum_{s=1}^k \alpha^{k-s} \mathbb{E} \|\nabla "
        r"f_i(\mathbf{z}_{i,s}^t) - \nabla f(\bar{\mathbf{x}}^t)\|^2 \\ "
        r"&\stackrel{Le2}{\leq} \frac{L^2}{n\tilde{\alpha}} \sum_{i=1}^n \sum_{k=1}^K "
        r"\sum_{s=1}^k \alpha^{k-s} \mathbb{E} \|\check{\mathbf{z}}_{i,s}^t - "
        r"\mathbf{z}_{i,s}^t + \mathbf{z}_{i,s}^t - \mathbf{z}_i^t + \mathbf{z}_i^t - "
        r"\bar{\mathbf{x}}^t\|^2 \\ \end{aligned}",
        fails='R1, second line ("Le2"): smoothness bounds grad f_i(.) - grad f_i(xbar), and '
        "grad f(xbar) stands there. With different clients at one point the right side "
        "is 0.",
        repair="Write grad f_i(xbar); the bound on R1 survives, as the clients' gradients "
        "average to grad f(xbar).",
    ),
    "lem5_r1": Printed(
        formula=r"\mathbf{R1} \leq \frac{3L^2 \eta_l^2}{\delta} (C_1 + 64K^2 B^2) + 6L^2 \left( "
        r"C^2 q^{2t} \frac{1}{n} \sum_{i=1}^n \|\mathbf{x}_i^0\|^2 + \eta_l^2 "
        r"\tilde{\alpha}^2 C^2 \frac{B^2 + \sigma_l^2}{(1-q)^2} \right) + 3L^2 \rho^2",
        fails='"Le3,4" averages Lemma 4 over the clients; row sums bound an average of squares '
        "only with a factor of the number of clients, and the printed 6 covers few of "
        "them.",
        repair="Take the 2-norm of the debiased products for (C, q).",
    ),
    "lem5_step": Printed(
        words="Assuming that 0 < eta_l < 1/(KL). Then a~ eta_l - L eta_l^2 a~^2 > 0",
        fails='"Assuming that 0 < eta_l < 1/(KL). Then a~ eta_l - L eta_l^2 a~^2 > 0" needs a~ '
        "<= K, and a~ grows to K(K+1)/2 as alpha tends to 1.",
        repair="Ask for eta <= (1-alpha)/(KL).",
    ),
    "lem5_descent": Printed(
        formula=r"\begin{aligned} \mathbb{E} \|\nabla f(\bar{\mathbf{x}}^t)\|^2 &\leq "
        r"\frac{2(\mathbb{E}f(\bar{\mathbf{x}}^t) - "
        r"\mathbb{E}f(\bar{\mathbf{x}}^{t+1}))}{\tilde{\alpha}\eta_l} + "
        r"L\eta_l\tilde{\alpha}\sigma_l^2 + \frac{3\eta_l^2L^2}{\delta} (C_1 + 64K^2B^2) "
        r"\\ &\quad + 6L^2C^2q^{2t}\frac{1}{n} \sum_{i=1}^n \|\mathbf{x}_i^0\|^2 + "
        r"6L^2\eta_l^2\tilde{\alpha}^2C^2\frac{B^2 + \sigma_l^2}{(1-q)^2} + 3L^2\rho^2 "
        r"\end{aligned}",
        fails="The first line replaced line 9's mean gradient by grad f_i: at a point where "
        "SAM's samples pull uphill on average, one exact step goes up, and the display "
        "says it goes down.",
        repair="Carry L_xi rho through the square, as in Theorem 1's corrected proof.",
    ),
    "lem5_last": Printed(
        words="Finally, utilizing 0 < a~ < K/(1-alpha), we obtain the final result",
        fails='"Finally, utilizing 0 < a~ < K/(1-alpha), we obtain the final result": that '
        "inequality gives 1/a~ > (1-alpha)/K, the opposite of what the step needs.",
        repair="Use 1/a~ <= 1/K.",
    ),
}
