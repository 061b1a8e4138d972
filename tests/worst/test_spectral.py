"""Every symmetric network with eigenvalues in a range: known values, runs, damaged certificates."""

import copy
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from theorylab.worst import check_certificate, every_spectrum

HALF = Fraction(1, 2)


@pytest.fixture(scope="module")
def bound():
    return every_spectrum(3, -HALF, HALF, ratio=Fraction(1, 3))


@pytest.mark.parametrize(
    ("rounds", "value"),
    [(3, 0.60452), (5, 0.615226)],  # of the program of 2, 3 and 4 clients that is not reduced
)
def test_the_bound_is_that_of_the_program_of_all_clients(rounds, value):
    told = every_spectrum(rounds, -HALF, HALF, ratio=Fraction(1, rounds))
    assert float(told.claim) * rounds**0.5 == pytest.approx(value, abs=2e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("end", "value"), [(HALF, 0.576323), (Fraction(9, 10), 0.834821)])
def test_ten_rounds_have_the_values_of_the_literature(end, value):
    told = every_spectrum(10, -end, end, ratio=Fraction(1, 10))
    assert float(told.claim) * 10**0.5 == pytest.approx(value, abs=2e-6)


def test_one_round_has_its_closed_form():
    """x_av = x^0 - alpha g/2, and g is of norm B: R B / 2 + alpha B^2 / 4 at alpha = R / B."""
    told = every_spectrum(1, Fraction(-1), Fraction(1), ratio=Fraction(1))
    assert Fraction(3, 4) <= told.claim <= Fraction(3, 4) + Fraction(1, 10**6)


signs = some.lists(some.floats(-1.0, 1.0), min_size=3, max_size=3)


@given(signs, signs, some.floats(-0.5, 0.5), some.floats(-0.5, 0.5))
@settings(max_examples=60)
def test_no_run_is_above_the_bound(bound, slopes, kinks, first, second):
    """f_i = |slope_i| |x - kink_i|, W with eigenvectors (1, -1, 0) and (1, 1, -2)."""
    b, a = np.abs(slopes), np.array(kinks)
    one, two = np.array([1, -1, 0]) / np.sqrt(2), np.array([1, 1, -2]) / np.sqrt(6)
    W = np.ones((3, 3)) / 3 + first * np.outer(one, one) + second * np.outer(two, two)
    star = min(a, key=lambda z: (b * np.abs(z - a)).sum())
    start = star + 1.0
    alpha, x = 3**-0.5, np.full(3, start)
    points = [x]
    for _ in range(3):
        x = W @ x - alpha * b * np.sign(x - a)
        points.append(x)
    average = np.mean(points)
    gap = (b * (np.abs(average - a) - np.abs(star - a))).mean()
    assert alpha * gap <= float(bound.claim) + 1e-12


def test_what_the_network_adds_by_plain_vectors(bound):
    """W = u u'/3 - v v'/8 on the rests of 3 clients: N adds 0, and M at most 0, in fractions."""
    u, v = (1, -1, 0), (1, 1, -2)
    X = [None, (2, 1, -3), (-1, 5, -4)]
    Y = [
        x and combined({0: Fraction(dot(u, x), 6), 1: -Fraction(dot(v, x), 48)}, (u, v)) for x in X
    ]
    F = check_certificate.Runs(bound.certificate)
    values = dict.fromkeys(range(F.size), (0, 0, 0))
    for k in (1, 2):
        (at,) = F.Y[k]
        values[at] = Y[k]
        (rest,) = {*F.X[k]} - {*F.Y[k - 1]}  # X = the Y before it - rest
        before = Y[k - 1] or (0, 0, 0)
        values[rest] = tuple(y - x for x, y in zip(X[k], before, strict=False))

    def total(M, N):
        rows = [(c, *(combined(row, values) for row in each)) for c, *each in F.network(M, N)]
        return sum(c * dot(a, b) for c, a, b in rows)

    none = [[0, 0], [0, 0]]
    assert total(none, [[3, 5], [7, 2]]) == 0
    for root in ((1, 2), (3, -1), (0, 1)):
        M = [[a * b for b in root] for a in root]
        both = combined(dict(zip((1, 2), root, strict=True)), X)
        up, down = (Fraction(dot(w, both) ** 2, dot(w, w)) for w in (u, v))
        # eigenvalues 1/3 and -1/8 in a range of [-1/2, 1/2]
        exact = up * Fraction(5, 6) * Fraction(1, 6) + down * Fraction(3, 8) * Fraction(5, 8)
        assert total(M, none) == -exact < 0


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def combined(row, values):
    return tuple(sum((c * values[k][i] for k, c in row.items()), Fraction(0)) for i in range(3))


