"""The gallery's theorems about clients and networks in LaTeX, in the form of gallery.py."""

from fractions import Fraction
from math import sqrt

from corpus import GAP, UNKNOWN, V

U = UNKNOWN
AVERAGE = ("squared_gradient", "average")
APART, ALWAYS = ("consensus", "last"), ("consensus", "average")

NETWORKS = {
    "gossip": (
        r"""\[ \frac1n \sum_{i=1}^n \|x_i^t - \bar x^t\|^2 \le \lambda_2^{2t}
        \frac1n\sum_{i=1}^n \|x_i^0 - \bar x^0\|^2 \]""",
        ("consensus", "every"),
        V.lambda2 ** (2 * V.t) * U,
    ),
    "pairwise_gossip": (
        r"""\[ \mathbb{E} \frac1n \sum_{i=1}^n \|x_i^T - \bar x^T\|^2 \le
        \left(1 - \frac{1}{n-1}\right)^T \frac1n\sum_{i=1}^n \|x_i^0 - \bar x^0\|^2 \]""",
        APART,
        Fraction(2, 3) ** V.T * U,
    ),
    "choco": (
        r"\[ e_t \le \left(1 - \frac{\delta^2 \omega}{82}\right)^t e_0 \]",
        None,
        (1 - V.delta**2 * U / 82) ** V.t * U,
    ),
    "lazy_metropolis": (
        r"\[ |\lambda_2| \le 1 - \frac{1}{71 n^2} \]",
        None,
        1 - Fraction(1, 71 * V.n**2),
    ),
    "dpsgd": (
        r"""Let $\gamma = \frac{1}{2L + \sigma_l\sqrt{K/n}}$. \[ \frac1K\sum_{k=0}^{K-1} \mathbb{E}
        \left\|\nabla f\left(\bar x_k\right)\right\|^2 \le \frac{8 (f(x_0) - f^*) L}{K} +
        \frac{(8 f(x_0) - 8 f^* + 4L) \sigma_l}{\sqrt{K n}} \]""",
        AVERAGE,
        8 * GAP * V.L / V.T + (8 * GAP + 4 * V.L) * V.sigma_l / sqrt(V.T * V.n),
    ),
    "sgp1": (
        r"""Let $\gamma = \sqrt{n/K}$. \[ \frac1K\sum_{k=0}^{K-1} \mathbb{E}\|\nabla f(\bar
        x^{(k)})\|^2 \le \frac{12 (f(x^0) - f^* + \frac{L \sigma_l^2}{2})}{\sqrt{nK}} \]""",
        AVERAGE,
        12 * (GAP + V.L * V.sigma_l**2 / 2) / sqrt(V.n * V.T),
    ),
    "sgp2": (
        r"""\[ \frac{1}{nK}\sum_{k=0}^{K-1}\sum_{i=1}^n \mathbb{E}\|\bar x^{(k)} - z_i^{(k)}\|^2
        \le O\left(\frac1K + \frac{1}{K^{3/2}}\right) \]""",
        ALWAYS,
        1 / V.T + V.T**-1.5,
    ),
    "gradient_tracking": (
        r"With $\lambda = \sqrt{1 - \frac{\alpha\mu}{1.5}}$, \[ \|x_k - x^*\| = O(\lambda^k) \]",
        ("squared_distance", "last"),
        V.lambda2 ** (2 * V.T),
    ),
    "extra": (
        r"\[ \frac1n\sum_{i=1}^n\|x_i^k - \bar x^k\|^2 = O(\lambda^{2k}) \]",
        APART,
        V.lambda2 ** (2 * V.T),
    ),
    "exact_diffusion": (
        r"\[ \frac1n\sum_{i=1}^n\|x_i^T - \bar x^T\|^2 \le \mathcal{O}(\lambda^{2T}) \]",
        APART,
        V.lambda2 ** (2 * V.T),
    ),
    "push_pull": (
        r"\[ \frac1n\sum_i\|x_i^k - \bar x^k\|^2 \le C \rho(M)^{2k} \]",
        ("consensus", "every"),
        None,
    ),
    "fedavg": (
        r"""Let $\kappa = \frac{L}{\mu}$, $\gamma = \max\{8\kappa, E\}$. \[ \mathbb{E}[F(w_T)] - F^*
        \le \frac{\kappa}{\gamma + T - 1}\left(\frac{2B}{\mu} +
        \frac{\mu\gamma}{2} \mathbb{E}\|w_1 - w^*\|^2\right) \]""",
        ("suboptimality", "last"),
        V.L / V.mu / (U + V.T - 1) * (2 * V.B / V.mu + V.mu * U / 2 * V.R2),
    ),
    "scaffold": (
        r"\[ f(x^T) - f^* \le \mathcal{O}\left( \left(1 - \frac{\eta\mu K}{2}\right)^T \right) \]",
        ("suboptimality", "last"),
        (1 - V.eta * V.mu * V.K / 2) ** V.T,
    ),
    "ef21": (
        r"""\[ \frac1T\sum_{t=0}^{T-1}\|\nabla f(x^t)\|^2 \le
        \frac{2(f(x^0) - f^{\inf})}{\gamma T} + \frac{\mathbb{E}[G^0]}{\theta T} \]""",
        AVERAGE,
        2 * GAP / (U * V.T) + 1 / Fraction(V.T),
    ),
    "rates_gap": (
        r"""\[ \frac{1}{nT}\sum_{t=0}^{T-1}\sum_{i=1}^n \mathbb{E}\|x_i^t - \bar x^t\|^2
        = O\left( \frac{1}{\sqrt{1 - |\lambda_2|}} \right) \]""",
        ALWAYS,
        1 / sqrt(1 - V.lambda2),
    ),
    "rates_delta": (
        r"""\[ \frac{1}{Tn}\sum_{t=0}^{T-1}\sum_{i=1}^n \mathbb{E}\|z_i^t - \bar x^t\|^2
        = O\left( \delta^{-2} \right) \]""",
        ALWAYS,
        V.delta**-2,
    ),
}
