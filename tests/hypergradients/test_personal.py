import json
import subprocess
import sys

import numpy as np
import pytest

from theorylab.data import Labelled
from theorylab.hypergradients import (
    BILEVELS,
    SGP,
    Linear,
    QuadraticBilevel,
    algorithm2,
    bilevel,
    edge_law,
    hgp,
    spectral_radius,
    stationary,
)
from theorylab.hypergradients._personal_data import PARTS, personal_data
from theorylab.topologies import topology

EPS = np.finfo(float).eps
GROUPS = {
    "global": {"components": slice(0, 1)},
    "pdbo-da": {"labels": slice(0, 10)},
    "pdbo-mtl": {"components": slice(0, 3)},
    "pdbo-mtl-da": {"components": slice(0, 3), "labels": slice(3, 13)},
}


def numbered(samples, classes=3, tested=10, **more):
    """Sample j's input is j in every pixel, so that a sample can be followed."""
    x = np.arange(samples, dtype=np.float64)[:, None] + np.zeros(2)
    y = np.arange(samples) % classes
    cut = samples - tested
    more = {k + end: v[part] for k, v in more.items() for end, part in
            (("", slice(cut)), ("_test", slice(cut, None)))}  # fmt: skip
    return Labelled("mine", x[:cut], y[:cut], x[cut:], y[cut:], classes, **more)


def followed(made):
    return {part: each.inputs[:, 0].astype(int) for part, each in made.parts.items()}


@pytest.mark.parametrize("shares", [(0.2, 0.2), (0.1, 0.5), (0.45, 0.45)])
def test_every_sample_goes_to_one_client_and_one_part(shares):
    made = personal_data(
        "here", 7, data=numbered(120), alpha=0.2, validation=shares[0], test=shares[1], seed=3
    )
    rows = followed(made)
    assert np.array_equal(np.sort(np.concatenate([*rows.values()])), np.arange(120))
    sizes = sum(made.parts[part].sizes for part in PARTS)
    for i in range(7):
        m, held = sizes[i], {part: made.parts[part].sizes[i] for part in PARTS}
        for name, share in zip(PARTS[1:], shares, strict=True):
            assert held[name] >= 1
            assert abs(held[name] - share * m) <= 1 or m < 6
        assert held["train"] >= 1
    for part, each in made.parts.items():
        assert np.array_equal(each.labels, rows[part] % 3)


def test_a_part_is_a_random_choice_of_the_clients_own_samples():
    made = personal_data("here", 2, data=numbered(300), partition="iid")
    for start, size in zip(made.parts["test"].starts, made.parts["test"].sizes, strict=True):
        rows = followed(made)["test"][start : start + size]
        # 30 of 150 numbers below 300: their mean has standard deviation 87 / sqrt(30) = 16
        assert abs(rows.mean() - 150) < 5 * 16
        assert rows.min() < 100 < 200 < rows.max()


def test_all_parts_of_a_client_follow_its_own_labels():
    made = personal_data("here", 5, partition="classes", classes_per_client=2)
    for i in range(5):
        seen = set()
        for part in made.parts.values():
            seen |= set(part.labels[part.starts[i] : part.starts[i] + part.sizes[i]].tolist())
        assert len(seen) <= 2


def test_poor_clients_are_given_a_sample_for_each_part():
    for validation, test in ((0.2, 0.2), (0.9, 0.05), (0.05, 0.9)):
        given = {"alpha": 0.05, "validation": validation, "test": test}
        made = personal_data("here", 30, data=numbered(200), **given)
        assert all((part.sizes >= 1).all() for part in made.parts.values())


def test_natural_clients_keep_their_samples():
    owners = np.repeat([0, 1, 2], [50, 40, 30])[np.random.default_rng(0).permutation(120)]
    owners[-10:] = 1
    made = personal_data("here", 2, data=numbered(120, owners=owners))
    rows = followed(made)
    for i, owner in enumerate(np.argsort(-np.bincount(owners[:110]))[:2]):
        starts = {part: each.starts[i] for part, each in made.parts.items()}
        got = [rows[part][low : low + made.parts[part].sizes[i]] for part, low in starts.items()]
        assert np.array_equal(np.sort(np.concatenate(got)), np.flatnonzero(owners == owner))