DAMAGED = [
    (("claim",), lambda v: str(Fraction(v) * Fraction(999, 1000)), "claim is too small"),
    (("method", "low"), "-3/5", "not positive"),
    (("method", "high"), "3/5", "not positive"),
    (("method", "low"), "2/3", "low <= high"),
    (("method", "ratio"), "1/2", "claim is too small"),
    (("method", "ratio"), "-1", "too small"),
    (("method", "rounds"), 4, None),
    (("method", "rounds"), 21, "integer"),
    (("clients",), 3, "class is another"),
    (("class", "mu"), "1/10", "class is another"),
    (("class", "L"), "1", "class is another"),
    (("class", "B"), "1", "class is another"),
    (("class", "heterogeneity"), "1", "class is another"),
    (("start", "distance"), "2", "start or metric is another"),
    (("start",), {}, "start or metric is another"),
    (("metric",), "distance", "start or metric is another"),
    (("multipliers", 0, 0), 1, "not positive"),  # of the distance
    (("multipliers", 2, 0), 0, "not positive"),  # of a bounded subgradient
    (("multipliers",), lambda v: [m for m in v if m[1:] != ["bounded", 0, 0]], "not positive"),
    (("multipliers", 2, 0), -1, "integer"),
    (("multipliers", 9, 0), 5 << 44, "values of functions are left"),  # of a pair
    (("multipliers", 9, 0), -1, "integer"),
    (("multipliers", 9, 3), 9, "range"),
    (("multipliers",), lambda v: v[:7], "values of functions are left"),
    (("denominator",), 2**43, None),
    (("proof", "network", 0, 0), "-1", "not positive"),
    (("proof", "network", 0, 1), "7", "lopsided"),
    (("proof", "network"), [["1", "7"], ["7", "1"]], "multiplier of the network is not positive"),
    (("proof", "network"), [], "another size"),
    (("proof", "symmetric", 0, 1), "9", "not positive"),
    (("version",), 3, "reads version 2"),
    (("more",), 1, "other names"),
    (("proof", "more"), 1, "other names"),
]


@pytest.mark.parametrize(("path", "to", "why"), DAMAGED)
def test_a_changed_entry_is_not_proved(bound, path, to, why):
    c = at = copy.deepcopy(bound.certificate)
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = to(at[path[-1]]) if callable(to) else to
    with pytest.raises(Exception, match=why):
        check_certificate.proved(c)


def test_a_lopsided_multiplier_is_refused(bound):
    """With minors above 0 it may still be negative as a form."""
    c = copy.deepcopy(bound.certificate)
    c["proof"]["network"] = [["1", "3"], ["1/10", "1"]]
    with pytest.raises(ValueError, match="lopsided"):
        check_certificate.proved(c)


def test_the_command_says_why_in_one_line(bound, tmp_path, capsys):
    bound.save(tmp_path / "good.json")
    twice = json.dumps(bound.certificate).replace('"version": 2', '"version": 2, "version": 2', 1)
    (tmp_path / "twice.json").write_text(twice)
    assert (
        check_certificate.main([str(tmp_path / name) for name in ("good.json", "twice.json")]) == 1
    )
    good, bad = capsys.readouterr().out.splitlines()
    assert good.startswith("PROVED:")
    assert bad.startswith("NOT PROVED:")


@pytest.mark.parametrize("given", [(0, 0, 1, 1), (3, 1, 0, 1), (3, 0, 1, 0), (21, 0, 1, 1)])
def test_what_is_no_range_or_ratio_is_told(given):
    rounds, low, high, ratio = given
    with pytest.raises(ValueError, match="need low <= high, ratio > 0 and 1 to 20 rounds"):
        every_spectrum(rounds, Fraction(low), Fraction(high), ratio=Fraction(ratio))
