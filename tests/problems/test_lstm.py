"""The LSTM: LEAF's size, its layers against torch.nn.LSTM, and images read pixel by pixel."""

import numpy as np
import pytest
import torch
from torch.func import functional_call

from theorylab.problems import problem
from theorylab.problems._network_modules import FusedLSTMLayer, LSTMLayer

pytestmark = pytest.mark.usefixtures("one_thread")


def test_on_shakespeare_it_has_leafs_size(samples):
    p = problem("lstm", 3, data=samples((80,), classes=80, kind=np.int64, vocabulary=80))
    embedding, first = 80 * 8, 4 * 256 * (8 + 256) + 8 * 256
    second, head = 4 * 256 * (256 + 256) + 8 * 256, 80 * 256 + 80
    assert p.blocks == tuple(np.cumsum([embedding, first, second, head]))
    assert (p.dim, p.dim - p.shared) == (819920, head)


@pytest.mark.parametrize("kind", [LSTMLayer, FusedLSTMLayer])
def test_a_layer_is_that_of_torch(kind):
    torch.manual_seed(0)
    theirs = torch.nn.LSTM(3, 5, batch_first=True).double()
    names = ["weight_ih", "weight_hh", "bias_ih", "bias_hh"]
    mine = dict(zip(names, theirs.parameters(), strict=True))
    x = torch.randn(4, 30, 3, dtype=torch.float64)
    made = functional_call(kind(3, 5), mine, (x,))
    # 30 steps, each of sums of 10 products and 5 more operations; states are at most 1.
    assert (made - theirs(x)[0]).abs().max() <= 30 * 15 * 2.0**-52


def test_a_digit_is_read_pixel_by_pixel():
    p = problem("lstm", 4, units=2, embedding=3)
    assert p.blocks[0] == 17 * 3  # pixels are 0..16
    inputs = p._train.inputs
    assert (inputs.shape[1:], inputs.dtype) == ((64,), np.int64)
    from theorylab.data import load

    whole = load("digits").x.reshape(-1, 64)
    assert sorted(map(tuple, inputs)) == sorted(map(tuple, whole.astype(np.int64)))


def test_the_first_embedding_is_normal_and_the_layers_are_uniform():
    p = problem("lstm", 4, units=16, embedding=40)
    x = p.initial(0, np.arange(20))[:, 0]
    words, rest = x[:, : p.blocks[0]], x[:, p.blocks[0] : p.blocks[2]]
    # 13600 draws: mean within 5 / sqrt(m), second moment (variance 2) within 5 sqrt(2 / m).
    m = words.size
    assert abs(words.mean()) < 5 / np.sqrt(m)
    assert abs((words**2).mean() - 1) < 5 * np.sqrt(2 / m)
    assert np.abs(rest).max() <= 0.25
    assert np.abs(rest).max() > 0.2499
    assert abs((rest**2).mean() - 0.25**2 / 3) < 5 * 0.25**2 * np.sqrt(4 / 45 / rest.size)


def test_numbers_that_are_no_tokens_are_refused(samples):
    with pytest.raises(ValueError, match="lstm: made holds float64; need integer tokens"):
        problem("lstm", 3, data=samples(shape=(9,), kind=float))
    with pytest.raises(TypeError, match="lstm: units is float; need an integer"):
        problem("lstm", 3, units=2.0)
