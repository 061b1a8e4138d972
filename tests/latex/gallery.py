"""The theorems of docs/gallery in LaTeX, as their sources state them, beside plain arithmetic.

Of every one: the LaTeX, the left side (None where it is no column of a run), and the right side at
VALUES, with UNKNOWN for what is no letter; None where a term is no expression of letters and stands
in the file as LaTeX. tests/latex/corpus.py has gradient descent, and the like.
"""

from fractions import Fraction
from math import log, sqrt

from corpus import GAP, UNKNOWN, V

F = Fraction
GAPS, FAR, SLOPE = "suboptimality", "squared_distance", "squared_gradient"
RATIO = F(V.L - V.mu) / (V.L + V.mu)
STAYS = V.eta * V.sigma_l**2 / (V.mu * (2 - V.eta * V.mu))
U, D = UNKNOWN, UNKNOWN  # gamma, whose first reading is decay, and the set's diameter
CONTRACTS = r"\mathbb{E}\left[\|x_T-x_\star\|^2\right] \leqslant "

GALLERY = {
    "convex_descent": (
        r"""\begin{theorem} Let $f$ be convex and $L$-smooth, and let $\gamma \leqslant 1/L$. Then
        \[ f(x_n) - f_\star \leqslant \frac{L}{4nL\gamma+2} \|x_0-x_\star\|^2. \] \end{theorem}""",
        (GAPS, "every"),
        F(V.L * V.R2) / (4 * V.t * V.L * U + 2),
    ),
    "nonconvex_descent": (
        r"""\[ \min_{0 \leqslant t\leqslant n} \|\nabla f(x_t)\|^2 \leqslant
        \frac{4}{3} \frac{L}{n} (f(x_0) - f(x_n)) \]""",
        (SLOPE, "best"),
        None,
    ),
    "line_search": (
        r"""\[ f(x_n)-f_\star \leqslant \left(\frac{L-\mu}{L+\mu}\right)^{2n}
        (f(x_0)-f_\star) \]""",
        (GAPS, "every"),
        RATIO ** (2 * V.t) * GAP,
    ),
    "polyak_step": (
        r"\[ \|x_n - x_\star\|^2 \le \left(\frac{L-\mu}{L+\mu}\right)^{2n} \|x_0-x_\star\|^2 \]",
        (FAR, "every"),
        RATIO ** (2 * V.t) * V.R2,
    ),
    "heavy_ball": (
        r"""Let $0 < \alpha \leqslant \frac1L$ and $\beta = \sqrt{(1 - \alpha \mu)(1 - L \alpha)}$.
        \[ f(x_n) - f_\star \leqslant (1 - \alpha \mu)^n (f(x_0) - f_\star) \]""",
        (GAPS, "every"),
        (1 - V.alpha * V.mu) ** V.t * GAP,
    ),
    "nesterov": (
        r"""\[f(x_n)-f_\star \leqslant \left(1-\sqrt{\frac{\mu}{L}}\right)^n \left(f(x_0) -
        f(x_\star) + \frac{\mu}{2}\|x_0 - x_\star\|^2\right)\]""",
        (GAPS, "every"),
        (1 - sqrt(V.mu / V.L)) ** V.t * (GAP + V.mu / 2 * V.R2),
    ),
    "triple_momentum": (
        r"""With $\kappa=\frac L\mu$ and $\rho = 1- \frac{1}{\sqrt{\kappa}}$,
        \[f(x_n)-f_\star \leqslant \frac{\rho^{2(n+1)} L \kappa}{2}\|x_0 - x_\star\|^2\]""",
        (GAPS, "every"),
        V.rho ** (2 * V.t + 2) * V.L**2 / V.mu / 2 * V.R2,
    ),
    "accelerated_convex": (
        r"\[f(x_n)-f_\star \leqslant \frac{2L\|x_0-x_\star\|^2}{n^2 + 5 n + 6}\]",
        (GAPS, "every"),
        F(2 * V.L * V.R2, V.t**2 + 5 * V.t + 6),
    ),
    "optimized_gradient": (
        r"\[f(x_n)-f_\star \leqslant \frac{L\|x_0-x_\star\|^2}{2\theta_n^2}\]",
        (GAPS, "every"),
        V.L * V.R2 / (2 * U**2),
    ),
    "silver_steps": (
        r"""\[ f(x_n) - f_\star \le \frac{L}{1 + \sqrt{4 (1+\sqrt2)^{2 k} - 3}} \|x_0-x_\star\|^2 \]
        with $n = 2^k - 1$""",
        (GAPS, "every"),
        V.L * V.R2 / (1 + sqrt(4 * (1 + sqrt(2)) ** (2 * U) - 3)),
    ),
    "inexact_gradient": (
        r"""\[f(x_n)-f_\star \leqslant \left(\frac{L_{\varepsilon} - \mu_{\varepsilon}}
        {L_{\varepsilon} + \mu_{\varepsilon}}\right)^{2n}(f(x_0) - f_\star)\]
        where $L_{\varepsilon} = (1+\varepsilon) L$, $\mu_{\varepsilon} = (1-\varepsilon)\mu$""",
        (GAPS, "every"),
        (((1 + U) * V.L - (1 - U) * V.mu) / ((1 + U) * V.L + (1 - U) * V.mu)) ** (2 * V.t) * GAP,
    ),
    "subgradient": (
        r"""\[\min_{0 \leqslant t \leqslant n} f(x_t)- f(x_\star) \leqslant
        \frac{M}{\sqrt{n+1}}\|x_0-x_\star\|\]""",
        (GAPS, "best"),
        V.B / sqrt(V.T + 1) * 3,
    ),
    "proximal_gradient": (
        r"""\[\|x_n - x_\star\|^2 \leqslant \max\{(1-L\gamma)^2,(1-\mu\gamma)^2\}^n
        \|x_0 - x_\star\|^2\]""",
        (FAR, "every"),
        max((1 - V.L * U) ** 2, (1 - V.mu * U) ** 2) ** V.t * V.R2,
    ),
    "fista": (
        r"Let $F = f + h$. \[F(x_n)-F_\star \leqslant \frac{2 L}{n^2+5n+2} \|x_0-x_\star\|^2\]",
        (GAPS, "every"),
        F(2 * V.L * V.R2, V.t**2 + 5 * V.t + 2),
    ),
    "frank_wolfe": (
        r"Let $D$ be the diameter. \[F(x_n) - F(x_\star) \leqslant \frac{2L D^2}{n+2}\]",
        (GAPS, "every"),
        2 * V.L * D**2 / (V.t + 2),
    ),
    "mirror_descent": (
        r"\[F(x_n) - F_\star \leqslant \frac{1}{\gamma n} D_h(x_\star; x_0)\]",
        (GAPS, "every"),
        None,
    ),
    "coordinate_descent": (
        r"""\["""
        + CONTRACTS
        + r"""\left(\max\left\{\frac{(\gamma\mu - 1)^2 + d - 1}{d},
        \frac{(\gamma L - 1)^2 + d - 1}{d}\right\}\right)^T \|x_0 - x_\star\|^2\]""",
        (FAR, "last"),
        max(((U * m - 1) ** 2 + V.d - 1) / V.d for m in (V.mu, V.L)) ** V.T * V.R2,
    ),
    "convex_coordinates": (
        r"""\[\mathbb{E} f(x_T) - f_\star \leqslant \frac{f(x_0) - f_\star +
        \frac{L}{2} \|x_0 - x_\star\|^2}{\frac{T \gamma L}{d} + 1}\]""",
        (GAPS, "last"),
        (GAP + F(V.L, 2) * V.R2) / (V.T * U * V.L / V.d + 1),
    ),
    "sgd_interpolation": (
        r"\[" + CONTRACTS + r"\left(1-\frac{\mu}{L}\right)^{2T}\|x_0-x_\star\|^2\]",
        (FAR, "last"),
        (1 - V.mu / V.L) ** (2 * V.T) * V.R2,
    ),
    "sgd_variance": (
        r"""\[\mathbb{E}\left[\|x_1-x_\star\|^2\right] \leqslant
        \frac{1}{2}\left(1-\frac{\mu}{L}\right)^2R^2 + \frac{v^2}{L^2}\]""",
        (FAR, "last"),
        (1 - V.mu / V.L) ** 2 * V.R2 / 2 + U**2 / V.L**2,
    ),
    "saga": (
        r"""\[\mathbb{E}\|x_T - x_\star\|_2^2 \le (1 - \gamma\mu)^T \left( \|x_0 - x_\star\|_2^2
        + 2 \gamma (1 - \gamma \mu) n (f(x_0) - f_\star) \right)\]""",
        (FAR, "last"),
        (1 - U * V.mu) ** V.T * (V.R2 + 2 * U * (1 - U * V.mu) * V.n * GAP),
    ),
    "kaczmarz": (
        r"\[\mathbb{E}\|x_k-x_\star\|_2^2 \le (1 - \kappa(A)^{-2})^k \|x_0-x_\star\|_2^2\]",
        (FAR, "every"),
        None,
    ),
    "zeroth_order": (
        r"If $h \le \frac{1}{dL}$, \[ \mathbb E \|x_k-x^*\|^2 \le (1 - h \mu)^k \|x_0-x^*\|^2 \]",
        (FAR, "every"),
        (1 - V.eta * V.mu) ** V.t * V.R2,
    ),
    "extragradient": (
        r"""Let the field be strongly monotone. If $\eta \le \frac{1}{4L}$,
        \[ \|z_k - z^*\|^2 \le (1 - \eta\mu)^k \|z_0 - z^*\|^2. \]""",
        (FAR, "every"),
        (1 - V.eta * V.mu) ** V.t * V.R2,
    ),
    "high_probability": (
        r"""With probability at least $1 - \epsilon$ \[ \|x_T - x^*\|^2 \le \left( \sqrt{(1 -
        \eta\mu)^{2T} R^2 + V} + \sqrt{2 \log(2/\epsilon) V / d} \right)^2 \]
        where $V = \frac{\eta\sigma_l^2}{\mu(2 - \eta\mu)}$""",
        (FAR, "last"),
        (sqrt((1 - V.eta * V.mu) ** (2 * V.T) * V.R2 + STAYS) + sqrt(2 * log(2 / U) * STAYS / V.d))
        ** 2,
    ),
}
