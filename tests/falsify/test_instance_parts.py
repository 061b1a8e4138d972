"""What a part of an instance is, where a user's class means other things by the same names."""

import numpy as np
import pytest

from theorylab.explain.finding import differences
from theorylab.falsify.instances import quiet
from theorylab.falsify.named_parts import named
from theorylab.falsify.scope import Scope
from theorylab.problems import Problem
from theorylab.statements import Assumption, Check, Source, Statement, Version
from theorylab.symbols import T, diameter, lambda2, max_out_degree, mixing_time, sigma2

pytestmark = pytest.mark.usefixtures("registries")

RUN = {"topology": {"name": "complete"}, "clients": 2, "rounds": 10, "algorithm": {"eta": 0.1}}


def of(problem):
    return {**RUN, "problem": problem}


def scope_of(check, **scope):
    version = Version({"bound": 1 / T}, (), (Check("benign", of(check)),), scope=scope)
    source = Source("test", "none", "planted")
    told = Statement("test.parts", source, "mean_squared_gradient", {"a": version}, "sgp")
    return Scope(told, "a")


@pytest.fixture
def bowls(registries):
    """Without noise ``length`` and ``sigma`` are of the loss; with it sigma is a client's own."""

    class Plain(Problem, name="test-plain"):
        def __init__(self, clients, *, length=1.0, sigma=1.0):
            self.scale = sigma / length
            super().__init__(clients, 1)

        def loss(self, x):
            return self.scale * (x**2).sum(-1)

        def gradient(self, x):
            return 2 * self.scale * x

    class Drawn(Plain, name="test-drawn"):
        def __init__(self, clients, *, length=1.0, sigma=0.0):
            self.sigma = np.resize(np.asarray(sigma, float), clients)
            super().__init__(clients, length=length)
            self.stochastic = bool(self.sigma.any())

        def sample(self, seed, runs, round, step):
            return np.ones((len(runs), self.clients, 1)) if self.stochastic else None

        def stochastic_gradient(self, x, sample):
            return self.gradient(x) + self.sigma[:, None] * (0 if sample is None else sample)


def needs(check, **options):
    return scope_of({"name": check}).needs(of({"name": check, **options}))


@pytest.mark.parametrize("name", ["test-plain", "test-drawn"])
def test_an_option_of_a_user_s_loss_is_no_noise_whatever_its_name(bowls, name):
    assert needs(name, length=5.0) == (f"the loss {name}",)
    made = {"name": name, "length": 5.0}
    assert differences(of({"name": name}), of(made)) == ["length: 1 -> 5"]
    assert "length" in quiet(made)


def test_a_scale_that_is_the_loss_s_is_no_noise(bowls):
    assert needs("test-plain", sigma=9.0) == ("the loss test-plain",)


@pytest.mark.parametrize("sigma", [0.5, [0.5], [0.0, 0.5]])
def test_noise_of_one_client_alone_is_noise(bowls, sigma):
    assert needs("test-drawn", sigma=sigma) == ("no noise",)
    assert needs("test-drawn", sigma=[0.0]) == ()


def test_the_range_of_an_option_is_that_of_the_loss_under_noise_too():
    bowl = {"name": "log-cosh", "dim": 1, "center": 2.0}
    scope = scope_of(bowl, center=(0.0, 3.0), noise="free", loss="free")
    far = {"name": "noisy", "base": {**bowl, "center": 100.0}, "sigma": 1.0}
    assert scope.needs(of(far)) == ("0 <= center <= 3",)
    (back,) = scope.restored(of(far))
    assert back["problem"]["base"]["center"] == 3.0
    assert scope.needs(of({**far, "base": bowl})) == ()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("the minimisers coincide", set()),
        ("the number of samples of the data", set()),
        ("invariance under shifts", set()),
        ("the largest eigenvalue of the Hessian", set()),
        ("the Hessian is a symmetric matrix", set()),
        ("an optimality gap", set()),
        ("restarts", set()),
        ("the samples are independent", {"noise"}),
        ("covariance of xi", {"noise"}),
        ("coins of a round", {"noise"}),
        ("1 minus the second eigenvalue of W", {"network", "clients"}),
        ("the spectral gap", {"network", "clients"}),
        ("gap", {"network", "clients"}),
        ("the start", {"start"}),
    ],
)
def test_words_name_a_part_where_they_speak_of_it(text, parts):
    says = Assumption(text, rule=T >= 1)
    assert named(Version({"bound": 1 / T}, (says,))) == parts


@pytest.mark.parametrize("symbol", [lambda2, sigma2, mixing_time, max_out_degree, diameter])
def test_a_number_of_the_network_names_the_network(symbol):
    assert named(Version({"bound": symbol})) == {"network", "clients"}
