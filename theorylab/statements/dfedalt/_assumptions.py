"""Assumptions that DFedAlt's and DFedSalt's statements share."""

import sympy as sp

from theorylab.statements import Assumption
from theorylab.statements.dfedalt._symbols import (
    F_star,
    K_u,
    K_v,
    L_sample,
    L_u,
    L_uv,
    L_v,
    L_vu,
    definition,
    delta,
    eta_u,
    eta_v,
    fresh,
    independent,
    lam,
    sigma_u,
    sigma_v,
    start_spread,
)

# Where a constant is attained, no rounding leaves the measured side below it: this much is let be.
SHARE = sp.Rational(1, 10**8)

GRAPH = Assumption("Definition 1 (gossip matrix)", rule=sp.Eq(definition, 1))
SMOOTH = Assumption("Assumption 1 (smoothness)", finite=(L_u, L_v, L_uv, L_vu))
VARIANCE = Assumption("Assumption 2 (bounded variance)", finite=(sigma_u, sigma_v))
DIVERSITY = Assumption("Assumption 3 (partial gradient diversity)", finite=(delta,))
PAPER = (SMOOTH, VARIANCE, DIVERSITY)

FRESH = Assumption("every local step draws its own minibatch", rule=sp.Eq(fresh, 1))
APART = Assumption("clients' minibatches are independent", rule=sp.Eq(independent, 1))
TOGETHER = Assumption("all u_i start at one point", rule=sp.Eq(start_spread, 0))
SAMPLES = Assumption("every F_i(.; xi) is smooth in u", finite=(L_sample,))
BELOW = Assumption("Theorem: F has an infimum", finite=(F_star,))

Y_U, Y_V = eta_u * K_u * L_u, eta_v * K_v * L_v
TRAVEL = lam / (1 - lam)
MIXES = Assumption("corrected: lambda < 1", rule=lam < 1)
CAP_TRAVEL = Assumption(
    "corrected: eta_u K_u L_u lambda/(1-lambda) <= 1/16", rule=16 * Y_U * TRAVEL <= 1
)
