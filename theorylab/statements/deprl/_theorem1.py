"""What Theorem 1 and Corollary 1 share: their terms, assumptions and measured sides."""

from __future__ import annotations

import sympy as sp
from sympy.codegen.cfunctions import expm1, log1p

from theorylab.statements import Assumption, Quantity
from theorylab.statements.deprl._symbols import (
    C2,
    L,
    alpha,
    beta,
    connected,
    doubly,
    f_best,
    f_start,
    independent,
    kept,
    loops,
    p,
    q2,
    sigma,
    start_spread,
    tau,
    unbiased,
    unit,
    varsigma,
)
from theorylab.symbols import T, n

C_PRINTED = 2 * (1 + p**-n) / (1 - p**n)
Q_PRINTED = (1 - p**n) ** (1 / n)
# 1 - q: of the difference itself 50 digits leave nothing from p^N = 1e-50 on
GAP_PRINTED = -expm1(log1p(-(p**n)) / n)

_dimensions = 1 / unit + 1 / (unit**3 * L**2)  # 1 + 1/L^2
PRINTED: dict[str, sp.Expr] = {
    "optimisation": 4 * (f_start - f_best) / (T * beta),
    "representation noise": 2 * beta * L / n * sigma**2,
    "head drift": 12 * alpha**3 * L**2 * tau / beta * (tau - 1) * (6 * tau + 1) * sigma**2,
    "head noise": 2 * alpha**2 * tau * L / beta * sigma**2,
    "consensus noise": 2 * beta / (3 * n) * _dimensions * sigma**2,
    "consensus diversity": 2 * beta / n * _dimensions * varsigma**2,
}

_travel = q2 / (1 - q2)
SPREAD = sigma * q2 / sp.sqrt(1 - q2**2) + varsigma * _travel
CORRECTED: dict[str, sp.Expr] = {
    "optimisation": 4 * (f_start - f_best) / (T * beta),
    "representation noise": 2 * beta * L / n * sigma**2,
    "head drift": 2 * alpha**3 * L**2 * kept * (kept - 1) / beta * sigma**2,
    "head noise": 2 * alpha**2 * kept * L / beta * sigma**2,
    "consensus": (3 + 2 * alpha * kept / beta)
    * (beta * L * C2 * SPREAD / (1 - beta * L * C2 * _travel)) ** 2,
}

MEASURE = Quantity(
    "deprl.measure",
    "rows",
    (2, -2),
    r"\frac1K\sum_{k=0}^{K-1} E\left[\|\nabla_\phi f(\bar\phi(k),\{\theta_i(k+1)\})\|^2"
    r" + \frac{\alpha\tau}{\beta}\|\nabla_\theta f(\bar\phi(k),\{\theta_i(k)\})\|^2"
    r" + \frac1N\sum_i\|\phi_i(k)-\bar\phi(k)\|^2\right]",
)
MEASURE_EACH = Quantity(
    "deprl.measure_each",
    "rows",
    (2, -2),
    r"\frac1K\sum_{k=0}^{K-1} E\left[2\|\nabla_\phi f(\bar\phi(k),\{\theta_i(k+1)\})\|^2"
    r" + \frac{\alpha m}{\beta N}\sum_i\|\nabla_\theta F_i(\bar\phi(k),\theta_i(k))\|^2"
    r" + \frac{L^2}{N}\sum_i\|\phi_i(k)-\bar\phi(k)\|^2\right]",
)

ALL_STEPS = Assumption("Figure 1: theta_i(k+1) follows tau steps", rule=sp.Eq(kept, tau))
LINE_10 = Assumption(
    "Algorithm 1, line 10: theta_i(k+1) = theta_i(k, tau-1)", rule=sp.Eq(kept, tau - 1)
)
SELF_LOOPS = Assumption("System Model, (7): P_ii > 0, as i is in N_i", rule=sp.Eq(loops, 1))
ON_A_GRAPH = (  # whatever P makes of it
    Assumption("Assumption 1 (doubly stochastic P)", rule=sp.Eq(doubly, 1)),
    Assumption("Assumption 2 (Lipschitz partial gradients)", finite=(L,)),
    Assumption("Assumption 3 (unbiased gradients)", rule=sp.Eq(unbiased, 1)),
    Assumption("Eq. (4), (6): minibatches of one's own", rule=sp.Eq(independent, 1)),
    Assumption("Assumption 4 (bounded variance)", finite=(sigma,)),
    Assumption("Assumption 5 (bounded diversity)", finite=(varsigma,)),
    Assumption("Theorem 1: f has an infimum", finite=(f_best,)),
    Assumption("Algorithm 1, line 2: one phi(0) for all", rule=sp.Eq(start_spread, 0)),
)
CONNECTED = Assumption("System Model: the graph is strongly connected", rule=sp.Eq(connected, 1))
SHARED = (ON_A_GRAPH[0], CONNECTED, *ON_A_GRAPH[1:])
_network_cap = GAP_PRINTED / (3 * sp.sqrt(2) * C_PRINTED * L * n)
P_BELOW_1 = Assumption("Theorem 1: C needs p < 1", rule=p < 1)
CAPS = (
    P_BELOW_1,
    Assumption("Theorem 1: beta <= 1/L", rule=beta <= 1 / L),
    Assumption("Theorem 1: beta <= N/2", rule=beta <= n * unit / 2),
    Assumption("Theorem 1: beta <= (1-q)/(3 sqrt(2) C L N)", rule=beta <= _network_cap),
)
HEAD_CAP = Assumption(
    "Theorem 1: alpha <= (1 + 36 tau^2)/(tau L)", rule=alpha <= (1 + 36 * tau**2) / (tau * L)
)
SMALL_HEAD_CAP = Assumption(
    "reading: alpha <= 1/((1 + 36 tau^2) tau L)", rule=alpha <= 1 / ((1 + 36 * tau**2) * tau * L)
)
MIXING = (
    Assumption("corrected: P^m tends to J", finite=(C2, q2)),
    Assumption("corrected: q_2 < 1", rule=q2 < 1),
)
CORRECTED_ASSUMES = (
    *SHARED,
    *MIXING,
    Assumption("corrected: m alpha L <= 1", rule=kept * alpha * L <= 1),
    Assumption("corrected: beta L <= 1", rule=beta * L <= 1),
    Assumption("corrected: beta L C_2 q_2/(1-q_2) < 1", rule=beta * L * C2 * _travel < 1),
)
