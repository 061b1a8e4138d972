"""Theorems in LaTeX as the field states them, and what a reader has to make of each.

Of every one: the LaTeX, the left side, the right side at VALUES as plain arithmetic, how many lines
a user has to look at beyond the four of every file (instance, source, method, one client).
The first five are of the papers, shortened to what is claimed; the others are well known.
"""

from fractions import Fraction
from math import log, sqrt

# alpha, beta, ... as the first candidate of each letter has them
VALUES = {"T": 20, "t": 7, "K": 3, "n": 4, "d": 2, "f0": 3, "R2": 9, "x0_sq": 2, "L": 2, "B": 5}
VALUES |= {"eta": Fraction(1, 8), "alpha": Fraction(1, 3), "rho": Fraction(1, 5)}
VALUES |= {"f_star": Fraction(1, 2), "mu": Fraction(1, 2), "delta": Fraction(7, 9)}
VALUES |= {"sigma_l": Fraction(3, 2), "sigma_g": Fraction(2, 3), "lambda2": Fraction(2, 3)}
VALUES |= {"sigma2": Fraction(3, 4), "C": Fraction(6, 5), "q": Fraction(4, 5)}
V = type("V", (), VALUES)
GAP = V.f0 - V.f_star
UNKNOWN = Fraction(11, 7)  # of each letter that is none of theorylab's

DFEDSGPSM = r"""
\begin{theorem}
Under Assumptions 1--5, let $f^* = \inf_{\mathbf{x}} f(\mathbf{x})$. There exist constants $C > 0$,
$q \in [0, 1)$ and $\delta > 0$ when the learning rate satisfies $0 < \eta_l < \frac{\delta}{8LK}$
on the communication graph, such that the sequence satisfies
$$\begin{aligned} \frac{1}{T} \sum_{t=0}^{T-1} \mathbb{E} \|\nabla f(\bar{\mathbf{x}}^t)\|^2 &\leq
\frac{2(1-\alpha)(f(\bar{\mathbf{x}}^0) - f^*)}{T\eta_l K} + \frac{L\eta_l K \sigma_l^2}{1-\alpha}
+ \frac{3\eta_l^2 L^2}{\delta} (C_1 + 64K^2 B^2) \\ &\quad + \frac{6L^2 C^2}{T(1-q^2)} \frac{1}{n}
\sum_{i=1}^n \|\mathbf{x}_i^0\|^2 + 6L^2 \eta_l^2 K^2 C^2
\frac{(B^2 + \sigma_l^2)}{(1-\alpha)^2(1-q)^2} + 3L^2 \rho^2 \end{aligned}$$
where $C_1 := 8K\sigma_l^2 + 64K^2\sigma_g^2 +
\frac{32K^2\alpha^2}{(1-\alpha)^2}(\sigma_l^2 + B^2) + 64KL^2\rho^2$.
\end{theorem}"""
C_1 = 8 * V.K * V.sigma_l**2 + 64 * V.K**2 * V.sigma_g**2 + 64 * V.K * V.L**2 * V.rho**2
C_1 += 32 * V.K**2 * V.alpha**2 / (1 - V.alpha) ** 2 * (V.sigma_l**2 + V.B**2)
DFEDSGPSM_RIGHT = (
    2 * (1 - V.alpha) * GAP / (V.T * V.eta * V.K)
    + V.L * V.eta * V.K * V.sigma_l**2 / (1 - V.alpha)
    + 3 * V.eta**2 * V.L**2 / V.delta * (C_1 + 64 * V.K**2 * V.B**2)
    + 6 * V.L**2 * V.C**2 / (V.T * (1 - V.q**2)) * V.x0_sq
    + 6 * V.L**2 * V.eta**2 * V.K**2 * V.C**2 * (V.B**2 + V.sigma_l**2)
    / ((1 - V.alpha) ** 2 * (1 - V.q) ** 2)
    + 3 * V.L**2 * V.rho**2
)  # fmt: skip

