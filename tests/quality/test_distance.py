"""How many structural moves there are between two instances."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quality_distance import NUMBERS, far, parts

from theorylab.statements import BUILT_IN

ONE = {
    "problem": {"name": "coupled-quadratic", "A": [[[1.0]]], "a": [[0.0]], "sigma_u": 0.0},
    "topology": {"name": "ring"},
    "clients": 1,
    "rounds": 10,
    "algorithm": {"eta": 0.1, "alpha": 0.5, "rho": 0.0, "local_steps": 2},
    "x0": 1.0,
}


def changed(**changes):
    made = copy.deepcopy(ONE)
    for path, value in changes.items():
        *outer, last = path.split("__")
        inner = made
        for key in outer:
            inner = inner[key]
        inner[last] = value
    return made


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, ()),
        ({"problem": {"name": "log-cosh"}}, ("loss",)),
        ({"problem": {"name": "log-cosh", "sigma": 2.0}}, ("loss", "noise")),
        ({"topology": {"name": "complete"}}, ("network",)),
        ({"topology__degree": 2}, ("network",)),
        ({"clients": 2}, ("clients",)),
        # the lists follow the clients: alike they are no move, unlike they are one
        ({"clients": 2, "problem__a": [[0.0], [0.0]]}, ("clients",)),
        ({"clients": 2, "problem__a": [[0.0], [9.0]]}, ("clients", "clients' losses")),
        ({"problem__sigma_u": 0.5}, ("noise",)),
        ({"problem__sigma_v": 0.5}, ("noise",)),
        ({"problem__sigma_v": 0.0}, (NUMBERS,)),
        ({"x0": [[1.0], [5.0]]}, ("start",)),
        ({"x0": 30.0}, ("start",)),
        ({"x0": 2.0}, (NUMBERS,)),
        ({"algorithm__alpha": 0.99}, ("algorithm.alpha",)),
        ({"algorithm__alpha": 0.6}, (NUMBERS,)),
        ({"algorithm__rho": 1e-3}, ("algorithm.rho",)),
        ({"algorithm__local_steps": 3}, ("algorithm.local_steps",)),
        ({"rounds": 90}, (NUMBERS,)),
        ({"rounds": 200}, ("rounds",)),
        ({"algorithm__eta": 1e-4, "rounds": 10**4}, ("algorithm.eta", "rounds")),
    ],
)
def test_every_part_that_differs_counts_once(changes, found):
    assert parts(ONE, changed(**changes)) == found
    assert parts(changed(**changes), ONE) == found  # and there is no direction


@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6))
def test_far_is_a_factor_of_ten_or_what_is_left_to_one(a, b):
    assert far(a, b) == far(b, a)
    ratio = max(a, b) / min(a, b)
    if ratio > 10:
        assert far(a, b)
    elif max(a, b) >= 1:
        assert not far(a, b)


def test_two_checks_of_a_statement_are_as_far_as_their_parts_say():
    checks = BUILT_IN["dfedsgpsm.thm1"].versions["printed"].checks
    by_name = {check.name: check.instance for check in checks}
    assert parts(by_name["worked-example"], by_name["step-above-cap"]) == ("algorithm.eta",)
    assert len(parts(by_name["worked-example"], by_name["digits"])) > 3
