"""Any problem under a noise field: what changes, and what does not."""

import json
import math

import numpy as np
import pytest

from theorylab.algorithms import SGP, DFedSGPSM
from theorylab.known import How
from theorylab.problems import Noisy, Problem, problem, with_noise
from theorylab.problems._noise import FIELDS
from theorylab.runs import NotAffineError, expected_trace, simulate
from theorylab.scripts import UnscriptedError
from theorylab.scripts._outcomes import sample_text
from theorylab.scripts._phases_and_noise import noise_of
from theorylab.topologies import topology

EPS = np.finfo(np.float64).eps
FEATURES = [[1, 2, 1], [0, 3, 1], [2, 0, 1], [1, 1, 1]]
BASES = [
    {"name": "quadratic", "dim": 3},
    {"name": "clipped-linear", "dim": 2, "spread": 2.0},
    {
        "name": "softmax",
        "features": FEATURES,
        "labels": [0, 1, 1, 0],
        "owners": [0, 0, 1, 1],
        "batch": None,
    },
    {"name": "sin-sin", "dim_v": 3},
]


@pytest.mark.parametrize("base", BASES, ids=lambda base: base["name"])
@pytest.mark.parametrize("kind", FIELDS)
def test_the_losses_are_those_of_the_base(base, kind):
    often = {"chance": 0.5} if kind == "two-point" else {}
    p, exact = (
        problem("noisy", 2, base=base, field=kind, sigma=0.5, **often),
        problem(clients=2, **base),
    )
    x = np.random.default_rng(0).standard_normal((3, 2, p.dim))
    xbar = x[:, 0]
    for method in ("loss", "gradient"):
        assert np.array_equal(getattr(p, method)(x), getattr(exact, method)(x))
    for method in ("mean_loss", "mean_gradient", "measured_heterogeneity"):
        assert np.array_equal(getattr(p, method)(xbar), getattr(exact, method)(xbar))
    ours, theirs = p.constants(), exact.constants()
    assert all(ours[k] == theirs[k] for k in ("L", "mu", "B", "sigma_g", "f_star"))
    assert ours["sigma_l"].value == 0.5
    assert (p.shared, p.blocks) == (exact.shared, exact.blocks)
    moved = p.stochastic_gradient(x, p.sample(0, np.arange(3), 0, 0)) - p.gradient(x)
    assert moved.any()
    again = problem(**json.loads(json.dumps(p.describe())))
    assert again.describe() == p.describe()


def test_gaussian_noise_is_the_noise_of_the_problem_itself():
    own = problem("quadratic", 3, dim=4, sigma=0.7, seed=2)
    p = with_noise(problem("quadratic", 3, dim=4, seed=2), "gaussian", 0.7)
    x, ids = np.random.default_rng(0).standard_normal((2, 3, 4)), np.array([3, 8])
    for step in range(2):
        a, b = (q.stochastic_gradient(x, q.sample(5, ids, 1, step)) for q in (own, p))
        assert np.array_equal(a, b)
    assert {k: v.value for k, v in own.constants().items()} == {
        k: v.value for k, v in p.constants().items()
    }


@pytest.mark.parametrize("kind", FIELDS)
def test_a_wrapped_quadratic_is_not_taken_for_one_with_exact_moments(kind):
    wrapped = with_noise(problem("quadratic", 2, dim=2), kind, 1.0)
    with pytest.raises(NotAffineError):
        expected_trace(wrapped, topology("complete", 2), SGP(eta=0.1), rounds=2)


def test_state_noise_on_a_quadratic_attains_its_l_sample():
    p = problem("noisy", 1, base={"name": "quadratic", "dim": 3}, field="state", length=0.25)
    known = p.constants()["L_sample"]
    base = p.base.constants()["L"].value
    assert known.how is How.EXACT
    assert known.value == pytest.approx(base + 1 / (0.25 * math.sqrt(3)), rel=64 * EPS)
    top = np.linalg.eigh(p.base.hessians[0])[1][:, -1]
    best = 0.0
    for run in range(64):
        sample = p.sample(0, np.array([run]), 0, 0)
        x = -np.sign(sample) * 0.25 * math.pi / 2  # d/dx_j s_j cos(x_j / l) is largest here
        h = 2.0**-12
        change = p.stochastic_gradient(x + h * top, sample)
        change -= p.stochastic_gradient(x - h * top, sample)
        best = max(best, float(np.linalg.norm(change)) / (2 * h))
    # truncation: (h / l)^2 / 6 relative; cancellation 64 eps / h
    assert best == pytest.approx(known.value, rel=(h / 0.25) ** 2, abs=64 * EPS * 20 / h)


