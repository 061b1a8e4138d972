"""Plain loops, every minibatch enumerated, and the limits in which the bounds are attained."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from theorylab.data import digits, dirichlet
from theorylab.known import How
from theorylab.problems import problem

EPS = np.finfo(np.float64).eps
X = np.array([[1, 2, 1], [0, 3, 1], [2, 0, 1], [1, 1, 1], [4, 0, 1], [0, 1, 1], [3, 3, 1]], float)
Y, OWNERS = [0, 1, 2, 0, 1, 2, 0], [2, 0, 1, 0, 1, 2, 0]
TINY = {"features": X, "labels": Y, "owners": OWNERS}


def sample_gradient(W, j):
    """grad of logsumexp(W^T x) - (W^T x)_y at one sample, in 30 digits."""
    with mpmath.workdps(30):
        z = [mpmath.fsum(W[a][k] * X[j][a] for a in range(3)) for k in range(3)]
        total = mpmath.fsum(mpmath.exp(v) for v in z)
        loss = mpmath.log(total) - z[Y[j]]
        r = [mpmath.exp(v) / total - (k == Y[j]) for k, v in enumerate(z)]
        return loss, np.array([[X[j][a] * r[k] for k in range(3)] for a in range(3)], float)


def rows(client):  # the stored order: a client's samples in the order they came
    return [j for j, owner in enumerate(OWNERS) if owner == client]


def test_loss_and_gradient_match_plain_loops():
    p = problem("softmax", 3, **TINY, batch=None, reg=0.5)
    x = np.random.default_rng(1).standard_normal((2, 3, 9))
    for r, i in itertools.product(range(2), range(3)):
        each = [sample_gradient(x[r, i].reshape(3, 3), j) for j in rows(i)]
        loss = float(sum(e[0] for e in each) / len(each)) + 0.25 * x[r, i] @ x[r, i]
        g = sum(e[1] for e in each) / len(each) + 0.5 * x[r, i].reshape(3, 3)
        # logits are off by p eps |x_j| |W| <= 3 eps * 5 * 5, everything after is 2-Lipschitz
        assert p.loss(x)[r, i] == pytest.approx(loss, abs=200 * EPS * (1 + loss))
        assert p.gradient(x)[r, i] == pytest.approx(g.ravel(), abs=1000 * EPS)


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_the_average_over_all_minibatches_is_the_gradient_and_their_spread_the_noise(batch):
    p = problem("softmax", 3, **TINY, batch=batch, reg=0.5)
    xbar = np.random.default_rng(1).standard_normal((1, 9))
    for i in range(3):
        draws = np.array(list(itertools.product(range(len(rows(i))), repeat=batch)))
        sample = np.zeros((len(draws), 3, batch), np.int64)
        sample[:, i] = draws
        x = np.repeat(np.repeat(xbar[:, None], 3, axis=1), len(draws), axis=0)
        g = p.stochastic_gradient(x, sample)[:, i]
        exact = p.gradient(x)[0, i]
        assert g.mean(axis=0) == pytest.approx(exact, abs=1000 * EPS)
        variance = ((g - exact) ** 2).sum(axis=1).mean()
        assert p.measured_noise(xbar)[0, i] ** 2 == pytest.approx(variance, abs=1000 * EPS)
        one = sum(sample_gradient(xbar.reshape(3, 3), rows(i)[j])[1] for j in draws[-1]) / batch
        assert g[-1] == pytest.approx(one.ravel() + 0.5 * xbar[0], abs=1000 * EPS)


def test_minibatches_are_uniform_over_the_clients_own_rows():
    p = problem("softmax", 3, **TINY, batch=50)
    sample = p.sample(0, np.arange(40), 0, 0)
    for i, size in enumerate(p.sizes):
        seen = np.bincount(sample[:, i].ravel(), minlength=size)
        assert len(seen) == size
        # binomial(2000, 1/size): six standard deviations
        assert np.all(np.abs(seen - 2000 / size) <= 6 * math.sqrt(2000 / size))


def test_the_gradient_bound_is_attained_when_a_foreign_class_is_predicted():
    p = problem("softmax", 16, partition="classes", classes_per_client=2)
    known = p.constants()["B"]
    W = np.zeros((10, 65, 10))
    W[range(10), 64, range(10)] = 60.0  # the bias predicts class k for every image
    x = np.repeat(W.reshape(10, 1, 650), 16, axis=1)
    worst = np.linalg.norm(p.gradient(x), axis=-1).max()
    assert known.how is How.UPPER
    assert known.value * (1 - 1e-12) <= worst <= known.value  # allowance 4 (terms) eps < 1e-12


def test_the_smoothness_is_a_supremum_where_two_classes_tie():
    p, h = problem("softmax", 4, batch=None), 1e-4
    W = np.zeros((65, 10))
    W[64, :2] = 60.0
    worst = 0.0
    for i in range(4):
        own = p.features[p.starts[i] :][: p.sizes[i]]
        v = np.linalg.eigh(own.T @ own)[1][:, -1]
        step = (np.outer(v, np.eye(10)[0] - np.eye(10)[1]) * h / math.sqrt(2)).ravel()
        at = np.broadcast_to(W.ravel(), (1, 4, 650))
        change = p.gradient(at + step)[0, i] - p.gradient(at - step)[0, i]
        worst = max(worst, np.linalg.norm(change) / (2 * h))
    L = p.constants()["L"].value
    # truncation h^2 |x|^4 <= 65^2 h^2; rounding of gradients of size 10, over h
    assert L - (65**2 * h**2 + 100 * EPS / h) <= worst <= L + 100 * EPS / h


@pytest.mark.parametrize("partition", [{"alpha": 0.3}, {"partition": "classes"}])
def test_no_extreme_point_passes_the_heterogeneity_or_noise_bound(partition):
    p = problem("softmax", 16, **partition)
    known, rng = p.constants(), np.random.default_rng(0)
    # predict a class by bias; confuse the classes pairwise; random confident directions
    means = np.array([p.features[p.labels == k].mean(axis=0) for k in range(10)])
    W = [200 * np.roll(means, s, axis=0).T for s in range(10)]
    W += [60 * np.outer(np.eye(65)[64], np.eye(10)[k]) for k in range(10)]
    W += [50 * rng.standard_normal((65, 10)) for _ in range(20)]
    x = np.array(W).reshape(len(W), 650)
    gap, noise = p.measured_heterogeneity(x).max(), p.measured_noise(x).max()
    assert known["sigma_g"].value / 2 < gap <= known["sigma_g"].value
    assert known["sigma_l"].value / 2 < noise <= known["sigma_l"].value
    assert np.linalg.norm(p.gradient(p._spread(x)), axis=-1).max() <= known["B"].value
    assert np.all(p.mean_loss(1e6 * x) >= 0)  # never negative, never overflowing
    assert np.all(np.isfinite(p.mean_loss(1e6 * x)))


def test_two_clients_of_one_class_each_attain_the_heterogeneity_bound():
    # each client's samples, told apart by the first two features, are predicted as the other's:
    # g_0 - g_1 has the columns -(x_0 + x_1) and x_0 + x_1, with x_i the client's mean
    features = [[1.0, 0.0, 1.0], [2.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 3.0, 1.0]]
    data = {"features": features, "labels": [0, 0, 1, 1], "owners": [0, 0, 1, 1]}
    p = problem("softmax", 2, **data)
    gap = p.measured_heterogeneity(np.array([[-90.0, 90.0, 90.0, -90.0, 0.0, 0.0]])).max()
    assert gap == pytest.approx(math.hypot(1.5, 2.0, 2.0) * math.sqrt(2) / 2, rel=8 * EPS, abs=0)
    assert gap <= p.constants()["sigma_g"].value <= gap * (1 + 1000 * EPS)


def test_features_of_both_signs_fall_back_to_the_plain_bounds():
    p = problem("softmax", 3, features=X - 1, labels=Y, owners=OWNERS)
    mean = [np.linalg.norm(X[rows(i)] - 1, axis=1).mean() * math.sqrt(2) for i in range(3)]
    known = p.constants()
    assert known["B"].value == pytest.approx(max(mean), rel=1000 * EPS, abs=0)
    gaps = [mean[i] + (sum(mean) - mean[i]) / 2 for i in range(3)]
    assert known["sigma_g"].value == pytest.approx(max(gaps) * 2 / 3, rel=1000 * EPS, abs=0)


def test_f_star_lies_just_below_the_minimum_that_sklearn_finds():
    features, labels = (part[:300] for part in digits())
    reg, tol = 0.02, 1e-6
    p = problem("softmax", 1, features=features, labels=labels, partition="iid", reg=reg)
    other = LogisticRegression(C=1 / (reg * 300), fit_intercept=False, tol=tol, max_iter=5000)
    coefficients = other.fit(features, labels).coef_
    best = p.mean_loss(np.ascontiguousarray(coefficients.T).reshape(1, 650))[0]
    known = p.constants()
    assert known["f_star"].how is How.LOWER
    # sklearn stops at |grad|_inf <= tol: by strong convexity best - min f <= 650 tol^2 / (2 reg);
    # ours stops at 1e-8, so its own gap is 1e-4 of that, and its rounding allowance below 1e-10
    assert best - 1.001 * 650 * tol**2 / (2 * reg) - 1e-10 <= known["f_star"].value <= best
    assert (known["mu"].value, known["B"].value, known["sigma_g"].value) == (reg, math.inf, 0)


def test_the_clients_hold_what_the_partition_gave_them():
    features, labels = digits()
    p = problem("softmax", 16, alpha=0.3, seed=5)
    owners = dirichlet(labels, 16, 0.3, 5)
    assert np.array_equal(p.sizes, np.bincount(owners))
    for i in range(16):
        own = slice(p.starts[i], p.starts[i] + p.sizes[i])
        assert np.array_equal(p.features[own], features[owners == i])
        assert np.array_equal(p.labels[own], labels[owners == i])
    assert (p.dim, p.stochastic) == (650, True)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"batch": 0}, ValueError, "batch is 0; need an integer >= 1"),
        ({"batch": 2.0}, TypeError, "batch is float; need an integer"),
        ({"reg": -0.1}, ValueError, "reg is -0.1; need a finite number >= 0"),
        ({"alpha": 0.0}, ValueError, "alpha is 0.0; need a finite number > 0"),
        ({"partition": "zipf"}, ValueError, "partition is 'zipf'; need one of dirichlet"),
        ({"partition": "iid", "alpha": 1.0}, ValueError, "alpha came with partition 'iid'"),
        ({"classes_per_client": 2}, ValueError, "classes_per_client came with .*'dirichlet'"),
        ({"partition": "classes", "classes_per_client": 0}, ValueError, "need an integer >= 1"),
        ({"features": X}, ValueError, "need both features and labels"),
        ({"features": X, "labels": Y[1:]}, ValueError, r"labels has shape \(6,\); need \(7\)"),
        ({"features": X, "labels": [0.5] * 7}, ValueError, "labels hold .*; need integers >= 0"),
        ({**TINY, "owners": [0] * 7}, ValueError, "need each of 0..2 at least once"),
        ({**TINY, "alpha": 1.0}, ValueError, "owners came along with a partition"),
        ({"features": X + np.inf, "labels": Y}, ValueError, "features holds nan or inf"),
    ],
)
def test_bad_options_are_named_in_one_line(options, error, message):
    with pytest.raises(error, match=f"softmax: .*{message}") as caught:
        problem("softmax", 3, **options)
    assert "\n" not in str(caught.value)


def test_the_accuracy_is_the_share_of_own_samples_that_are_right():
    rng = np.random.default_rng(3)
    features, labels = rng.normal(size=(9, 2)), np.arange(9) % 3
    owners = np.array([0, 1, 1, 0, 1, 0, 1, 0, 0])
    made = problem("softmax", 2, features=features, labels=labels, owners=owners)
    x = rng.normal(size=(4, 2, 6))
    for r in range(4):
        for i in range(2):
            W = x[r, i].reshape(2, 3)
            right = [
                int(np.argmax(features[j] @ W)) == labels[j] for j in range(9) if owners[j] == i
            ]
            assert made.accuracy(x)[r, i] == sum(right) / len(right)
    first = [(labels[owners == i] == 0).mean() for i in range(2)]
    assert made.accuracy(np.zeros((1, 2, 6)))[0].tolist() == first  # of equal scores the lowest
