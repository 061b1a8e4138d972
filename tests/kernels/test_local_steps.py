"""local_steps against plain Python loops with mpmath's exponentials, and its bad inputs."""

import math

import mpmath
import numpy as np
import pytest

from theorylab import _core
from theorylab.kernels import ClientLosses, Stream, aligned_rows, ascent

SEED, ROUND, RUNS = 7, 3, np.array([4, 0])
SIZES = np.array([5, 1, 3])
RNG = np.random.default_rng(3)
X = RNG.standard_normal((9, 5))
CENTERS = RNG.standard_normal((3, 5))
H = RNG.standard_normal((3, 5, 5))
H = H + H.transpose(0, 2, 1)
LABELS = {1: np.array([0, 1, 1, 0, 1, 1, 0, 1, 1]), 3: np.array([0, 2, 1, 0, 1, 2, 0, 1, 2])}


def regression(columns, batch, reg=0.0, dtype=np.float64):
    return ClientLosses.regression(
        X.astype(dtype), LABELS[columns], SIZES, columns=columns, batch=batch, reg=reg
    )


def losses(kind, dtype=np.float64):
    c, h = CENTERS.astype(dtype), H.astype(dtype)
    return {
        "logistic": lambda: regression(1, 4, 0.0, dtype),
        "logistic reg": lambda: regression(1, 7, 0.25, dtype),
        "logistic full": lambda: regression(1, None, 0.0, dtype),
        "softmax": lambda: regression(3, 4, 0.0, dtype),
        "softmax reg full": lambda: regression(3, None, 0.25, dtype),
        "dense": lambda: ClientLosses.quadratic(h, c, 0.3),
        "diagonal": lambda: ClientLosses.quadratic(np.ascontiguousarray(h[:, 0]), c, 0.3),
        "exact quadratic": lambda: ClientLosses.quadratic(h, c, 0.0),
        "log-cosh": lambda: ClientLosses.separable(c, scale=1.5, noise=0.3),
        "clipped": lambda: ClientLosses.separable(c, scale=1.5, noise=0.3, clip=0.6),
    }[kind]()


KINDS = (
    *("logistic", "logistic reg", "logistic full", "softmax", "softmax reg full"),
    *("dense", "diagonal", "exact quadratic", "log-cosh", "clipped"),
)
every = pytest.mark.parametrize("kind", KINDS)


def drawn(kind, run, i, k):
    """What one gradient of one client draws: its rows, or its noise."""
    if kind.startswith(("logistic", "softmax")):
        if "full" in kind:
            return range(SIZES[i])
        b = 7 if "reg" in kind else 4
        draws = Stream(SEED, "sample")
        return draws.integers(int(SIZES[i]), np.array([run]), np.array([i]), ROUND, k, b)[0, 0]
    if kind == "exact quadratic":
        return np.zeros(5)
    return 0.3 * Stream(SEED, "noise").normal(np.array([run]), np.array([i]), ROUND, k, 5)[0, 0]


def gradient(kind, i, z, sample):
    """One client's gradient, number by number, from the formulas of the losses."""
    if kind.startswith(("logistic", "softmax")):
        C, first = 3 if kind.startswith("softmax") else 1, int(SIZES[:i].sum())
        W, g, reg = z.reshape(5, C), np.zeros((5, C)), 0.25 if "reg" in kind else 0.0
        for j in sample:
            row, label = X[first + j], int(LABELS[C][first + j])
            logit = [math.fsum(row * W[:, c]) for c in range(C)]
            if C == 1:
                r = [float(1 / (1 + mpmath.exp(-logit[0]))) - label]
            else:
                e = [mpmath.exp(a - max(logit)) for a in logit]
                r = [float(e[c] / sum(e)) - (c == label) for c in range(C)]
            g += np.outer(row, r) / len(sample)
        return g.ravel() + reg * z
    y = z - CENTERS[i]
    if kind in ("dense", "exact quadratic"):
        return np.array([math.fsum(H[i, a] * y) for a in range(5)]) + sample
    if kind == "diagonal":
        return H[i, 0] * y + sample
    if kind == "log-cosh":
        return 1.5 * np.array([float(mpmath.tanh(a)) for a in y]) + sample
    return 1.5 * np.array([min(max(a, -0.6), 0.6) for a in y]) + sample


