"""Conditions of the checker that no damaged file reaches, each in a case that is made by hand."""

import copy
import importlib.util
import itertools
import math
import pathlib
from fractions import Fraction

import pytest

from theorylab.worst import check_certificate as checker

HERE = pathlib.Path(__file__).parent
spec = importlib.util.spec_from_file_location("linear_methods", HERE / "linear_methods.py")
methods = importlib.util.module_from_spec(spec)
spec.loader.exec_module(methods)

QUARTER, HALF = Fraction(1, 4), Fraction(1, 2)
SMOOTH = {"mu": "0", "L": "1", "B": None, "heterogeneity": None, "noise": None}
STEPS = {"queries": [[0, []], [0, ["-1"]]], "averages": [[], ["-1"], ["-1", "-1"]]}


def finite(kind=SMOOTH, method=STEPS, metric="gap", start=None, **more):
    """Two steps x - g of one client; nothing is proved."""
    c = {"version": 2, "kind": "finite", "clients": 1, "class": kind, "metric": metric}
    c |= {"start": start or {"distance": "1"}, "method": copy.deepcopy(method), "about": {}}
    c |= {"claim": "1", "denominator": 1, "multipliers": [], "proof": None}
    return c | more


def value(theorem, row):
    """A vector in one dimension, where basis element k is 2^k."""
    return sum(c * theorem.vectors[k].get(j, 0) * 2**j for k, c in row.items() for j in range(9))


def form(theorem, terms):
    return sum(c * value(theorem, p) * value(theorem, q) for c, p, q in terms)


@pytest.mark.parametrize(
    ("mu", "L"), [("1", "1"), ("2", "1"), ("-2", "1"), ("-1", None), ("0", "0"), ("0", "-1")]
)
def test_curvatures_are_between_less_than_l_and_l(mu, L):
    with pytest.raises(ValueError, match="need -L <= mu < L"):
        checker.Theorem(finite(SMOOTH | {"mu": mu, "L": L}))


def test_gradients_are_bounded_by_the_square_of_b():
    for B in ("3", "1/2"):
        theorem = checker.Theorem(finite(SMOOTH | {"B": B}))
        assert theorem.inequality("bounded", 0, 1)[2] == Fraction(B) ** 2


@pytest.mark.parametrize(("L", "same"), [("1", True), (None, False)])
def test_a_point_that_comes_again_has_its_value_and_a_smooth_gradient(L, same):
    method = {"queries": [[0, []], [0, []]], "averages": [[], ["-1", "-1"]]}
    theorem = checker.Theorem(finite(SMOOTH | {"L": L}, method, "distance"))
    _, *nodes = theorem.nodes[0]
    assert len(nodes) == 1 if same else 2
    assert len({tuple(level.items()) for _, _, level in nodes}) == 1  # f has one value there
    if not same:
        assert nodes[0][1] != nodes[1][1]


def test_a_metric_of_gradients_is_at_the_points_that_its_name_says():
    """x^0 - x*, and the gradients at x^0, x^1 and, where it is looked at, x^2 are 1, 2, 4, 8."""
    start = {"distance": "1", "gap": "1"}
    made = {
        metric: checker.Theorem(finite(metric=metric, start=start))
        for metric in ("gradient", "mean-gradient", "distance", "least-gradient")
    }
    told = {metric: form(theorem, theorem.measured()[0]) for metric, theorem in made.items()}
    assert told == {
        "gradient": 64,
        "mean-gradient": (4 + 16) / 2,
        "distance": (1 - 2 - 4) ** 2,
        "least-gradient": 0,
    }
    least = made["least-gradient"]
    assert least.measured() == ([], {-1: 1})
    each = [least.inequality("least", t) for t in range(2)]
    assert [(form(least, terms), level, most) for terms, level, most in each] == [
        (-4, {-1: 1}, 0),
        (-16, {-1: 1}, 0),
    ]
    with pytest.raises(ValueError, match="no such place"):
        least.inequality("least", 2)


def test_the_range_of_a_weight_holds_it_above_and_below_its_limit():
    P, w = methods.chord(), [Fraction(1)] * 3
    limit = [Fraction(1), Fraction(2, 3), Fraction(4, 3)]
    assert [sum(p * v for p, v in zip(row, limit, strict=True)) for row in P] == limit
    told = {"limit": [str(v) for v in limit], "width": "1/2", "from": 0}
    phases = checker.networks([[[str(Fraction(p)) for p in row] for row in P]], 3)
    ((*ends,),), first = checker.slopes(told, phases, 3)
    signs = set()
    for _ in range(6):
        for (low, high), v, near in zip(ends, w, limit, strict=True):
            assert low <= 1 / v <= high
            signs.add((v > near) - (v < near))
        w = [sum(p * v for p, v in zip(row, w, strict=True)) for row in P]
    assert (signs >= {1, -1}, first) == (True, 0)


@pytest.mark.parametrize("entry", [Fraction(1, 3), Fraction(2, 3)])
def test_a_cut_leaves_all_below_it_in_one_piece_and_all_above_in_the_other(entry):
    """P_10 = entry in a directed ring of three with loops; R_10 = P_10 / (P_10 + P_11)."""
    ring = [[int(j in (i, (i - 1) % 3)) for j in range(3)] for i in range(3)]
    inside = []
    for up in (0, 1):
        ((rows, _), *_) = checker.ranges(ring, QUARTER, 2, [(0, 1, 0, HALF, up)])
        ends = [corner.get(0, 0) for corner in rows[1]]
        inside.append(
            all(
                min(ends) <= entry / (entry + kept) <= max(ends)
                for kept in (QUARTER, HALF, 3 * QUARTER)
            )
        )
    assert inside[entry > HALF]
    assert not all(inside)


