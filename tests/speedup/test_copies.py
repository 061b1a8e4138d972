"""Copies of any problem: losses and draws of each client, problems that cannot be copied."""

import re

import numpy as np
import pytest

from theorylab.problems import Problem, Quadratic, from_loss
from theorylab.speedup import speedup
from theorylab.speedup.copies import Copies, misdrawn
from theorylab.speedup.pattern import Pattern


class Rows(Problem):
    """f_i(x) = |x - i|^2 / 2, with a coin of +-1 as its noise: a user's class, so to say."""

    def __init__(self, clients, *, spread=1.0):
        super().__init__(clients, 2, True)
        self.centers = spread * np.arange(clients, dtype=float)[:, None]

    def loss(self, x):
        return ((x - self.centers) ** 2).sum(axis=2) / 2

    def gradient(self, x):
        return x - self.centers

    def sample(self, seed, runs, round, step):
        made = []
        for run in runs:
            draw = np.random.default_rng([seed, int(run), round, step])
            made.append(draw.integers(0, 2, (self.clients, 2)) * 2.0 - 1)
        return np.array(made)

    def stochastic_gradient(self, x, sample):
        return self.gradient(x) + sample


def test_client_i_of_n_has_the_loss_of_client_i_mod_k_and_draws_of_its_own():
    base, place = Rows(3), np.array([0, 1, 2, 0, 1, 2])
    made = Copies(base, place, True)
    x = np.random.default_rng(0).standard_normal((4, 6, 2))
    assert np.array_equal(made.gradient(x), x - place[:, None].astype(float))
    assert made.loss(x).shape == (4, 6)
    sample = made.sample(7, np.arange(4), 2, 1)
    assert np.array_equal(sample[:, :3], base.sample(7, np.arange(4), 2, 1))
    assert not np.array_equal(sample[:, 3:], sample[:, :3])
    moved = made.stochastic_gradient(x, sample)
    assert np.array_equal(moved, x - place[:, None] + sample)
    more = Copies(base, np.arange(9) % 3, True).sample(7, np.arange(4), 2, 1)
    assert np.array_equal(more[:, :6], sample)  # paired over n


class Alike(Rows):
    """Every run draws what run 0 does."""

    def sample(self, seed, runs, round, step):
        return super().sample(seed, np.zeros_like(runs), round, step)


class Biased(Rows):
    """The mean of the stochastic gradients is 1/2 more than the gradient."""

    def stochastic_gradient(self, x, sample):
        return super().stochastic_gradient(x, sample) + 0.5


def test_noise_that_no_network_can_average_is_told():
    assert misdrawn(Rows(3)) == ""
    assert misdrawn(Quadratic(3, dim=2, sigma=1.0)) is None
    assert misdrawn(Alike(3)).startswith("all runs draw the same noise")
    assert re.match(r"the noise of client \d has the mean 0\.\d+ in", misdrawn(Biased(3)))


class Short(Rows):
    """Run 65536 draws what run 0 does: a seed of 16 bits."""

    def sample(self, seed, runs, round, step):
        return super().sample(seed, np.asarray(runs) % 65536, round, step)


class Shifted(Rows):
    """A run draws in a round what the next run does in the round before."""

    def sample(self, seed, runs, round, step):
        return super().sample(seed, np.asarray(runs) + round, 0, step)


class Coins(Rows):
    """One bit a round, the same for all clients and coordinates: alike by chance, half the time."""

    def sample(self, seed, runs, round, step):
        first = super().sample(seed, runs, round, step)
        return np.broadcast_to(first[:, :1, :1], first.shape).copy()


def test_runs_that_draw_what_others_do_are_told():
    assert misdrawn(Short(3)) == "run 0 draws in every round what run 65536 does"
    assert misdrawn(Shifted(3)) == "run 0 draws 1 rounds later what run 1 does"
    assert misdrawn(Coins(3)) == ""


@pytest.mark.parametrize("made", [Alike, Biased, Short])
def test_a_problem_whose_noise_is_wrong_refutes_no_method(made, registries):
    type(made.__name__, (made,), {"__module__": __name__}, name="wrong-noise")
    found = speedup("sgp", problem="wrong-noise", clients=[4, 8, 16], rounds=64, seeds=16)
    assert found.verdict.name == "INCONCLUSIVE"
    assert not found.controls[-1].passes


def test_clients_of_a_kind_may_stand_side_by_side():
    place = np.array([0, 0, 0, 1, 1, 1])
    made = Copies(Rows(2), place, True)
    x = np.zeros((1, 6, 2))
    assert np.array_equal(made.gradient(x)[0, :, 0], -place.astype(float))
    sample = made.sample(0, np.arange(1), 0, 0)
    beside = Copies(Rows(2), np.arange(6) % 2, True).sample(0, np.arange(1), 0, 0)
    assert np.array_equal(sample[0, [0, 3, 1, 4, 2, 5]], beside[0])


