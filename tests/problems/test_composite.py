"""Sets and terms against fractions: projections, proximal maps, minima on edges and at kinks."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from theorylab.problems import Composite, minimiser, minimiser_off, problem, with_noise

H, C = [[2.0, 0.5], [0.5, 1.0]], [3.0, -2.0]  # f(x) = (x - c)^T H (x - c) / 2
POINTS = [[0.5, 0.25], [-1.0, 2.0], [3.0, 3.0], [0.125, -4.0], [0.0, 0.0]]
BOX = {"kind": "box", "low": [-1.0, -1.5], "high": 2.0}
SETS = {
    "box": BOX,
    "ball": {"kind": "ball", "radius": 1.25, "center": [0.5, 0.0]},
    "simplex": {"kind": "simplex", "total": 2.0},
    "affine": {"kind": "affine", "A": [[1.0, 2.0]], "b": [1.0]},
}


def bowl(**options):
    return problem("quadratic", 1, H=[H], c=[C], **options)


def value(x):
    gap = [a - Fraction(b) for a, b in zip(x, C, strict=True)]
    return sum(gap[i] * Fraction(H[i][j]) * gap[j] for i in range(2) for j in range(2)) / 2


def slope(x):
    gap = [a - Fraction(b) for a, b in zip(x, C, strict=True)]
    return [sum(Fraction(H[i][j]) * gap[j] for j in range(2)) for i in range(2)]


def solved(rows, right):
    """Two equations with Fractions."""
    (a, b), (c, d) = rows
    det = a * d - b * c
    return [(right[0] * d - b * right[1]) / det, (a * right[1] - c * right[0]) / det]


def least_over_box():
    """The least f over all faces of the box, each by its own stationary point."""
    ends = [(Fraction(-1), Fraction(2)), (Fraction(-3, 2), Fraction(2))]
    found = []
    for fixed in itertools.product(*[(None, *end) for end in ends]):
        free = [k for k in range(2) if fixed[k] is None]
        rows = [[Fraction(H[k][j]) if k in free else Fraction(k == j) for j in range(2)]
                for k in range(2)]  # fmt: skip
        right = [sum(Fraction(H[k][j]) * Fraction(C[j]) for j in range(2)) if k in free
                 else fixed[k] for k in range(2)]  # fmt: skip
        x = solved(rows, right)
        if all(low <= a <= high for a, (low, high) in zip(x, ends, strict=True)):
            found.append((value(x), x))
    return min(found)


def least_with(l1, l2):
    """min f + l1 |x|_1 + l2 |x|^2 / 2 over the sign patterns, of which one is optimal."""
    for signs in itertools.product((-1, 0, 1), repeat=2):
        rows = [[Fraction(H[k][j]) + l2 * (k == j) if signs[k] else Fraction(k == j)
                 for j in range(2)] for k in range(2)]  # fmt: skip
        right = [sum(Fraction(H[k][j]) * Fraction(C[j]) for j in range(2)) - l1 * signs[k]
                 if signs[k] else Fraction(0) for k in range(2)]  # fmt: skip
        x = solved(rows, right)
        g = [a + l2 * b for a, b in zip(slope(x), x, strict=True)]
        fits = all(b * s > 0 if s else abs(a) <= l1 for a, b, s in zip(g, x, signs, strict=True))
        if fits:
            return value(x) + l1 * sum(map(abs, x)) + l2 * sum(a * a for a in x) / 2, x
    raise AssertionError("no pattern is optimal")


def check(p, star, best):
    known = p.constants()["f_star"]
    with mpmath.workdps(40):
        numbers = [mpmath.mpf(a.numerator) / a.denominator if isinstance(a, Fraction) else a
                   for a in (star, *best)]  # fmt: skip
        assert known.lower <= numbers[0] <= known.upper
        assert known.upper - known.lower < 1e-11
        gaps = [mpmath.mpf(float(a)) - b for a, b in zip(minimiser(p), numbers[1:], strict=True)]
        assert mpmath.sqrt(sum(gap**2 for gap in gaps)) <= minimiser_off(p) < 1e-11


def test_the_least_value_over_a_box_is_that_of_its_faces():
    check(bowl(set=BOX), *least_over_box())


@pytest.mark.parametrize(("l1", "l2"), [(1.5, 0.0), (0.25, 0.5), (40.0, 0.0)])
def test_the_least_value_with_a_term_is_that_of_the_right_signs(l1, l2):
    prox = {"kind": "elastic-net", "l1": l1, "l2": l2} if l2 else {"kind": "l1", "weight": l1}
    check(bowl(prox=prox), *least_with(Fraction(l1), Fraction(l2)))


def test_the_least_value_on_a_simplex_and_a_line_solves_the_multiplier():
    # on x_1 + x_2 = 2 and x_1 + 2 x_2 = 1: x = c - H^-1 a nu
    for name, a, b in (("simplex", (1, 1), 2), ("affine", (1, 2), 1)):
        a = list(map(Fraction, a))
        way = solved([list(map(Fraction, row)) for row in H], a)
        over = sum(p * Fraction(q) for p, q in zip(a, C, strict=True)) - b
        nu = over / sum(p * q for p, q in zip(a, way, strict=True))
        x = [Fraction(q) - nu * p for p, q in zip(way, C, strict=True)]
        if name == "simplex" and min(x) < 0:
            x = [Fraction(2), Fraction(0)]  # and there f falls towards x_2 < 0 alone
            g = slope(x)
            assert g[1] > g[0]
        check(bowl(set=SETS[name]), value(x), x)


def test_the_least_value_over_a_ball_solves_for_the_multiplier():
    center, r = [0.5, 0.0], 1.25
    with mpmath.workdps(40):
        M, c = mpmath.matrix(H), mpmath.matrix(C)
        at = lambda nu: (M + nu * mpmath.eye(2)) ** -1 * (M * c + nu * mpmath.matrix(center))  # noqa: E731
        nu = mpmath.findroot(lambda nu: mpmath.norm(at(nu) - mpmath.matrix(center)) - r, 2)
        x = at(nu)
        star = ((x - c).T * M * (x - c))[0] / 2
        check(bowl(set=SETS["ball"]), star, list(x))
        check(bowl(set={"kind": "ball", "radius": 50}), mpmath.mpf(0), list(map(mpmath.mpf, C)))


@pytest.mark.parametrize("far", [[0.5, -0.25], [-3.0, 4.0], [9.0, 7.0], [5.0, -1.0]])
def test_the_enclosure_does_not_rest_on_a_search_that_comes_near(monkeypatch, far):
    cases = [({"set": BOX}, least_over_box()[0])]
    for l1, l2 in ((1.5, 0.0), (0.25, 0.5)):
        term = {"kind": "elastic-net", "l1": l1, "l2": l2}
        cases.append(({"prox": term}, least_with(Fraction(l1), Fraction(l2))[0]))
    for name in ("ball", "simplex", "affine"):  # whose values the tests above compare
        cases.append(({"set": SETS[name]}, bowl(set=SETS[name]).constants()["f_star"].upper))
    near = lambda self, L: self.domain.prox(np.array(far), 1.0)  # noqa: E731
    monkeypatch.setattr(Composite, "_near", near)
    for options, least in cases:
        known = bowl(**options).constants()["f_star"]
        assert known.lower <= least <= known.upper, options


def test_a_loss_that_is_flat_over_its_set_has_a_least_value_and_no_one_minimiser():
    p = problem("huber", 2, centers=[[0.0], [9.0]], set={"kind": "box", "low": 2, "high": 3})
    known = p.constants()["f_star"]
    assert known.lower <= 4 <= known.upper < known.lower + 1e-12
    assert minimiser(p) is None
    tilted = problem("log-cosh", 1, center=4.0, set={"kind": "box", "low": 0, "high": 1})
    assert abs(float(minimiser(tilted)[0]) - 1) <= minimiser_off(tilted) < 1e-12


def onto_simplex(x, total):
    """By the support that is right."""
    x = list(map(Fraction, x))
    for size in range(len(x), 0, -1):
        for support in itertools.combinations(range(len(x)), size):
            level = (sum(x[k] for k in support) - total) / size
            inside = all((x[k] > level) == (k in support) for k in range(len(x)))
            if inside:
                return [max(a - level, Fraction(0)) for a in x]
    raise AssertionError("no support is right")


@pytest.mark.parametrize("x", POINTS)
def test_projections_are_the_nearest_points(x):
    near = {name: bowl(set=given).domain.project(np.array([[x]]))[0, 0] for name, given in
            SETS.items()}  # fmt: skip
    assert near["box"].tolist() == [min(max(x[0], -1), 2), min(max(x[1], -1.5), 2)]
    assert near["simplex"] == pytest.approx([float(a) for a in onto_simplex(x, 2)], abs=1e-15)
    over = (Fraction(x[0]) + 2 * Fraction(x[1]) - 1) / 5
    line = [float(Fraction(x[0]) - over), float(Fraction(x[1]) - 2 * over)]
    assert near["affine"] == pytest.approx(line, abs=4e-15)
    gap = [x[0] - 0.5, x[1]]
    share = min(1.0, 1.25 / max(np.hypot(*gap), 1e-300))
    assert near["ball"] == pytest.approx([0.5 + share * gap[0], share * gap[1]], abs=1e-15)


@pytest.mark.parametrize(("l1", "l2"), [(0.5, 0.0), (0.5, 2.0), (0.0, 2.0)])
@pytest.mark.parametrize("box", [None, {"kind": "box", "low": -0.5, "high": 0.25}])
def test_a_prox_has_no_better_point_near_or_far(l1, l2, box):
    prox = {"kind": "elastic-net", "l1": l1, "l2": l2}
    domain, step = bowl(prox=prox, **({} if box is None else {"set": box})).domain, 0.75
    low, high = (-0.5, 0.25) if box else (-9.0, 9.0)
    grid = np.append(np.linspace(low, high, 2001), np.clip(0.0, low, high))
    for x in np.linspace(-3, 3, 25):
        y = float(domain.prox(np.array([x, 0.0]), step)[0])
        costs = [l1 * abs(a) + l2 * a * a / 2 + (a - x) ** 2 / (2 * step) for a in (y, *grid)]
        assert low <= y <= high
        assert costs[0] <= min(costs) + 1e-15


def test_the_mean_loss_has_the_term_and_the_losses_of_clients_have_not():
    p = bowl(prox={"kind": "elastic-net", "l1": 0.5, "l2": 0.25})
    x = np.array([[2.0, -4.0]])
    assert p.loss(x[:, None])[0, 0] == pytest.approx(float(value(list(map(Fraction, x[0])))))
    assert p.mean_loss(x)[0] == pytest.approx(p.loss(x[:, None])[0, 0] + 3 + 2.5, rel=1e-15)


def test_noise_may_be_put_before_or_after_a_set():
    inner = with_noise(bowl(set=BOX), "gaussian", 1.0)
    outer = problem("composite", 1, base={"name": "quadratic", "H": [H], "c": [C], "sigma": 1.0},
                    set=BOX)  # fmt: skip
    plain = bowl(set=BOX)
    for p in (inner, outer):
        assert minimiser(p).tolist() == minimiser(plain).tolist()
        assert p.constants()["sigma_l"].value == 1
        assert p.stochastic
        assert p.domain.project(np.full(2, 9.0)).tolist() == [2, 2]
        again = problem(**p.describe()).constants()
        assert again["f_star"] == plain.constants()["f_star"]
    assert plain.constants()["set_diameter"].value == pytest.approx(np.hypot(3, 3.5), rel=1e-14)
    assert plain.initial(0, np.zeros(1, int)).tolist() == [[[0, 0]]]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"set": {"kind": "cone"}}, "need .*one of box, ball, simplex, affine"),
        ({"set": {"kind": "box", "lo": 1}}, "a box is given by low, high, and lo came"),
        ({"set": {"kind": "ball"}}, "a ball is given by radius, center, and nothing came"),
        ({"set": {"kind": "ball", "radius": -1}}, r"radius is -1\.0; need a finite number > 0"),
        ({"set": {"kind": "box", "low": 2, "high": 1}}, "need low <= high"),
        ({"set": {"kind": "box", "low": [1.0]}}, "need a number, or 2 of them"),
        ({"set": {"kind": "affine", "A": [[1, 2], [2, 4]], "b": [0, 1]}}, "independent rows"),
        ({"set": {"kind": "affine", "A": [[1]], "b": [0]}}, r"need \(m,2\) and \(m,\)"),
        ({"set": BOX | {"low": "a"}}, "set: low is 'a'; need numbers"),
        ({"prox": {"kind": "l1"}}, "l1 has no number; need weight"),
        ({"prox": {"kind": "l1", "weight": 1}, "set": {"kind": "simplex"}}, "no proximal map in"),
        ({"prox": {"kind": "indicator", "set": BOX}, "set": BOX}, "an indicator needs one set"),
        ({"prox": {"kind": "nuclear", "weight": 1}}, "one of l1, elastic-net, indicator"),
    ],
)
def test_a_set_or_a_term_that_is_none_is_told_in_one_line(options, line):
    with pytest.raises((ValueError, TypeError), match=line) as caught:
        bowl(**options)
    assert "\n" not in str(caught.value)


def test_the_slopes_of_a_term_are_one_number_but_at_its_kink():
    domain = bowl(prox={"kind": "elastic-net", "l1": 0.5, "l2": 0.25}).domain
    assert [end.tolist() for end in domain.slopes(np.array([2.0, -4.0]))] == [[1.0, -1.5]] * 2
    assert [end.tolist() for end in domain.slopes(np.zeros(2))] == [[-0.5] * 2, [0.5] * 2]


def test_a_straight_line_has_its_least_value_over_a_set_and_none_beside_a_flatter_term():
    ball = {"kind": "ball", "radius": 0.5}
    known = problem("max-affine", 2, slopes=[[[3.0]]] * 2, set=ball).constants()["f_star"]
    assert known.lower <= -1.5 <= known.upper < -1.5 + 1e-12
    free = problem("max-affine", 2, slopes=[[[3.0]]] * 2, prox={"kind": "l1", "weight": 1.0})
    assert "f_star" not in free.constants()
