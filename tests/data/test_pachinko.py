import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import betabinom, chisquare, gamma

from theorylab.data import pachinko
from theorylab.kernels import Stream

FAMILY = {0: 7, 1: 7, 2: 9, 3: 9, 4: 9}  # class -> superclass


def family(labels):
    return np.array([FAMILY[k] for k in labels])


@settings(max_examples=60)
@given(
    labels=st.lists(st.sampled_from(sorted(FAMILY)), min_size=1, max_size=60),
    data=st.data(),
    alpha=st.sampled_from([1e-6, 0.1, 10.0]),
    beta=st.sampled_from([1e-6, 10.0]),
    seed=st.integers(0, 2**63),
)
def test_every_sample_has_one_owner_and_sizes_differ_by_at_most_one(
    labels, data, alpha, beta, seed
):
    clients = data.draw(st.integers(1, len(labels)))
    owners = pachinko(labels, family(labels), clients, alpha, beta, seed)
    assert owners.dtype == np.int64
    assert owners.shape == (len(labels),)
    size, more = divmod(len(labels), clients)
    assert np.bincount(owners, minlength=clients).tolist() == [
        size + (i < more) for i in range(clients)
    ]


def reference(labels, coarse, clients, alpha, beta, seed):
    """The walk as Reddi et al. describe it, with shares that are renormalised one by one."""
    draws = Stream(seed, "partition")
    tree = {g: sorted({k for k, h in zip(labels, coarse, strict=True) if g == h}) for g in coarse}
    groups, fine = sorted(tree), sorted(set(labels))

    def shares(client, count, steps, concentration):
        u, v = (1 - draws.uniform(1, clients, 0, step, count)[0, client] for step in steps)
        weights = gamma.isf(u, concentration + 1) * v ** (1 / concentration)
        return weights / weights.sum()

    def spin(options, weight, u):
        total, reached = sum(weight[k] for k in options), 0.0
        for k in options:
            reached += weight[k] / total
            if u < reached:
                return k
        return options[-1]

    keys = draws.uniform(1, 1, 0, 2, len(labels))[0, 0]
    order = sorted(range(len(labels)), key=lambda j: keys[j])
    owners = [-1] * len(labels)
    for client in range(clients):
        wide = dict(zip(groups, shares(client, len(groups), (4, 5), alpha), strict=True))
        narrow = dict(zip(fine, shares(client, len(fine), (6, 7), beta), strict=True))
        most = -(-len(labels) // clients)
        u, v = (draws.uniform(1, clients, 0, step, most)[0, client] for step in (8, 9))
        for j in range(len(labels) // clients + (client < len(labels) % clients)):
            left = {k: [s for s in order if labels[s] == k and owners[s] < 0] for k in fine}
            alive = [g for g in groups if any(left[k] for k in tree[g])]
            g = spin(alive, wide, u[j])
            k = spin([k for k in tree[g] if left[k]], narrow, v[j])
            owners[left[k][-1]] = client
    return owners


@pytest.mark.parametrize(("alpha", "beta"), [(0.1, 10.0), (1.0, 0.5), (5.0, 5.0)])
def test_it_is_the_walk_of_the_paper(alpha, beta):
    rng = np.random.default_rng(3)
    for seed in range(5):
        labels = rng.integers(0, 5, 57)
        coarse = family(labels)
        wanted = reference(labels.tolist(), coarse.tolist(), 6, alpha, beta, seed)
        assert pachinko(labels, coarse, 6, alpha, beta, seed).tolist() == wanted


def test_the_first_client_counts_superclasses_and_classes_as_polya_urns_do():
    # nothing runs out for client 0 (4 samples, 4 of each class): integrated over its Dirichlet
    # draw, its count of superclass 7 is beta-binomial(4, alpha, alpha), and of its c samples of
    # superclass 7, class 0 has beta-binomial(c, beta, beta)
    labels = np.repeat([0, 1, 2, 3], 4)
    alpha, beta, seeds = 0.7, 1.3, 4000
    wide, narrow = np.zeros(5), np.zeros((5, 5))
    for seed in range(seeds):
        mine = labels[pachinko(labels, family(labels), 4, alpha, beta, seed) == 0]
        seven = np.sum(mine < 2)
        wide[seven] += 1
        narrow[seven, np.sum(mine == 0)] += 1
    expected = betabinom(4, alpha, alpha).pmf(np.arange(5)) * seeds
    assert chisquare(wide, expected).pvalue > 1e-3
    for c in range(1, 5):
        shape = betabinom(c, beta, beta).pmf(np.arange(c + 1))
        assert chisquare(narrow[c, : c + 1], shape * wide[c]).pvalue > 1e-3


def test_a_small_alpha_empties_one_superclass_after_the_other():
    # every share but one underflows: in the log domain what is left still has an order
    labels = np.repeat(sorted(FAMILY), 20)
    coarse = family(labels)
    owners = pachinko(labels, coarse, 10, 1e-9, 10.0, seed=2)
    full = [len(np.unique(coarse[owners == i])) == 1 for i in range(10)]
    assert sum(full) >= 9  # 40 and 60 samples, 10 a client: at most one straddles


def test_what_is_left_is_renormalised_even_where_its_shares_underflow():
    # 15 samples a client: client 0 empties the superclass it prefers, and 5 are of the next one,
    # either of the two others with even chances, though both shares are 0 in float64
    labels, lower = np.repeat([0, 1, 2], 10), 0
    for seed in range(20):
        mine = labels[pachinko(labels, labels, 2, 1e-9, 1.0, seed) == 0]
        counts = np.bincount(mine, minlength=3)
        assert sorted(counts) == [0, 5, 10]
        lower += bool(counts.argmin() > np.flatnonzero(counts == 5)[0])
    assert 0 < lower < 20  # all on one side has chance 2e-6


def test_a_small_beta_takes_one_class_within_a_superclass():
    labels = np.repeat(sorted(FAMILY), 40)
    owners = pachinko(labels, family(labels), 20, 10.0, 1e-9, seed=2)
    mine = labels[owners == 0]  # 10 samples of client 0: no class runs out
    assert len(np.unique(mine[mine < 2])) <= 1
    assert len(np.unique(mine[mine >= 2])) <= 1


def test_which_sample_of_a_class_is_drawn():
    labels = np.zeros(40, int)
    owners = pachinko(labels, labels, 2, seed=1)
    held = [np.flatnonzero(owners == i) for i in range(2)]
    assert held[0].min() < held[1].max()
    assert held[1].min() < held[0].max()


def test_it_is_a_function_of_its_seed_and_of_which_classes_belong_together():
    labels = np.repeat(sorted(FAMILY), 20)
    coarse = family(labels)
    first = pachinko(labels, coarse, 8, seed=3)
    assert np.array_equal(first, pachinko(labels, coarse, 8, seed=3))
    assert np.array_equal(first, pachinko(labels * 5, coarse * 3 + 1, 8, seed=3))  # other names
    assert not np.array_equal(first, pachinko(labels, coarse, 8, seed=4))
    assert not np.array_equal(first, pachinko(labels, labels, 8, seed=3))


def test_the_defaults_are_those_of_federated_cifar100():
    labels = np.repeat(sorted(FAMILY), 20)
    args = labels, family(labels), 8
    assert np.array_equal(pachinko(*args), pachinko(*args, alpha=0.1, beta=10.0, seed=0))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: pachinko([0, 1], None, 1), ValueError, "coarse is None; need the superclass of"),
        (lambda: pachinko([0, 1], [0], 1), ValueError, r"coarse labels have shape \(1,\); need"),
        (lambda: pachinko([0, 1], [0.0, 1], 1), TypeError, "coarse labels have dtype float64; n"),
        (lambda: pachinko([4, 4], [1, 2], 1), ValueError, r"class 4 lies in superclasses \[1, 2\]"),
        (lambda: pachinko([0, 1], [0, 0], 3), ValueError, "2 samples for 3 clients; need at lea"),
        (lambda: pachinko([0, 1], [0, 0], 1, 0.0), ValueError, "alpha is 0.0; need a finite numb"),
        (lambda: pachinko([0, 1], [0, 0], 1, 1, "x"), TypeError, "beta is str; need a number > 0"),
        (lambda: pachinko([0, 1], [0, 0], 1, seed=-1), ValueError, "seed is -1; need an integer"),
    ],
)
def test_bad_input_is_named_in_one_line(call, error, message):
    with pytest.raises(error, match=f"^pachinko: {message}") as caught:
        call()
    assert "\n" not in str(caught.value)
