import itertools
import math

import numpy as np
import pytest

from theorylab.hypergradients import SoftmaxEnsemble, SoftmaxWeights, TorchBilevel
from theorylab.hypergradients._personal_data import Held, PersonalOptions

EPS = np.finfo(float).eps
N, P, C, K = 2, 3, 3, 2
SIZES, TESTED = np.array([4, 3]), np.array([2, 5])
DRAW = np.random.default_rng(1)


def drawn(sizes):
    inside = np.arange(sizes.max()) < sizes[:, None]
    labels = np.where(inside, DRAW.integers(0, C, inside.shape), -1)
    return Held(DRAW.normal(size=(*inside.shape, P)) * inside[..., None], labels, sizes)


HELD = {"train": drawn(SIZES), "test": drawn(TESTED)}
KINDS = {"both": (True, True), "mixed": (True, False), "weighted": (False, True)}


def made_of(kind="both", components=K, **options):
    mixed, weighted = KINDS[kind]
    options = {"reg": 0.1, "component_reg": 0.3, "label_reg": 0.2, **options}
    chosen = PersonalOptions("here", mixed, weighted, components, **options)
    return SoftmaxEnsemble(HELD, C, chosen)


def softmax(z):
    top = [math.exp(v) for v in z]
    return [v / sum(top) for v in top]


def split(kind, lam, components=K):
    """pi and w of the paper's Section 6.1, lambda^K before lambda^C."""
    mixed, weighted = KINDS[kind]
    ends = components * mixed
    pi = softmax(lam[:ends]) if mixed else [1 / components] * components
    return pi, [C * v for v in softmax(lam[ends:])] if weighted else [1.0] * C


def averaged(x, pi, features):
    """sum_k pi_k softmax(W_k^T a), by plain loops."""
    W = x.reshape(len(pi), P, C)
    total = [0.0] * C
    for k, share in enumerate(pi):
        p = softmax([sum(W[k][a][c] * features[a] for a in range(P)) for c in range(C)])
        total = [t + share * v for t, v in zip(total, p, strict=True)]
    return total


def inner(kind, i, x, lam, rows=None):
    pi, w = split(kind, lam)
    rows = range(SIZES[i]) if rows is None else rows
    total = 0.0
    for j in rows:
        y = HELD["train"].labels[i, j]
        total -= w[y] * math.log(averaged(x, pi, HELD["train"].features[i, j])[y])
    return total / len(rows) + 0.05 * float((x * x).sum())


def point(made, runs=2, k=2):
    shapes = ((runs, N, made.dim), (runs, N, made.hyper), (runs, N, k, made.dim))
    return (np.random.default_rng(3).normal(size=shape) for shape in shapes)


def slope(f, x, h):
    """Central differences of f at x, coordinate by coordinate."""
    steps = h * np.eye(len(x))
    return np.array([(f(x + e) - f(x - e)) / (2 * h) for e in steps])


H = 1e-5  # truncation H^2 |f'''| / 6 with third derivatives below 300, rounding 1e3 EPS / H
NEAR = 50 * H * H + 1e3 * EPS / H


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("batch", [None, 5])
def test_every_derivative_is_that_of_the_plain_loop(kind, batch):
    made = made_of(kind, batch=batch)
    x, lam, u = point(made)
    sample = made.sample(5, np.arange(2), 1)
    g = made.inner_gradient(x, lam, sample)
    hu, cu = made.inner_hvp(x, lam, u, sample), made.cross(x, lam, u, sample)
    for r, i in np.ndindex(2, N):
        rows = None if sample is None else sample[r, i]
        one = slice(r, r + 1)
        plain = slope(lambda p, i=i, r=r, rows=rows: inner(kind, i, p, lam[r, i], rows), x[r, i], H)
        assert np.abs(plain - g[r, i]).max() <= NEAR

        def pulled(p, q, k, r=r, i=i, one=one):
            moved, at = x[one].copy(), lam[one].copy()
            moved[0, i], at[0, i] = p, q
            drawn = None if sample is None else sample[one]
            return made.inner_gradient(moved, at, drawn)[0, i] @ u[r, i, k]

        for k in range(2):
            along_x = slope(lambda p, k=k, r=r, i=i: pulled(p, lam[r, i], k), x[r, i], H)
            along_l = slope(lambda q, k=k, r=r, i=i: pulled(x[r, i], q, k), lam[r, i], H)
            assert np.abs(along_x - hu[r, i, k]).max() <= NEAR
            assert np.abs(along_l - cu[r, i, k]).max() <= NEAR


