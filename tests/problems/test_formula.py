"""A loss of one's own from one function: what a newcomer writes, and what follows from it."""

import json
import pickle

import numpy as np
import pytest

from theorylab.constants.hessian import hessian_product
from theorylab.explain.instance_line import instance_line
from theorylab.falsify.instances import with_clients
from theorylab.falsify.ladders import climbed
from theorylab.falsify.moves import moves, sweeps
from theorylab.known import How
from theorylab.problems import PROBLEMS, FormulaProblem, Option, Options, problem, with_noise
from theorylab.registry import restored
from theorylab.verdicts.evidence import completed


class Bump(FormulaProblem, name="test-bump"):
    """Log cosh of each coordinate, and a ripple."""

    options = Options(
        center=Option(0.0, each=True, shape="d", moves=(-5.0, 5.0), length=True),
        height=Option(0.5, at_least=0, moves=(0.25, 4.0), curvature=True),
    )

    @staticmethod
    def client_loss(x, center, height):
        """Of one client."""
        ripple = height * (np.sin(x) ** 2).sum()
        return np.logaddexp(x - center, center - x).sum() + ripple


CENTERS = [[1.0, 0.0], [3.0, 0.5], [-2.0, 1.0]]
GIVEN = {"name": "test-bump", "center": CENTERS}


def test_losses_and_gradients_are_those_of_the_formula_by_hand():
    p, x = problem(**GIVEN, clients=3), np.linspace(-2, 2, 12).reshape(2, 3, 2)
    y = x - np.array(CENTERS)
    loss = (np.log(2 * np.cosh(y)) + 0.5 * np.sin(x) ** 2).sum(-1)
    assert np.abs(p.loss(x) - loss).max() <= 1e-14
    assert np.abs(p.gradient(x) - (np.tanh(y) + 0.5 * np.sin(2 * x))).max() <= 1e-15 * 8


def test_the_constants_hold_and_say_how_they_are_known():
    known = problem(**GIVEN, clients=3).constants()
    # tanh' in [0, 1]; cos(2 x) in [-1, 1], found as cos^2 - sin^2; |tanh| <= 1, |sin cos| <= 1
    assert 2 <= known["L"].value <= 3 + 1e-12
    assert known["B"].value >= np.sqrt(2) * 1.4
    assert known["L"].at_least
    assert known["L"].source == "interval arithmetic over R^d"
    near = problem(**GIVEN, clients=3).curvature(-0.1, 0.1)["L"]
    assert near.source == "interval arithmetic over x in [[-0.1, -0.1], [0.1, 0.1]]"
    assert near.value <= 2 + np.sin(0.1) ** 2 + 1e-12  # cos^2 at most 1, and - sin^2 at most that


def test_its_hessian_and_its_sentence_follow():
    p, x, v = problem(**GIVEN, clients=3), np.full((1, 3, 2), 0.7), np.ones((1, 3, 2))
    bend = 1 / np.cosh(x - np.array(CENTERS)) ** 2 + np.cos(2 * x)
    assert np.abs(hessian_product(p, x, v) - bend).max() <= 1e-14
    line = instance_line({"problem": GIVEN, "clients": 3})
    assert line.startswith("f_i(x) = sum_j log(2 cosh(x_j - center_ij)) + .5 |sin(x)|^2")
    assert "center = ((1, 0), (3, .5), (-2, 1)), n = 3" in line


def test_a_search_moves_its_options_within_their_ranges():
    instance = {"problem": {**GIVEN, "height": 0.5}, "clients": 3, "rounds": 1}
    found = [made["problem"] for made in sweeps(instance, {})]
    heights = {options["height"] for options in found}
    assert {0.25, 4.0, 1.0} <= heights
    assert all(0.25 <= height <= 4 for height in heights)
    draw = np.random.default_rng(0)
    for _ in range(200):
        made = moves(instance, draw, 3, {})["problem"]
        assert 0.25 <= made["height"] <= 4
        assert np.abs(made["center"]).max() <= 5
    assert with_clients({**instance, "topology": {}}, 2)["problem"]["center"] == CENTERS[:2]
    run = {**instance, "topology": {"name": "ring"}, "algorithm": {}}
    assert climbed("curvature", run, 1.0)["problem"]["height"] == 5.0
    assert climbed("centres", run, 1.0)["problem"]["center"][0] == [10.0, 0.0]