def test_a_fraction_is_a_random_part_of_the_pool():
    made = personal_data("here", 3, data=numbered(300), fraction=0.25, partition="iid")
    rows = np.concatenate([*followed(made).values()])
    labels = np.concatenate([part.labels for part in made.parts.values()])
    assert np.array_equal(labels, rows % 3)
    assert len(rows) == len(set(rows.tolist())) == 75
    assert rows.min() < 75 < 225 < rows.max()


@pytest.mark.parametrize("name", BILEVELS)
def test_the_description_builds_the_same_problem(name):
    made = bilevel(name, 6, seed=4, alpha=0.5, batch=3, reg=0.02)
    assert dict(made.groups) == GROUPS[name]
    again = bilevel(**json.loads(json.dumps(made.describe())))
    assert again.describe() == made.describe()
    x, runs = np.random.default_rng(0).normal(size=(2, 6, made.dim)), np.arange(2)
    lam = np.random.default_rng(1).normal(size=(2, 6, made.hyper))
    sample = made.sample(1, runs, 2)
    assert np.array_equal(made.cross(x, lam, x[:, :, None], sample),
                          again.cross(x, lam, x[:, :, None], sample))  # fmt: skip
    assert np.array_equal(made.outer(x, lam), again.outer(x, lam))
    assert np.array_equal(made.initial(1, runs), again.initial(1, runs))
    for part in PARTS:
        assert np.array_equal(made.accuracy(x, lam, part), again.accuracy(x, lam, part))
    assert sum(made.sizes_of(part).sum() for part in PARTS) == 1797


def test_the_hyperparameters_of_global_change_nothing():
    made = bilevel("global", 4)
    x = np.random.default_rng(0).normal(size=(1, 4, made.dim))
    zero, other = np.zeros((1, 4, 1)), np.full((1, 4, 1), 7.0)
    assert np.array_equal(made.inner_gradient(x, zero), made.inner_gradient(x, other))
    assert np.array_equal(made.accuracy(x, zero), made.accuracy(x, other))
    assert not made.cross(x, other, x[:, :, None]).any()
    assert not made.outer_gradients(x, other)[1].any()


def test_label_weights_of_both_models_count_alike():
    # one component, its weight softmax(l) = 1: pdbo-mtl-da is pdbo-da
    both = bilevel("pdbo-mtl-da", 5, components=1, label_reg=0.3, component_reg=0.0)
    plain = bilevel("pdbo-da", 5, label_reg=0.3)
    x, lam = np.random.default_rng(0).normal(size=(1, 5, 650)), np.zeros((1, 5, 11))
    lam[..., 1:] = np.random.default_rng(1).normal(size=(1, 5, 10))
    scale = np.abs(x).sum(axis=-1).max()  # features are at most 1: a score is below this
    gap = both.inner_gradient(x, lam) - plain.inner_gradient(x, lam[..., 1:])
    assert np.abs(gap).max() <= 100 * EPS * scale
    assert np.abs(both.outer(x, lam) - plain.outer(x, lam[..., 1:])).max() <= 100 * EPS * scale
    for part in PARTS:
        assert np.array_equal(both.accuracy(x, lam, part), plain.accuracy(x, lam[..., 1:], part))


@pytest.mark.parametrize("name", ["pdbo-da", "pdbo-mtl"])
def test_the_outer_loss_can_be_that_of_the_validation_samples(name):
    made = bilevel(name, 4, outer="validation", seed=2)
    x = np.random.default_rng(0).normal(size=(1, 4, made.dim))
    lam = np.zeros((1, 4, made.hyper))
    data = personal_data(name, 4, seed=2).parts["validation"]
    for i in range(4):
        rows = slice(data.starts[i], data.starts[i] + data.sizes[i])
        X = np.concatenate([data.inputs[rows].reshape(-1, 64) / 16, np.ones((data.sizes[i], 1))], 1)
        z = X @ x[0, i].reshape(-1, 65, 10)
        p = (np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True)).mean(axis=0)
        wanted = -np.log(p[np.arange(len(p)), data.labels[rows]]).mean()
        # scores up to 50 carry an error of 65 EPS each, through exp and log
        assert abs(made.outer(x, lam)[0, i] - wanted) <= 50 * 65 * EPS * 10


