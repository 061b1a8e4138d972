import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from theorylab.algorithms import SGP
from theorylab.known import How, Known
from theorylab.problems import from_loss, problem
from theorylab.registry import restored
from theorylab.runs import simulate
from theorylab.topologies import topology

EPS = float(np.finfo(float).eps)


def rows(n=4, m=6, d=3, seed=0):
    draw = np.random.default_rng(seed)
    return draw.standard_normal((n, m, d)), draw.integers(0, 2, (n, m))


def logistic(x, A, y):
    return torch.nn.functional.softplus((1 - 2 * y) * (A @ x)).mean() + (x @ x) / 8


def written(x, A, y):
    """The same in NumPy, one client: (loss, gradient of every sample (m, d))."""
    sign = 1 - 2 * y
    margin = sign * (A @ x)
    slopes = (sign / (1 + np.exp(-margin)))[:, None] * A + x / 4
    return np.log1p(np.exp(margin)).mean() + x @ x / 8, slopes


@settings(max_examples=15)
@given(st.integers(0, 99), st.integers(1, 3), st.integers(1, 4))
def test_loss_and_gradients_are_those_of_each_client_on_its_own_data(seed, runs, batch):
    A, y = rows(seed=seed)
    p = from_loss(logistic, dim=3, data=(A, y), batch=batch)
    x = np.random.default_rng(seed).standard_normal((runs, 4, 3))
    sample = p.sample(5, np.arange(runs), 2, 1)
    loss, full, some = p.loss(x), p.gradient(x), p.stochastic_gradient(x, sample)
    noise = p.measured_noise(x[:, 0])
    for r in range(runs):
        for i in range(4):
            value, slopes = written(x[r, i], A[i], y[i])
            # sums of 6 terms of size at most 10
            assert abs(loss[r, i] - value) < 100 * EPS * 10
            assert np.abs(full[r, i] - slopes.mean(axis=0)).max() < 100 * EPS * 10
            assert np.abs(some[r, i] - slopes[sample[r, i]].mean(axis=0)).max() < 100 * EPS * 10
            _, slopes = written(x[r, 0], A[i], y[i])
            spread = ((slopes - slopes.mean(axis=0)) ** 2).sum(axis=1).mean() / batch
            assert noise[r, i] == pytest.approx(np.sqrt(spread), rel=1e-12)
    xbar = x[:, 0]
    same = np.repeat(xbar[:, None], 4, axis=1)
    assert np.allclose(p.mean_loss(xbar), p.loss(same).mean(axis=1), rtol=1e-14)
    assert np.allclose(p.mean_gradient(xbar), p.gradient(same).mean(axis=1), atol=1e-14)


def test_the_mean_stochastic_gradient_is_the_gradient():
    p = from_loss(logistic, dim=3, data=rows(), batch=2)
    x = np.full((4000, 4, 3), 0.3)
    seen = p.stochastic_gradient(x, p.sample(1, np.arange(4000), 0, 0))
    error = seen.std(axis=0) / np.sqrt(4000)
    assert (np.abs(seen.mean(axis=0) - p.gradient(x[:1])[0]) < 5 * error).all()  # 12 numbers


def test_data_may_be_an_array_a_mapping_or_none():
    c = np.arange(6.0).reshape(3, 2)
    one = from_loss(lambda x, c: ((x - c) ** 2).sum(), dim=2, data=c)
    two = from_loss(lambda x, center: ((x - center) ** 2).sum(), dim=2, data={"center": c})
    x = np.ones((2, 3, 2))
    assert np.array_equal(one.gradient(x), 2 * (x - c))
    assert np.array_equal(two.gradient(x), 2 * (x - c))
    alone = from_loss(lambda x: (x**2).sum(), dim=2, clients=3)
    assert np.array_equal(alone.gradient(x), 2 * x)
    assert not alone.stochastic
    assert np.array_equal(alone.measured_noise(x[:, 0]), np.zeros((2, 3)))