def test_an_aligned_noise_has_no_finite_l_sample_and_a_jump_to_show_it():
    p = problem("noisy", 1, base={"name": "quadratic", "dim": 2}, field="aligned", sigma=1.0)
    assert p.constants()["L_sample"].value == math.inf
    sample, h = p.sample(0, np.arange(1), 0, 0), np.array([1e-9, 0.0])
    c = p.base.centers[None]
    jump = p.stochastic_gradient(c + h, sample) - p.stochastic_gradient(c - h, sample)
    assert np.linalg.norm(jump) == pytest.approx(2, abs=1e-8)
    regression = problem("noisy", 2, base=BASES[2], field="aligned").constants()["L_sample"]
    assert (regression.value, regression.how) == (math.inf, How.UPPER)


@pytest.mark.parametrize("kind", FIELDS)
def test_a_run_under_noise_is_the_same_alone_and_in_a_batch(kind):
    often = {"chance": 0.5} if kind == "two-point" else {}
    p = problem("noisy", 4, base={"name": "sin-sin"}, field=kind, sigma=0.5, **often)
    ring = topology("directed-ring", clients=4)
    method = DFedSGPSM(eta=0.05, alpha=0.5, rho=0.1, local_steps=2)  # SAM: one sample, two points
    options = {"rounds": 4, "columns": ["squared_gradient"], "seed": 3}
    both = simulate(p, ring, method, runs=[2, 6], **options)
    alone = simulate(p, ring, method, runs=[6], **options)
    assert np.array_equal(both.columns["squared_gradient"][1:], alone.columns["squared_gradient"])
    assert not np.array_equal(*both.columns["squared_gradient"])


def test_common_noise_survives_the_average_and_the_others_shrink():
    quiet = {"name": "quadratic", "dim": 2, "mu": 1.0, "L": 1.0}
    n, runs = 16, 4000
    for kind, expected in (("common", 1.0), ("rademacher", 1 / n), ("aligned", 1 / n)):
        p = problem("noisy", n, base=quiet, field=kind)
        x = np.random.default_rng(0).standard_normal((1, n, 2)).repeat(runs, axis=0)
        noise = p.stochastic_gradient(x, p.sample(0, np.arange(runs), 0, 0)) - p.gradient(x)
        size = (noise.mean(axis=1) ** 2).sum(axis=1).mean()
        # |mean xi|^2 has a standard deviation of at most sqrt(2) times its mean: 7 of them
        assert abs(size / expected - 1) <= 7 * math.sqrt(2 / runs)
        assert p.field.independent_clients == (kind != "common")


class Unusual(Problem):
    """A problem that is not registered, with points of its own."""

    name = "unusual"
    loss = gradient = sample = stochastic_gradient = constants = describe = measured_noise = None

    def points(self, x):
        return x.tolist()


class Labelled(Unusual):
    name = "labelled"
    points = Problem.points

    def initial(self, seed, runs):
        return np.full((len(runs), 2, 1), float(seed))

    def accuracy(self, x):
        return x[..., 0]


def test_first_models_and_accuracy_are_those_of_the_base():
    p = with_noise(Labelled(2, 1, False), "gaussian", 1.0)
    x = p.initial(7, np.arange(3))
    assert np.array_equal(x, np.full((3, 2, 1), 7.0))
    assert np.array_equal(p.accuracy(x), x[..., 0])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"base": {"name": "quadratic", "sigma": 1.0}}, ValueError, "quadratic has noise of its"),
        ({"base": {"name": "quadratic", "clients": 3}}, ValueError, "clients is 2, but base has 3"),
        ({"base": "quadratic"}, TypeError, "base is str; need a problem, or its options"),
        ({"base": {"dim": 2}}, TypeError, "base is dict; need a problem, or its options"),
        ({"base": Unusual(2, 1, False)}, TypeError, "base unusual has no NumPy points"),
        ({"base": BASES[0], "field": "pink"}, ValueError, "no field 'pink'; need one of aligned"),
        ({"base": BASES[0], "sigma": -1}, ValueError, "sigma is -1.0; need a finite number >= 0"),
        ({"base": BASES[0], "length": 1.0}, ValueError, "length came with field 'gaussian'; need"),
    ],
)
def test_bad_options_are_refused_in_one_line(options, error, message):
    with pytest.raises(error, match=f"^noisy: .*{message}") as caught:
        problem("noisy", 2, **options)
    assert "\n" not in str(caught.value)


