"""Products are float32's while our own work is queued, and torch then has its user's settings."""

import threading

import numpy as np
import pytest
import torch
from torch import backends

from theorylab import registry
from theorylab.hypergradients import TorchBilevel, bilevel
from theorylab.problems import _tf32, from_loss, problem
from theorylab.problems._tf32 import float32_products

PLACES = backends.cuda.matmul, backends.cudnn.conv, backends.cudnn.rnn


def change(**settings):
    for name, value in settings.items():
        *path, last = name.split("__")
        place = backends
        for part in path:
            place = getattr(place, part)
        setattr(place, last, value)


SETTINGS = [
    {},
    {"cuda__matmul__allow_tf32": True},
    {"cudnn__allow_tf32": False},
    {"cuda__matmul__fp32_precision": "tf32"},
    {"cudnn__conv__fp32_precision": "ieee"},
    {"fp32_precision": "tf32"},
    {"fp32_precision": "ieee", "cudnn__rnn__fp32_precision": "tf32"},
]


@pytest.fixture(autouse=True)
def settings_are_restored():
    yield
    torch.set_float32_matmul_precision("highest")
    change(fp32_precision="none", cuda__matmul__fp32_precision="none", cudnn__allow_tf32=True)
    change(cudnn__conv__fp32_precision="tf32", cudnn__rnn__fp32_precision="tf32")


def now():
    """What torch says of its settings; the older names raise where the newer ones differ."""
    said = [place.fp32_precision for place in PLACES]
    for ask in (lambda: backends.cudnn.allow_tf32, torch.get_float32_matmul_precision):
        try:
            said.append(ask())
        except RuntimeError:
            said.append("mixed")
    return said


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("tf32", [False, True])
def test_whatever_the_user_set_holds_again_afterwards(settings, tf32):
    change(**settings)
    before = now()
    with float32_products(tf32), float32_products(tf32):
        assert now()[:3] == ["tf32" if tf32 else "ieee"] * 3
    assert now() == before
    with pytest.raises(ZeroDivisionError), float32_products(tf32):
        _ = 1 / 0
    assert now() == before


@pytest.mark.parametrize("other", [False, True])
def test_threads_have_their_setting_to_the_end_and_the_last_one_gives_back(other):
    change(cudnn__conv__fp32_precision="tf32", cuda__matmul__fp32_precision="tf32")
    before, seen, inside, left = now(), [], threading.Event(), threading.Event()

    def second():
        with float32_products(other):
            inside.set()
            left.wait(10)
            seen.append(now()[:3])

    thread = threading.Thread(target=second)
    with float32_products(False):
        thread.start()
        assert inside.wait(0.05 if other else 10) is not other  # one that asks for another waits
        assert now()[:3] == ["ieee"] * 3
    left.set()
    thread.join(10)
    assert seen == [["tf32" if other else "ieee"] * 3]
    assert now() == before


def test_another_setting_inside_of_one_ends_with_it():
    before = now()
    with float32_products(False):
        with float32_products(True):
            assert now()[:3] == ["tf32"] * 3
        assert now()[:3] == ["ieee"] * 3
    assert now() == before


def test_what_was_inherited_is_inherited_afterwards():
    change(fp32_precision="tf32")
    with float32_products(False):
        pass
    change(fp32_precision="ieee")
    assert backends.cuda.matmul.fp32_precision == "ieee"


@pytest.mark.parametrize(("products", "convolutions"), [("highest", True), ("medium", False)])
@pytest.mark.parametrize("tf32", [False, True])
def test_a_torch_before_2_9_has_the_older_settings(products, convolutions, tf32, monkeypatch):
    monkeypatch.setattr(_tf32, "hasattr", lambda *_: False, raising=False)
    torch.set_float32_matmul_precision(products)
    change(cudnn__allow_tf32=convolutions)
    with float32_products(tf32):
        assert torch.get_float32_matmul_precision() == ("high" if tf32 else "highest")
        assert backends.cudnn.allow_tf32 is tf32
    assert torch.get_float32_matmul_precision() == products
    assert backends.cudnn.allow_tf32 is convolutions


