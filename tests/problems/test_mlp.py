"""The multilayer perceptron: its sizes, and a run on the digits."""

import numpy as np
import pytest

from theorylab.algorithms import DFedSGPSM
from theorylab.problems import problem
from theorylab.runs import simulate
from theorylab.topologies import topology

COLUMNS = ["loss", "accuracy"]


def test_the_default_is_two_layers_of_200_units():
    p = problem("mlp", 20)
    ends = np.cumsum([64 * 200 + 200, 200 * 200 + 200, 200 * 10 + 10])
    assert p.blocks == tuple(ends)
    assert (p.dim, p.shared) == (ends[2], ends[1])  # the head: the last layer, weights and biases
    assert problem("mlp", 20, head_layers=2).shared == ends[0]


def test_all_samples_of_the_digits_are_with_one_client_each():
    p = problem("mlp", 20, partition="iid")
    assert p.sizes.sum() == 1442
    assert np.ptp(p.sizes) <= 1


@pytest.mark.usefixtures("one_thread")
def test_a_run_on_the_digits_learns():
    p = problem("mlp", 20)
    algorithm = DFedSGPSM(eta=0.1, alpha=0.9, rho=0.01, local_steps=5)
    graph = topology("random-out", 20, degree=4)
    trace = simulate(p, graph, algorithm, rounds=3, runs=2, columns=COLUMNS)
    loss, accuracy = (trace.columns[name] for name in COLUMNS)
    # A law with gain 1/sqrt(3) gives nearly equal logits: log 10, and chance.
    assert (np.abs(loss[:, 0] - np.log(10)) < 0.02).all()
    assert (np.diff(loss, axis=1) < 0).all()
    assert (accuracy[:, 2] > accuracy[:, 0] + 0.1).all()


@pytest.mark.slow
def test_100_rounds_of_four_seeds_learn_the_digits():
    p = problem("mlp", 20)
    algorithm = DFedSGPSM(eta=0.1, alpha=0.9, rho=0.01, local_steps=5)
    graph = topology("random-out", 20, degree=4)
    trace = simulate(p, graph, algorithm, rounds=100, runs=4, columns=COLUMNS)
    assert (trace.columns["accuracy"][:, -1] > 0.9).all()


@pytest.mark.parametrize(
    ("hidden", "error", "message"),
    [
        ([], ValueError, "hidden has 0 entries; need one or more integers >= 1"),
        ([200, 0], ValueError, "hidden is 0; need an integer >= 1"),
        (200, TypeError, "hidden is 200; need one or more integers >= 1"),
        ([2.5], TypeError, "hidden is float; need an integer"),
    ],
)
def test_bad_sizes_are_refused(hidden, error, message):
    with pytest.raises(error, match=f"^mlp: {message}$"):
        problem("mlp", 20, hidden=hidden)


def test_tokens_are_refused(samples):
    text = samples(shape=(6,), kind=np.int64, vocabulary=4)
    with pytest.raises(ValueError, match="made holds sequences of tokens; need images"):
        problem("mlp", 3, data=text)
