import numpy as np
import pytest

from theorylab.hypergradients import (
    SGP,
    Linear,
    SoftmaxWeights,
    TorchBilevel,
    edge_law,
    flat_model,
    hgp,
    hypergradient,
    stationary,
)
from theorylab.topologies import topology

torch = pytest.importorskip("torch")
EPS = np.finfo(float).eps
N, M, P, C = 3, 4, 2, 3
DRAW = np.random.default_rng(1)
X, Y = DRAW.normal(size=(N, M, P)), np.arange(N * M).reshape(N, M) % C
NUMPY = SoftmaxWeights(
    N,
    reg=0.1,
    batch=2,
    hyper_reg=0.2,
    features=X.reshape(-1, P),
    labels=Y.ravel(),
    owners=np.repeat(np.arange(N), M),
)


def inner(x, lam, features, labels):
    z = features @ x.reshape(P, C)
    each = torch.logsumexp(z, 1) - z.gather(1, labels[:, None])[:, 0]
    weight = C * torch.softmax(lam, 0)
    return (weight[labels] * each).mean() + 0.05 * (x * x).sum()


def outer(x, lam, features, labels):
    z = features @ x.reshape(P, C)
    each = torch.logsumexp(z, 1) - z.gather(1, labels[:, None])[:, 0]
    return each.mean() + 0.1 * (lam * lam).sum()


def adapted(**options):
    data = (torch.from_numpy(X), torch.from_numpy(Y))
    return TorchBilevel(inner, outer, data, P * C, C, **options)


@pytest.mark.parametrize("batch", [None, 2])
def test_every_product_is_that_of_the_numpy_problem(batch):
    made = adapted(batch=batch)
    x, lam, u = (DRAW.normal(size=(2, N, *tail)) for tail in ((P * C,), (C,), (2, P * C)))
    sample = made.sample(3, np.array([4, 1]), 2)
    if batch is not None:
        assert np.array_equal(sample, NUMPY.sample(3, np.array([4, 1]), 2))
    put = [made.points(part) for part in (x, lam, u)]
    pairs = [
        (made.inner_gradient(*put[:2], sample), NUMPY.inner_gradient(x, lam, sample)),
        (made.inner_hvp(*put, sample), NUMPY.inner_hvp(x, lam, u, sample)),
        (made.cross(*put, sample), NUMPY.cross(x, lam, u, sample)),
        (made.outer(*put[:2]), NUMPY.outer(x, lam)),
        *zip(made.outer_gradients(*put[:2]), NUMPY.outer_gradients(x, lam), strict=True),
    ]
    for ours, theirs in pairs:
        assert ours.shape == theirs.shape
        # sums of a dozen terms of size < 10, in another order
        assert np.abs(made.numbers(ours) - theirs).max() <= 1e3 * EPS


def test_one_call_gives_the_same_numbers_on_both():
    built, lam = topology("sto-d", N, seed=2), DRAW.normal(size=(N, C))
    full = SoftmaxWeights(
        N,
        reg=0.1,
        hyper_reg=0.2,
        features=X.reshape(-1, P),
        labels=Y.ravel(),
        owners=np.repeat(np.arange(N), M),
    )
    asked = {"exact": {}, "vr-hgp": {"terms": 9, "runs": 3}, "hgp": {"terms": 4}}
    asked = {name: {**options, "assess": False} for name, options in asked.items()}
    for method, options in asked.items():
        ours = hypergradient(adapted(), built, method, lam=lam, step=0.3, **options)
        theirs = hypergradient(full, built, method, lam=lam, step=0.3, **options)
        assert isinstance(ours.gradient, np.ndarray)
        # two stationary points with residuals of 1e-12, magnified by 1 / (step reg) = 33
        assert np.abs(ours.gradient - theirs.gradient).max() <= 1e-9


