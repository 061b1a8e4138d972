"""What every statement about Algorithm 1 of dfedsgpsm shares: its inputs and its weights."""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Assumption
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.symbols import K, alpha, decay, eta, rho, self_loops, uniform_out_degree


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


def to_one(*values: int) -> dict[str, object]:
    """The ring of three as alpha -> 1, by values of 1/(1 - alpha).

    T grows so that the terms with C and the drift, of the smallest pair, are half of the first one.
    """
    follow = {
        "rounds": "0.528*inverse**1.5",
        "algorithm.alpha": "1 - 1/inverse",
        "algorithm.eta": "0.1/rounds",
    }
    return {
        **cases.RING_OF_THREE,
        "sweep": {"parameter": "inverse", "values": [*values], "set": follow},
    }


def changed(instance: dict[str, object], **algorithm: float) -> dict[str, object]:
    """The instance with other options of the algorithm."""
    options = instance["algorithm"]
    assert isinstance(options, dict)
    return {**instance, "algorithm": {**options, **algorithm}}