DEPRL = r"""
\begin{thm} Under Assumptions 1--5, with learning rates $\beta \leq \frac{1}{L}$ the agents satisfy
$$\frac{1}{K} \sum_{k=0}^{K-1} \mathbb{E}[M(k)] \leq \frac{2\beta L}{N} \sigma^{2}
+ \frac{12\alpha^{3}L^{2}\tau}{\beta} (\tau - 1)(6\tau + 1)\sigma^{2}
+ \frac{2\beta}{3N} \left(1 + \frac{1}{L^{2}}\right)\sigma^{2}
+ \frac{2\beta}{N} \left(1 + \frac{1}{L^{2}}\right)\varsigma^{2}.$$ \end{thm}"""
BETA, S2 = V.alpha, V.sigma_l**2  # the first candidates; N is n
DEPRL_RIGHT = (
    2 * BETA * V.L / V.n * S2
    + 12 * V.alpha**3 * V.L**2 * V.K / BETA * (V.K - 1) * (6 * V.K + 1) * S2
    + 2 * BETA / (3 * V.n) * (1 + Fraction(1, V.L**2)) * S2
    + 2 * BETA / V.n * (1 + Fraction(1, V.L**2)) * V.sigma_g**2
)

DFEDALT = r"""\begin{theorem}[Convergence of DFedAlt]
Under assumptions 1--3 and definition 1 the clients have
$$\frac{1}{T} \sum_{i=1}^{T} \left(\frac{1}{L_u} \mathbb{E} \left[\Delta_{\bar{u}}^t \right]
+ \frac{1}{L_v} \mathbb{E} \left[\Delta_v^t \right] \right) \le \mathcal{O} \left(
\frac{F(\bar{u}^1) - F^*}{\sqrt{T}} + \frac{\sigma_1^2}{\sqrt{T}}
+ \frac{\sigma_2^2}{T(1 - \lambda)^2} \right), \tag{3}$$
where $\sigma_1^2$ and $\sigma_2^2$ are below. \end{theorem}"""
DFEDALT_RIGHT = GAP / sqrt(V.T) + UNKNOWN**2 / sqrt(V.T)
DFEDALT_RIGHT += V.sigma2**2 / (V.T * (1 - V.lambda2) ** 2)

DFEDPGP = r"""On the directed graph, with $0 < \eta_l \le \frac{\delta}{4 \sqrt{2 L K}}$,
\[ \min_{0 \le t < T} \mathbb{E}\left\|\nabla f(\bar{x}^t)\right\|^2 \le
\frac{f(\bar{x}^0) - f^*}{\eta_l K T} + \frac{C^2 (\sigma_l^2 + B^2)}{\delta^2 (1-q)^2}. \]"""
DFEDPGP_RIGHT = GAP / (V.eta * V.K * V.T)
DFEDPGP_RIGHT += V.C**2 * (S2 + V.B**2) / (V.delta**2 * (1 - V.q) ** 2)

PDBO = r"""\begin{lemma} Suppose the network satisfies Assumptions 1--8. With $\kappa = L / \mu$,
\begin{equation}\label{eq:pdbo} \mathbb{E}\| \mathbf{x}^{(t)} - \mathbf{x}^* \|^2
\leq \left(1 - \frac{1}{\kappa}\right)^{2t} \| \mathbf{x}^{(0)} - \mathbf{x}^* \|^2
+ \frac{4n \zeta_b}{b} \log \frac{n d}{\epsilon}. \end{equation} \end{lemma}"""

PDBO_RIGHT = float((1 - V.mu / V.L) ** (2 * V.t) * V.R2)
PDBO_RIGHT += float(4 * V.n) * log(V.n * V.d / UNKNOWN)  # zeta_b, b and epsilon are unknown

