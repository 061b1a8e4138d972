r"""What a round of DFedAlt or DFedSalt is true to gain, and what all rounds add up to.

x = eta_u K_u L_u, h = 1 - 1/K_u, s = sqrt(h), D = (1/m) sum_i E||u_i^t - ubar^t||^2, R = L_xi rho,
A = (1 + eta_u L_u)^{2(K_u-1)}, B = (1 + 2s) A. b = 1 without SAM, 2 with.

*u-step*, x <= 1/2, with SAM x <= 1/3:

    E[F(ubar^{t+1}, V^{t+1}) - F(ubar^t, V^{t+1})] <= -gamma_u eta_u K_u E Delta_u
      + b B/2 eta_u K_u L_u^2 D + b B s/4 eta_u K_u x^2 ((1 + h)/3 delta^2 + sigma_u^2/K_u)
      + L_u eta_u^2 K_u sigma_u^2/(2m) (1 + z x/(1-x)), with SAM + A eta_u K_u R^2,

gamma_u = (1 - b B s (1 + h) x^2/6)/2; z = h^2, with SAM z = 1.

g = grad_u F(ubar^t, V^{t+1}), h_k = (1/m) sum_i grad_u F_i(u_i^{t,k}, v_i^{t+1}), p_k the clients'
mean change by SAM, ||p_k|| <= R, n_k their mean noise: E<g, n_k> = 0, E||n_k||^2 <= sigma_u^2/m,
E<n_j, n_k> = 0. ubar moves by -eta sum_k (h_k + p_k + n_k), and -<g, h + p> = (||g - h - p||^2 -
||g||^2 - ||h + p||^2)/2. With S = sum_k E||h_k + p_k||^2, Young's inequality and a = 1/x - 1

    E||sum_k (h_k + p_k + n_k)||^2 <= K (1 + a) S + (1 + 1/a) K sigma_u^2/m,

and eta^2 L_u/2 K (1 + a) S is the eta S/2 that is gained. Without SAM h_k knows the noise before k
alone: h_0 and n_{K-1} are correlated with nothing, so 1 + a h and 1 + h/a do, a = (1 - x)/(x h).

||g - h_k|| <= L_u r_k, r_k the root mean square of u_i^{t,k} - ubar^t over i and the draws. That of
grad_u F_i(ubar^t, v_i^{t+1}) is at most sqrt(Delta_u + delta^2), as g is their mean. The noise of k
steps is at most sigma_u sqrt k. So discrete Gronwall gives, R f_k being what SAM adds,

    r_k <= (1 + eta L_u)^k (sqrt D + eta k sqrt(Delta_u + delta^2) + eta sigma_u sqrt k) + R f_k,
    L_u f_k + 1 = (1 + eta L_u)^k.

With SAM the R (1 + eta L_u)^k is split off first, by (y + y')^2 <= 2 y^2 + 2 y'^2. For the others
(y_1 + y_2 + y_3)^2 <= (1 + 2s) (y_1^2 + (y_2^2 + y_3^2)/s); sum_k k^2 = K^3 h (1 + h)/6, sum_k k =
K^2 h/2. For K_u = 1 nothing but D remains of them.

*v-step*, SAM or not, w = eta_v K_v L_v <= 1/4, j = 1 - 1/K_v, A' = (1 + eta_v L_v)^{2(K_v-1)}:

    E[F(ubar^t, V^{t+1}) - F(ubar^t, V^t)] <= -gamma_v eta_v K_v E Delta_v + eta_v K_v L_vu^2 D
      + L_v eta_v^2 K_v sigma_v^2/2 (1 + j^2 w/(1/2 - w) + A' j w),

gamma_v = (1 - A' w^2 j (1 + j)/3)/2. Client i: h_k = grad_v F_i(u_i^t, v_i^{t,k}), e = grad_v
F_i(ubar^t, v_i^t) - h_0, ||e|| <= L_vu ||u_i^t - ubar^t||. F_i(ubar^t, .) is L_v-smooth, and
-<h_0 + e, h_k> <= (||h_0 - h_k||^2 - ||h_0||^2 - ||h_k||^2)/2 + ||e||^2 + ||h_k||^2/4. The square
of the step is split as without SAM above, a = (1/2 - w)/(w j). The root mean square of h_k - h_0 is
at most L_v (1 + eta_v L_v)^k eta_v (k ||h_0|| + sigma_v sqrt k).

*All rounds.* q = lambda (1 + eta_u L_u)^{K_u} < 1, c = eta_u (K_u (delta + R) + sqrt(K_u (1 - 1/m))
sigma_u): ``_disagreement``, "by the differences"; of independent noises 1 - 1/m is apart from their
mean. sqrt(D_{t+1}) <= q (sqrt(D_t) + c), so that

    sqrt(D_t) <= q^t sqrt(D_0) + (1 - q^t) c q/(1-q),   D_t <= q^t D_0 + (1 - q^t) (c q/(1-q))^2

by convexity, and (1/T) sum_{t<T} D_t <= (c q/(1-q))^2 + D_0/(T (1-q)). No gradient is in it. The
rounds are summed and divided by the smaller of gamma_u and gamma_v.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Assumption
from theorylab.statements.dfedalt._assumptions import APART, BELOW, FRESH, GRAPH, PAPER, Y_U, Y_V
from theorylab.statements.dfedalt._disagreement import CONTRACTS, Q
from theorylab.statements.dfedalt._symbols import (
    Delta_u,
    Delta_v,
    F_star,
    F_start,
    K_u,
    K_v,
    L_sample,
    L_u,
    L_v,
    L_vu,
    delta,
    eta_u,
    eta_v,
    sigma_u,
    sigma_v,
    spread,
    start_spread,
)
from theorylab.symbols import T, n, rho

Terms = dict[str, sp.Expr]
HALF = sp.Rational(1, 2)
CAP_U = Assumption("corrected: eta_u K_u L_u <= 1/2", rule=2 * Y_U <= 1)
CAP_U_SAM = Assumption("corrected: eta_u K_u L_u <= 1/3", rule=3 * Y_U <= 1)
CAP_V = Assumption("corrected: eta_v K_v L_v <= 1/4", rule=4 * Y_V <= 1)

_h, _j = 1 - 1 / K_u, 1 - 1 / K_v
_s = sp.sqrt(_h)
_GROWN_U = (1 + eta_u * L_u) ** (2 * (K_u - 1))
_GROWN_V = (1 + eta_v * L_v) ** (2 * (K_v - 1))
_B = (1 + 2 * _s) * _GROWN_U
_SHARP = (L_sample * rho) ** 2
_V_GAIN = (1 - _GROWN_V * Y_V**2 * _j * (1 + _j) / 3) / 2
_V_APART = eta_v * K_v * L_vu**2

V_STEP: Terms = {
    "v gain": -_V_GAIN * eta_v * K_v * Delta_v,
    "v noise": L_v
    * (eta_v * sigma_v) ** 2
    * K_v
    / 2
    * (1 + _j**2 * Y_V / (HALF - Y_V) + _GROWN_V * _j * Y_V),
    "v apart": _V_APART * spread,
}


def _u_gain(sam: bool) -> sp.Expr:
    return (1 - (1 + sam) * _B * _s * (1 + _h) * Y_U**2 / 6) / 2


def _u_apart(sam: bool) -> sp.Expr:
    return (1 + sam) * _B / 2 * eta_u * K_u * L_u**2


def _rest(sam: bool) -> Terms:
    """The u-step's terms that no round's models are in."""
    late = (1 if sam else _h**2) * Y_U / (1 - Y_U)
    pull = (1 + _h) / 3 * delta**2 + sigma_u**2 / K_u
    rest = {
        "drift": (1 + sam) * _B * _s / 4 * eta_u * K_u * Y_U**2 * pull,
        "u noise": L_u * (eta_u * sigma_u) ** 2 * K_u / (2 * n) * (1 + late),
    }
    return {**rest, "sharpness": _GROWN_U * eta_u * K_u * _SHARP} if sam else rest


def u_step(sam: bool) -> Terms:
    """The u-step's bound."""
    return {
        "u gain": -_u_gain(sam) * eta_u * K_u * Delta_u,
        "u apart": _u_apart(sam) * spread,
        **_rest(sam),
    }


def step_assumes(sam: bool) -> tuple[Assumption, ...]:
    """Of a whole round, but for what SAM asks of samples."""
    return (*PAPER, FRESH, APART, CAP_U_SAM if sam else CAP_U, CAP_V)


def whole_assumes(sam: bool) -> tuple[Assumption, ...]:
    """Of all rounds, likewise."""
    return (*step_assumes(sam), GRAPH, BELOW, CONTRACTS)


def whole(sam: bool) -> Terms:
    """The bound on (1/T) sum_t E[eta_u K_u Delta_u^t + eta_v K_v Delta_v^t]."""
    push = K_u * (delta + (L_sample * rho if sam else 0)) + sp.sqrt(K_u * (1 - 1 / n)) * sigma_u
    through = _u_apart(sam) + _V_APART
    sums = {
        "start": (F_start - F_star) / T,
        **_rest(sam),
        "v noise": V_STEP["v noise"],
        "consensus": through * (Q / (1 - Q) * eta_u * push) ** 2,
        "start apart": through * start_spread / (T * (1 - Q)),
    }
    least = sp.Min(_u_gain(sam), _V_GAIN)
    return {name: term / least for name, term in sums.items()}
