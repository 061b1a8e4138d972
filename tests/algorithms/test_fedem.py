"""FedEM against Algorithm 1 of Marfoq et al. written out sample by sample."""

import numpy as np
import pytest

from theorylab.algorithms import FedEM, algorithm
from theorylab.algorithms._draw import participants
from theorylab.problems import problem
from theorylab.runs import simulate
from theorylab.topologies import topology

SEED, GRAPH = 5, topology("ring", 5)
RNG = np.random.default_rng(8)
K, P, C, N = 2, 3, 3, 5
FEATURES, LABELS = RNG.normal(size=(23, P)), RNG.integers(0, C, 23)
OWNERS = np.concatenate([np.arange(N), RNG.integers(0, N, 18)])
BODY = K * P * C


@pytest.fixture
def losses():
    data = {"features": FEATURES, "labels": LABELS, "owners": OWNERS}
    return problem("mixture", N, components=K, batch=2, reg=0.1, **data)


def log_q(W, j):
    z = FEATURES[j] @ W
    return z[LABELS[j]] - np.log(np.exp(z).sum())


class Client:
    """Client i: its rows, its weights pi, and one round of Algorithm 1 from given models."""

    def __init__(self, i, pi):
        self.rows, self.i, self.pi = [j for j in range(23) if OWNERS[j] == i], i, pi

    def round(self, losses, models, run, t, *, eta, steps, alpha=0.0):
        held = np.array(
            [[self.pi[k] * np.exp(log_q(models[k], j)) for k in range(K)] for j in self.rows]
        )
        held /= held.sum(axis=1, keepdims=True)
        self.pi = held.mean(axis=0)
        ends = []
        for k in range(K):
            W, m = models[k].copy(), np.zeros((P, C))
            for step in range(steps):
                drawn = losses.sample(SEED, np.array([run]), t, step)[0, self.i]
                g = 0.1 * W
                for row in drawn:
                    j, z = self.rows[row], FEATURES[self.rows[row]] @ W
                    p = np.exp(z) / np.exp(z).sum()
                    away = p - np.eye(C)[LABELS[j]]
                    g = g + held[row, k] * np.outer(FEATURES[j], away) / len(drawn)
                m = alpha * m + g
                W = W - eta * m
            ends.append(W)
        return np.array(ends)


@pytest.mark.parametrize("weights", ["uniform", "samples"])
def test_it_follows_the_plain_loops(bench, losses, weights):
    here = type(bench)(losses)
    x0 = here.models(2)
    options = {"fraction": 0.6, "server_eta": 0.7, "decay": 0.9, "weights": weights}
    state = here.follow(FedEM(0.3, 0.5, 3, **options), GRAPH, x0, 4)
    for r in range(2):
        own = np.exp(x0[r, :, BODY:])
        clients = [Client(i, own[i] / own[i].sum()) for i in range(N)]
        models = x0[r, :, :BODY].mean(axis=0).reshape(K, P, C)
        for t in range(4):
            chosen = np.flatnonzero(participants(SEED, np.array([r]), N, t, 3)[0])
            share = np.array([len(clients[i].rows) if weights == "samples" else 1 for i in chosen])
            ends = [
                clients[i].round(losses, models, r, t, eta=0.3 * 0.9**t, steps=3, alpha=0.5)
                for i in chosen
            ]
            mean = sum(s * end for s, end in zip(share / share.sum(), ends, strict=True))
            models = models + 0.7 * (mean - models)
        # 4 rounds of about 100 operations on numbers of size <= 10
        assert np.allclose(state.x[r], models.ravel(), rtol=0, atol=1e-12)
        weight = np.exp(state.v[r])
        weight /= weight.sum(axis=1, keepdims=True)
        assert np.allclose(weight, [each.pi for each in clients], rtol=0, atol=1e-12)


def test_with_exact_steps_every_round_lowers_the_loss():
    # the E step and any step on the models that lowers the weighted sums lower f: EM
    one = problem("mixture", 1, components=K, batch=None, features=FEATURES, labels=LABELS)
    method = FedEM(0.5 / one.constants()["L"].value, local_steps=4)
    trace = simulate(one, topology("ring", 1), method, rounds=30, columns=["own_loss"])
    values = trace.columns["own_loss"][0]
    assert (np.diff(values) < 0).all()


def test_clients_with_opposed_labels_end_with_a_model_each():
    # the same points, labelled the other way round by half of the clients: one model fits nobody
    x = np.linspace(-2, 2, 20)
    features = np.stack([np.tile(x, 4), np.ones(80)], axis=1)
    owners = np.repeat(range(4), 20)
    labels = ((features[:, 0] > 0) ^ (owners >= 2)).astype(int)
    data = {"features": features, "labels": labels, "owners": owners}
    losses = problem("mixture", 4, components=2, batch=None, **data)
    made = simulate(losses, topology("ring", 4), FedEM(1.0, local_steps=10), rounds=60, runs=3,
                    columns=["own_loss", "loss"])  # fmt: skip
    weight = np.exp(made.final_v)
    assert (weight.argmax(axis=2)[:, :2] == weight.argmax(axis=2)[:, :1]).all()
    assert (weight.argmax(axis=2)[:, 0] != weight.argmax(axis=2)[:, 3]).all()
    assert weight.max(axis=2).min() > 0.9
    assert (made.columns["own_loss"][:, -1] < 0.2).all()
    assert (made.columns["own_loss"][:, 0] > 0.6).all()  # log 2, about


def test_who_is_down_keeps_its_weights(bench, losses):
    here = type(bench)(losses)
    x0 = here.models(1)
    state = here.follow(FedEM(0.3), GRAPH, x0, 1, effort=np.array([[1.0, 0, 1, 0.3, 0]]))
    changed = (state.v[0] != x0[0, :, BODY:]).any(axis=1)
    assert changed.tolist() == [True, False, True, True, False]


def test_a_problem_without_components_is_refused():
    with pytest.raises(ValueError, match=r"fedem: quadratic has no components .*; need a mixture"):
        simulate(problem("quadratic", 5), GRAPH, FedEM(0.1), rounds=1)
    uniform = problem("mixture", 5, weights="uniform")
    with pytest.raises(ValueError, match="fedem: mixture has no components with personal weights"):
        simulate(uniform, GRAPH, FedEM(0.1), rounds=1)


def test_a_bad_option_is_one_line():
    with pytest.raises(ValueError, match=r"fedem: fraction.*need"):
        algorithm("fedem", eta=0.1, fraction=0.0)
