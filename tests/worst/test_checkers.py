"""What all kinds of certificates rest on, and a forged state."""

import math
from fractions import Fraction

import numpy as np
import pytest

from theorylab.worst import check_certificate as checker


def hidden(**changes):
    """x+ = x - g/2 + y, y+ = y: nothing falls. The forgery says that only x matters."""
    rows = {"after": [["1", "1", "-1/2"], ["0", "1", "0"]], "sends": []}
    rows |= {"queries": [["1", "0", "0"]], "starts": [["1", "0"], ["0", "1"]]}
    c = {"version": 2, "kind": "forever", "clients": 1, "start": {}, "metric": "distance"}
    c |= {
        "class": {"mu": "1/10", "L": "1", "B": None, "heterogeneity": None, "noise": None},
        "about": {},
    }
    c["method"] = {"owners": [0], **rows, "networks": [[["1"]]], "weights": None}
    c |= {"claim": "19/20", "denominator": 25}
    c["multipliers"] = [[[[36, "pair", 0, 1, 0], [36, "pair", 0, 0, 1]]]]
    c["proof"] = {"V": [[["2"]]], "span": [["1"], ["0"]], "coordinates": [["1", "0"]]}
    c["proof"] |= {"values": None, "spread": None, "noise": None}
    for key, value in changes.items():
        c[key] |= value
    return c


def test_a_state_that_feeds_what_matters_is_not_left_out():
    alone = {"after": [["1", "-1/2"]], "queries": [["1", "0"]], "starts": [["1"]]}
    proof = {"span": [["1"]], "coordinates": [["1"]]}
    assert checker.proved(hidden(method=alone, proof=proof))  # without y it is a theorem
    with pytest.raises(ValueError, match="no combination"):
        checker.proved(hidden())
    with pytest.raises(ValueError, match="no combination"):  # a start outside, and nothing else
        checker.proved(hidden(method={"after": [["1", "0", "-1/2"], ["0", "1", "0"]]}))


def definite(S):
    """The form S over unit vectors."""
    size = len(S)
    table = {(i, j): S[i][j] for i in range(size) for j in range(size)}
    return checker.definite([{k: 1} for k in range(size)], size, table)


def test_definite_forms_are_told_from_others():
    half = Fraction(1, 2)
    assert definite([[2, half], [half, half]])
    assert definite([[1, 0, 0], [0, 0, 0], [0, 0, 3]])  # what is not there counts for nothing
    assert not definite([[1, 1], [1, 1]])
    assert not definite([[1, 0, 0], [0, 1, 2], [0, 2, 1]])
    assert not definite([[-1, 0], [0, 1]])
    assert not definite([[0, 1], [1, 5]])
    tiny, huge = Fraction(1, 10**300), 10**300
    assert definite([[tiny, 0], [0, huge]])
    assert definite([[tiny, Fraction(1, 3)], [Fraction(1, 3), huge]])
    assert not definite([[tiny, 1 + tiny], [1 + tiny, huge]])


@pytest.mark.parametrize("seed", range(6))
def test_no_form_with_a_negative_direction_is_accepted_however_small_it_is(seed):
    """S = B'B - share * vv' with v in the range: negative exactly where share is too large."""
    draw = np.random.Generator(np.random.Philox(seed))
    B = [[Fraction(int(v)) for v in row] for row in draw.integers(-9, 10, (5, 5))]
    u = [Fraction(int(v)) for v in draw.integers(1, 9, 5)]
    v = [sum(B[k][i] * u[k] for k in range(5)) for i in range(5)]  # u'B; u'u is where it ends
    gram = [[sum(B[k][i] * B[k][j] for k in range(5)) for j in range(5)] for i in range(5)]
    end = 1 / sum(x * x for x in u)
    for share, good in (
        (1 - Fraction(1, 10**15), True),
        (1, False),
        (1 + Fraction(1, 2**80), False),
    ):
        S = [[gram[i][j] - share * end * v[i] * v[j] for j in range(5)] for i in range(5)]
        assert definite(S) is good


def test_a_form_counts_by_its_symmetric_part():
    assert definite([[1, 3], [-3, 1]])
    assert not definite([[1, 3], [Fraction(1, 10), 1]])


@pytest.mark.parametrize(
    "text", ["1/x", " 5", "1_0", "1/-2", "--1", "1e5", "", "1/0", "\u0661", "1\n"]
)
def test_what_is_no_rational_is_refused(text):
    with pytest.raises((ValueError, ZeroDivisionError)):
        checker.rational(text)


def test_sizes_are_told_before_any_work(monkeypatch):
    with pytest.raises(ValueError, match="integer is not in its range"):
        checker.proved(hidden() | {"clients": 401})
    with pytest.raises(ValueError, match="not n by n"):
        checker.matrix([["1", "1"], ["1"]], 2)
    monkeypatch.setattr(checker, "LEFT", [checker.WORK])
    with pytest.raises(ValueError, match="too much work"):
        definite([[Fraction(int(i == j), 3**4000) for j in range(300)] for i in range(300)])
    assert math.isfinite(checker.LEFT[0])
