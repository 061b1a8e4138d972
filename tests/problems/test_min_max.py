"""Saddle problems against matrices by hand and fractions: field, constants, zero, claims."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.conformance.problems import check_problem
from theorylab.explain._losses import losses
from theorylab.falsify.moves import choices
from theorylab.falsify.structural_moves import structural
from theorylab.known import EPS
from theorylab.problems import MinMaxProblem, Option, Options, minimiser, minimiser_off, problem
from theorylab.symbols import R2, L_field, T, eta, f0, mu_field
from theorylab.verdicts import judge_check
from theorylab.verdicts.declared import check_declared

pytestmark = pytest.mark.usefixtures("registries")
C, A, B = [[[1.0, 2.0], [0.5, -1.0]], [[3.0, 0.0], [1.0, 1.0]]], [[1.0, 2.0], [0.5, 0.0]], 0.25
BENT = {"bend_x": [0.5, 1.5], "bend_y": [0.25, 2.0]}


def matrices(bend_x=(0.0, 0.0), bend_y=(0.0, 0.0)):
    """The derivatives of the fields, by hand: (2, 4, 4)."""
    eye = np.eye(2)
    return np.array([
        np.block([[r * eye, np.array(c)], [-np.array(c).T, s * eye]])
        for c, r, s in zip(C, bend_x, bend_y, strict=True)
    ])  # fmt: skip


def solved(rows, right):
    """Linear equations by elimination, in fractions."""
    rows = [[*map(Fraction, row), Fraction(r)] for row, r in zip(rows, right, strict=True)]
    for k in range(len(rows)):
        pivot = next(i for i in range(k, len(rows)) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [each / rows[k][k] for each in rows[k]]
        for i in range(len(rows)):
            if i != k:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


@pytest.mark.parametrize("bends", [{}, BENT], ids=["bilinear", "bent"])
def test_field_and_constants_are_those_of_the_matrices(bends):
    p, J = problem("saddle", 2, coupling=C, a=A, b=B, **bends), matrices(**bends)
    z = np.random.default_rng(0).standard_normal((3, 2, 4))
    gaps = z - np.concatenate([np.array(A), np.full((2, 2), B)], 1)
    assert np.abs(p.gradient(z) - np.einsum("nij,rnj->rni", J, gaps)).max() <= 64 * EPS
    known, few = p.constants(), 1e-11  # the rooms of the library's enclosure and of NumPy's SVD
    L = np.linalg.svd(J, compute_uv=False).max()
    assert L * (1 - few) <= known["L_field"].value <= L * (1 + few)
    least = np.linalg.eigvalsh((J + J.swapaxes(1, 2)).mean(0) / 2).min()
    assert least - few <= known["mu_field"].value <= least + few
    assert not {"L", "mu", "f_star", "L_sample"} & {*known}


@pytest.mark.parametrize("bends", [{}, BENT], ids=["bilinear", "bent"])
def test_the_ball_around_optimum_has_the_zero_in_fractions(bends):
    p, J = problem("saddle", 2, coupling=C, a=A, b=B, **bends), matrices(**bends)
    centers = [[*map(Fraction, a), Fraction(B), Fraction(B)] for a in A]
    rows = [[sum(Fraction(J[k, i, j]) for k in range(2)) for j in range(4)] for i in range(4)]
    right = [sum(Fraction(J[k, i, j]) * centers[k][j] for k in range(2) for j in range(4))
             for i in range(4)]  # fmt: skip
    exact = solved(rows, right)
    far = sum((Fraction(float(x)) - y) ** 2 for x, y in zip(minimiser(p), exact, strict=True))
    assert far <= Fraction(minimiser_off(p)) ** 2
    assert minimiser_off(p) < 1e-13


def test_a_flat_direction_leaves_no_zero():
    p = problem("saddle", 2, coupling=[[[1.0, 2.0]], [[1.0, 2.0]]])
    assert minimiser(p) is None


class Game(MinMaxProblem, name="test-game"):
    options = Options(c=Option(0.5, each=True, moves=(-5.0, 5.0), length=True))

    @staticmethod
    def client_payoff(x, y, c):
        bowl = np.logaddexp(x - c, c - x).sum() + (x * x).sum() / 2
        return bowl + (x * y).sum() - (y * y).sum()


def test_the_zero_of_a_field_that_is_not_affine_lies_in_its_ball():
    p = Game(3, c=[1.0, 2.0, 5.0])
    with mpmath.workdps(40):

        def slope(x):
            return sum(mpmath.tanh(x - c) for c in (1, 2, 5)) / 3 + x + x / 2  # y = x / 2

        x = mpmath.findroot(slope, 0.5)
        gaps = [mpmath.mpf(float(a)) - b for a, b in zip(minimiser(p), (x, x / 2), strict=True)]
        assert mpmath.sqrt(sum(gap**2 for gap in gaps)) <= minimiser_off(p) < 1e-12
    assert p.affine_gradient is False
    assert p.curvature(-1.0, 1.0)["mu_field"].value > 1 >= p.constants()["mu_field"].value
    assert problem("noisy", 2, base={"name": "test-game"}).is_field


def test_the_ball_of_clients_that_are_alike_is_that_of_one():
    class Alike(MinMaxProblem, name="test-alike-game"):
        @staticmethod
        def client_payoff(x, y):
            return np.logaddexp(x - 0.3, 0.3 - x).sum() + (x * x).sum() + (x * y - y * y).sum()

    one, four = (minimiser_off(Alike(n)) for n in (1, 4))
    assert one == four


def test_it_has_no_hessian_and_no_product_with_one():
    p = problem("saddle", 1)
    with pytest.raises(ValueError, match="a min-max field is no gradient, and has no Hessian"):
        p.hessian_product(np.ones((1, 1, 2)), np.ones((1, 1, 2)))


class Extragradient(Algorithm, name="test-extragradient"):
    def __init__(self, eta):
        self.eta = eta

    def step(self, state, net):
        ahead = state.x - self.eta * net.gradient(state.x)
        return net.next(state, x=state.x - self.eta * net.gradient(ahead, 1))


STRONG = {"name": "saddle", "coupling": [[[1.0]]], "a": [[1.0]], "bend_x": 0.5, "bend_y": 0.25}
RUN = {"topology": {"name": "complete"}, "clients": 1, "rounds": 20, "x0": 3.0}


def judged(bound, column="squared_distance", method="sgp", saddle=STRONG, assumes=()):
    run = {**RUN, "problem": saddle, "algorithm": {"eta": 0.2}}
    version, check = st.Version({"rate": bound}, assumes), st.Check("saddle", run)
    source, quantity = st.Source("A 2020", "Theorem 1", "a rate"), st.Quantity(column, "last")
    statement = st.Statement("test.saddle", source, quantity, {"claim": version}, method)
    return judge_check(statement, "claim", check)


def test_extragradient_has_its_rate_and_the_steps_of_descent_leave_a_bilinear_saddle():
    rate, flat = (1 - eta * mu_field) ** T * R2, {"name": "saddle", "coupling": [[[1.0]]]}
    J, z = 0.2 * np.array([[0.5, 1.0], [-1.0, 0.25]]), np.array([2.0, 3.0])  # z - z*, z* = (1, 0)
    move = np.eye(2) - J @ (np.eye(2) - J)
    result = judged(rate, method="test-extragradient")
    assert result.verdict == "HOLDS"
    far = float(((np.linalg.matrix_power(move, 20) @ z) ** 2).sum())
    assert abs(result.measured - far) <= 1e-12 * far
    assert judged((1 - 8 * eta * mu_field) ** T * R2, method="test-extragradient").verdict == (
        "VIOLATED"
    )
    left = judged(R2, saddle=flat)  # each step multiplies |z|^2 by 1 + eta^2
    assert left.verdict == "VIOLATED"
    assert abs(left.measured - 18 * 1.04**20) <= 1e-9
    assert judged((1 + 2 * eta**2 * L_field**2) ** T * R2, saddle=flat).verdict == "HOLDS"


def test_a_claim_about_monotone_fields_is_judged_on_no_other():
    class Hill(MinMaxProblem, name="test-hill"):
        @staticmethod
        def client_payoff(x, y):
            return -(x * x).sum() / 2 + (x * y).sum() / 2 - (y * y).sum() / 2

    monotone = (st.Assumption("monotone", rule=mu_field >= 0),)
    result = judged(R2, saddle={"name": "test-hill"}, assumes=monotone)
    assert result.verdict == "INCONCLUSIVE"
    assert "mu_field = -1 is below 0" in result.reason


@pytest.mark.parametrize("column", ["suboptimality", "loss"])
def test_a_claim_about_descent_is_refused(column):
    with pytest.raises(ValueError, match="saddle problem, whose payoff no method descends"):
        judged(R2, column)


def test_f0_is_no_constant_of_a_saddle():
    with pytest.raises(ValueError, match="nothing defines the constant 'f0'"):
        judged(f0)


def test_a_search_goes_from_fields_to_fields_and_from_losses_to_losses():
    for start, field in ((STRONG, True), ({"name": "log-cosh", "dim": 2}, False)):
        run = {**RUN, "problem": start, "algorithm": {"eta": 0.2}}
        moved = [made["problem"] for _, made in structural(run) if made["problem"] != start]
        moved += choices([run]).get(("problem",), [])
        inner = [made.get("base", made)["name"] for made in moved]
        assert {name for name in inner if (name in ("saddle", "test-game")) != field} == set()


def test_a_payoff_of_the_round_is_refused():
    class Louder(MinMaxProblem, name="test-louder-game"):
        @staticmethod
        def client_payoff(x, y, t):
            return (1 + t) * (x * y).sum()

    with pytest.raises(ValueError, match="client_payoff has an argument t; need one payoff"):
        Louder(1)


def test_a_wrong_zero_is_refused_and_found_by_check():
    class Wrong(Game, name="test-wrong-game"):
        @property
        def optimum(self):
            return np.ones(self.dim)

    with pytest.raises(ValueError, match="the mean field at optimum has norm"):
        check_declared(Wrong(2), np.zeros((2, 2)))
    check_declared(Game(2), np.zeros((2, 2)))
    lies = [[each.checked for each in check_problem(kind.name, {}, None) if each.result == "LIE"]
            for kind in (Game, Wrong)]  # fmt: skip
    assert lies == [[], ["optimum"]]


def test_a_saddle_reads_as_one():
    text = losses({"name": "saddle", "bend_x": 0.5})
    assert text.startswith("f_i(x, y) = x y + .5 x^2/2, min over x and max over y")
    assert "- a_{1} + x_{1}" in problem("saddle", 1).formula.latex()


def test_an_end_of_mu_field_below_0_refutes_nothing():
    class Loose(MinMaxProblem, name="test-loose-saddle"):
        @staticmethod
        def client_payoff(x, y):  # (x^2 - y^2)/2 and a constant, of which intervals know less
            flat = 0.6 * np.sin(x) ** 2 + 0.6 * np.cos(x) ** 2
            return ((x * x) / 2 + flat).sum() - (y * y).sum() / 2

    result = judged(mu_field, saddle={"name": "test-loose-saddle"}, column="squared_gradient")
    assert (result.verdict, result.bound < 0 < result.measured) == ("INCONCLUSIVE", True)
    assert "is only a lower bound, and may be above 0" in result.reason