def test_every_vertex_of_a_piece_is_decided(monkeypatch):
    method = {"support": [[1, 1], [1, 1]], "least": "1/4", "eta": "1/2", "rounds": 2, "splits": []}
    c = finite(SMOOTH, method, "distance", {"distance": "1", "spread": "1"}) | {"clients": 2}
    c |= {"kind": "sequences", "multipliers": [[[1, "distance"]]]}
    (rows, v), *_ = checker.ranges(method["support"], QUARTER, 2, [])
    vertices = math.prod(map(len, (*rows, *v)))
    assert vertices == 4  # weights are 1 in the first round, and two rows of R have two ends each
    for bad in range(vertices):
        left = itertools.count()
        monkeypatch.setattr(checker, "definite", lambda *_, left=left, bad=bad: next(left) != bad)
        with pytest.raises(ValueError, match="not positive at a vertex"):
            checker.proved(c)
        assert next(left) == bad + 1


@pytest.mark.parametrize("size", range(1, 9))
def test_no_rounding_makes_a_form_positive_that_is_not(size):
    """The determinant is - size^2 2^-150, and the root of the first entry is rounded at 2^-100."""
    less = 1 - Fraction(1, 2**150)
    form = {(0, 0): size, (0, 1): size, (1, 0): size, (1, 1): size * less}
    assert not checker.definite([{0: 1}, {1: 1}], 2, form)


@pytest.mark.parametrize("kind", ["forever", "sequences", "spectral"])
def test_noise_is_of_finite_rounds_alone(kind):
    """The other kinds take no file's word for it: they would print it, and prove without it."""
    with pytest.raises(ValueError, match="there is noise at finite T alone"):
        checker.Theorem(finite(SMOOTH | {"noise": "1"}) | {"kind": kind})


HALVES = STEPS | {"personal": "joint", "squares": [["1", ["1"]]], "places": [0]}
SADDLE = SMOOTH | {"mu": "-1"}
GAP = {"metric": "squares", "start": {"gap": "1"}}


@pytest.mark.parametrize(
    ("kind", "method", "more", "why"),
    [
        (SADDLE | {"B": "1"}, HALVES, GAP, "need another class"),
        (SADDLE | {"noise": "1"}, HALVES, GAP, "need another class"),
        (SADDLE | {"mu": "-1/2"}, HALVES, GAP, "need another class"),
        (SMOOTH, HALVES, GAP, "need another class"),
        (SADDLE, HALVES, GAP | {"metric": "gradient"}, "own metric"),
        (SADDLE, STEPS, GAP, "own metric"),
        (SADDLE, HALVES | {"squares": [["-1", ["1"]]]}, GAP, "too small"),
        (SADDLE, HALVES | {"squares": [["1", ["0"] * 4 + ["1"]]]}, GAP, "no such query"),
        (SADDLE, HALVES | {"personal": "all"}, GAP, "no such class"),
    ],
)
def test_personal_parts_are_of_one_class_and_one_metric(kind, method, more, why):
    with pytest.raises(ValueError, match=why):
        checker.Theorem(finite(kind, method) | more)


@pytest.mark.parametrize("personal", ["joint", "blocks"])
def test_two_halves_have_the_inequalities_of_their_smoothness(personal):
    """L = 3, one client; halves of g_0, shared and personal, are 2^2 and 2^3, of g_1 2^4 and 2^5.

    The second query is at u - g_0, in which u alone moves, by d = -4.
    """
    method = HALVES | {"personal": personal}
    theorem = checker.Theorem(finite(SADDLE | {"mu": "-3", "L": "3"}, method) | GAP)
    theorem.nodes[0] = theorem.nodes[0][:2]

    def told(name, *at):
        terms, _, most = theorem.inequality(name, *at)
        return (
            sum(
                c * sum(inner(theorem, p, h) * inner(theorem, q, h) for h in range(2))
                for c, p, q in terms
            )
            - most
        )

    joint = Fraction(4**2 + 8**2 * (personal == "joint"), 6)
    assert told("above", 0) == joint
    d, g = -4, (12, 24)  # of x_1 - x_0, and of its gradients
    pair = (4 - 3 * Fraction(d, 2)) * d + Fraction((12 + 3 * d) ** 2, 12)
    assert told("pair", 0, 1, 0) == pair + Fraction(g[1] ** 2, 12) * (personal == "joint")
    if personal == "blocks":
        assert told("heads", 0) == Fraction(8**2, 6)
        assert told("cross", 0, 1, 0) == g[1] ** 2 - 9 * d**2


def inner(theorem, combination, half):
    """The part of a combination in one space."""
    row = checker.over(combination, theorem.vectors)
    return sum(v * 2**k for k, v in row.items() if k % 2 == half)


@pytest.mark.parametrize(("method", "more", "looked"), [(HALVES, GAP, 1), (STEPS, {}, 1)])
def test_of_one_client_f_is_looked_at_wherever_it_is_asked(method, more, looked):
    """The metric looks at ``looked`` points, the start at x^0; both queries are looked at, too."""
    start = {"start": {"gap": "1"}, "metric": "gradient"}
    theorem = checker.Theorem(finite(SADDLE, method) | start | more)
    assert len(theorem.everywhere) == looked + 2 + 1
    for j, (a,) in enumerate(theorem.everywhere):
        _, level, _ = theorem.inequality("above", j)
        assert level == {k: -v for k, v in theorem.nodes[0][a][2].items()}