def test_copies_of_a_quadratic_are_the_quadratic_that_has_kernels():
    pattern = Pattern("quadratic", {}, 2)
    own = pattern.losses(6)
    wrapped = Copies(pattern.base, np.arange(6) % 2, True)
    assert isinstance(own, Quadratic)
    x = np.random.default_rng(1).standard_normal((3, 6, 2))
    assert np.allclose(own.gradient(x), wrapped.gradient(x), rtol=1e-14)
    assert np.allclose(own.noise_variances(), wrapped.noise_variances())
    assert np.allclose(own.mean_gradient(x[:, 0]), wrapped.mean_gradient(x[:, 0]))


def test_without_noise_gradients_are_exact():
    made = Copies(Rows(2), np.arange(4) % 2, False)
    assert not made.stochastic
    assert made.sample(0, np.arange(1), 0, 0) is None
    x = np.ones((1, 4, 2))
    assert np.array_equal(made.stochastic_gradient(x, None), made.gradient(x))


class Neighbours(Rows):
    def gradient(self, x):
        return x - x.mean(axis=1, keepdims=True)


class Batchy(Rows):
    def gradient(self, x):
        return x - self.centers + np.arange(len(x))[:, None, None]


class Peeking(Rows):
    def stochastic_gradient(self, x, sample):
        return self.gradient(x) + sample + 0.1 * (x - x.mean(axis=1, keepdims=True))


class Odd(Rows):
    def sample(self, seed, runs, round, step):
        return {"seed": seed}


class Shared(Rows):
    def sample(self, seed, runs, round, step):
        return np.zeros((len(runs), 2))


@pytest.mark.parametrize(
    ("cls", "line"),
    [
        (Neighbours, "Neighbours cannot be copied: the gradient of client 0 moves with the point"),
        (Batchy, "Batchy cannot be copied: the gradient of client 0 moves with the place"),
        (Peeking, "Peeking cannot be copied: the stochastic gradient of client 0 moves with the"),
        (Odd, "Odd cannot be copied: its samples for 4 runs are dict; need an array (4, 3, ...)"),
        (Shared, "Shared cannot be copied: its samples for 4 runs are shape (4, 2); need an array"),
    ],
)
def test_a_problem_that_cannot_be_copied_is_one_line(cls, line):
    with pytest.raises(ValueError, match=re.escape(line)) as error:
        Copies(cls(3), np.arange(6) % 3, True)
    assert "\n" not in str(error.value)


def test_a_study_of_a_users_problem_says_as_much_as_of_a_built_in_one(registries):
    type("Mine", (Rows,), {}, name="my-rows")
    found = speedup("sgp", problem="my-rows", clients=[4, 8, 16], rounds=128, transient=False)
    assert not found.exact
    # one Hessian: P = I averages, too, and that is seen
    assert found.verdict.name == "INCONCLUSIVE"
    assert "P = I" in found.reason
    over = speedup(
        "sgp", problem="my-rows", clients=[4, 8, 16], rounds=128, transient=False,
        measure="clients", problem_options={"spread": 0.2},
    )  # fmt: skip
    # E|x - x*|^2 of the mean is eta / (2 - eta) * 2 / n, to which clients add what they are apart
    floor = [0.05 / 1.95 * 2 / n for n in (4, 8, 16)]
    assert all(row.error[2] > least for row, least in zip(over.rows, floor, strict=True))
    assert over.slope.high < -0.25


def test_a_mean_of_a_users_problem_has_the_floor_of_sgd(registries):
    type("Mine", (Rows,), {}, name="my-rows")
    found = speedup("sgp", problem="my-rows", clients=[4, 8, 16], rounds=256, transient=False)
    for row in found.rows:
        low, _, high = row.error
        assert low <= 0.05 / 1.95 * 2 / row.n <= high


def test_a_torch_loss_with_a_batch_is_copied(registries):
    pytest.importorskip("torch")
    rows = np.random.default_rng(0).standard_normal((2, 12, 3))
    base = from_loss(lambda x, A: ((A @ x - 1) ** 2).mean() / 2, dim=3, data=rows, batch=2)
    made = Copies(base, np.arange(4) % 2, True)
    x = np.random.default_rng(1).standard_normal((3, 4, 3))
    drawn = made.sample(0, np.arange(3), 0, 0)
    assert drawn.shape == (3, 4, 2)
    first = base.stochastic_gradient(x[:, :2], base.sample(0, np.arange(3), 0, 0))
    assert np.allclose(made.stochastic_gradient(x, drawn)[:, :2], first)
