"""What only rounding refutes is no finding, though a search leaves that to what it confirms."""

import itertools

import pytest

from theorylab.falsify import falsify
from theorylab.falsify.score import Judge
from theorylab.falsify.search_state import SearchState
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import T, eta, mu, symbol

START = symbol("unstable_R2", "R^2", "|x^0 - x*|^2", units=(0, 2))
# eigenvalues 1/10 along (2, -1), where the run is, and 3 along (1, 2), where rounding grows
INSTANCE = {
    "problem": {"name": "quadratic", "H": [[[0.68, 1.16], [1.16, 2.42]]], "c": [[0.0, 0.0]]},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 200,
    "algorithm": {"eta": 1.0},
    "x0": [2.0, -1.0],
    "constants": {"unstable_R2": 5},
}


def claim(factor, rounds):
    """|x^T|^2 <= factor (1 - mu eta)^2T R^2, which holds with 1 where the run stays: nothing of an
    instance may move whose constants are numbers."""
    version = Version(
        {"b": factor * (1 - mu * eta) ** (2 * T) * START},
        checks=(Check("unstable", {**INSTANCE, "rounds": rounds}),),
    )
    source = Source("test", "none", "an unstable direction that is never entered")
    quantity = Quantity("squared_distance", "last")
    return Statement("test.unstable", source, quantity, {"printed": version}, "sgp")


def searched(statement, **options):
    return falsify(statement, budget=1e6, clock=itertools.count().__next__, **options)


def test_what_rounding_alone_refutes_is_not_found():
    found = searched(claim(2, 200), known=False)
    assert (found.refuted, found.needs, found.result.verdict) == (False, (), "INCONCLUSIVE")
    assert "rounding is amplified" in found.result.reason


def test_nor_is_it_a_check_that_refutes_its_own_claim():
    with pytest.raises(ValueError, match="nothing to move"):  # it would have been found before
        searched(claim(2, 200))


def test_what_stands_is_found():
    found = searched(claim(1 / 2, 10), known=False)
    assert (found.refuted, found.result.verdict) == (True, "VIOLATED")


def test_a_search_takes_it_for_broken_until_it_is_confirmed():
    statement = claim(2, 200)
    judge = Judge(statement, "printed", 2, 0, 1e9, screening=True, clock=lambda: 0.0)
    instance = dict(statement.versions["printed"].checks[0].instance)
    assert judge(instance)[1].verdict == "VIOLATED"
    state = SearchState(judge, 0.0, 1.0, {}, None)
    state.look(instance)
    assert state.confirmed(instance) is None
    assert (state.found, state.outside.told) == (None, {})
