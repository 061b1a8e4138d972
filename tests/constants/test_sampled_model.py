import math

import numpy as np
import pytest
import torch

from theorylab.constants.losses import SampledModel, loss_constants
from theorylab.constants.personalised import PartialQuadratic
from theorylab.known import How

EPS = np.finfo(float).eps
H = np.array([[[3.0, 1, 0], [1, 2, 0], [0, 0, 4]], [[3.0, 0, -2], [0, 1, 0], [-2, 0, 1]]])
SHIFTS = np.array([[[1.0, 2, 0], [-1, 0, 0]], [[0.0, 0, 3], [2, 0, -3]]])  # client, batch


def quadratic(params, batch):
    """1/2 y^T H_i y + s^T y, with the batch's own slope s."""
    hessian, slope = batch
    y = torch.cat([params["u"], params["v"]])
    return 0.5 * y @ (hessian @ y) + slope @ y


def model(dtype=torch.float64, shared=("u",), points=None):
    def tensor(a):
        return torch.tensor(a, dtype=dtype)

    batches = [[(tensor(H[i]), tensor(s)) for s in SHIFTS[i]] for i in range(2)]
    if points is None:
        points = [{"u": tensor([1.0]), "v": tensor([2.0, -1.0])}]
    return SampledModel(quadratic, batches, points, shared)


@pytest.mark.parametrize(
    ("dtype", "close"), [(torch.float64, 1e-12), (torch.float32, 100 * 1.2e-7)]
)
def test_a_quadratic_model_has_the_constants_of_its_matrices(dtype, close):
    # close: float32 rounds H y and its parts, 3 terms each, and 8 sqrt(3) eps is taken off.
    found = loss_constants(model(dtype))
    exact = PartialQuadratic(H, -SHIFTS.mean(axis=1), 1).constants()
    for name in ("L", "L_u", "L_v", "L_uv", "L_vu", "chi", "L_deprl"):
        assert found[name].value == pytest.approx(exact[name].value, rel=close)
    for name in ("L", "L_u", "L_v", "L_uv", "L_deprl"):
        assert found[name].how is How.LOWER
        assert found[name].value <= exact[name].value
    assert found["chi"].how is How.ESTIMATE
    mean = np.linalg.eigvalsh(H.mean(axis=0))[0]  # of f at one common point
    assert found["mu"].how is How.UPPER
    assert mean <= found["mu"].value <= mean + 4 * close


def test_noise_and_diversity_are_those_of_the_listed_batches():
    found = loss_constants(model())
    y = np.array([1.0, 2, -1])
    g = H @ y + SHIFTS.mean(axis=1)
    noise = SHIFTS - SHIFTS.mean(axis=1, keepdims=True)
    square = (noise**2).mean(axis=1)  # (client, coordinate)
    expected = {
        "B": np.linalg.norm(g, axis=1).max(),
        "sigma_l": math.sqrt(square.sum(axis=1).max()),
        "sigma_u": math.sqrt(square[:, 0].max()),
        "sigma_v": math.sqrt(square[:, 1:].sum(axis=1).max()),
        "sigma_g": np.linalg.norm(g - g.mean(axis=0), axis=1).max(),
        "partial_sigma_g": np.abs(g - g.mean(axis=0))[:, 0].max(),
        "partial_delta": math.sqrt(((g - g.mean(axis=0))[:, 0] ** 2).mean()),
    }
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value, rel=64 * EPS), name
        assert found[name].how is How.LOWER


def test_clients_may_stand_at_their_own_heads():
    own = [
        {"u": torch.tensor([1.0]).double(), "v": torch.tensor([k, 0.0]).double()} for k in (0, 9)
    ]
    found = loss_constants(model(points=[own]))
    g = np.array([H[0] @ [1, 0, 0], H[1] @ [1, 9, 0]]) + SHIFTS.mean(axis=1)
    assert found["partial_sigma_g"].value == pytest.approx(abs(g[0, 0] - g[1, 0]) / 2, rel=1e-14)
    assert "sigma_g" not in found  # it compares clients at one common point
    assert "mu" not in found


def test_more_points_only_raise_a_lower_bound():
    def loss(params, batch):
        return torch.log(torch.cosh(params["w"] - batch)).sum()

    batches = [[torch.zeros(2).double()]]
    at = [{"w": torch.tensor(p).double()} for p in ([3.0, 3.0], [1.0, 0.0])]
    far, both = (SampledModel(loss, batches, at[:k]).constants() for k in (1, 2))
    assert far["L"].value == pytest.approx(1 / math.cosh(3) ** 2, rel=1e-12)
    assert both["L"].value == pytest.approx(1, rel=1e-12)
    assert both["L"].value <= 1
    assert both["B"].value == far["B"].value == pytest.approx(math.sqrt(2) * math.tanh(3))
    assert both["mu"].value == pytest.approx(1 / math.cosh(3) ** 2, rel=1e-12)
    assert "L_u" not in both


def test_a_small_network_in_float32_goes_through():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    params = {name: p.detach() for name, p in net.named_parameters()}

    def loss(params, batch):
        x, y = batch
        return torch.nn.functional.cross_entropy(torch.func.functional_call(net, params, (x,)), y)

    batches = [[(torch.randn(5, 3), torch.randint(0, 2, (5,))) for _ in range(2)] for _ in "ab"]
    found = SampledModel(loss, batches, [params], ["0.weight", "0.bias"]).constants()

    def flat(p):
        return torch.cat([p[name].reshape(-1) for name in params])

    net.double()
    whole = []
    for own in batches:  # the full Hessian by torch itself, in float64
        double = [(x.double(), y) for x, y in own]

        def value(w, own=double):
            made, at = {}, 0
            for name, p in params.items():
                made[name] = w[at : at + p.numel()].reshape(p.shape)
                at += p.numel()
            return sum(loss(made, b) for b in own) / 2

        whole.append(torch.autograd.functional.hessian(value, flat(params).double()).numpy())
    # What is taken off for float32: 8 sqrt(26) eps ||H||; as much again for what it did lose.
    off = 2 * 8 * math.sqrt(26) * 2.0**-23 * max(np.linalg.norm(part, 2) for part in whole)
    for name, cut in (("L", np.s_[:, :]), ("L_u", np.s_[:16, :16]), ("L_uv", np.s_[:16, 16:])):
        true = max(np.linalg.norm(part[cut], 2) for part in whole)
        assert true - off <= found[name].value <= true, name


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"shared": ["w"]}, "shared names 'w'; need some of u, v"),
        ({"shared": ["u", "v"]}, "shared holds 2 of 2 parameters"),
        ({"points": []}, "no client, no batch or no point"),
        ({"points": [[{"u": torch.zeros(1), "v": torch.zeros(2)}]]}, "point 0 has 1 parts; need 2"),
        (
            {"points": [{"u": torch.zeros(1), "v": torch.zeros(n)} for n in (2, 3)]},
            "point 1 has other names, shapes or dtypes",
        ),
        (
            {"points": [[{"u": torch.full((1,), k), "v": torch.zeros(2)} for k in (0.0, 1.0)]]},
            "point 0 has different shared parts; need one u for all clients",
        ),
    ],
)
def test_points_that_do_not_fit_are_named(changed, message):
    with pytest.raises(ValueError, match=message):
        model(**changed)
