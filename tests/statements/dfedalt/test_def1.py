"""Definition 1: the gap."""

import sympy as sp

from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt.def1 import STATEMENT

FEW = {**made.NETWORK, "topology": made.FEW_LOOPS, "clients": 4}
SLOW = {**made.NETWORK, "topology": made.pair(1e-3), "clients": 2}


def test_every_check_gets_its_verdict(judged):
    found = judged(STATEMENT)
    # 1, -.8, .1, .1 in order of modulus
    assert abs(found["printed", "few-loops"].measured - 0.8) < 1e-12


def test_a_matrix_that_is_none_is_told_by_its_item_and_its_number(judged):
    found = judged(STATEMENT)["printed", "directed-ring"]
    # 5 clients, each keeps a half and hands a half on to the next
    assert found.reason.endswith("fails: item (ii), P[0,1] = 0.0 but P[1,0] = 0.5")


def test_smaller_bounds_are_refuted(missed):
    half, near = sp.Rational(1, 2), sp.Rational(997, 1000)
    faults = {
        "1/2": ({"one": half}, FEW),
        "997/1000": ({"one": near}, SLOW),
        "0": ({"one": sp.Integer(0)}, FEW),
        "1/3": ({"one": sp.Rational(1, 3)}, made.NETWORK),
        "3/4": ({"one": sp.Rational(3, 4)}, FEW),
    }
    assert missed(STATEMENT, "printed", faults) == set()


def test_a_graph_with_few_loops_still_has_a_gap(never_violated):
    def make(draw):
        n = int(draw.integers(2, 9))
        name = ("ring", "path", "star", "complete")[int(draw.integers(4))]
        weights = {} if name == "complete" else {"weights": "metropolis"}
        return {**made.NETWORK, "topology": {"name": name, **weights}, "clients": n}

    assert never_violated(STATEMENT, "printed", make, range(10)) == 1