@pytest.mark.parametrize("kind", KINDS)
def test_the_outer_loss_has_no_label_weights_and_a_rate_for_each_group(kind):
    made = made_of(kind)
    x, lam, _ = point(made, 1)
    value, (g_x, g_lam) = made.outer(x, lam), made.outer_gradients(x, lam)
    rates = [0.3] * (K * KINDS[kind][0]) + [0.2] * (C * KINDS[kind][1])
    for i in range(N):

        def plain(p, q, i=i):
            pi, total = split(kind, q)[0], 0.0
            for j in range(SIZES[i]):
                y = HELD["train"].labels[i, j]
                total -= math.log(averaged(p, pi, HELD["train"].features[i, j])[y]) / SIZES[i]
            return total + sum(rate * v * v / 2 for rate, v in zip(rates, q, strict=True))

        wanted = plain(x[0, i], lam[0, i])
        assert abs(value[0, i] - wanted) <= 100 * EPS * abs(wanted)
        along_x = slope(lambda p, i=i: plain(p, lam[0, i]), x[0, i], H)
        along_l = slope(lambda q, i=i: plain(x[0, i], q), lam[0, i], H)
        assert np.abs(along_x - g_x[0, i]).max() <= NEAR
        assert np.abs(along_l - g_lam[0, i]).max() <= NEAR


def test_torch_differentiates_to_the_same_numbers():
    torch = pytest.importorskip("torch")
    made = made_of()

    def loss(x, lam, X, y, share):
        p = torch.softmax(torch.einsum("mp,kpc->kmc", X, x.reshape(K, P, C)), -1)
        mean = torch.einsum("k,kmc->mc", torch.softmax(lam[:K], 0), p)
        w = C * torch.softmax(lam[K:], 0)
        chosen = mean.gather(1, y[:, None])[:, 0]
        return -(share * w[y] * torch.log(chosen)).sum() + 0.05 * (x * x).sum()

    train = HELD["train"]
    arrays = (train.features, np.maximum(train.labels, 0), train.shares())
    theirs = TorchBilevel(loss, loss, [torch.from_numpy(a) for a in arrays], made.dim, made.hyper)
    x, lam, u = point(made)
    put = [theirs.points(a) for a in (x, lam, u)]
    for what, given in (("inner_gradient", 2), ("inner_hvp", 3), ("cross", 3)):
        ours = getattr(made, what)(*(x, lam, u)[:given])
        other = theirs.numbers(getattr(theirs, what)(*put[:given]))
        assert np.abs(ours - other).max() <= 1e3 * EPS  # sums of some 20 terms below 10


def test_one_model_with_label_weights_is_softmax_regression_with_label_weights():
    made, train = made_of("weighted", 1), HELD["train"]
    rows = train.inside()
    options = {"features": train.features[rows], "labels": train.labels[rows]}
    owners = np.repeat(np.arange(N), SIZES)
    other = SoftmaxWeights(N, reg=0.1, hyper_reg=0.2, owners=owners, **options)
    x, lam, u = point(made)
    pairs = [(made.outer(x, lam), other.outer(x, lam))]
    pairs += zip(made.outer_gradients(x, lam), other.outer_gradients(x, lam), strict=True)
    for what in ("inner_hvp", "cross"):
        pairs.append((getattr(made, what)(x, lam, u), getattr(other, what)(x, lam, u)))
    for ours, theirs in pairs:
        assert np.abs(ours - theirs).max() <= 1e3 * EPS
    for part in ("train", "test"):
        if part in other.part_sizes:
            assert np.array_equal(made.accuracy(x, lam, part), other.accuracy(x, lam, part))
    ours, theirs = made.constants(lam), other.constants(lam)
    assert ours["mu"].value == theirs["mu"].value
    assert abs(ours["L"].value / theirs["L"].value - 1) <= 1e3 * EPS