GD = r"""\begin{theorem}[Nesterov 2004, Corollary 2.1.2] Let $f$ be convex and $L$-smooth. If
$h = \frac{1}{L}$ then \[ f(x_k) - f^* \le \frac{2 L \|x_0 - x^*\|^2}{k + 4}. \] \end{theorem}"""
CONTRACTION = r"""If $0 < h \le \frac{2}{\mu + L}$ then gradient descent has
$$\| x_k - x^* \|^2 \le \left( 1 - \frac{2 h \mu L}{\mu + L} \right)^k \| x_0 - x^* \|^2.$$"""
SGD = r"""\begin{theorem} Let $\eta \le 1/L$. Then SGD satisfies
\begin{align} \frac1T \sum_{t=0}^{T-1} \mathbb{E}\left\| \nabla f(x_t) \right\|^2
&\leq \frac{2 (f(x_0) - f^\star)}{\eta T} + \eta L \sigma_l^2. \nonumber \end{align}\end{theorem}"""
ACCELERATED = r"f(x_T) - f(x^\star) \leqslant L \exp(-T \sqrt{\mu/L}) \lVert x_0 - x^\star\rVert^2"
AVERAGED = r"""\begin{proposition} For $\eta = \frac{R}{G\sqrt{T}}$ the subgradient method has
\[ f\Big(\frac1T \sum_{t=0}^{T-1} x_t\Big) - f^* \le \frac{R G}{\sqrt{T}}. \] \end{proposition}"""
GOSSIP = r"""On a connected undirected graph with doubly stochastic weights
\[ \frac{1}{n}\sum_{i=1}^n \| x_i^{T} - \bar{x}^{T} \|^2 \le |\lambda_2|^{2T}
\frac{1}{n}\sum_{i=1}^n \|x_i^0\|^2. \]"""
DPSGD = r"""\begin{corollary}[D-PSGD] For $n$ workers, \[ \frac{1}{T}\sum_{t=0}^{T-1}
\mathbb{E}\|\nabla f(\bar{x}_t)\|^2 \le \frac{8 (f(x_0) - f^*) L}{T}
+ \frac{(8 f(x_0) - 8 f^* + 4 L) \sigma_l}{\sqrt{T n}}. \] \end{corollary}"""

CASES = {  # name: LaTeX, left side, right side, letters that are asked or unknown
    "dfedsgpsm": (DFEDSGPSM, ("squared_gradient", "average"), DFEDSGPSM_RIGHT, 4),
    "deprl": (DEPRL, None, DEPRL_RIGHT, 4),
    "dfedalt": (DFEDALT, None, DFEDALT_RIGHT, 2),
    "dfedpgp": (DFEDPGP, ("squared_gradient", "best"), DFEDPGP_RIGHT, 2),
    "pdbo": (PDBO, ("squared_distance", "every"), PDBO_RIGHT, 3),
    "gd": (GD, ("suboptimality", "every"), Fraction(2 * V.L * V.R2, V.t + 4), 0),
    "contraction": (
        CONTRACTION,
        ("squared_distance", "every"),
        (1 - 2 * V.eta * V.mu * V.L / (V.mu + V.L)) ** V.t * V.R2,
        0,
    ),
    "sgd": (SGD, ("squared_gradient", "average"), 2 * GAP / (V.eta * V.T) + V.eta * V.L * S2, 0),
    "accelerated": (
        ACCELERATED,
        ("suboptimality", "last"),
        V.L * 2.718281828459045 ** (-V.T * sqrt(V.mu / V.L)) * V.R2,
        0,
    ),
    "averaged": (AVERAGED, ("suboptimality", "average iterate"), 3 * V.B / sqrt(V.T), 1),
    "gossip": (GOSSIP, ("consensus", "last"), V.lambda2 ** (2 * V.T) * V.x0_sq, 0),
    "dpsgd": (
        DPSGD,
        ("squared_gradient", "average"),
        8 * GAP * V.L / V.T + (8 * GAP + 4 * V.L) * V.sigma_l / sqrt(V.T * V.n),
        0,
    ),
}
