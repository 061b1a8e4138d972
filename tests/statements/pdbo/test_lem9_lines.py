"""An edge's factor: within 1/dbar - 1, not 1/dbar - 2."""

import sympy as sp

from theorylab.statements.pdbo._symbols import edge_chance
from theorylab.statements.pdbo.lem9_lines import STATEMENT

_RARE = {"network": {"name": "sto-d", "low": 0.01, "high": 0.02}, "rounds": [1]}
_OFTEN = {"network": {"name": "sto-d", "low": 0.9, "high": 0.95}, "rounds": [1]}
PLANTED = {
    "no 1": ({"x": (1 / edge_chance - 1) ** 2}, _OFTEN),
    "1/dbar alone": ({"x": 1 / edge_chance}, _RARE),
    "half": ({"x": (1 / edge_chance - 1) ** 2 / 2 + sp.Integer(1)}, _RARE),
}


def test_planted_faults_are_refuted(missed):
    assert missed(STATEMENT, "printed", PLANTED) == set()


def test_random_instances_hold(never_violated):
    def make(rng):
        low = float(rng.uniform(0.01, 0.9))
        network = {"name": "sto-d", "low": low, "high": 0.95, "seed": int(rng.integers(99))}
        return {"network": network, "rounds": [1]}

    for version in ("printed", "printed/square"):
        assert never_violated(STATEMENT, version, make, range(30)) == 1