def test_a_named_loss_takes_any_number_of_clients_where_its_data_do():
    def made(clients, seed):
        return np.random.default_rng(seed).standard_normal((clients, 2))

    with restored():
        known = {"L": 1, "mu": Known(1.0, How.LOWER, "mine")}
        loss = lambda x, c: ((x - c) ** 2).sum() / 2  # noqa: E731
        bowl = from_loss(loss, dim=2, data=made, clients=3, constants=known, name="bowl")
        assert bowl.clients == 3
        assert (bowl.constants()["L"].value, bowl.constants()["mu"].how) == (1.0, How.LOWER)
        other = problem("bowl", 5, seed=2)
        assert np.array_equal(other.gradient(np.zeros((1, 5, 2)))[0], -made(5, 2))
        again = problem(**other.describe())
        assert np.array_equal(
            again.gradient(np.ones((1, 5, 2))), other.gradient(np.ones((1, 5, 2)))
        )


def test_tensors_come_back_as_tensors_and_float32_stays_float32():
    p = from_loss(logistic, dim=3, data=rows(), batch=2)
    x = np.random.default_rng(3).standard_normal((2, 4, 3))
    for kind in (np.float64, np.float32):
        point = torch.from_numpy(x.astype(kind))
        for method in (p.loss, p.gradient):
            made = method(point)
            assert isinstance(made, torch.Tensor)
            assert made.numpy().dtype == kind
            assert np.array_equal(made.numpy(), method(x.astype(kind)))
        for method in (p.mean_loss, p.mean_gradient, p.measured_heterogeneity, p.measured_noise):
            room = 1e-5 if kind is np.float32 else 1e-13
            assert np.allclose(method(point[:, 0]).numpy(), method(x[:, 0].astype(kind)), atol=room)


def test_it_runs_and_a_batch_is_its_runs_up_to_rounding():
    p = from_loss(logistic, dim=3, data=rows(), batch=2)
    ring, options = topology("directed-ring", 4), {"rounds": 40, "x0": 1.0, "seed": 3}
    together = simulate(p, ring, SGP(0.1), runs=[4, 0], **options)
    for row, run in enumerate([4, 0]):
        alone = simulate(p, ring, SGP(0.1), runs=[run], **options)
        assert np.allclose(together.final_x[row], alone.final_x[0], rtol=0, atol=1e-12)


def branching(x, c):
    return x.sum() if x.sum() > 0 else c.sum()


@pytest.mark.parametrize(
    ("f", "options", "error", "message"),
    [
        (3, {}, TypeError, "f is 3; need a function"),
        (lambda x: x.sum(), {"clients": None}, ValueError, "number of clients is not known"),
        (lambda x: x, {}, ValueError, "cannot map f over clients .*need a scalar by torch"),
        (lambda x: 1.0, {}, ValueError, "need a scalar by torch operations"),
        (branching, {"data": np.ones((3, 2))}, ValueError, "without branches on values"),
        (lambda x, c: x @ c, {"data": np.ones((3, 5))}, ValueError, "cannot map f over clients"),
        (lambda x, a, b: x.sum(), {"data": (np.ones(3), np.ones(4))}, ValueError, "of 3, 4 cl"),
        (lambda x, c: x.sum(), {"data": np.ones(4)}, ValueError, "data are of 4 clients; need 3"),
        (lambda x, c: x.sum(), {"data": ["a"]}, TypeError, "array 0 of data is <U1"),
        (lambda x, c: x.sum(), {"data": np.ones(3), "batch": 2}, ValueError, "has no samples"),
        (lambda x, c: (c * x.sum()).sum(), {"data": np.ones((3, 4)), "batch": 2}, ValueError,
         "f of all samples of client 0 is 4, and the mean of f of each 1; need a mean"),
        (lambda x: x.sum(), {"data": lambda n: n}, ValueError, "data takes n; need a function of"),
    ],
)  # fmt: skip
def test_what_is_no_loss_is_told_in_one_line(f, options, error, message):
    with restored(), pytest.raises(error, match=message) as caught:
        from_loss(f, **{"dim": 2, "clients": 3, "name": "mine", **options})
    assert "\n" not in str(caught.value)