def test_it_is_built_again_from_its_description_and_from_a_pickle():
    p, x = problem(**GIVEN, clients=3, height=2.0, shared=1), np.full((1, 3, 2), 0.5)
    again = problem(**json.loads(json.dumps(p.describe())))
    assert again.describe() == p.describe()
    assert again.shared == 1
    p.gradient(x)
    for other in (again, pickle.loads(pickle.dumps(p))):
        assert np.array_equal(other.gradient(x), p.gradient(x))


def test_a_subclass_that_overrides_the_gradient_has_no_formula():
    class Other(Bump):
        def gradient(self, x):
            return 2 * super().gradient(x)

    assert Bump(3).formula is not None
    assert Other(3).formula is None
    assert Other(3).constants() == {}


def family(**parts):
    body = {"options": Options(w=Option(1.0, above=0)), **parts}
    return type("Family", (FormulaProblem,), body)


EACH = Options(w=Option(1.0, each=True))


def branch(x, w):
    return x.sum() if x[0] > 0 else w * x.sum()


@pytest.mark.parametrize(
    ("parts", "given", "words"),
    [
        ({"client_loss": branch}, {}, r"client_loss, line \d+: it branches on a value"),
        ({"client_loss": lambda x, w: w * x}, {}, "it gives shape"),
        ({}, {}, "has no client_loss"),
        ({"client_loss": lambda x, w: w * x.sum()}, {"w": 0.0}, "w is 0.0; need a finite number"),
        ({"client_loss": lambda x, w: w * x.sum()}, {"w": "2"}, "w is str; need a number"),
        ({"client_loss": lambda x, w: w * x.sum()}, {"shared": 9}, "shared is 9; need"),
        (
            {"client_loss": lambda x, w: w * (x**2).sum(), "client_gradient": lambda x, w: w * x},
            {},
            r"client_gradient gives .* and the slope of client_loss is",
        ),
    ],
)
def test_a_mistake_is_one_line_before_a_run_begins(parts, given, words):
    made = family(**{k: staticmethod(v) for k, v in parts.items()})
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        made(2, **given)
    assert "\n" not in str(caught.value)


def test_an_unknown_option_is_told_and_a_name_may_be_used_again():
    with pytest.raises(ValueError, match="has no option 'wide'; has dim, shared, center, height"):
        problem("test-bump", 2, wide=1)
    with restored():
        assert PROBLEMS.find("test-bump") is Bump


def test_an_infinite_curvature_names_its_ray():
    steep = type("Steep", (FormulaProblem,), {"client_loss": staticmethod(lambda x: (x**4).sum())})
    known = steep(1, dim=2).constants()["L"]
    assert known.value == np.inf
    assert known.source == "unbounded: on the ray x = t e_1 it grows as t^2"


def test_what_does_not_follow_says_why():
    jumps = family(client_loss=staticmethod(lambda x, w: np.where(x > 0, w * x**2, x**2).sum()))
    assert "its gradient has np.where, and may jump" in jumps(1).lacks()["Hessian, L and mu"]
    mixed = family(client_loss=staticmethod(lambda x, w: w * np.sin(x.sum()) * np.cos(x @ x)))
    assert "it has 9 coordinates; need at most 8" in mixed(1, dim=9).lacks()["LaTeX and symbols"]
    assert Bump(3).lacks() == {}


def test_noise_on_losses_without_an_L_has_none_either():
    losses = problem("noisy", 2, base={"name": "logistic-l2"}, field="gaussian", sigma=1.0)
    assert losses.constants()["L_sample"].value == losses.constants()["L"].value
    jumps = family(client_loss=staticmethod(lambda x, w: np.where(x > 0, w * x**2, x**2).sum()))
    noisy = with_noise(jumps(2), "gaussian", 1.0)
    assert "L_sample" not in noisy.constants()
    assert noisy.constants()["sigma_l"].value == 1.0