def test_estimates_of_an_ensemble_reach_the_true_hypergradient():
    x = 1.5 * np.random.default_rng(5).normal(size=(60, 2))
    y = (x[:, 0] * x[:, 1] > 0).astype(np.int64)  # what no single linear model separates
    data = Labelled("quadrants", x[:50], y[:50], x[50:], y[50:], 2)
    made = bilevel("pdbo-mtl-da", 3, data=data, partition="iid", components=2, reg=0.1)
    lam, net, sgp = np.random.default_rng(0).normal(size=(3, 4)), topology("complete", 3), SGP(0.2)
    law, start = edge_law(net), made.initial(1, np.arange(1))
    near = algorithm2(made, net, sgp, lam[None], 1000, z0=start).z[0]
    at = stationary(made, law, sgp, lam, z0=near)
    models = at.x.reshape(3, 2, 6)
    assert np.abs(models[:, 0] - models[:, 1]).max() > 0.1  # not the saddle between equal models
    here = Linear(made, sgp, at.x[None], at.omega[None], lam[None])
    assert spectral_radius(here, law) < 0.985  # 0.985^2000 < 1e-13
    found = hgp(here, net, law, 2000, runs=np.arange(1)).gradient[0]

    def cost(moved):
        reached = stationary(made, law, sgp, moved, z0=at.z)
        return made.outer(reached.x[None], moved[None]).mean()

    h = 1e-4
    for i, c in np.ndindex(3, 4):
        step = np.zeros((3, 4))
        step[i, c] = h
        slope = (cost(lam + step) - cost(lam - step)) / (2 * h)
        # truncation h^2 |F'''| / 6, third derivatives below 10 (softmax on features of size 5)
        assert abs(slope - found[i, c]) <= 2 * h * h


def test_torch_is_not_imported_before_a_network_is_asked_for():
    code = (
        "import sys; from theorylab.hypergradients import bilevel; bilevel('pdbo-mtl', 4); "
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_other_problems_start_at_0_and_have_no_samples():
    one = np.ones((3, 1, 1))
    made = QuadraticBilevel(one, one[..., 0], one, one[..., 0])
    assert np.array_equal(made.initial(0, np.arange(2)), np.zeros((2, 3, 1)))
    with pytest.raises(ValueError, match="part is 'test'; there is none, this problem has no"):
        made.accuracy(one[None, ..., 0], one[None, ..., 0])


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("pdbo", {}, "no problem 'pdbo'; need one of global, pdbo-da, pdbo-mtl, pdbo-mtl-da"),
        ("global", {"model": "tree"}, "no model 'tree'; need one of softmax, mlp, cnn"),
        ("pdbo-da", {"components": 3}, "pdbo-da of softmax has no option 'components'; has reg"),
        ("global", {"channels": [4]}, "has no option 'channels'"),
        ("pdbo-mtl", {"components": 0}, "components is 0; need an integer >= 1"),
        ("pdbo-da", {"reg": 0.0}, "reg is 0.0; Assumption 1"),
        ("pdbo-da", {"label_reg": -1.0}, "label_reg is -1.0"),
        ("pdbo-mtl", {"outer": "test"}, "outer is 'test'; need train or validation"),
        ("pdbo-mtl", {"batch": 0}, "batch is 0"),
        ("pdbo-mtl", {"validation": 0.5, "test": 0.5}, "need validation \\+ test < 1"),
        ("pdbo-mtl", {"fraction": 0.001}, "1 samples for 4 clients; need 3 or more for each"),
        ("pdbo-mtl", {"alpha": 0.4, "partition": "iid"}, "alpha came with partition 'iid'"),
        ("pdbo-mtl", {"data": "mnist"}, "mnist came without root"),
    ],
)
def test_what_does_not_fit_is_refused(name, options, words):
    with pytest.raises(ValueError, match=words):
        bilevel(name, 4, **options)


def test_sequences_are_refused():
    x, y = np.zeros((9, 4), np.int64), np.arange(9) % 2
    data = Labelled("words", x, y, x, y, 2, vocabulary=3)
    with pytest.raises(ValueError, match="words holds sequences of tokens; need images"):
        bilevel("global", 2, data=data)


def test_a_class_that_nobody_trains_on_is_named():
    x, y = np.zeros((40, 2)), np.zeros(40, np.int64)
    with pytest.raises(ValueError, match="no client trains on a sample of class 1; need more data"):
        bilevel("global", 3, data=Labelled("mine", x, y, x, y, 2))