def test_an_unknown_base_is_named():
    with pytest.raises(ValueError, match="problem: no 'cubic'; need one of"):
        problem("noisy", 2, base={"name": "cubic"})
    assert isinstance(with_noise(problem("quadratic", 2), "common", 0.0), Noisy)


def test_shared_draws_and_a_users_own_are_not_taken_for_independent():
    from theorylab.problems import LogCosh, independent_clients, with_noise

    class Own(LogCosh):
        def sample(self, seed, runs, round, step):
            return super().sample(seed, runs, round, step)[:, :1].repeat(self.clients, axis=1)

    base = LogCosh(3)
    assert independent_clients(base) is True  # no noise
    assert independent_clients(LogCosh(3, sigma=1.0)) is True
    assert independent_clients(with_noise(base, "gaussian", 1.0)) is True
    assert independent_clients(with_noise(base, "common", 1.0)) is False
    assert independent_clients(with_noise(base, "common", 0.0)) is True
    assert independent_clients(Own(3, sigma=1.0)) is None


def test_noise_moves_no_minimiser_and_invents_none():
    bowl = problem("quadratic", clients=2, H=[[[1.0]], [[3.0]]], c=[[0.0], [4.0]])
    assert with_noise(bowl, "gaussian", 1.0).optimum == pytest.approx([3.0])
    waves = problem("sin-sin", clients=2, dim_u=1, dim_v=1, seed=1, coupling=2.0)
    assert not hasattr(with_noise(waves, "gaussian", 1.0), "optimum")


@pytest.mark.parametrize(
    ("schedule", "shares"),
    [([1.0, 0.5, 0.25], [1, 0.5, 0.25, 0.25]), ("1/(1 + t)", [1, 1 / 2, 1 / 3, 1 / 4])],
    ids=["list", "text"],
)
def test_a_schedule_scales_the_noise_of_each_round(schedule, shares):
    base = {"name": "log-cosh", "dim": 2}
    steady, p = (problem("noisy", 3, base=base, field="rademacher", sigma=2.0, **more)
                 for more in ({}, {"schedule": schedule}))  # fmt: skip
    for t, share in enumerate(shares):
        one, whole = (each.sample(7, np.arange(2), t, 0) for each in (p, steady))
        assert np.array_equal(one, whole * share)
    known = p.constants()["sigma_l"]
    assert (known.value, known.how) == (2.0, How.UPPER)
    part = p.part_sigma(np.array([True, False]))
    assert (round(part.value**2, 12), part.how) == (2.0, How.UPPER)
    quiet = problem("noisy", 3, base=base, sigma=2.0, schedule=[0.25])  # in round 0
    assert quiet.measured_noise(np.zeros((1, 2))).tolist() == [[0.5] * 3]
    assert problem(**p.describe()).describe() == p.describe()
    lost = (p.finite_noise(), p.noise_variances(), p.noise_law, p.torch_form)
    assert lost == (None, None, None, None)
    with pytest.raises(UnscriptedError, match="another size in each round"):
        noise_of(p)
    with pytest.raises(UnscriptedError, match="another size in each round"):
        sample_text(p)


@pytest.mark.parametrize(
    ("schedule", "message"),
    [([], "schedule is empty"), ([0.5, 2.0], "schedule is 2.0 in round 1; need 0 to 1"),
     ("2 - t", "schedule is 2.* in round 0; need 0 to 1"), ("open(t)", "noisy: schedule: "),
     (0.5, "schedule is float; need a list of numbers, or a text in t")],
)  # fmt: skip
def test_a_schedule_that_is_no_share_is_refused(schedule, message):
    with pytest.raises((TypeError, ValueError), match=message):
        problem("noisy", 2, base={"name": "log-cosh"}, schedule=schedule)