def test_a_curvature_without_a_bound_says_where_it_grows():
    steep = family(client_loss=staticmethod(lambda x, w: np.exp(w * x).sum() + x @ x / 2))
    why = steep(2).lacks()["L"]
    assert why.startswith("interval arithmetic over R^d has no finite end of the curvature: on the")
    assert "on the ray x = t e_1 it is at least 2.69e+43 at t = 100" in why
    down = family(client_loss=staticmethod(lambda x, w: np.exp(-w * x).sum()))
    assert "on the ray x = -t e_1 it is at least 2.69e+43 at t = 100" in down(1).lacks()["L"]
    with pytest.raises(ValueError, match="here: nothing defines") as result:
        completed("here", {}, {}, ["L"], steep(1))
    assert "nothing defines the constant 'L' (interval arithmetic" in str(result.value)


@pytest.mark.parametrize(
    ("text", "L", "B"),
    [
        (lambda x, w: w * np.log(np.cosh(2 * x)).sum(), 4.0, 2.0),  # (tanh 2y)' 2 at y = 0
        (lambda x, w: w * np.log(1 + np.exp(3 * x)).sum(), 9 / 4, 3.0),  # s (1 - s) <= 1/4
        (lambda x, w: w * np.log1p(np.exp(-x)).sum(), 1 / 4, 1.0),
    ],
)
def test_logarithms_of_cosh_and_of_1_plus_exp_have_a_curvature_with_a_bound(text, L, B):
    p = family(client_loss=staticmethod(text))(1)
    known = p.constants()
    assert [known["L"].value, known["B"].value] == pytest.approx([L, B], rel=1e-13)
    assert known["L"].value >= L
    assert p.convexity == 0
    x = np.linspace(-2, 2, 9).reshape(9, 1, 1)
    bend = (p.gradient(x + 1e-5) - p.gradient(x - 1e-5)) / 2e-5
    assert np.abs(hessian_product(p, x, np.ones_like(x)) - bend).max() <= 1e-8


def test_gradients_that_differ_by_a_vector_have_a_sigma_g_though_none_has_a_bound():
    p = problem("logistic-l2", 2, rows=[[[1.0]], [[-1.0]]], reg=0.5)
    known = p.constants()
    assert known["B"].value == np.inf
    assert known["B"].how is How.EXACT
    # half the difference of -s(-x) and s(x), which is s(-x) + s(x) = 1 at every x
    assert 0.5 <= known["sigma_g"].value <= 1 + 1e-12
    tilted = staticmethod(lambda x, w: w * x[0] + (x**2).sum())
    own = family(client_loss=tilted, fixed_dim=2, options=EACH)(
        2, w=[1.0, 4.0], shared=1
    ).personal_constants
    assert own["partial_sigma_g"].value == pytest.approx(1.5, rel=1e-14)  # |w_i - mean w|
    assert own["partial_delta"].value == pytest.approx(1.5, rel=1e-14)


def test_where_gradients_part_without_limit_words_say_so():
    bowls = family(client_loss=staticmethod(lambda x, w: w * (x**2).sum()), options=EACH)
    p = bowls(2, w=[1.0, 2.0])
    known = p.constants()["sigma_g"]
    assert (known.value, known.how) == (np.inf, How.EXACT)
    assert known.source == "grad f_i - grad f grows without limit"
    quartic = family(client_loss=staticmethod(lambda x, w: w * (x**4).sum()), options=EACH)
    told = quartic(2, w=[1.0, 2.0]).lacks()["sigma_g"]
    assert told.endswith("has no finite end of a difference of two clients' slopes")


def test_a_logarithm_of_another_number_and_exp_keeps_its_slope():
    p = family(client_loss=staticmethod(lambda x, w: w * np.log(2 + np.exp(x)).sum()))(1)
    x = np.linspace(-3, 3, 7).reshape(7, 1, 1)
    assert np.abs(p.gradient(x) - np.exp(x) / (2 + np.exp(x))).max() <= 1e-15
