"""What is asked of a problem: nothing is answered for a class of a user's that says otherwise."""

import math

import numpy as np
import pytest

from theorylab.known import How
from theorylab.problems import (
    PROBLEMS,
    LogCosh,
    Problem,
    Quadratic,
    Softmax,
    independent_clients,
    minimiser,
    problem,
    with_noise,
)
from theorylab.problems._asked import OF_LOSSES, OF_NOISE
from theorylab.problems._placed import Placed

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


def own_noise(kind, **options):
    def stochastic_gradient(self, x, sample):
        return 2 * super(made, self).stochastic_gradient(x, sample)

    made = type("Louder", (kind,), {"stochastic_gradient": stochastic_gradient})
    return made(2, **options)


@pytest.mark.parametrize("kind", [LogCosh, Softmax])
def test_noise_of_a_user_s_own_stays_on_the_host(kind):
    pytest.importorskip("torch")
    Placed(kind(2), "cpu")
    with pytest.raises(TypeError, match="runs on the host only"):
        Placed(own_noise(kind), "cpu")


@pytest.mark.parametrize("name", ["log-cosh", "quadratic", "sin-sin", "coupled-quadratic"])
def test_a_function_alone_is_no_subclass_of_a_loss_with_kernels(name):
    kind, function = PROBLEMS[name], {"client_loss": staticmethod(lambda x: (x**4).sum())}
    with pytest.raises(TypeError, match="need loss and gradient, or a FormulaProblem"):
        type("Mine", (kind,), function)
    type("Mine", (PROBLEMS["huber"],), function)
    whole = {"loss": lambda self, x: (x**4).sum(-1), "gradient": lambda self, x: 4 * x**3}
    assert type("Mine", (kind,), function | whole)(2).formula is None


class Around(Problem):
    """The losses of another problem, moved by 1."""

    def __init__(self, stochastic=False):
        self.base = self._base = problem("quadratic", 2, H=[[[1.0]]] * 2, c=[[0.0]] * 2)
        super().__init__(2, 1, stochastic)

    def loss(self, x):
        return self.base.loss(x - 1)

    def gradient(self, x):
        return self.base.gradient(x - 1)

    def stochastic_gradient(self, x, sample):
        return self.gradient(x) + sample


def test_a_user_s_problem_that_has_another_one_inside_has_none_of_its_answers():
    assert minimiser(Around()) is None
    assert independent_clients(Around(True)) is None
    base = Around().base
    noisy = with_noise(base, "common", 1.0)
    assert minimiser(noisy) == noisy.optimum == [0.0]
    assert independent_clients(noisy) is False
    moved = {"loss": Around.loss, "gradient": Around.gradient}
    made = type("Moved", (type(noisy),), moved)(2, base=base)
    assert minimiser(made) is None
    assert not hasattr(made, "optimum")
