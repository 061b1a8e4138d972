"""Copies of a few clients: nothing but n changes with n."""

import numpy as np
import pytest

from theorylab.speedup import Pattern, speedup
from theorylab.speedup.pattern import kinds_of

NAMES = ("clipped-linear", "log-cosh", "logistic", "quadratic", "softmax")


@pytest.mark.parametrize("name", NAMES)
def test_the_mean_loss_is_the_same_at_every_n(name):
    pattern = Pattern(name, {}, 4)
    few, many = pattern.losses(4), pattern.losses(12)
    at = np.random.default_rng(0).standard_normal((3, few.dim))
    # a mean over three times as many terms: a rounding each
    assert many.mean_gradient(at) == pytest.approx(few.mean_gradient(at), rel=1e-9, abs=1e-12)
    assert many.mean_loss(at) == pytest.approx(few.mean_loss(at), rel=1e-9)


@pytest.mark.parametrize("blocks", [False, True])
def test_who_is_of_which_kind(blocks):
    pattern = Pattern("quadratic", {}, 2, blocks=blocks)
    centers = pattern.losses(6).centers
    kinds = [0, 0, 0, 1, 1, 1] if blocks else [0, 1, 0, 1, 0, 1]
    assert np.array_equal(centers, pattern.losses(2).centers[kinds])


def test_the_personal_part_of_a_regression_is_its_bias():
    losses = Pattern("softmax", {}, 2, personal=True).losses(4)
    assert (losses.dim, losses.shared) == (650, 640)


def test_without_noise_every_gradient_is_exact():
    for name in (*NAMES, "coupled-quadratic"):
        assert not Pattern(name, {}, 2).losses(2, noise=False).stochastic
        assert Pattern(name, {}, 2).losses(2).stochastic


def test_the_kinds_divide_every_n():
    assert [kinds_of(n) for n in ([4, 8], [1, 2], [6, 9], [10, 20], [5])] == [4, 1, 3, 2, 1]


def test_what_cannot_be_copied_is_refused():
    with pytest.raises(ValueError, match="problem: no 'mlpp'; did you mean mlp"):
        Pattern("mlpp", {}, 2)
    with pytest.raises(ValueError, match="log-cosh has no personal part, and dfedpgp needs one"):
        speedup("dfedpgp", problem="log-cosh", clients=[2, 4])
    with pytest.raises(ValueError, match="6 clients are no copies of 4"):
        Pattern("quadratic", {}, 4).losses(6)
