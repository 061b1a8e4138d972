"""What is asked of a problem: nothing is answered for a class of a user's that says otherwise."""

import math

import numpy as np
import pytest

from theorylab.known import How
from theorylab.problems import LogCosh, Problem, Quadratic, Softmax, problem, with_noise
from theorylab.problems._asked import OF_LOSSES, OF_NOISE

FIRST = np.array([True, False])


def turned(kind):
    """A user's subclass with a gradient of its own."""

    def gradient(self, x):
        return -super(made, self).gradient(x)

    made = type("Turned", (kind,), {"gradient": gradient})
    return made


@pytest.mark.parametrize(
    ("kind", "options"),
    [(LogCosh, {"dim": 2}), (Quadratic, {"dim": 2}), (Softmax, {"batch": None})],
)
def test_a_gradient_of_a_user_s_own_has_none_of_its_parent_s_answers(kind, options):
    p = turned(kind)(2, **options)
    assert (p.grows, p.has_fixed_gap, p.parts_differ_endlessly) == (False, False, False)
    assert [p.formula, p.square_form, p.convexity, p.torch_form] == [None] * 4
    x = np.zeros((1, 2, p.dim))
    with pytest.raises(TypeError, match="need a problem whose loss is one function"):
        p.hessian_product(x, x)
    with pytest.raises(TypeError, match="no constants of its blocks are known"):
        p.block_constants(np.arange(p.dim) < 1)


def test_noise_that_a_problem_does_not_tell_has_no_size():
    class Drawn(Problem):
        def __init__(self):
            super().__init__(2, 2, True)

        def loss(self, x):
            return (x**2).sum(-1)

        def gradient(self, x):
            return 2 * x

        def stochastic_gradient(self, x, sample):
            return 2 * x + sample

    known = Drawn().part_sigma(FIRST)
    assert (known.value, known.how) == (math.inf, How.UPPER)
    assert Drawn().noise_law is None
    quiet = problem("quadratic", 2, dim=2).part_sigma(FIRST)
    assert (quiet.value, quiet.how) == (0, How.EXACT)


def test_noise_of_a_user_s_own_has_none_of_its_parent_s_answers():
    class Louder(LogCosh):
        def sample(self, seed, runs, round, step):
            return 2 * super().sample(seed, runs, round, step)

    p = Louder(2, dim=2, sigma=1.0)
    assert [p.noise_law, p.noise_variances()] == [None, None]
    assert p.part_sigma(FIRST).value == math.inf
    known = LogCosh(2, dim=2, sigma=1.0).part_sigma(FIRST)
    assert known.value == pytest.approx(math.sqrt(0.5), rel=1e-15)


def test_the_losses_under_noise_answer_for_themselves():
    base = problem("log-cosh", 2, dim=2, spread=1.0)
    noisy = with_noise(base, "gaussian", 3.0)
    assert noisy.formula is base.formula
    assert (noisy.convexity, noisy.grows) == (0.0, True)
    assert noisy.noise_law == "gaussian"
    assert {*OF_LOSSES, *OF_NOISE} <= {*dir(Problem)}


def test_what_differs_in_v_alone_is_no_gap_of_a_sum_over_coordinates():
    p = problem("log-cosh", 2, centers=[[1.0, 0.0], [1.0, 4.0]])
    assert p.block_constants(FIRST)["partial_sigma_g"].value == 0
    # max_i |(2/n) sum_k tanh(|c_i - c_k| / 2)| of the centers 0 and 4
    own = p.block_constants(~FIRST)["partial_sigma_g"].value
    assert own == pytest.approx(math.tanh(2.0), rel=1e-13)
