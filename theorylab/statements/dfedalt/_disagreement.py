r"""What Lemmas 5 and 6, (17) and (31) share: bounds on (1/m) sum_i E||u_i^t - ubar^t||^2.

Two proofs, for steps u_i^{k+1} = u_i^k - eta (grad_u F_i(u_i^k, v_i) + p_i^k + n_i^k), p the change
by SAM, at most L_xi rho long, and the mixing W:

*By the steps.* U^{t+1} = W(U^t + Z^t), Z^t the K_u local steps, so U^t - P U^t = (W^t - P) U^0 +
sum_{j<t} (W^{t-j} - P) Z^j, by Lemma 1 of root mean square at most lambda^t sqrt(D_0) + sum_j
lambda^{t-j} z_j, with z_j^2 of Lemma 3's (4's) corrected version at k = K_u: ``by_steps``.

*By the differences.* |x|^2 := (1/m) sum_i ||x_i - xbar||^2 = (1/2m^2) sum_ij ||x_i - x_j||^2. Write
grad_u F_i(u_i, v_i) = phi(u_i) + e_i with phi = grad_u F(., V^{t+1}), one function for all clients:
|phi(u)| <= L_u |u|, and |e| <= delta by Assumption 3, each u_i its own, as printed. The noise of k
steps is at most sigma_u sqrt k in root mean square. So by discrete Gronwall the root mean square
of |u^{t,K}| is at most (1 + eta L_u)^K (sqrt(D_t) + c), c = eta (K (delta + L_xi rho) + sigma_u
sqrt K), mixing has the factor lambda, and where q = lambda (1 + eta L_u)^K < 1

    sqrt(D_t) <= q^t sqrt(D_0) + c q/(1-q):

no gradient at all: ``by_differences``. With s = 1 - lambda and eta K L_u <= a s, a = 1/(3 sqrt 2):
q <= (1-s) e^{as} <= 1 - (1-a) s, as the difference is convex in s and flat at 0. So from equal
starts D_t <= c^2/((1-a) s)^2, and c^2 <= 2 eta^2 (K^2 delta^2 + K sigma_u^2) without SAM gives

    D_t <= 3.43 eta^2 K^2 (delta^2 + sigma_u^2)/(1-lambda)^2.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Assumption, Quantity
from theorylab.statements.dfedalt._assumptions import FRESH, GRAPH, MIXES, PAPER, TRAVEL
from theorylab.statements.dfedalt._symbols import (
    G,
    K_u,
    L_u,
    delta,
    eta_u,
    lam,
    sigma_u,
    spread_room,
    start_spread,
)
from theorylab.statements.dfedsgpsm._symbols import t

SPREAD = Quantity("dfedalt.spread", "rows", (0, 2), r"\frac1m\sum_i E\|u_i^t-\bar u^t\|^2")
PRINTED: dict[str, sp.Expr] = {  # Lemma 5's; Lemma 6's but for rho
    name: 18 * eta_u**2 * K_u**2 / (1 - lam) ** 2 * part
    for name, part in (("noise", sigma_u**2), ("diversity", delta**2), ("gradient", G))
}
Q = lam * (1 + eta_u * L_u) ** K_u
CONTRACTS = Assumption("corrected: lambda (1 + eta_u L_u)^K_u < 1", rule=Q < 1)
STEPS_ASSUME = (*PAPER, GRAPH, MIXES, FRESH)
DIFFERENCES_ASSUME = (*PAPER, GRAPH, FRESH, CONTRACTS)


def by_steps(parts: int, pull: sp.Expr) -> dict[str, sp.Expr]:
    """``parts``: how many squares z_j^2 is split into; ``pull``: K^2 (...) + K sigma^2."""
    steps = parts * (1 + eta_u * L_u) ** (2 * K_u) * eta_u**2
    return {
        "spread": (lam**t * sp.sqrt(start_spread) + TRAVEL * sp.sqrt(steps * pull)) ** 2,
        "rounding": spread_room,
    }


def by_differences(parts: int, pull: sp.Expr) -> dict[str, sp.Expr]:
    """The same of c^2; no gradient in ``pull``."""
    reach = sp.sqrt(parts * eta_u**2 * pull)
    return {
        "spread": (Q**t * sp.sqrt(start_spread) + Q / (1 - Q) * reach) ** 2,
        "rounding": spread_room,
    }
