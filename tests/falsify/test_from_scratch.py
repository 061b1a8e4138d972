"""A claim with one benign check is refuted by what the search makes of it itself."""

import itertools
import math
from dataclasses import replace

from theorylab.falsify import falsify
from theorylab.falsify.neighbour_moves import climb
from theorylab.falsify.repairs import left_float64
from theorylab.falsify.score import Judge
from theorylab.falsify.search_state import SearchState
from theorylab.statements import BUILT_IN, Check, Source, Statement, Version
from theorylab.symbols import L, T, eta, f0, f_star

BENIGN = {
    "problem": {"name": "quadratic", "H": [[[1.0]]] * 4, "c": [[0.0]] * 4},
    "topology": {"name": "ring"},
    "clients": 4,
    "rounds": 10,
    "algorithm": {"eta": 0.1},
    "x0": 1.0,
}


def ticks(step):
    return itertools.count(0, step).__next__


def claim(bound, check=BENIGN, scope=None):
    """The average squared gradient of sgp."""
    return Statement(
        id="test.scratch",
        source=Source("test", "none", "planted"),
        algorithm="sgp",
        quantity="mean_squared_gradient",
        versions={
            "printed": Version({"bound": bound}, (), (Check("benign", check),), scope=scope or {})
        },
    )


def searched(told, budget=4000, **options):
    return falsify(told, budget=budget, clock=ticks(1), shrink=False, known=False, **options)


def test_unlike_clients_break_what_one_quadratic_does_not():
    found = searched(claim(2 * (f0 - f_star) / (eta * T)))
    assert found.refuted
    assert found.tried < 400
    assert found.how.startswith("a check, then ")


def test_a_run_that_diverges_inside_the_assumptions_refutes():
    # Stable up to eta = 2 and barely above: what a factor of ten makes of it leaves float64, and
    # is judged over fewer rounds.
    long = {**BENIGN, "rounds": 4000, "algorithm": {"eta": 1.0}}
    told = claim(1e6 * (f0 - f_star) / (eta * T), long)
    judge = Judge(told, "printed", 16, 0, 1e9, screening=True, clock=ticks(1))
    state = SearchState(judge, 0.0, 1e9, {}, None)
    diverging = {**long, "algorithm": {"eta": 3.0}}
    assert judge(diverging)[0] == -math.inf
    assert left_float64(judge.refused)
    assert state.look({**long, "algorithm": {"eta": 3.5}}) > 0
    assert state.found is not None
    assert state.found[0] == {**long, "rounds": 250, "algorithm": {"eta": 3.5}}


def test_a_stripped_statement_of_a_paper_is_refuted():
    # Its counterexample starts one client away from the others; the check that is left has no such.
    told = BUILT_IN["dfedsgpsm.lem4"]
    version = told.versions["printed"]
    benign = [check for check in version.checks if check.expect == "HOLDS"]
    left = replace(told, versions={"printed": replace(version, checks=tuple(benign))})
    found = searched(left)
    assert found.refuted
    assert found.instance["x0"] != benign[0].instance["x0"]


def test_what_holds_from_many_rounds_on_alone_is_refuted_there():
    # The check that is left asks for 10^256.7 rounds, as Corollary 1 does on a ring of 128.
    told = BUILT_IN["deprl.cor1"]
    version = told.versions["printed"]
    crowd = next(check for check in version.checks if check.name == "ring-of-128")
    found = searched(replace(told, versions={"printed": replace(version, checks=(crowd,))}))
    assert found.refuted
    assert found.tried < 400
    assert found.instance["sweep"]["values"][0] > 1000 * crowd.instance["sweep"]["values"][0]


def test_two_searches_of_one_seed_are_one():
    told = claim(100 * (f0 - f_star) / (eta * T) + 100 * eta * L * (f0 - f_star))
    one, two = (searched(told, budget=600, seed=3) for _ in range(2))
    assert (one.instance, one.tried, one.inside) == (two.instance, two.tried, two.inside)


def test_a_ladder_goes_straight_to_where_the_ratio_crosses_one():
    told = claim(10**40 * (f0 - f_star), scope={"eta": "free"})
    judge = Judge(told, "printed", 16, 0, 1e9, screening=True, clock=ticks(1))
    state = SearchState(judge, 0.0, 1e9, {}, None)
    far = {**BENIGN, "algorithm": {"eta": 1e-60}}
    score, _ = judge(far)
    before = judge.evaluations
    assert climb(state, "curvature", 1, far, score) > 0  # the square of a gradient beside f
    assert judge.evaluations - before < 12
