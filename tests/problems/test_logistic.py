"""Plain loops, the point where the smoothness is attained, and scipy's minimum."""

import math

import mpmath
import numpy as np
import pytest
from scipy.optimize import minimize

from theorylab.data import digits
from theorylab.problems import problem

EPS = np.finfo(np.float64).eps
X = np.array([[1, 2, 1], [0, 3, 1], [2, 0, 1], [1, 1, 1], [4, 0, 1]], float)
Y, OWNERS = [0, 1, 1, 0, 1], [0, 0, 1, 1, 1]


def plain(w, j, reg):
    """Loss and gradient of one sample in 30 digits: log(1 + exp(-s w^T x)) + reg/2 |w|^2."""
    with mpmath.workdps(30):
        s = 2 * Y[j] - 1
        margin = s * mpmath.fsum(mpmath.mpf(a) * b for a, b in zip(w, X[j], strict=True))
        loss = mpmath.log1p(mpmath.exp(-margin))
        g = -s * X[j] * float(1 / (1 + mpmath.exp(margin))) + reg * w
    return float(loss) + 0.5 * reg * w @ w, g


@pytest.mark.parametrize("reg", [0.0, 0.5])
def test_loss_gradient_and_minibatches_match_plain_loops(reg):
    p = problem("logistic", 2, features=X, labels=Y, owners=OWNERS, batch=2, reg=reg)
    x = np.random.default_rng(0).standard_normal((3, 2, 3))
    sample = np.array([[[0, 0], [2, 1]], [[0, 1], [0, 0]], [[1, 1], [2, 2]]])
    g, loss, noisy = p.gradient(x), p.loss(x), p.stochastic_gradient(x, sample)
    for r in range(3):
        for i, own in enumerate(([0, 1], [2, 3, 4])):
            losses, slopes = zip(*[plain(x[r, i], j, reg) for j in own], strict=True)
            # a logit of 3 terms of size |x_j| |w| < 30 is off by 100 eps; the rest is Lipschitz 1
            assert loss[r, i] == pytest.approx(np.mean(losses), abs=200 * EPS)
            assert g[r, i] == pytest.approx(np.mean(slopes, axis=0), abs=1000 * EPS)
            drawn = np.mean([slopes[j] for j in sample[r, i]], axis=0)
            assert noisy[r, i] == pytest.approx(drawn, abs=1000 * EPS)


def test_the_smoothness_is_attained_at_zero():
    p, h, worst = problem("logistic", 5, batch=None, alpha=0.5), 1e-4, 0.0
    for i in range(5):
        own = p.features[p.starts[i] :][: p.sizes[i]]
        step = np.broadcast_to(h * np.linalg.eigh(own.T @ own)[1][:, -1], (1, 5, 65))
        change = p.gradient(step)[0, i] - p.gradient(-step)[0, i]
        worst = max(worst, np.linalg.norm(change) / (2 * h))
    L = p.constants()["L"].value
    # truncation h^2 |x|^4; rounding of gradients of size 10, over h
    assert L - (65**2 * h**2 + 100 * EPS / h) <= worst <= L + 100 * EPS / h


def test_no_extreme_point_passes_a_bound_and_a_one_class_client_attains_B():
    p = problem("logistic", 4, target=[3, 8], partition="classes", classes_per_client=1)
    known, rng = p.constants(), np.random.default_rng(0)
    bias = 60 * np.eye(65)[-1]
    x = np.concatenate([[bias, -bias], 50 * rng.standard_normal((40, 65))])
    steep = np.linalg.norm(p.gradient(p._spread(x)), axis=-1).max()
    assert known["B"].value * (1 - 1e-12) <= steep <= known["B"].value  # allowance < 1e-12
    gap, noise = p.measured_heterogeneity(x).max(), p.measured_noise(x).max()
    assert known["sigma_g"].value / 4 < gap <= known["sigma_g"].value
    assert known["sigma_l"].value / 4 < noise <= known["sigma_l"].value


def test_with_one_class_per_client_the_heterogeneity_bound_is_attained():
    # clients 0 and 1 hold one class each and the classes can be separated by the first feature:
    # predicting both wrongly turns every residual to +-1, in the directions the proof adds up
    features = [[1.0, 0.0, 1.0], [2.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 3.0, 1.0]]
    data = {"features": features, "labels": [0, 0, 1, 1], "owners": [0, 0, 1, 1]}
    p = problem("logistic", 2, **data, batch=1)
    gap = p.measured_heterogeneity(np.array([[90.0, -90.0, 0.0]])).max()
    assert gap == pytest.approx(math.hypot(1.5, 2.0, 2.0) / 2, rel=8 * EPS, abs=0)
    assert gap <= p.constants()["sigma_g"].value <= gap * (1 + 1000 * EPS)


def test_f_star_lies_just_below_the_minimum_that_scipy_finds():
    p = problem("logistic", 6, reg=0.05)
    found = minimize(
        lambda w: p.mean_loss(w[None])[0],
        np.zeros(65),
        jac=lambda w: p.mean_gradient(w[None])[0],
        method="BFGS",
        options={"gtol": 1e-7},
    )
    star = p.constants()["f_star"].value
    # strong convexity: what was found is above the minimum by at most |grad|^2 / (2 reg)
    assert found.fun - np.sum(found.jac**2) / 0.1 - 1e-10 <= star <= found.fun


def test_the_targets_are_parity_or_one_of_two_digits():
    features, labels = digits()
    odd = problem("logistic", 3, partition="iid")
    assert odd.labels.sum() == np.sum(labels % 2 == 1)
    assert odd.describe()["target"] == "parity"
    pair = problem("logistic", 3, target=[8, 3])
    assert (len(pair.labels), pair.labels.sum()) == (np.isin(labels, (3, 8)).sum(), 183)
    assert {tuple(row) for row in pair.features[pair.labels == 1]} == {
        tuple(row) for row in features[labels == 3]
    }
    assert pair.describe()["target"] == [8, 3]


def test_confident_predictions_neither_overflow_nor_go_negative():
    p = problem("logistic", 2, features=X, labels=Y, owners=OWNERS)
    x = np.random.default_rng(0).standard_normal((20, 3)) * 1e200
    assert np.all(np.isfinite(p.mean_loss(x)) & (p.mean_loss(x) >= 0))
    assert np.all(np.isfinite(p.mean_gradient(x)))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"target": "odd"}, TypeError, "target is 'odd'; need \"parity\" or two different"),
        ({"target": [3, 3]}, ValueError, r"target is \[3, 3\]; need"),
        ({"target": [3, 10]}, ValueError, r"target is \[3, 10\]; need"),
        ({"target": [3, 8], "features": X, "labels": Y}, ValueError, "target came along with"),
        ({"features": X, "labels": [0, 1, 2, 0, 1]}, ValueError, "labels hold 2; need 0 or 1"),
        ({"batch": -1}, ValueError, "batch is -1; need an integer >= 1"),
        ({"reg": math.nan}, ValueError, "reg is nan; need a finite number >= 0"),
    ],
)
def test_bad_options_are_named_in_one_line(options, error, message):
    with pytest.raises(error, match=message):
        problem("logistic", 2, **options)
