"""Symbols of DFedSGPSM's lemmas: places inside a round, and right sides that are measured."""

from __future__ import annotations

from theorylab.symbols import Side, symbol
from theorylab.symbols import t as t

local_step = symbol(
    "local_step", "k", "local step, from 0, inside a round", integer=True, nonnegative=True
)
least_share = symbol(
    "dfedsgpsm_least_share",
    r"p_{\min}",
    "least positive entry of any P(t)",
    side=Side.LOWER,
    positive=True,
)
all_rounds_window = symbol(
    "dfedsgpsm_window", r"\mathcal{B}_{\infty}", "window of joint strong connectivity, for all t",
    side=Side.UPPER, positive=True,
)  # fmt: skip
ascent_rounding = symbol(
    "ascent_rounding",
    r"\epsilon_\rho",
    "what rounding can do to the length of line 8's step",
    (0, 1),
)
z_gradient = symbol(
    "z_gradient",
    r"\frac{1}{n}\sum_i\|\nabla f(z_i^t)\|^2",
    "mean squared gradient of f at the clients' own points",
    (2, -2),
    nonnegative=True,
)
own_start = symbol("own_start", r"\|x_i^0\|", "client i's first model", (0, 1), nonnegative=True)
largest_gap = symbol(
    "largest_gap",
    r"\max_j\|x_j^0-\bar x^0\|",
    "largest distance of a first model from their mean",
    (0, 1),
    nonnegative=True,
)
own_sum = symbol(
    "own_sum_row",
    r"V_{i,t}",
    "sum_{j <= t} q^{t-j} ||U_i^j||, client i's updates U = eta sum_k sum_s alpha^{k-s} g-breve",
    (0, 1),
    nonnegative=True,
)
largest_sum = symbol(
    "largest_sum_row",
    r"V_{\max,t}",
    "sum_{j < t} q^{t-j} max_l ||U_l^j||, the largest updates of any client",
    (0, 1),
    nonnegative=True,
)
point_gap = symbol(
    "point_gap",
    r"\overline{\|\breve z_{i,s}-\bar x\|^2}",
    "mean over i and s, weighted by alpha^{k-s}, of how far the gradients' points are from xbar",
    (0, 2),
    nonnegative=True,
)
kept_slopes = symbol(
    "kept_slopes",
    r"\sqrt{E\|H\|^2}",
    "H = 1/n sum_i sum_k sum_s alpha^{k-s} (line 9's gradient less the noise of line 7's)",
    (1, -1),
    nonnegative=True,
)
slope_mean = symbol(
    "slope_mean", r"E\|\nabla f(\bar x^t)\|", "mean slope at xbar", (1, -1), nonnegative=True
)
product_rounding = symbol(
    "product_rounding",
    r"\epsilon_{\langle\rangle}",
    "what rounding can do to a mean inner product",
    (2, -2),
    Side.UPPER,
)
step_share = symbol(
    "step_share", r"8 L K \eta_l / \delta", "the step size as a share of delta / (8 L K)"
)
f_now = symbol("f_now", r"E f(\bar{x}^t)", "loss at the average before the round", (1, 0))
f_next = symbol("f_next", r"E f(\bar{x}^{t+1})", "loss at the average after the round", (1, 0))
start_sq = symbol(
    "dfedsgpsm_start_sq", r"\|x^0-x^*\|^2", "squared distance of the start to a minimizer", (0, 2),
    nonnegative=True,
)  # fmt: skip
one_walk = symbol(
    "dfedsgpsm_one_walk",
    r"1_{=}",
    "1 if all clients take the same steps on a convex sum over coordinates",
)
q_remark = symbol(
    "q_remark", r"q_{1/D}", "(1 - a^{Delta B})^{1/(Delta B + 1)}, a = 1/D", side=Side.UPPER
)
q_fixed = symbol("q_fixed", r"q_{1/n}", "the same with a = 1/n", side=Side.UPPER)
before = symbol(
    "remark_before", r"q_{\mathrm{before}}", "q before the edges were added", side=Side.UPPER
)
