import math

import numpy as np
import pytest

from theorylab.hypergradients import SoftmaxWeights
from theorylab.kernels import Stream
from theorylab.problems import problem

EPS = np.finfo(float).eps
N, P, C = 2, 3, 3
OWNERS = np.array([0, 0, 0, 0, 1, 1, 1])
LABELS = np.array([0, 1, 2, 1, 2, 2, 0])
FEATURES = np.random.default_rng(1).normal(size=(7, P))


def small(**options):
    data = {"features": FEATURES, "labels": LABELS, "owners": OWNERS}
    return SoftmaxWeights(N, reg=0.1, **data, **options)


def entropy(W, x, y):
    z = [sum(W[a][c] * x[a] for a in range(P)) for c in range(C)]
    return math.log(sum(math.exp(v) for v in z)) - z[y]


def inner(i, x, lam, rows=None):
    """f_i by plain loops; rows are numbers within the client's own data."""
    W = x.reshape(P, C)
    own = np.flatnonzero(np.equal(OWNERS, i))
    rows = range(len(own)) if rows is None else rows
    top = [math.exp(v) for v in lam]
    total = 0.0
    for row in rows:
        y = LABELS[own[row]]
        total += C * top[y] / sum(top) * entropy(W, FEATURES[own[row]], y)
    return total / len(rows) + 0.05 * float((x * x).sum())


def point(runs=2):
    draw = np.random.default_rng(3)
    shapes = ((runs, N, P * C), (runs, N, C), (runs, N, 2, P * C))
    return (draw.normal(size=shape) for shape in shapes)


def slope(f, x, h):
    """Central differences of f at x, coordinate by coordinate."""
    found = np.zeros(x.shape)
    for a in range(len(x)):
        e = np.zeros(x.shape)
        e[a] = h
        found[a] = (f(x + e) - f(x - e)) / (2 * h)
    return found


@pytest.mark.parametrize("batch", [None, 4])
def test_every_derivative_is_that_of_the_plain_loop(batch):
    made = small(batch=batch)
    x, lam, u = point()
    sample = made.sample(5, np.arange(2), 1)
    g = made.inner_gradient(x, lam, sample)
    hu, cu = made.inner_hvp(x, lam, u, sample), made.cross(x, lam, u, sample)
    h = 1e-5  # truncation h^2 |f'''| / 6 with third derivatives below 300, rounding 100 eps / h
    near = 50 * h * h + 1e3 * EPS / h
    for r, i in np.ndindex(2, N):
        rows = None if sample is None else sample[r, i]
        one, own = slice(r, r + 1), (r, i)
        plain = slope(lambda p, i=i, r=r, rows=rows: inner(i, p, lam[r, i], rows), x[own], h)
        assert np.abs(plain - g[own]).max() <= near

        def pulled(p, q, k, r=r, i=i, one=one):
            moved, at = x[one].copy(), lam[one].copy()
            moved[0, i], at[0, i] = p, q
            drawn = None if sample is None else sample[one]
            return made.inner_gradient(moved, at, drawn)[0, i] @ u[r, i, k]

        for k in range(2):
            along_x = slope(lambda p, k=k, own=own: pulled(p, lam[own], k), x[own], h)
            along_l = slope(lambda q, k=k, own=own: pulled(x[own], q, k), lam[own], h)
            assert np.abs(along_x - hu[r, i, k]).max() <= near
            assert np.abs(along_l - cu[r, i, k]).max() <= near


def test_the_outer_loss_is_the_plain_average_and_its_gradients_are_right():
    made = small(hyper_reg=0.3)
    x, lam, _ = point(1)
    value = made.outer(x, lam)
    g_x, g_lam = made.outer_gradients(x, lam)
    for i in range(N):
        own = np.flatnonzero(np.equal(OWNERS, i))

        def plain(p, own=own):
            W = p.reshape(P, C)
            return sum(entropy(W, FEATURES[j], LABELS[j]) for j in own) / len(own)

        wanted = plain(x[0, i]) + 0.15 * (lam[0, i] ** 2).sum()
        assert abs(value[0, i] - wanted) <= 100 * EPS * abs(wanted)
        h = 1e-5
        assert np.abs(slope(plain, x[0, i], h) - g_x[0, i]).max() <= 50 * h * h + 1e3 * EPS / h
    assert np.array_equal(g_lam, 0.3 * lam)


def test_other_data_can_be_validated_on():
    other = problem("softmax", N, features=-FEATURES, labels=LABELS, owners=OWNERS, batch=None)
    x, lam, _ = point(1)
    flipped = small(outer=other).outer(-x, lam)
    assert np.abs(flipped - small().outer(x, lam)).max() <= 100 * EPS * np.abs(flipped).max()


def test_constants_enclose_the_spectrum_of_the_hessian():
    made = small()
    _, lam, _ = point(1)
    known = made.constants(lam)
    eye = np.broadcast_to(np.eye(P * C), (1, N, P * C, P * C))
    for scale in (0.0, 1.0, 5.0):
        x = scale * np.random.default_rng(0).normal(size=(1, N, P * C))
        values = np.linalg.eigvalsh(made.inner_hvp(x, lam, eye))
        assert values.min() >= known["mu"].value - 100 * EPS
        assert values.max() <= known["L"].value


def test_a_batch_is_its_runs_one_by_one():
    made = small(batch=3)
    runs = np.array([4, 1])
    x, lam, u = point()
    sample = made.sample(2, runs, 0)
    assert np.array_equal(sample[1], made.sample(2, runs[1:], 0)[0])
    for what in (made.inner_hvp, made.cross):
        assert np.array_equal(what(x, lam, u, sample)[1:], what(x[1:], lam[1:], u[1:], sample[1:]))


def test_digits_are_there_and_the_description_builds_them_again():
    made = SoftmaxWeights(4, partition="dirichlet", alpha=0.4, seed=1, reg=0.01)
    assert (made.dim, made.hyper) == (650, 10)
    described = made.describe()
    assert described.pop("name") == "softmax-weights"
    described.pop("clients")
    described.pop("dim", None)
    again = SoftmaxWeights(4, **described)
    x, lam = np.ones((1, 4, 650)), np.zeros((1, 4, 10))
    assert np.array_equal(made.inner_gradient(x, lam), again.inner_gradient(x, lam))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"reg": 0.0}, "reg is 0.0; Assumption 1 .* needs > 0"),
        ({"batch": 0}, "batch is 0"),
        ({"hyper_reg": -1.0}, "hyper_reg -1.0"),
    ],
)
def test_what_does_not_fit_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        SoftmaxWeights(N, **options)


def test_a_minibatch_is_drawn_from_the_stream_of_samples():
    # No other draw of a run is named "sample": the start, the edges and the noise stay apart.
    rows = SoftmaxWeights(3, batch=4)
    runs = np.array([0, 2])
    drawn = rows.sample(7, runs, 5, 1)
    assert drawn.shape == (2, 3, 4)
    expected = Stream(7, "sample").integers(rows.sizes, runs, 3, 5, 1, 4)
    np.testing.assert_array_equal(drawn, expected)