@pytest.mark.parametrize("tf32", [False, True])
def test_a_networks_work_is_float32s_unless_tf32_is_asked_for(tf32, tiny):
    p = tiny("mlp", **({"tf32": True} if tf32 else {}))
    passes = p._copies._passes
    passes._stack = passes.perceptron = None  # as on a GPU, where the module is called
    module, seen = passes._module, []
    module.register_forward_hook(lambda *_: seen.append([place.fp32_precision for place in PLACES]))
    x, ids = p.points(p.initial(0, np.arange(1))), np.arange(1)
    sample, mean = p.sample(0, ids, 0, 0), x.mean(1)
    step = {"steps": 1, "counts": None, "eta": 0.1, "alpha": 0.0, "rho": 0.0}
    for work in (
        lambda: p.loss(x), lambda: p.gradient(x), lambda: p.accuracy(x), lambda: p.mean_loss(mean),
        lambda: p.mean_gradient(mean), lambda: p.measured_noise(mean),
        lambda: p.stochastic_gradient(x, sample), lambda: p.partial_gradient(x, sample, "v"),
        lambda: p.local_steps(x, p.points(np.ones((1, 3))), 0, ids, 0, **step),
    ):  # fmt: skip
        seen.clear()
        work()
        assert seen
        assert all(each == ["tf32" if tf32 else "ieee"] * 3 for each in seen)


@pytest.mark.parametrize("tf32", [False, True])
def test_a_loss_of_ones_own_is_mapped_in_float32(tf32):
    seen, restored = [], registry.restored()

    def bowl(x, c):
        seen.append([place.fp32_precision for place in PLACES])
        return ((x - c) ** 2).sum()

    with restored:
        p = from_loss(bowl, dim=2, data=np.eye(2), name="bowl-of-two")
        p = problem("bowl-of-two", 2, tf32=tf32)
        seen.clear()
        p.gradient(np.zeros((1, 2, 2), np.float32))
    assert seen == [["tf32" if tf32 else "ieee"] * 3]


@pytest.mark.parametrize("options", [{}, {"tf32": True}])
def test_products_of_a_hypergradient_are_in_float32(options):
    seen = []

    def inner(x, lam, c):
        seen.append([place.fp32_precision for place in PLACES])
        return ((x - c) ** 2).sum() * (1 + lam.sum() ** 2)

    p = TorchBilevel(inner, inner, (np.zeros((2, 3, 2)),), 2, 1, **options)
    x, lam = p.points(np.zeros((1, 2, 2))), p.points(np.zeros((1, 2, 1)))
    p.inner_gradient(x, lam)
    p.outer_gradients(x, lam)
    assert all(each == ["tf32" if options else "ieee"] * 3 for each in seen)
    ensemble = bilevel("pdbo-da", 2, model="mlp", hidden=[2], **options)
    module = ensemble._module
    module.register_forward_hook(lambda *_: seen.append([place.fp32_precision for place in PLACES]))
    seen.clear()
    x = ensemble.points(np.zeros((1, 2, ensemble.dim)))
    ensemble.outer(x, ensemble.points(np.zeros((1, 2, ensemble.hyper))))
    assert seen
    assert all(each == ["tf32" if options else "ieee"] * 3 for each in seen)
    assert ("tf32" in ensemble.describe()) == bool(options)


def test_tf32_is_described_where_it_was_asked_for():
    options = {"hidden": [4], "batch": 4}
    assert "tf32" not in problem("mlp", 3, **options).describe()
    assert problem("mlp", 3, tf32=True, **options).describe()["tf32"] is True
    with pytest.raises(TypeError, match=r"^mlp: tf32 is 1; need True or False"):
        problem("mlp", 3, tf32=1, **options)
