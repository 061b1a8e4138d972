"""C and q of Theorem 1: the ring of four, self-loops, and tighter claims."""

import pytest
import sympy as sp

from theorylab.statements import Check
from theorylab.statements.deprl import _instances as made
from theorylab.statements.deprl._symbols import lag, p
from theorylab.statements.deprl.thm1_mixing import STATEMENT
from theorylab.symbols import n
from theorylab.verdicts import judge_check

# A directed ring of three that keeps .99: |lambda_2| is about 1 - 1.5 p.
SLOW = {
    **made.NETWORK,
    "clients": 3,
    "topology": {
        "name": "edge-list",
        "edges": [[i, i, 0.99] for i in range(3)] + [[i, (i + 1) % 3, 0.01] for i in range(3)],
    },
    "powers": 200,
}
_envelope = (1 - p**n) ** (lag / n - 1)
FAULTS = {
    "(1 - N p)^k": (1 - n * p) ** lag,
    "(1 - p)^(N k)": (1 - p) ** (n * lag),
    "half of it": _envelope / 2,
    "1/N^2 of it": _envelope / n**2,
    "2^(1-k) times it": _envelope * sp.Integer(2) ** (1 - lag),
    "1/k of it": _envelope / lag,
}


def test_planted_faults_are_refuted(missed):
    faults = {name: {"envelope": bound} for name, bound in FAULTS.items()}
    assert missed(STATEMENT, "corrected", faults, at=SLOW) == set()


def test_both_claims_hold_on_the_slow_ring():
    for version in ("implied", "corrected"):
        assert judge_check(STATEMENT, version, Check("slow", SLOW)).verdict == "HOLDS"


def random_instance(seed):
    name = ("ring", "path", "star", "complete", "directed-ring", "hypercube")[seed % 6]
    clients = 8 if name == "hypercube" else 2 + seed % 7
    weights = {} if name in ("complete", "directed-ring") else {"weights": "metropolis"}
    return {**made.NETWORK, "topology": {"name": name, **weights}, "clients": clients, "powers": 30}


@pytest.mark.parametrize("seeds", [range(20), pytest.param(range(20, 200), marks=pytest.mark.slow)])
def test_no_network_with_self_loops_is_called_violated(seeds):
    for seed in seeds:
        found = judge_check(STATEMENT, "corrected", Check("random", random_instance(seed)))
        assert found.verdict in ("HOLDS", "ASSUMPTION_FAILS"), (seed, found.reason)