def test_the_bounds_enclose_a_spectrum_that_is_not_positive():
    made = made_of(reg=0.001)
    lam = np.random.default_rng(0).normal(size=(1, N, made.hyper))
    known, eye = made.constants(lam), np.broadcast_to(np.eye(made.dim), (1, N, made.dim, made.dim))
    assert set(known) == {"L"}
    lowest = 0.0
    for scale in (0.1, 1.0, 5.0):
        x = scale * np.random.default_rng(0).normal(size=(1, N, made.dim))
        values = np.linalg.eigvalsh(made.inner_hvp(x, lam, eye))
        assert np.abs(values).max() <= known["L"].value
        lowest = min(lowest, values.min())
    assert lowest < -0.01  # no strong convexity, as the docstring says
    strong = made_of(reg=50.0).constants(lam)
    assert 0 < strong["mu"].value < 50 < strong["L"].value


def test_the_mean_over_all_minibatches_is_the_full_batch():
    made = made_of(batch=2)
    pairs = [list(itertools.product(range(m), repeat=2)) for m in SIZES]
    every = np.array([[a, b] for a, b in itertools.product(*pairs)])  # (144, n, 2): equally likely
    x, lam, u = point(made, 1)
    for what, given in (("inner_gradient", 2), ("inner_hvp", 3), ("cross", 3)):
        points = (x, lam, u)[:given]
        mean = getattr(made, what)(*points, every).mean(axis=0)
        # 144 terms, each a sum of some 20 below 10
        assert np.abs(mean - getattr(made, what)(*points)[0]).max() <= 1e4 * EPS
    seen = made.sample(0, np.arange(500), 3)
    for i, m in enumerate(SIZES):
        assert set(seen[:, i].ravel().tolist()) == set(range(m))


def test_a_batch_is_its_runs_one_by_one():
    made, runs = made_of(batch=3), np.array([4, 1])
    x, lam, u = point(made)
    sample = made.sample(2, runs, 0)
    assert np.array_equal(sample[1], made.sample(2, runs[1:], 0)[0])
    assert np.array_equal(made.initial(2, runs)[1], made.initial(2, runs[1:])[0])
    for what in (made.inner_hvp, made.cross):
        assert np.array_equal(what(x, lam, u, sample)[1:], what(x[1:], lam[1:], u[1:], sample[1:]))


def test_accuracy_is_that_of_the_averaged_prediction():
    made = made_of()
    x, lam, _ = point(made, 40)
    lam *= 3
    for part, data in HELD.items():
        right = np.zeros((40, N))
        for r, i in np.ndindex(40, N):
            pi = split("both", lam[r, i])[0]
            for j in range(data.sizes[i]):
                p = averaged(x[r, i], pi, data.features[i, j])
                right[r, i] += p.index(max(p)) == data.labels[i, j]
        assert np.array_equal(made.accuracy(x, lam, part), right / data.sizes)
        assert np.array_equal(made.sizes_of(part), data.sizes)


def test_the_models_start_apart_and_the_clients_together():
    x = made_of().initial(3, np.arange(2)).reshape(2, N, K, P * C)
    assert np.array_equal(x[:, 0], x[:, 1])
    assert not (x[:, :, 0] == x[:, :, 1]).any()
    assert np.abs(x).max() <= 1 / math.sqrt(P)
    assert not made_of("weighted", 1).initial(3, np.arange(2)).any()


def test_what_does_not_fit_is_refused():
    made = made_of(batch=2)
    x, lam, _ = point(made, 1)
    with pytest.raises(ValueError, match=r"sample has shape \(1, 2, 3\); need \(R,n,batch\)"):
        made.inner_gradient(x, lam, np.zeros((1, 2, 3), int))
    with pytest.raises(ValueError, match="part is 'validation'; there is train, test"):
        made.accuracy(x, lam, "validation")
    with pytest.raises(ValueError, match="made of arrays; need a name of bilevel"):
        made.describe()
