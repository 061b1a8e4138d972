"""What every network promises beyond its gradients: the contract of a problem, for tensors."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
import torch

from theorylab import problems
from theorylab.algorithms import DFedSGPSM
from theorylab.problems import _network_passes, problem
from theorylab.problems._network import Network
from theorylab.runs import simulate
from theorylab.topologies import topology

pytestmark = pytest.mark.usefixtures("one_thread")
NAMES = ("cnn", "lstm", "mlp", "resnet18")
each = pytest.mark.parametrize("name", NAMES)


def test_every_network_is_covered_here():
    made = {
        getattr(problems, key) for key in dir(problems) if isinstance(getattr(problems, key), type)
    }
    assert {c.name for c in made if issubclass(c, Network) and c is not Network} == set(NAMES)


def test_listing_the_problems_does_not_import_torch():
    code = "import sys, theorylab.problems as p; p.names(); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@each
def test_building_and_stepping_leave_torch_as_it_was(name, tiny):
    torch.manual_seed(1)
    before = torch.get_rng_state(), torch.get_num_threads(), torch.get_default_dtype()
    p = tiny(name)
    p.stochastic_gradient(p.points(p.initial(0, np.arange(1))), p.sample(0, np.arange(1), 0, 0))
    assert torch.equal(torch.get_rng_state(), before[0])
    assert (torch.get_num_threads(), torch.get_default_dtype()) == before[1:]


@each
def test_first_models_are_one_a_run_and_the_same_for_all_clients(name, tiny):
    p = tiny(name)
    x = p.initial(3, np.array([2, 9]))
    assert (x.shape, x.dtype, x.flags.c_contiguous) == ((2, 3, p.dim), np.float64, True)
    assert (x == x[:, :1]).all()
    assert (x[0] != x[1]).any()
    assert np.array_equal(p.initial(3, np.array([9])), x[1:])
    assert (p.initial(4, np.array([9])) != x[1:]).any()
    single = tiny(name, dtype="float32")
    assert np.array_equal(single.initial(3, np.array([2, 9])), x.astype(np.float32))
    assert single.points(x).dtype == torch.float32
    made = p.points(x)
    made += 1  # a copy: the array keeps its numbers
    assert np.array_equal(p.initial(3, np.array([2, 9])), x)


@each
def test_first_models_follow_pytorchs_own_law(name, tiny, plain):
    p = tiny(name)
    runs = 400
    x = p.initial(0, np.arange(runs))[:, 0]
    torch.manual_seed(0)
    own = [torch.cat([w.detach().reshape(-1) for w in plain(name).parameters()]) for _ in range(50)]
    want = torch.stack(own).numpy()
    fixed = want.std(axis=0) == 0  # GroupNorm
    assert (x[:, fixed] == want[0, fixed]).all()
    reach = np.abs(want).max(axis=0)  # of 50 draws: within 1 - 50**-1 of the bound, mostly
    uniform = ~fixed & (np.arange(p.dim) >= (15 if name == "lstm" else 0))
    low, high = np.abs(x[:, uniform]).max(axis=0), reach[uniform]
    # Both maxima lie in (.8, 1) of the bound but for a chance of .8^50 = 1.4e-5 a coordinate.
    assert (low < high / 0.8).mean() > 0.999
    assert (low > 0.95 * high).mean() > 0.999
    scale = np.abs(x[:, ~fixed]).max(axis=0)
    # Means of 400 draws: 6 standard deviations, at most scale / sqrt(400) each.
    assert (np.abs(x[:, ~fixed].mean(axis=0)) <= 6 * scale / 20).all()


@each
@pytest.mark.parametrize("alone", [2**16, 1])
def test_local_steps_have_the_bits_of_the_loop(name, alone, tiny, monkeypatch):
    monkeypatch.setattr(_network_passes, "_ALONE", alone)
    p = tiny(name, reg=0.1)
    ids = np.array([1, 5])
    x = p.points(p.initial(0, ids)) * p.points(np.array([[[1.0], [0.5], [2.0]]]))
    w = p.points(np.array([[1.0, 0.5, 2.0], [0.7, 1.3, 1.0]]))
    counts = np.array([[3, 0, 2], [1, 3, 3]])
    others = counts[::-1].copy()  # what was kept of a call's counts is not the next one's
    cases = (0.0, 0.0, None), (0.9, 0.05, None), (0.9, 0.05, counts), (0.9, 0.05, others)
    for alpha, rho, done in cases:
        y, v = x.clone(), torch.zeros_like(x)
        for k in range(3):
            z, sample = y / w[..., None], p.sample(7, ids, 4, k)
            g = p.stochastic_gradient(z, sample)
            if rho:
                g = p.stochastic_gradient(z + rho * (g / (g * g).sum(-1, True).sqrt()), sample)
            v = alpha * v + g
            works = torch.ones(2, 3) if done is None else torch.as_tensor(done > k)
            y = torch.where(works[..., None] > 0, y - 0.3 * v, y)
        kept = x.clone()
        made = p.local_steps(
            x, w, 7, ids, 4, steps=3, counts=done, eta=0.3, alpha=alpha, rho=rho
        )  # fmt: skip
        assert torch.equal(made, y)
        assert torch.equal(x, kept)


def test_a_client_whose_gradient_is_0_stays_where_it_is(tiny):
    p, ids = tiny("mlp"), np.arange(1)
    x = p.points(p.initial(0, ids))
    label = p._train.labels[-1]  # of client 2's only sample
    x[0, 2, p.dim - 3 + label] = 1e4  # its residual underflows to 0, and SAM's g / |g| is 0 / 0
    made = p.local_steps(
        x, p.points(np.ones((1, 3))), 0, ids, 0, steps=2, counts=None, eta=0.1, alpha=0.5, rho=0.1
    )
    assert torch.equal(made[0, 2], x[0, 2])
    assert torch.isfinite(made).all()
    assert (made[0, :2] != x[0, :2]).any()


@each
def test_a_simulation_records_losses_and_accuracies(name, tiny):
    p = tiny(name)
    algorithm = DFedSGPSM(eta=0.05, alpha=0.9, rho=0.01, local_steps=2)
    columns = ["loss", "own_loss", "accuracy", "accuracy_low", "squared_gradient", "consensus"]
    graph = topology("random-out", 3, degree=1)
    trace = simulate(p, graph, algorithm, rounds=3, runs=2, columns=columns)
    start = p.points(p.initial(0, np.arange(2)))
    assert np.array_equal(trace.columns["loss"][:, 0], p.mean_loss(start.mean(1)).numpy())
    assert np.array_equal(trace.columns["accuracy"][:, 0], p.accuracy(start).numpy().mean(axis=1))
    assert (trace.columns["loss"] > 0).all()
    assert isinstance(trace.final_x, torch.Tensor)
    assert (trace.final_x[0] != trace.final_x[1]).any()


@pytest.mark.parametrize("name", ["cnn", "mlp", "resnet18", "lstm"])
def test_describe_rebuilds_the_same_problem(name):
    small = {"cnn": {"channels": [2, 2], "hidden": [3]}, "mlp": {"hidden": [4]}}
    small |= {"resnet18": {"width": 2}, "lstm": {"units": 2}}
    p = problem(name, 4, partition="classes", classes_per_client=3, batch=3, reg=0.5, **small[name])
    described = json.loads(json.dumps(p.describe(), allow_nan=False))
    again = problem(**described)
    ids = np.arange(1)
    x, sample = p.points(p.initial(0, ids)), p.sample(0, ids, 0, 0)
    assert again.describe() == p.describe()
    assert np.array_equal(again.sample(0, ids, 0, 0), sample)
    assert torch.equal(again.stochastic_gradient(x, sample), p.stochastic_gradient(x, sample))


def test_constants_are_only_what_is_proven(tiny, samples):
    known = tiny("mlp").constants()
    assert {k for k, c in known.items() if c.value == math.inf} == {
        "L", "L_sample", "B", "sigma_l", "sigma_g"
    }  # fmt: skip
    assert (known["f_star"].value, known["f_star"].how) == (0, "lower")
    assert "mu" not in known
    assert tiny("mlp", batch=None).constants()["sigma_l"].value == 0
    equal = samples(sizes=(2, 2, 2))
    equal.y = equal.owners * 0 + np.argsort(np.argsort(equal.owners, kind="stable")) % 2
    assert "sigma_g" not in tiny("mlp", data=equal).constants()  # the same shares everywhere
    equal.y = equal.owners
    assert "sigma_l" not in tiny("mlp", data=equal).constants()  # one class at each client


@pytest.mark.parametrize("scale", [1e2, 1e4])
def test_gradients_grow_along_the_ray_of_the_proof(scale, tiny):
    p = tiny("mlp", head_layers=1)
    x = p.points(np.zeros((1, p.dim)))
    (_, begin, _), body = p.blocks, p.shared
    x[:, begin - 5 : begin] = 1.0  # the last hidden layer's biases: every feature is 1
    x[:, body : body + 5] = scale  # class 0's weights
    # Class 0 wins by 5 s: other classes' samples pull each feature with s, class 0's with 0.
    gradient = p.gradient(x[:, None].expand(1, 3, p.dim))[..., begin - 5 : begin]
    share = np.bincount(p._train.owners(), p._train.labels != 0) / p.sizes
    want = scale * p.points(share)[None, :, None].expand(1, 3, 5)
    assert torch.allclose(gradient, want, rtol=1e-12, atol=scale * math.exp(-5 * scale))


@each
def test_bad_points_and_samples_are_refused_in_one_line(name, tiny):
    p = tiny(name)
    ids = np.arange(2)
    x, sample = p.points(p.initial(0, ids)), p.sample(0, ids, 0, 0)
    for wrong in (x[:, 1:], x[..., None], x[0], x[..., 1:]):
        with pytest.raises(ValueError, match=r"need \(R,"):
            p.gradient(wrong)
    for wrong in (x.numpy(), x.float(), x.tolist()):
        with pytest.raises(TypeError, match=r"need a torch tensor, torch\.float64 on cpu"):
            p.loss(wrong)
    with pytest.raises(ValueError, match="need"):
        p.mean_loss(x)
    for wrong in (None, sample[:1], x, sample[..., :1]):
        with pytest.raises(ValueError, match=r"sample is .*; need row numbers"):
            p.stochastic_gradient(x, wrong)
    for wrong in (sample - 1 - sample.max(), sample + p.sizes[:, None], sample * 1.0):
        with pytest.raises(ValueError, match=r"need integers in 0\.\.m_i - 1"):
            p.partial_gradient(x, wrong, "u")
    with pytest.raises(ValueError, match="part is 'w'; need 'u' or 'v'"):
        p.partial_gradient(x, sample, "w")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"depth": 3}, ValueError, "mlp has no option 'depth'; has hidden, data, root, partition"),
        ({"dtype": "float16"}, ValueError, "dtype is 'float16'; need float32 or float64"),
        ({"device": "gpu"}, ValueError, "device is 'gpu'; need cpu, cuda or cuda:k"),
        ({"device": "cuda:99"}, ValueError, "device is 'cuda:99', but torch sees"),
        ({"batch": 0}, ValueError, "batch is 0; need an integer >= 1"),
        ({"head_layers": 3}, ValueError, "head_layers is 3; need 1..2"),
        ({"head_layers": 0}, ValueError, "head_layers is 0; need an integer >= 1"),
        ({"reg": -1.0}, ValueError, "reg is -1.0; need a finite number >= 0"),
        ({"data": "digit"}, ValueError, "name is 'digit'; need one of"),
        ({"data": 3}, TypeError, "data is int; need the name of a data set, or an object"),
        ({"alpha": 1.0}, ValueError, "alpha came with partition 'natural'; need another one"),
        ({"root": "here"}, ValueError, "root came along with data that is loaded"),
    ],
)
def test_bad_options_are_refused_in_one_line(options, error, message, tiny):
    with pytest.raises(error, match=message) as caught:
        tiny("mlp", **options)
    assert "\n" not in str(caught.value)


def test_data_that_came_as_an_object_is_not_described(tiny):
    with pytest.raises(ValueError, match=r"mlp.describe: data came as an object; need a name"):
        tiny("mlp").describe()


def test_a_client_without_test_samples_has_no_accuracy(tiny, samples):
    data = samples()
    data.owners_test = np.ones_like(data.owners_test)
    p = tiny("cnn", data=data)
    x = p.points(p.initial(0, np.arange(1)))
    assert p.loss(x).shape == (1, 3)
    with pytest.raises(ValueError, match="client 0 of 3 has no test sample; need fewer clients"):
        p.accuracy(x)
