"""What every statement about Algorithm 1 of dfedsgpsm shares: its inputs and its weights."""

from __future__ import annotations

import sympy as sp

from theorylab.statements._base import Assumption
from theorylab.symbols import K, alpha, decay, eta, rho, self_loops, uniform_out_degree

_m = sp.Symbol("m", integer=True, nonnegative=True)


def weight_sum(steps: sp.Expr) -> sp.Expr:
    """sum_{k=1}^{m} sum_{s=1}^{k} alpha^(k-s) in closed form; the paper's a~ is m = K (Lemma 4)."""
    return steps / (1 - alpha) - alpha * (1 - alpha**steps) / (1 - alpha) ** 2


def step_weight(step: sp.Expr) -> sp.Expr:
    """b_s = sum_{k=s}^{K} alpha^(k-s): how often the s-th local gradient enters the update."""
    return (1 - alpha ** (K - step + 1)) / (1 - alpha)


def square_sum(steps: sp.Expr) -> sp.Expr:
    """sum_{s=1}^{m} (sum_{k=s}^{m} alpha^(k-s))^2 in closed form."""
    first = 2 * alpha * (1 - alpha**steps) / (1 - alpha)
    second = alpha**2 * (1 - alpha ** (2 * steps)) / (1 - alpha**2)
    return (steps - first + second) / (1 - alpha) ** 2


a_tilde = weight_sum(K)

INPUTS = (
    Assumption("Algorithm 1, input: eta_l > 0", rule=eta > 0),
    Assumption("Algorithm 1, line 11: eta_l does not change (decay = 1)", rule=sp.Eq(decay, 1)),
    Assumption("Algorithm 1, line 10: alpha >= 0", rule=alpha >= 0),
    Assumption("Algorithm 1, line 10: alpha < 1", rule=alpha < 1),
    Assumption("Algorithm 1, line 8: rho >= 0", rule=rho >= 0),
    Assumption("Section 3.3: every client keeps a self-loop", rule=sp.Eq(self_loops, 1)),
    Assumption("Algorithm 1, input: p_{j,i} = 1/|N_i^out|", rule=sp.Eq(uniform_out_degree, 1)),
)

# Eight clients on a ring with three chords, alike losses log cosh(x - 8): the smallest run that
# separates 1/a~ from (1-alpha)/K (DESIGN: the worked example).
WORKED_EXAMPLE = {
    "problem": {"name": "log-cosh", "dim": 1, "center": 8.0},
    "topology": {
        "name": "edge-list",
        "edges": [
            *([i, (i + 1) % 8] for i in range(8)),
            *([i, i] for i in range(8)),
            [0, 4],
            [0, 2],
            [3, 6],
        ],
        "weights": "uniform",
    },
    "clients": 8,
    "rounds": 12000,
    "algorithm": {"eta": 1e-3, "alpha": 0.9, "rho": 0.0, "local_steps": 1},
}

# Slopes of 1 all the way, T eta = .1 of it walked: the left side is nearly 1, and the printed first
# term is 10 (1 - alpha). Under the closed formulas of the SGP lemma C is 51 on a ring of three, so
# that T and alpha are what makes the terms with C half of the first one.
RING_OF_THREE = {
    "problem": {"name": "clipped-linear", "dim": 1, "center": 1.0},
    "topology": {"name": "directed-ring"},
    "clients": 3,
    "rounds": 3800,
    "algorithm": {"eta": 0.1 / 3800, "alpha": 0.975, "rho": 0.0, "local_steps": 1},
}


# The paper's 20 local steps (5 epochs of 4 batches) and a ball of SAM: with momentum so near to 1
# that K/((1-alpha) a~) = 10, where the paper's .9 has 1.65.
TWENTY_STEPS = {
    **WORKED_EXAMPLE,
    "rounds": 6400,
    "algorithm": {"eta": 5e-6, "alpha": 0.99, "rho": 0.01, "local_steps": 20},
}
TWENTY_ON_A_RING = {
    **RING_OF_THREE,
    "rounds": 14000,
    "algorithm": {"eta": 0.003 / 14000, "alpha": 0.99, "rho": 1e-3, "local_steps": 20},
}


def to_one(*values: int) -> dict[str, object]:
    """The ring of three as alpha -> 1, by values of 1/(1 - alpha).

    T grows so that the terms with C and the drift, of the smallest pair, are half of the first one.
    """
    follow = {
        "rounds": "0.528*inverse**1.5",
        "algorithm.alpha": "1 - 1/inverse",
        "algorithm.eta": "0.1/rounds",
    }
    return {**RING_OF_THREE, "sweep": {"parameter": "inverse", "values": [*values], "set": follow}}


DIGITS = {
    "problem": {
        "name": "softmax",
        "partition": "dirichlet",
        "alpha": 0.3,
        "batch": 32,
        "reg": 0.0,
        "seed": 0,
    },
    "topology": {"name": "directed-exponential"},
    "clients": 16,
    "rounds": 200,
    "algorithm": {"eta": 0.001, "alpha": 0.5, "rho": 0.0, "local_steps": 2},
}


DIGITS_LONG = {**DIGITS, "rounds": 1000}


def changed(instance: dict[str, object], **algorithm: float) -> dict[str, object]:
    """The instance with other options of the algorithm."""
    options = instance["algorithm"]
    assert isinstance(options, dict)
    return {**instance, "algorithm": {**options, **algorithm}}