def loop(kind, x, w, counts, eta, alpha, rho):
    """Lines 3 to 13 of Algorithm 1 of dfedsgpsm, one client of one run at a time."""
    out = np.array(x, float)
    for r, run in enumerate(RUNS):
        for i in range(3):
            v = np.zeros(x.shape[2])
            for k in range(counts[r, i]):
                z, sample = out[r, i] / float(w[r, i]), drawn(kind, run, i, k)
                g = gradient(kind, i, z, sample)
                if rho and np.any(g):
                    g = gradient(kind, i, z + rho * g / math.sqrt(math.fsum(g * g)), sample)
                v = alpha * v + g
                out[r, i] -= eta * v
    return out


def start(kind, dtype=np.float64):
    d = 15 if kind.startswith("softmax") else 5
    rng = np.random.default_rng(1)
    return rng.standard_normal((2, 3, d)).astype(dtype), (rng.random((2, 3)) + 0.5).astype(dtype)


def call(table, x, w, **options):
    options = {"steps": 4, "eta": 0.1, "alpha": 0.8, "rho": 0.3, **options}
    return table.local_steps(x, w, seed=SEED, runs=RUNS, round=ROUND, **options)


@every
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("alpha", "rho"), [(0.0, 0.0), (0.8, 0.0), (0.8, 0.3)])
def test_local_steps_match_plain_loops(kind, dtype, alpha, rho):
    (x, w), table = start(kind, dtype), losses(kind, dtype)
    before = x.tobytes(), w.tobytes()
    counts = np.array([[4, 2, 0], [1, 4, 3]])
    # Four steps of eta .1 move x, of size below 4, by a gradient of size below 40 that is off by a
    # few roundings of its sums (at most 9 terms, each below 10) and of 1/w: below 16 eps each.
    allowed = 4 * 16 * np.finfo(dtype).eps
    for given, each in ((None, np.full((2, 3), 4)), (counts, counts)):
        got = call(table, x, w, counts=given, alpha=alpha, rho=rho)
        want = loop(kind, x.astype(float), w, each, 0.1, alpha, rho)
        assert got.dtype == dtype
        assert np.all(abs(got - want) <= allowed)
    assert (x.tobytes(), w.tobytes()) == before


@every
def test_gradients_and_values_match_plain_loops(kind):
    (x, _), table = start(kind), losses(kind)
    additive = not kind.startswith(("logistic", "softmax"))
    got = table.gradients(x)
    for r in range(2):
        for i in range(3):
            sample = np.zeros(5) if additive else range(SIZES[i])
            want = gradient(kind, i, x[r, i], sample)
            assert np.all(abs(got[r, i] - want) <= 64 * 2.3e-16 * (1 + abs(want).max()) * 8)
    if additive:
        noise = np.random.default_rng(0).standard_normal(x.shape)
        assert np.array_equal(table.gradients(x, noise=noise), got + noise)


def test_a_zero_gradient_moves_nothing_and_is_not_perturbed():
    table = ClientLosses.separable(CENTERS, scale=1.0, noise=0.0)
    x = np.stack([CENTERS, CENTERS])
    got = call(table, x, np.ones((2, 3)), rho=0.5)
    assert np.array_equal(got, x)
    z = np.ones((1, 2, 3))
    g = np.array([[[0.0, 0, 0], [3, 0, 4]]])
    assert np.array_equal(ascent(z, g, 5.0), [[[1, 1, 1], [4, 1, 5]]])


def test_a_divergent_run_shows_it_and_leaves_the_others_alone():
    x, w = start("dense")
    alone = call(losses("dense"), x, w)
    x[0, 1] = np.nan
    got = call(losses("dense"), x, w)
    assert np.all(np.isnan(got[0, 1]))
    rest = np.ones((2, 3), bool)
    rest[0, 1] = False
    assert np.array_equal(got[rest], alone[rest])


