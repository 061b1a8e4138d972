"""What a user's problem declares is looked at before anything is judged."""

import numpy as np
import pytest

from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.problems import LogCosh, Problem
from theorylab.verdicts.declared import check_declared


class Huber(Problem):
    """f_i(x) = |x - c_i|^2 / 2 with Gaussian noise on the gradient; everything is right."""

    name = "test-huber"
    centers = np.array([[1.0, 0.0], [-1.0, 2.0]])
    sigma = 0.5

    def __init__(self):
        super().__init__(2, 2, True)

    def loss(self, x):
        return ((x - self.centers) ** 2).sum(axis=-1) / 2

    def gradient(self, x):
        return x - self.centers

    def sample(self, seed, runs, round, step):
        return Stream(seed, "noise").normal(runs, 2, round, step, 2) * self.sigma / 2**0.5

    def stochastic_gradient(self, x, sample):
        return self.gradient(x) + sample

    def constants(self):
        exact = {"L": 1.0, "mu": 1.0, "sigma_l": self.sigma, "sigma_g": 2**0.5, "f_star": 1.0}
        return {name: Known(value, How.EXACT, "by hand") for name, value in exact.items()}

    def describe(self):
        return {}

    def measured_noise(self, xbar):
        return np.full((len(xbar), 2), self.sigma)


START = np.zeros((2, 2))


def test_what_is_right_is_not_refused():
    for start in (START, START + 1e4, np.array([[1.0, 0.0], [-1.0, 2.0]])):
        check_declared(Huber(), start)


def declares(**values):
    def constants(self):
        changed = {name: Known(value, How.EXACT, "wrong") for name, value in values.items()}
        return Huber.constants(self) | changed

    return {"constants": constants}


WRONG = {
    "sign": ({"gradient": lambda self, x: self.centers - x}, "need its derivative"),
    "factor": ({"gradient": lambda self, x: 1.1 * (x - self.centers)}, "need its derivative"),
    "L": (declares(L=0.001), "L is declared to be 0.001"),
    "mu": (declares(mu=5.0), "mu is declared to be 5"),
    "B": (declares(B=0.1), "B is declared to be 0.1"),
    "sigma_g": (declares(sigma_g=0.5), "sigma_g is declared to be 0.5"),
    "f_star": (declares(f_star=5e3), "f_star is declared to be 5000"),
    "sigma_l": (declares(sigma_l=0.01), "sigma_l is"),
    "loss shape": ({"loss": lambda self, x: Huber.loss(self, x).sum(axis=1)}, "loss has shape"),
    "gradient shape": ({"gradient": lambda self, x: x[..., :1]}, "gradient has shape"),
    "nan": ({"loss": lambda self, x: Huber.loss(self, x) + np.nan}, "loss is nan"),
    "one nan": (
        {"loss": lambda self, x: np.where([False, True], np.nan, Huber.loss(self, x))},
        "loss is nan at points of shape",
    ),
    "alone": (
        {"loss": lambda self, x: Huber.loss(self, x) + (len(x) == 1)},
        "loss of 4 runs together is not that of run 0 alone; need every run by itself",
    ),
    "batch": (
        {"loss": lambda self, x: Huber.loss(self, x) + Huber.loss(self, x).mean()},
        "need every run by itself",
    ),
    "biased": (
        {"stochastic_gradient": lambda self, x, s: self.gradient(x) + s + 0.45},
        "need an unbiased one",
    ),
    "global": (
        {"sample": lambda self, *_: np.random.default_rng().normal(size=(1, 2, 2))},
        "is no function of",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_each_wrong_declaration_is_named(wrong):
    content, message = WRONG[wrong]
    with pytest.raises(ValueError, match=message) as caught:
        check_declared(type("Wrong", (Huber,), content)(), START)
    assert "\n" not in str(caught.value)


def test_noise_where_none_is_declared_is_named():
    made = Huber()
    made.stochastic = False
    with pytest.raises(ValueError, match="stochastic is False"):
        check_declared(made, START)


def test_a_problem_of_theorylab_s_own_is_not_looked_at(monkeypatch):
    made = LogCosh(2, dim=2)
    monkeypatch.setattr(type(made), "loss", None)
    check_declared(made, START)


@pytest.mark.parametrize(
    ("optimum", "line"),
    [
        ([0.0, 0.0], "f is 1.5 at optimum, and lower by 0.5 at another point; need a minimiser"),
        ([0.0, 1.0, 0.0], r"optimum has shape \(3,\); need \(2,\)"),
    ],
)
def test_an_optimum_that_is_no_minimiser_is_named(optimum, line):
    right = type("Right", (Huber,), {"optimum": np.array([0.0, 1.0])})
    check_declared(right(), START)
    wrong = type("Wrong", (Huber,), {"optimum": np.array(optimum)})
    with pytest.raises(ValueError, match=line):
        check_declared(wrong(), START)
