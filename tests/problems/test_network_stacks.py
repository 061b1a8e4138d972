"""Layers for stacks of copies against torch's own layers, one copy at a time."""

import copy

import pytest
import torch
from torch import nn
from torch.func import functional_call

from theorylab.problems._network_stacks import Perceptron, stacked

pytestmark = pytest.mark.usefixtures("one_thread")
P, b = 3, 2
# A number is a sum of at most 4 * 7 * 5 products and, of a weight's slope, over 36 places of b.
ROUNDING = 2 * (4 * 7 * 5 + 36 * b) * 2.0**-52


def slopes(module, point, x):
    """The outputs of one copy or of a stack, and the slopes of a fixed sum at ``point`` and x."""
    leaves = {name: each.clone().requires_grad_() for name, each in point.items()}
    x = x.clone().requires_grad_()
    y = functional_call(module, leaves, (x,))
    of_one = y[0] if len(x) == P else y
    along = torch.cos(torch.arange(of_one.numel(), dtype=y.dtype)).reshape(of_one.shape)
    return y, torch.autograd.grad((y * along).sum(), [*leaves.values(), x])


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.Conv2d(2, 5, 3, 1, 1), (2, 6, 4)),
        (nn.Conv2d(2, 5, (3, 2), (2, 1), (1, 0), bias=False), (2, 5, 4)),
        (nn.Conv2d(4, 5, 3, 1, 1), (4, 1, 1)),  # one pixel: only the middle of the kernel meets it
        (nn.Conv2d(4, 5, 3, 2, 1, bias=False), (4, 2, 2)),
        (nn.Conv2d(4, 5, (7, 5), 2, (3, 2)), (4, 2, 1)),
        (nn.Conv2d(4, 5, (7, 5), 3, (0, 1)), (4, 9, 4)),  # pixels beyond the one place are unread
        (nn.Conv2d(4, 5, 1, 2), (4, 2, 2)),
        (nn.MaxPool2d(2), (3, 4, 5)),
        (nn.MaxPool2d(3, 2, 1), (3, 5, 7)),
        (nn.GroupNorm(2, 4), (4, 3, 2)),
        (nn.Flatten(), (2, 3, 2)),
        (nn.Linear(5, 3), (5,)),
    ],
    ids=str,
)
def test_a_stack_is_each_copy_by_torch(layer, shape):
    torch.manual_seed(5)
    layer = layer.double()
    point = {name: torch.randn(P, *each.shape).double() for name, each in layer.named_parameters()}
    x = torch.randn(P, b, *shape).double().round(decimals=0)  # equal neighbours: a pool takes one
    found, all_slopes = slopes(
        stacked(nn.Sequential(layer)), {f"0.{k}": v for k, v in point.items()}, x
    )
    for k in range(P):
        want, each = slopes(layer, {name: value[k] for name, value in point.items()}, x[k])
        size = 1 + max(float(g.abs().max()) for g in each)
        assert (found[k] - want).abs().max() <= ROUNDING * (1 + want.abs().max())
        for stack, one in zip(all_slopes, each, strict=True):
            assert (stack[k] - one).abs().max() <= ROUNDING * size


def test_a_layer_of_another_kind_has_no_stack_and_modules_stay_as_they_were():
    module = nn.Sequential(nn.Flatten(), nn.Linear(4, 2))
    kinds = [type(each) for each in module]
    assert stacked(module) is not None
    assert [type(each) for each in module] == kinds
    assert stacked(nn.Sequential(nn.Linear(4, 2), nn.Tanh())) is None
    assert stacked(nn.Sequential(nn.Conv2d(2, 4, 3, dilation=2))) is None
    assert stacked(nn.Sequential(nn.Conv2d(2, 4, 3, groups=2))) is None
    assert Perceptron.of(module) is not None
    for other in (
        nn.Linear(4, 2),
        nn.Sequential(nn.Linear(4, 2)),
        nn.Sequential(*module, nn.ReLU()),
    ):
        assert Perceptron.of(copy.deepcopy(other)) is None