def test_the_estimate_stays_a_tensor():
    built = topology("sto-u", N, seed=2)
    x, lam = DRAW.normal(size=(1, N, P * C)), np.zeros((1, N, C))
    at = Linear(adapted(), SGP(0.1), x, np.ones((1, N)), lam, full=True)
    made = hgp(at, built, edge_law(built), 3, runs=np.arange(2))
    assert isinstance(made.gradient, torch.Tensor)
    assert made.gradient.dtype == torch.float64
    assert made.gradient.shape == (2, N, C)


def test_a_module_is_read_from_one_flat_vector():
    torch.manual_seed(0)
    layers = torch.nn.Linear(P, 4), torch.nn.Tanh(), torch.nn.Linear(4, C)
    net = torch.nn.Sequential(*layers).double()
    call, x0 = flat_model(net)
    inputs = torch.from_numpy(X[0])
    assert x0.shape == (P * 4 + 4 + 4 * C + C,)
    assert torch.equal(call(torch.from_numpy(x0), inputs), net(inputs))

    def loss(x, lam, features, labels):
        return torch.nn.functional.cross_entropy(call(x, features), labels) + (
            torch.exp(lam[0]) * (x * x).sum()
        )

    data = (torch.from_numpy(X), torch.from_numpy(Y))
    made = TorchBilevel(loss, loss, data, len(x0), 1)
    x, lam = np.tile(x0, (1, N, 1)), np.zeros((1, N, 1))
    u = DRAW.normal(size=(1, N, 1, len(x0)))
    hu = made.inner_hvp(*(made.points(part) for part in (x, lam, u)))
    for i in range(N):  # reverse over reverse, autograd without torch.func
        p = torch.from_numpy(x[0, i]).requires_grad_()
        value = loss(p, torch.zeros(1, dtype=torch.float64), data[0][i], data[1][i])
        (g,) = torch.autograd.grad(value, p, create_graph=True)
        (wanted,) = torch.autograd.grad(g @ torch.from_numpy(u[0, i, 0]), p)
        assert torch.abs(hu[0, i, 0] - wanted).max() <= 1e3 * EPS


def test_data_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"need \(n, m, \.\.\.\) each, one of them floating"):
        TorchBilevel(inner, outer, (torch.from_numpy(Y),), 2, 1)
    with pytest.raises(ValueError, match="batch is 0; need >= 1"):
        adapted(batch=0)


def network(kind=torch.float64, clients=3):
    """A small MLP with an l2 weight exp(lambda), on the tables of this file."""
    torch.manual_seed(0)
    layers = torch.nn.Linear(P, 2), torch.nn.Tanh(), torch.nn.Linear(2, C)
    net = torch.nn.Sequential(*layers).to(kind)
    call, _ = flat_model(net)

    def loss(x, lam, features, labels):
        return torch.nn.functional.cross_entropy(call(x, features), labels)

    def regular(x, lam, features, labels):
        return loss(x, lam, features, labels) + torch.exp(lam[0]) * (x * x).sum() / 2

    data = X.astype(np.float32 if kind == torch.float32 else np.float64), Y
    return TorchBilevel(regular, loss, data, None, 1, start=net)


def test_an_mlp_works_out_of_the_box_and_agrees_with_finite_differences():
    graph, step = topology("complete", N), 0.5
    lam, made = np.full((N, 1), -1.0), network()
    found = hypergradient(made, graph, lam=lam, step=step)

    def cost(lam):
        point = stationary(made, edge_law(graph), SGP(step), lam, z0=found.point.z)
        points = (made.points(point.x[None]), made.points(lam[None]))
        return float(made.numbers(made.outer(*points)).mean())

    h = 1e-4
    for e in (np.eye(N)[:, :1] * h,):
        slope = (cost(lam + e) - cost(lam - e)) / (2 * h)
        # truncation h^2 = 1e-8, residuals of 1e-12 over h = 1e-8, each times a few tens
        assert abs(found.gradient[0, 0] - slope) <= 1e-6
    single = hypergradient(network(torch.float32), graph, lam=lam, step=step)
    assert np.abs(single.gradient - found.gradient).max() <= 1e-3 * np.abs(found.gradient).max()


