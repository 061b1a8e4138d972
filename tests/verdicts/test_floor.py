"""A proof of a limit: each of its conditions barely kept and barely broken."""

import math
import pathlib
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from theorylab.known import How, Known
from theorylab.runs import Interval
from theorylab.statements import Assumption, Floor, Order
from theorylab.symbols import L, T, eta, mu
from theorylab.verdicts import selected
from theorylab.verdicts.case import Place
from theorylab.verdicts.floor import proved

FILE = pathlib.Path(__file__).parent / "user_order.py"
STATEMENT, _ = selected([str(FILE)])["textbook.rate"]
CONTENT = STATEMENT.versions["printed"]
ROUNDS = (100.0, 1000.0, 10000.0)
FLOOR = Floor(mu / T, T)


def known(value, how=How.EXACT):
    return Known(float(value), how, "told")


def places(high=1.0, **moved):
    """mu = 3, eta = 1/sqrt(T); a left side of ``high`` times the lower bound 3/T."""
    made = []
    for k, rounds in enumerate(ROUNDS):
        at = {T: known(rounds), mu: known(3.0), eta: known(1 / math.sqrt(rounds)), L: known(5.0)}
        at |= {symbol: values[k] for symbol, values in moved.get("table", {}).items()}
        value = high * 3.0 / rounds
        interval = Interval(value, value, True, "told")
        made.append(Place(np.array([value]), value, interval, True, at))
    return made


def told(floor=FLOOR, *more, bracket=T**-2, rules=(), vanishing=False, **options):
    assumes = tuple(Assumption(f"rule {k}", rule=rule) for k, rule in enumerate(rules))
    floors = () if floor is None else (floor, *more)
    version = replace(CONTENT, order=Order(bracket, floors=floors), assumes=assumes)
    return proved(version, places(**options), vanishing=vanishing)


def test_a_bound_that_outgrows_the_bracket_is_a_proof():
    assert told().stands
    assert not told(bracket=1 / T).stands
    assert told(bracket=1 / T, vanishing=True).stands
    assert not told(bracket=sp.Integer(1), vanishing=True).stands
    assert not told(floor=None).stands


def test_one_proof_of_several_is_enough_and_none_speaks_for_the_first():
    lower = replace(FLOOR, assumes=(sp.Eq(mu, 4),))
    assert told(lower, FLOOR).stands
    assert "the lower bound needs" in told(lower, replace(FLOOR, along=mu)).text


def test_a_bracket_with_a_number_that_moves_needs_an_upper_bound():
    moving = {L: [known(5.0), known(4.0), known(3.0)]}
    assert "L moves" in told(bracket=L / T**2, table=moving).text
    for upper, stands in ((5 / T**2, True), (4.99 / T**2, False)):
        found = told(replace(FLOOR, upper=upper), bracket=L / T**2, table=moving)
        assert found.stands is stands
        assert ("the bracket is above" in found.text) is not stands
    # the limit is that over the upper bound
    assert not told(replace(FLOOR, upper=6 / T), bracket=L / T**2, table=moving).stands


def test_what_follows_a_symbol_that_moves_itself_is_refused():
    with pytest.raises(ValueError, match="eta follows L, which follows, too"):
        replace(FLOOR, follow={L: T, eta: 1 / L})


@pytest.mark.parametrize(("short", "stands"), [(0.0, True), (5e-10, True), (2e-9, False)])
def test_a_left_side_below_the_bound_refutes_the_proof(short, stands):
    found = told(high=1 - short)
    assert found.stands is stands
    assert ("the proof is refuted" in found.text) is not stands


@pytest.mark.parametrize("how", [How.UPPER, How.LOWER, How.ESTIMATE])
def test_a_constant_of_the_bound_has_to_be_exact(how):
    found = told(table={mu: [known(3.0), known(3.0, how), known(3.0)]})
    assert not found.stands
    assert "mu is not known exactly" in found.text
    # of a symbol that the bound has not, it may be an upper one
    upper = {L: [known(5.0, How.UPPER)] * 3}
    assert told(table=upper, rules=[L <= 6]).stands


@pytest.mark.parametrize(("off", "stands"), [(5e-10, True), (2e-9, False)])
@pytest.mark.parametrize("where", [0, 1, 2])
def test_what_follows_does_so_at_every_value_to_nine_digits(off, stands, where):
    steps = [1 / math.sqrt(rounds) for rounds in ROUNDS]
    steps[where] *= 1 + off
    floor = Floor(mu * eta**2, T, follow={eta: 1 / sp.sqrt(T)})
    found = told(floor, high=1.1, table={eta: [known(step) for step in steps]})
    assert found.stands is stands
    assert ("eta is not 1/sqrt(T)" in found.text) is not stands


def test_nothing_else_may_move():
    assert "mu moves" in told(table={mu: [known(3.0), known(3.0), known(3.1)]}).text
    assert "mu moves" in told(table={mu: [known(3.0), known(3.0), known(3.0 + 9e-9)]}).text
    assert told(table={mu: [known(3.0), known(3.0), known(3.0 + 1e-9)]}).stands
    assert "T does not grow" in told(table={T: [known(10.0), known(10.0), known(20.0)]}).text


@pytest.mark.parametrize(
    ("rule", "lasts"),
    [
        (T >= 10, True),
        (T <= 10**6, False),
        (eta < T, True),  # 1/sqrt(T)
        (sp.Eq(T, 100), False),
        (mu <= 3, True),
        (mu <= 2, True),  # of this instance alone: no sweep moves it, and the judge has settled it
        (eta * sp.sqrt(T) <= 1, True),
        (eta >= 1 / T, True),  # both vanish, the left side faster
        (eta**2 / 2 >= 1 / T, False),
        (eta * sp.sqrt(T) <= sp.Rational(1, 2), False),
    ],
)
def test_every_assumption_has_to_last(rule, lasts):
    floor = Floor(mu / T, T, follow={eta: 1 / sp.sqrt(T)})
    found = told(floor, rules=[rule])
    assert found.stands is lasts
    assert ("it is not clear whether rule 0 stays true" in found.text) is not lasts


def test_a_limit_that_does_not_exist_proves_nothing():
    found = told(Floor((-mu) ** -T, T))
    assert not found.stands
    assert "tends to nan" in found.text
