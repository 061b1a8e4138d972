r"""Symbols of DFedAlt and DFedSalt. m of the paper (clients) is ``n`` here, its i under the sums of
Theorems 1 and 2 is t. Letters carry braces of their own where another paper uses the letter too.

``unit`` stands for the number 1 where the paper adds things of different units (L_v + 1). It is 1
in whatever units f and the models come, so a change of these units changes the printed claim.
"""

from __future__ import annotations

from theorylab.symbols import Side, symbol

_UP, _LOW = Side.UPPER, Side.LOWER
_STEP, _SMOOTH, _SLOPE = (-1, 2), (1, -2), (1, -1)

eta_u = symbol("dfedalt_eta_u", r"\eta_{u}", "step size of the shared part", _STEP, positive=True)
eta_v = symbol(
    "dfedalt_eta_v", r"\eta_{v}", "step size of the personal parts", _STEP, positive=True
)
K_u = symbol("dfedalt_K_u", "K_{u}", "local steps of the shared part", integer=True, positive=True)
K_v = symbol(
    "dfedalt_K_v", "K_{v}", "local steps of the personal part", integer=True, positive=True
)
L_u = symbol("dfedalt_L_u", "L_{u}", "Assumption 1: u -> grad_u F_i", _SMOOTH, _UP, positive=True)
L_v = symbol("dfedalt_L_v", "L_{v}", "Assumption 1: v -> grad_v F_i", _SMOOTH, _UP, positive=True)
L_uv = symbol("dfedalt_L_uv", "L_{{uv}}", "v -> grad_u F_i", _SMOOTH, _UP, nonnegative=True)
L_vu = symbol("dfedalt_L_vu", "L_{{vu}}", "u -> grad_v F_i", _SMOOTH, _UP, nonnegative=True)
L_sample = symbol(
    "dfedalt_L_sample", r"L_{u,\xi}", "u -> grad_u F_i(.; xi)", _SMOOTH, _UP, positive=True
)
sigma_u = symbol("dfedalt_sigma_u", r"\sigma_{u}", "Assumption 2", _SLOPE, _UP, nonnegative=True)
sigma_v = symbol("dfedalt_sigma_v", r"\sigma_{v}", "Assumption 2", _SLOPE, _UP, nonnegative=True)
delta = symbol(
    "dfedalt_delta",
    r"\delta_{\forall u_i}",
    "Assumption 3, a u_i each",
    _SLOPE,
    _UP,
    nonnegative=True,
)
delta_one = symbol(
    "dfedalt_delta_one", r"\delta_{\forall u}", "Assumption 3, one u", _SLOPE, _UP, nonnegative=True
)
lam = symbol("dfedalt_lambda", r"{\lambda}", "Definition 1", side=_UP, nonnegative=True)
F_start = symbol("dfedalt_F_start", r"F(\bar u^1, V^1)", "loss at the average start", (1, 0))
F_star = symbol("dfedalt_F_star", "F^{*}", "infimum of F over u and all v_i", (1, 0), _LOW)
unit = symbol("dfedalt_unit", r"1_{L}", "1, where a smoothness is needed", _SMOOTH, positive=True)

definition = symbol("dfedalt_definition", r"1_{\mathbf{W}}", "1 if Definition 1 (i)-(iv) hold")
fresh = symbol("dfedalt_fresh", r"1_{\xi_i^k}", "1 if every local step has its own minibatch")
independent = symbol("dfedalt_independent", r"1_{\xi_i}", "1 if clients' minibatches are")
start_spread = symbol(
    "dfedalt_start_spread", r"\overline{\|u_i^0-\bar u^0\|^2}", "at the start", (0, 2),
    nonnegative=True,
)  # fmt: skip

G = symbol(
    "dfedalt_G",
    r"\tfrac1m\sum_i\|\nabla_u F(u_i^t,V^{t+1})\|^2",
    "mean squared gradient at the clients' own u",
    (2, -2),
    nonnegative=True,
)
G_past = symbol(
    "dfedalt_G_past", r"\max_{j<t}G_j", "the largest of these before t", (2, -2), nonnegative=True
)
head = symbol(
    "dfedalt_head", r"\|\nabla_v F_i(u_i^t,v_i^t)\|^2", "client i", (2, -2), nonnegative=True
)
Delta_u = symbol("dfedalt_Delta_u", r"\Delta_{\bar u}^t", "at round t", (2, -2), nonnegative=True)
Delta_v = symbol("dfedalt_Delta_v", r"\Delta_v^t", "at round t", (2, -2), nonnegative=True)
spread = symbol(
    "dfedalt_spread", r"\tfrac1m\sum_i\|u_i^t-\bar u^t\|^2", "at round t", (0, 2), nonnegative=True
)
wander = symbol(
    "dfedalt_wander", r"\sum_k\tfrac1m\sum_i\|u_i^{t,k}-\bar u^t\|^2", "at round t", (0, 2),
    nonnegative=True,
)  # fmt: skip
leap = symbol(
    "dfedalt_leap", r"{\|\bar u^{t+1}-\bar u^t\|^2}", "at round t", (0, 2), nonnegative=True
)
head_leap = symbol(
    "dfedalt_head_leap", r"{\tfrac1m\sum_i\|v_i^{t+1}-v_i^t\|^2}", "at round t", (0, 2),
    nonnegative=True,
)  # fmt: skip
spread_room = symbol("dfedalt_spread_room", r"\varepsilon_u", "the same", (0, 2), nonnegative=True)
scale = symbol("dfedalt_scale", "c", "of the steps c/(L K sqrt T)", nonnegative=True)
radius = symbol("dfedalt_radius", r"\rho_0", "of the radius rho_0/sqrt T", (0, 1), nonnegative=True)
one_slope = symbol(
    "dfedalt_one_slope", r"1_{A_i=L_uI}", "1 if nothing is coupled and every A_i is L_u I"
)