def test_zero_is_a_saddle_of_it_and_the_line_says_so():
    made = network()
    made._start = None  # x = 0, as without a start
    with pytest.raises(ValueError, match=r"a saddle or a flat direction, and no step helps"):
        hypergradient(made, topology("complete", N), lam=np.full((N, 1), -6.0), step=0.1)


def test_numpy_data_and_networkx_graphs_are_taken():
    networkx = pytest.importorskip("networkx")
    made = TorchBilevel(inner, outer, (X, Y), P * C, C)
    graph = networkx.cycle_graph(N)
    ours = hypergradient(made, graph, step=0.3)
    theirs = hypergradient(adapted(), topology("ring", N), step=0.3)
    assert np.abs(ours.gradient - theirs.gradient).max() <= 1e-12
    with pytest.raises(TypeError, match="topology is a str; need a Topology or a networkx graph"):
        hypergradient(made, "ring")


def vector(x, lam, features, labels):
    return x


def branching(x, lam, features, labels):
    return x.sum() if x.sum() > 0 else -x.sum()


BAD = [
    ({"dim": 5}, r"inner fails on tensors of shapes \(5,\), \(3,\), \(4, 2\), \(4,\): Runtime"),
    ({"hyper": 2}, r"inner fails on tensors of shapes .*: IndexError"),
    ({"inner": vector}, r"inner gives \(6,\); need a scalar tensor"),
    ({"outer": lambda *a: 1.0}, "outer gives float; need a scalar tensor"),
    ({"outer": lambda x, *a: x.sum() / 0}, "outer gives nan of torch.float64 at the first x and l"),
    ({"inner": branching}, "torch.func cannot differentiate the losses: "),
    ({"data": X}, "data is a ndarray; need a tuple of tensors or NumPy arrays"),
    ({"data": (X, [1, 2])}, "data holds list; need tensors or NumPy arrays"),
    ({"data": (X, X.astype(np.float32))}, "data are float32, float64; need all float64 or all"),
    ({"data": (X.astype(np.float16), Y)}, "data are float16; need all float64 or all float32"),
    ({"start": np.zeros(5)}, "start has 5 numbers, dim is 6"),
    ({"start": np.zeros((2, 6))}, r"start has shape \(2, 6\); need \(dx,\) or \(3,dx\)"),
    ({"start": np.full(6, np.nan)}, "start holds nan or inf"),
    ({"start": "zero"}, "start is a str; need numbers or a module"),
    ({"dim": None}, "dim is None without a start"),
    ({"dim": 0}, "dim is 0; need an integer >= 1"),
]


@pytest.mark.parametrize(("change", "words"), BAD)
def test_what_does_not_fit_is_refused_at_once_in_one_line(change, words):
    given = {"inner": inner, "outer": outer, "data": (X, Y), "dim": P * C, "hyper": C, **change}
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        hypergradient(TorchBilevel(**given), topology("complete", N), step=0.1)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("torch: ")


def test_data_that_are_not_finite_give_one_line_and_no_number():
    for name, poisoned in (("outer_data", 2), ("data", 1)):
        features = X.copy()
        features[poisoned, 0, 0] = np.nan
        given = {"data": (X, Y), name: (features, Y)}
        made = TorchBilevel(inner, outer, given.pop("data"), P * C, C, **given)
        with pytest.raises(ValueError, match=r"not finite|leaves float64"):
            hypergradient(made, topology("complete", N), step=0.1)


def test_an_inner_loss_that_determines_nothing_is_told():
    flat = TorchBilevel(
        lambda x, lam, a, y: (lam * lam).sum() + 0 * x.sum(), outer, (X, Y), P * C, C
    )
    with pytest.raises(ValueError, match=r"need inner losses that determine x|rho"):
        hypergradient(flat, topology("complete", N), step=0.1)
    with pytest.raises(ValueError, match="runs is 0; need an integer >= 1"):
        hypergradient(adapted(), topology("complete", N), "hgp", runs=0)
