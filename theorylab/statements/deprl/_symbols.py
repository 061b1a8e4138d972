r"""Symbols of DePRL, under names and letters of their own: the paper's letters have other meanings.

K of the paper (communication rounds) is ``T`` here and N (workers) is ``n``. ``unit`` stands for
the number 1 wherever the paper adds or compares things of different units: M(k) adds a squared
distance to squared gradients, beta <= N/2 compares a step size with a number, and so on. It is 1 in
whatever units f and the models come, so a change of these units changes the printed claim.
"""

from __future__ import annotations

from theorylab.symbols import Side, symbol

_UP, _LOW = Side.UPPER, Side.LOWER

alpha = symbol("deprl_alpha", r"\alpha_{\theta}", "step size of the heads", (-1, 2), positive=True)
beta = symbol(
    "deprl_beta", r"\beta_{\phi}", "step size of the representation", (-1, 2), positive=True
)
tau = symbol("deprl_tau", r"\tau_{\theta}", "head steps a round", integer=True, positive=True)
kept = symbol(
    "deprl_kept", "m", "head steps a round that lead to theta(k+1)", integer=True, nonnegative=True
)
unit = symbol("deprl_unit", r"1_{\beta}", "1, where a step size is needed", (-1, 2), positive=True)
f_start = symbol(
    "deprl_f_start", r"f(\bar\phi(0),\{\theta_i(0)\})", "loss at the start, each its head", (1, 0)
)
f_best = symbol(
    "deprl_f_best", r"f(\phi^*,\{\theta_i^*\})", "infimum of f over phi and all heads", (1, 0), _LOW
)
L = symbol(
    "deprl_L", r"L_{\nabla}", "Assumption 2: of both partial gradients", (1, -2), _UP, positive=True
)
sigma = symbol(
    "deprl_sigma", r"\sigma_{\nabla}", "Assumption 4: noise", (1, -1), _UP, nonnegative=True
)
sigma_letter = symbol(
    "deprl_sigma_letter", r"\sigma", "Assumption 4 with g_theta twice, as printed", (1, -1), _UP,
    nonnegative=True,
)  # fmt: skip
varsigma = symbol(
    "deprl_varsigma", r"\varsigma", "Assumption 5: diversity", (1, -1), _UP, nonnegative=True
)
p = symbol("deprl_p", r"p_{>0}", "smallest positive entry of P", positive=True)
C2 = symbol("deprl_C2", r"C_2", "||P^m - J||_2 <= C_2 q_2^m for m >= 1", side=_UP, nonnegative=True)
q2 = symbol("deprl_q2", r"q_2", "||P^m - J||_2 <= C_2 q_2^m for m >= 1", side=_UP, nonnegative=True)
doubly = symbol("deprl_doubly", r"1_{P}", "1 if P is doubly stochastic, up to rounding")
connected = symbol("deprl_connected", r"1_{\mathcal{G}}", "1 if the graph is strongly connected")
loops = symbol("deprl_loops", r"1_{P_{ii}}", "1 if every P_ii > 0")
independent = symbol(
    "deprl_independent",
    r"1_{\mathcal{C}_i}",
    "1 if workers' and steps' minibatches are independent",
)
unbiased = symbol("deprl_unbiased", r"1_{\mathbb{E}g}", "1 if E g is the gradient")
start_spread = symbol(
    "deprl_start_spread", r"\textstyle\sum_i\|\phi_i(0)-\bar\phi(0)\|^2", "at the start", (0, 2)
)
lag = symbol("deprl_lag", r"k", "power of P", integer=True, positive=True)
C1_term = symbol("deprl_C1", r"C_1", "Eq. (12)'s first brace", (1, 0))
C2_term = symbol("deprl_C2_term", r"C_2^{(12)}", "Eq. (12)'s second brace", (1, 0))
C3_term = symbol("deprl_C3", r"C_3", "Eq. (12)'s third brace", (1, 0))
C4_term = symbol("deprl_C4", r"C_4", "Eq. (12)'s fourth brace", (1, 0))
flat = symbol("deprl_flat", r"1_{\partial_{\phi}=0}", "1 if no loss depends on phi")
aperiodic = symbol("deprl_aperiodic", r"1_{\mathrm{ap}}", "1 if the graph of P is aperiodic")
phi_noise = symbol(
    "deprl_phi_noise", r"\sigma_{\phi}", "noise of the representation", (1, -1), nonnegative=True
)
printed_heads = symbol(
    "deprl_printed_heads",
    r"\|\tfrac{1}{N}\sum_{i}\nabla_{\theta}F_{i}\|^{2}",
    "Eq. (8)'s gradient, squared",
    (2, -2),
)
all_heads = symbol(
    "deprl_all_heads",
    r"\tfrac{1}{N^{2}}\sum_{i}\|\nabla_{\theta}F_{i}\|^{2}",
    "of the heads together, squared",
    (2, -2),
)
