r"""Symbols of DFedPGP, under names and letters of their own.

A letter that another paper has for another thing would be the same symbol: hence the bold indices.
m of the paper (clients) is ``n`` here. ``unit`` stands for the number 1 wherever the paper adds or
compares things of different units: it is 1 in whatever
units f and the models come, so a change of these units changes the printed claim.
"""

from __future__ import annotations

from theorylab.symbols import Side, symbol

_UP, _LOW = Side.UPPER, Side.LOWER

eta_u = symbol("dfedpgp_eta_u", r"\eta_{\mathbf u}", "step size of u", (-1, 2), positive=True)
eta_v = symbol("dfedpgp_eta_v", r"\eta_{\mathbf v}", "step size of v", (-1, 2), positive=True)
K_u = symbol("dfedpgp_K_u", r"K_{\mathbf u}", "steps of u a round", integer=True, positive=True)
K_v = symbol("dfedpgp_K_v", r"K_{\mathbf v}", "steps of v a round", integer=True, positive=True)
fresh = symbol("dfedpgp_fresh", r"1_{\xi}", "1 if every local step draws a minibatch of its own")
independent = symbol(
    "dfedpgp_independent", r"1_{\xi_i\perp\xi_j}", "1 if minibatches of clients are independent"
)
c_u = symbol("dfedpgp_c_u", r"c_{\mathbf u}", "eta_u L_u K_u sqrt T", positive=True)
c_v = symbol("dfedpgp_c_v", r"c_{\mathbf v}", "eta_v L_v K_v sqrt T", positive=True)
unit = symbol("dfedpgp_unit", r"1_{\eta}", "1, where a step size is needed", (-1, 2), positive=True)

