import numpy as np
import pytest

from theorylab.data import Labelled
from theorylab.hypergradients import NetworkEnsemble, bilevel

torch = pytest.importorskip("torch")
EPS, EPS32 = np.finfo(float).eps, np.finfo(np.float32).eps
PARTS = ("train", "validation", "test")
DRAW = np.random.default_rng(1)
PIXELS = DRAW.integers(0, 256, (30, 1, 4, 4)).astype(np.uint8)
TINY = Labelled("tiny", PIXELS, np.arange(30) % 2, PIXELS[:6], np.arange(6) % 2, 2, scale=1 / 255)
N, K = 2, 2


@pytest.fixture(autouse=True)
def one_thread():
    """These products are tiny: waking a second thread costs more than it does."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def tiny(name="pdbo-mtl-da", **options):
    given = {"data": TINY, "channels": [2], "kernel": 3, "reg": 0.1, "seed": 1, **options}
    return bilevel(name, N, model="cnn", **{"components": K, **given})


def point(made, runs=2, k=2):
    draw = np.random.default_rng(3)
    shapes = ((runs, N, made.hyper), (runs, N, k, made.dim))
    return made.initial(0, np.arange(runs)), *(draw.normal(size=shape) for shape in shapes)


def rows_of(made, part, i):
    inputs, labels, _ = made._tensors[part]
    m = made.sizes_of(part)[i]
    return inputs[i, :m].double() / 255, labels[i, :m]


def averaged(x, pi, inputs):
    """sum_k pi_k softmax(net(x_k; inputs)), written out: 2 channels of 3x3, pooled to 2x2."""
    F, total = torch.nn.functional, 0.0
    for k, share in enumerate(pi):
        own = x.reshape(len(pi), -1)[k]
        kernel, bias = own[:18].reshape(2, 1, 3, 3), own[18:20]
        hidden = F.max_pool2d(F.relu(F.conv2d(inputs, kernel, bias, padding=1)), 2).flatten(1)
        z = hidden @ own[20:36].reshape(2, 8).T + own[36:38]
        total = total + share * torch.softmax(z, 1)
    return total


def loss(x, lam, inputs, labels, weighted):
    chosen = averaged(x, torch.softmax(lam[:K], 0), inputs)[range(len(labels)), labels]
    weight = 2 * torch.softmax(lam[K:], 0)[labels] if weighted else 1.0
    return -(weight * torch.log(chosen)).mean()


@pytest.mark.parametrize("batch", [None, 4])
def test_every_product_is_that_of_autograd_twice(batch):
    made = tiny(batch=batch)
    assert made.dim == K * 38
    x, lam, u = point(made)
    sample = made.sample(5, np.arange(2), 1)
    put = [made.points(part) for part in (x, lam, u)]
    g, hu = made.inner_gradient(*put[:2], sample), made.inner_hvp(*put, sample)
    cu, value = made.cross(*put, sample), made.outer(*put[:2])
    g_x, g_lam = made.outer_gradients(*put[:2])
    rates = torch.tensor([0.01] * K + [0.0005] * 2, dtype=torch.float64)
    for r, i in np.ndindex(2, N):
        p, q = put[0][r, i].clone().requires_grad_(), put[1][r, i].clone().requires_grad_()
        inputs, labels = rows_of(made, "train", i)
        F = loss(p, q, inputs, labels, False) + (rates * q * q).sum() / 2
        outer = torch.autograd.grad(F, (p, q))
        if sample is not None:
            inputs, labels = inputs[sample[r, i]], labels[sample[r, i]]
        f = loss(p, q, inputs, labels, True) + 0.05 * (p * p).sum()
        (slope,) = torch.autograd.grad(f, p, create_graph=True)
        pairs = [(value[r, i], F), (g_x[r, i], outer[0]), (g_lam[r, i], outer[1])]
        pairs.append((g[r, i], slope))
        for k in range(2):
            again = torch.autograd.grad(slope @ put[2][r, i, k], (p, q), retain_graph=True)
            pairs += [(hu[r, i, k], again[0]), (cu[r, i, k], again[1])]
        for ours, theirs in pairs:  # sums of a few hundred terms below 10
            assert torch.abs(ours - theirs).max() <= 1e4 * EPS


def test_accuracy_is_that_of_the_averaged_prediction():
    made = tiny()
    x, lam, _ = point(made, 4)
    put = made.points(x), made.points(3 * lam)
    for part in PARTS:
        found = made.accuracy(*put, part)
        for r, i in np.ndindex(4, N):
            inputs, labels = rows_of(made, part, i)
            best = averaged(put[0][r, i], torch.softmax(put[1][r, i, :K], 0), inputs).argmax(1)
            assert found[r, i] == int((best == labels).sum()) / len(labels)


@pytest.mark.parametrize("name", ["pdbo-da", "pdbo-mtl-da"])
def test_networks_without_hidden_layers_are_the_numpy_ensemble(name):
    given = {"alpha": 0.5, "seed": 2, "batch": 5, "reg": 0.01}
    net = bilevel(name, 5, model="mlp", hidden=[], **given)
    numpy = bilevel(name, 5, **given)
    runs = np.arange(2)
    assert np.array_equal(net.sample(1, runs, 0), numpy.sample(1, runs, 0))

    def turned(x):
        """A linear layer's (C, p) weights and C biases as p + 1 rows of C."""
        each = x.reshape(*x.shape[:-1], -1, 650)
        body = np.swapaxes(each[..., :640].reshape(*each.shape[:-1], 10, 64), -1, -2)
        whole = np.concatenate([body, each[..., None, 640:]], axis=-2)
        return whole.reshape(x.shape)

    x, draw = net.initial(0, runs), np.random.default_rng(4)
    lam, u = draw.normal(size=(2, 5, net.hyper)), draw.normal(size=(2, 5, 2, net.dim))
    put, ours = [net.points(p) for p in (x, lam, u)], (turned(x), lam, turned(u))
    near = 1e4 * EPS  # sums of 65 x 360 products, the largest about 10
    for sample in (None, net.sample(1, runs, 0)):
        for what, given in (("inner_gradient", 2), ("inner_hvp", 3), ("cross", 3)):
            theirs = net.numbers(getattr(net, what)(*put[:given], sample))
            theirs = theirs if what == "cross" else turned(theirs)
            assert np.abs(theirs - getattr(numpy, what)(*ours[:given], sample)).max() <= near
    assert np.abs(net.numbers(net.outer(*put[:2])) - numpy.outer(*ours[:2])).max() <= near
    g_x, g_lam = (net.numbers(part) for part in net.outer_gradients(*put[:2]))
    wanted = numpy.outer_gradients(*ours[:2])
    assert np.abs(turned(g_x) - wanted[0]).max() <= near
    assert np.abs(g_lam - wanted[1]).max() <= near
    for part in PARTS:
        assert np.array_equal(net.accuracy(*put[:2], part), numpy.accuracy(*ours[:2], part))