@pytest.mark.parametrize(
    ("name", "exact", "ulps", "points"),
    [
        ("exp", mpmath.exp, 1, -np.concatenate([np.geomspace(1e-20, 707, 4000), [0.0]])),
        ("sigmoid", lambda x: 1 / (1 + mpmath.exp(-x)), 3, np.linspace(-700, 700, 4001)),
        ("log1p", mpmath.log1p, 3, np.geomspace(1e-300, 1, 4000)),
        ("softplus", lambda x: mpmath.log1p(mpmath.exp(x)), 4, np.linspace(-700, 700, 4001)),
        ("tanh", mpmath.tanh, 5, np.geomspace(1e-300, 40, 4000)),
    ],
)
def test_exponentials_are_within_their_stated_errors(name, exact, ulps, points):
    with mpmath.workdps(40):
        for x in map(float, points):
            want = exact(mpmath.mpf(x))
            got = _core.elementary(name, x)
            assert abs(mpmath.mpf(got) - want) <= ulps * math.ulp(float(want)), x


def test_exponentials_pass_nan_on_and_saturate():
    for name in ("exp", "sigmoid", "log1p", "softplus", "tanh"):
        assert math.isnan(_core.elementary(name, math.nan))
    for name, low, high in (("sigmoid", 0, 1), ("softplus", 0, math.inf), ("tanh", -1, 1)):
        assert _core.elementary(name, -math.inf) == low
        assert _core.elementary(name, math.inf) == high
    assert _core.elementary("exp", -709.0) == _core.elementary("exp", -math.inf) == 0


BAD = {
    "x dtype": (lambda t, x, w: call(t, x.astype(int), w), TypeError, "x is int64; need"),
    "x other": (lambda t, x, w: call(t, x.astype(np.float32), w), TypeError, "x has dtype float32"),
    "x shape": (lambda t, x, w: call(t, x[:, 1:], w), ValueError, r"need \(R,3,5\)"),
    "w shape": (lambda t, x, w: call(t, x, w[:, 1:]), ValueError, r"w is .* need float64 \(2,3\)"),
    "counts": (
        lambda t, x, w: call(t, x, w, counts=np.full((2, 3), 9)),
        ValueError,
        "each 0 to 4",
    ),
    "steps": (lambda t, x, w: call(t, x, w, steps=-1), ValueError, "steps is -1; need 0 <= steps"),
    "rows": (
        lambda t, x, w: t.gradients(x, rows=np.full((2, 3, 4), 3)),
        ValueError,
        "row number 3 came; need 0 to 0 for client 1",
    ),
    "rows shape": (
        lambda t, x, w: t.gradients(x, rows=np.zeros((2, 3, 5), np.int64)),
        ValueError,
        r"need \(2,3,4\)",
    ),
    "mean": (lambda t, x, w: t.means(x), ValueError, r"need float64 \(R,5\)"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_line(case):
    function, error, message = BAD[case]
    with pytest.raises(error, match=message) as caught:
        function(losses("logistic"), *start("logistic"))
    assert "\n" not in str(caught.value)


def test_rows_are_padded_with_zeros_and_start_on_a_line():
    for dtype, width in ((np.float64, 8), (np.float32, 16)):
        made = aligned_rows(X.astype(dtype), np.array([3, 1]))
        assert made.shape == (2, width)
        assert made.ctypes.data % 64 == 0
        assert np.array_equal(made[:, :5], X.astype(dtype)[[3, 1]])
        assert not made[:, 5:].any()


def test_noise_that_is_drawn_in_pieces_goes_on_where_it_was():
    table, (x, w) = losses("dense"), (np.ones((2, 3, 5)), np.full((2, 3), 0.5))
    asked = {"seed": SEED, "runs": RUNS, "round": ROUND, "eta": 0.001, "alpha": 0.5}
    made = table.local_steps(x, w, steps=900, **asked)
    v = np.zeros_like(x)
    for k in range(900):
        noise = 0.3 * Stream(SEED, "noise").normal(RUNS, 3, ROUND, k, 5)
        v = 0.5 * v + table.gradients(x / w[:, :, None], noise=noise)
        x = x - 0.001 * v
    assert np.isfinite(made).all()
    assert np.array_equal(made, x)