L_u = symbol("dfedpgp_L_u", r"L_{\mathbf u}", "of grad_u in u", (1, -2), _UP, positive=True)
L_v = symbol("dfedpgp_L_v", r"L_{\mathbf v}", "of grad_v in v", (1, -2), _UP, positive=True)
L_uv = symbol("dfedpgp_L_uv", r"L_{\mathbf{uv}}", "of grad_u in v", (1, -2), _UP, nonnegative=True)
L_vu = symbol("dfedpgp_L_vu", r"L_{\mathbf{vu}}", "of grad_v in u", (1, -2), _UP, nonnegative=True)
sigma_u = symbol(
    "dfedpgp_sigma_u", r"\sigma_{\mathbf u}", "noise of grad_u", (1, -1), _UP, nonnegative=True
)
sigma_v = symbol(
    "dfedpgp_sigma_v", r"\sigma_{\mathbf v}", "noise of grad_v", (1, -1), _UP, nonnegative=True
)
sigma_g = symbol(
    "dfedpgp_sigma_g", r"\sigma_{\mathbf g}", "diversity of grad_u", (1, -1), _UP, nonnegative=True
)
f_start = symbol("dfedpgp_f_start", r"F(\bar{\mathbf u}^0,V^0)", "loss at the start", (1, 0), _UP)
f_first = symbol("dfedpgp_f_first", r"E F(\bar u^1,V^1)", "loss after the first round", (1, 0), _UP)
f_best = symbol("dfedpgp_f_best", r"F^*_{\mathbf u,V}", "infimum of F over u and V", (1, 0), _LOW)
start_spread = symbol(
    "dfedpgp_start_spread",
    r"\overline{\|u^0-\bar u^0\|^2}",
    "(1/m) sum_i ||u_i^0 - ubar^0||^2",
    (0, 2),
    nonnegative=True,
)
start_size = symbol(
    "dfedpgp_start_size", r"\max_i\|u_i^0\|^2", "largest first model", (0, 2), nonnegative=True
)
gradient = symbol(
    "dfedpgp_gradient",
    r"E\Delta_{\bar u}^t",
    "of the round at hand",
    (2, -2),
    _UP,
    nonnegative=True,
)
mean_gradient = symbol(
    "dfedpgp_mean_gradient",
    r"\tfrac1T\textstyle\sum_{t<T}E\Delta_{\bar u}^t",
    "averaged over the rounds",
    (2, -2),
    _UP,
    nonnegative=True,
)
own_gradient = symbol(
    "dfedpgp_own_gradient",
    r"\tfrac1m\textstyle\sum_i\|\nabla_uF(z_i^t,V^{t+1})\|^2",
    "of F at every client's own z",
    (2, -2),
    nonnegative=True,
)
head_gradient = symbol(
    "dfedpgp_head_gradient", r"\|\nabla_vF_i(z_i^t,v_i^t)\|^2", "of client i", (2, -2),
    nonnegative=True,
)  # fmt: skip
own_start = symbol(
    "dfedpgp_own_start", r"\|u_i^0\|", "client i's first model", (0, 1), nonnegative=True
)
own_sum = symbol(
    "dfedpgp_own_sum", r"\textstyle\sum_jq^{t-j}\|\eta_u\sum_k\nabla_uF_i\|",
    "client i's own updates, weighted by powers of q", (0, 1), nonnegative=True,
)  # fmt: skip
largest_sum = symbol(
    "dfedpgp_largest_sum", r"\textstyle\sum_jq^{t-j}\max_l\|\eta_u\sum_k\nabla_uF_l\|",
    "largest updates of any client, weighted by powers of q", (0, 1), nonnegative=True,
)  # fmt: skip
linear_part = symbol(
    "dfedpgp_linear_part", r"\langle\nabla F,\Delta\rangle", "first-order terms", (1, 0)
)
moved_u = symbol(
    "dfedpgp_moved_u", r"\|\bar u^{t+1}-\bar u^t\|^2", "of the round", (0, 2), nonnegative=True
)
moved_v = symbol(
    "dfedpgp_moved_v", r"\tfrac1m\textstyle\sum_i\|v_i^{t+1}-v_i^t\|^2", "of the round", (0, 2),
    nonnegative=True,
)  # fmt: skip
gradient_sum = symbol(
    "dfedpgp_gradient_sum", r"\tfrac1m\textstyle\sum_{i,k}\|\nabla_uF_i(z_i^{t,k};\xi_i)\|^2",
    "all gradients of a round, squared", (2, -2), nonnegative=True,
)  # fmt: skip
own_apart = symbol(
    "dfedpgp_own_apart", r"E\|\bar u^t-z_i^t\|^2", "of client i", (0, 2), nonnegative=True
)
apart = symbol(
    "dfedpgp_apart", r"\tfrac1m\textstyle\sum_iE\|\bar u^t-z_i^t\|^2", "of all clients", (0, 2),
    nonnegative=True,
)  # fmt: skip
heads_at_u = symbol(
    "dfedpgp_heads_at_u", r"E\Delta_v^t", "(1/m) sum_i ||grad_v F_i(u_i, v_i)||^2", (2, -2),
    nonnegative=True,
)  # fmt: skip
heads_at_z = symbol(
    "dfedpgp_heads_at_z", r"\tfrac1m\textstyle\sum_iE\|\nabla_vF_i(z_i^t,v_i^t)\|^2",
    "where line 6 is", (2, -2), nonnegative=True,
)  # fmt: skip
heads_at_mean = symbol(
    "dfedpgp_heads_at_mean", r"\tfrac1m\textstyle\sum_iE\|\nabla_vF_i(\bar u^t,v_i^t)\|^2",
    "of all clients", (2, -2), nonnegative=True,
)  # fmt: skip
head_walk = symbol(
    "dfedpgp_head_walk", r"\tfrac1m\textstyle\sum_{i,k}E\|v_i^{t,k}-v_i^t\|^2", "k < K_v", (0, 2),
    nonnegative=True,
)  # fmt: skip
body_gradient = symbol(
    "dfedpgp_body_gradient", r"E\|\nabla_uF(\bar u^t,V^{t+1})\|^2", "of the round, as measured",
    (2, -2), nonnegative=True,
)  # fmt: skip
body_away = symbol(
    "dfedpgp_body_away", r"\tfrac1m\textstyle\sum_{i,k}E\|z_i^{t,k}-\bar u^t\|^2", "k < K_u",
    (0, 2), nonnegative=True,
)  # fmt: skip
own_way = symbol(
    "dfedpgp_own_way", r"E\|u_i^{t,k}-u_i^t\|^2", "of client i", (0, 2), nonnegative=True
)
own_z_way = symbol(
    "dfedpgp_own_z_way", r"E\|z_i^{t,k}-z_i^t\|^2", "of client i", (0, 2), nonnegative=True
)
last_gradient = symbol(
    "dfedpgp_last_gradient", r"\max_k\|\nabla_uF_i(z_i^{t,k})\|", "of round t alone", (1, -1),
    nonnegative=True,
)  # fmt: skip
largest_gradient = symbol(
    "dfedpgp_largest_gradient", r"\max_{j\le t,k}\|\nabla_uF_i(z_i^{j,k})\|", "of all rounds",
    (1, -1), nonnegative=True,
)  # fmt: skip
bias_room = symbol(
    "dfedpgp_bias_room", r"\varepsilon_{\mathbf g}", "what rounding can do to a mean", (1, -1), _UP
)
pushed = symbol("dfedpgp_pushed", r"1_{\to}", "1 if senders choose the shares, not receivers")
quadratic = symbol("dfedpgp_quadratic", r"1_{\nabla^2}", "1 if every F_i is a quadratic")
isotropic = symbol(
    "dfedpgp_isotropic",
    r"1_{LI}",
    "1 if all F_i are L_u/2 ||u - a||^2 + L_v/2 ||v - b_i||^2 and a noise is as large everywhere",
)
balanced = symbol(
    "dfedpgp_balanced", r"1_{P1=1}", "1 if a static P has rows and columns that sum to 1"
)
tame = symbol("dfedpgp_tame", r"1_{\eta L}", "1 if eta_v <= 1/L_v, on an isotropic quadratic")
slope_u = symbol(
    "dfedpgp_slope_u", r"\Delta_{\mathbf u}^0/L_{\mathbf u}", "at the start", (1, 0),
    nonnegative=True,
)  # fmt: skip
slope_v = symbol(
    "dfedpgp_slope_v", r"\Delta_{\mathbf v}^0/L_{\mathbf v}", "at the start", (1, 0),
    nonnegative=True,
)  # fmt: skip
way_u = symbol(
    "dfedpgp_way_u", r"\eta_{\mathbf u}K_{\mathbf u}T", "steps of u in all rounds", (-1, 2),
    positive=True,
)  # fmt: skip
way_v = symbol(
    "dfedpgp_way_v", r"\eta_{\mathbf v}K_{\mathbf v}T", "steps of v in all rounds", (-1, 2),
    positive=True,
)  # fmt: skip
pace = symbol("dfedpgp_pace", r"T/K_{\mathbf u}^2", "rounds over squared steps", positive=True)
flatness = symbol(
    "dfedpgp_flatness", r"L_{\mathbf v}^2T", "squared curvature times rounds", (2, -4),
    positive=True,
)  # fmt: skip
bias = symbol(
    "dfedpgp_bias", r"\inf_t\Delta_{\mathbf v}^t/L_{\mathbf v}",
    "what grad_v at u_i = mu_i u^* leaves at a stationary point for ever", (1, 0), nonnegative=True,
)  # fmt: skip
asked = symbol(
    "dfedpgp_asked", r"(C/(1-q))^2", "of a printed pair (C, q), however large", positive=True
)
q_one = symbol("dfedpgp_q_one", r"q_{K_u=1}", "Lemma 3's q with one local step", (0, 0), _UP)