def test_pieces_of_any_size_give_the_same_numbers():
    whole = tiny()
    x, lam, u = point(whole)
    put = [whole.points(part) for part in (x, lam, u)]
    # three samples of one copy, and one copy of some samples, go through at a time
    for little in (tiny(memory=3 * 5 * whole._per_sample), tiny(memory=20 * whole._per_sample)):
        assert whole.sizes_of("train").min() > 3
        for what, given in (("inner_hvp", 3), ("outer", 2)):
            pair = (getattr(made, what)(*put[:given]) for made in (whole, little))
            assert torch.abs(next(pair) - next(pair)).max() <= 1e4 * EPS
        pairs = zip(whole.outer_gradients(*put[:2]), little.outer_gradients(*put[:2]), strict=True)
        assert all(torch.abs(a - b).max() <= 1e4 * EPS for a, b in pairs)
        assert np.array_equal(whole.accuracy(*put[:2]), little.accuracy(*put[:2]))


def test_a_batch_is_its_runs_one_by_one():
    made, runs = tiny(batch=3), np.array([4, 1])
    x, lam, u = point(made)
    sample = made.sample(2, runs, 0)
    assert np.array_equal(made.initial(2, runs)[1], made.initial(2, runs[1:])[0])
    put = [made.points(part) for part in (x, lam, u)]
    alone = made.inner_hvp(*(part[1:] for part in put), sample[1:])
    assert torch.abs(made.inner_hvp(*put, sample)[1:] - alone).max() <= 1e4 * EPS


def test_single_precision_is_close_to_double():
    double, single = tiny(), tiny(dtype="float32")
    x, lam, u = point(double)
    pair = [
        made.numbers(made.inner_hvp(*(made.points(part) for part in (x, lam, u))))
        for made in (double, single)
    ]
    assert single.points(x).dtype == torch.float32
    assert np.abs(pair[0] - pair[1]).max() <= 1e4 * EPS32


def test_the_description_builds_the_same_problem_and_the_models_start_apart():
    made = bilevel("pdbo-mtl", 3, model="cnn", channels=[2], hidden=[5], dtype="float32")
    again = bilevel(**made.describe())
    assert isinstance(again, NetworkEnsemble)
    x = made.initial(1, np.arange(2))
    assert np.array_equal(x, again.initial(1, np.arange(2)))
    each = x.reshape(2, 3, 3, -1)
    assert np.array_equal(each[:, 0], each[:, 2])
    assert not (each[:, :, 0] == each[:, :, 1]).any()
    put = made.points(x), made.points(np.zeros((2, 3, 3)))
    assert np.array_equal(made.accuracy(*put), again.accuracy(*put))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dtype": "half"}, "dtype is 'half'; need float32 or float64"),
        ({"channels": [2, 2, 2]}, "3 convolutions of 3x3 leave nothing of images of 4x4"),
        ({"channels": [0]}, "channels is 0; need an integer >= 1"),
        ({"device": "tpu"}, "device is 'tpu'; need cpu"),
        ({"memory": 0}, "memory is 0"),
    ],
)
def test_what_does_not_fit_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        tiny(**options)
    with pytest.raises(ValueError, match="made of arrays; need a name of bilevel"):
        tiny().describe()
