import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, kstest

from theorylab.data import by_classes, digits, dirichlet, iid

KINDS = {
    "iid": lambda y, n, seed: iid(y, n, seed),
    "dirichlet": lambda y, n, seed: dirichlet(y, n, 0.3, seed),
    "concentrated": lambda y, n, seed: dirichlet(y, n, 1e-4, seed),
    "classes": lambda y, n, seed: by_classes(y, n, 3, seed),
}
every = pytest.mark.parametrize("split", KINDS.values(), ids=KINDS)


@every
@settings(max_examples=25)
@given(clients=st.integers(4, 20), seed=st.integers(0, 2**63))
def test_every_sample_has_one_owner_and_every_client_a_sample(split, clients, seed):
    labels = digits().labels[:400]
    owners = split(labels, clients, seed)
    assert owners.shape == labels.shape
    assert np.bincount(owners, minlength=clients).min() >= 1
    assert owners.min() >= 0
    assert owners.max() < clients


@every
def test_a_split_is_a_function_of_its_seed(split):
    labels = digits().labels
    assert np.array_equal(split(labels, 8, 3), split(labels, 8, 3))
    assert not np.array_equal(split(labels, 8, 3), split(labels, 8, 4))


def test_a_split_stays_what_it_was():
    # written down from the first version: a stored result names a split by its options alone
    labels = np.arange(24) % 3
    assert "".join(map(str, iid(labels, 4, 7))) == "322130102311132002010332"
    assert "".join(map(str, dirichlet(labels, 4, 0.5, 7))) == "132133133232132112232012"
    assert "".join(map(str, by_classes(labels, 4, 2, 7))) == "212232011002001311331202"


@every
def test_a_split_is_shuffled_not_in_the_order_of_the_samples(split):
    labels = digits().labels
    for seed in range(3):
        owners = split(labels, 8, seed)
        held = [np.flatnonzero((owners == i) & (labels == 0)) for i in range(8)]
        shared = [rows for rows in held if len(rows) >= 5]
        for a, b in itertools.combinations(shared, 2):
            assert a.min() < b.max()
            assert b.min() < a.max()


def test_iid_sizes_differ_by_at_most_one():
    sizes = np.bincount(iid(digits().labels, 16))
    assert sizes.max() - sizes.min() <= 1


def test_a_client_holds_no_more_classes_than_asked_and_classes_are_cut_evenly():
    labels = digits().labels
    owners = by_classes(labels, 16, 2, seed=1)
    assert [len(np.unique(labels[owners == i])) for i in range(16)] == [2] * 16
    for k in range(10):
        shares = np.bincount(owners[labels == k])
        shares = shares[shares > 0]
        assert shares.max() - shares.min() <= 1
        assert len(shares) in (3, 4)  # 32 places dealt to 10 classes


def test_which_classes_meet_on_a_client_is_drawn():
    labels = digits().labels
    met = {frozenset(labels[by_classes(labels, 5, 2, seed) == 0]) for seed in range(20)}
    assert len(met) > 10  # 45 pairs, 20 draws: fewer than 11 different ones has chance 6e-5


def test_dirichlet_shares_have_the_dirichlet_marginal():
    # one share of Dirichlet(alpha, ..., alpha) over n clients is Beta(alpha, (n - 1) alpha)
    clients, alpha, size = 4, 0.5, 20_000
    labels = np.repeat(np.arange(60), size // 20)
    shares = []
    for seed in range(8):
        owners = dirichlet(labels, clients, alpha, seed)
        # client 0 alone: the shares of one class are dependent
        shares += [np.mean(owners[labels == k] == 0) for k in range(60)]
    # cut into 1000 samples: the shares are rounded by 1e-3, far below 1/sqrt(480)
    assert kstest(shares, beta(alpha, (clients - 1) * alpha).cdf).pvalue > 1e-3


def test_a_small_alpha_gives_a_class_to_one_client_and_a_large_one_to_all_alike():
    labels = np.repeat(np.arange(10), 100)
    few = dirichlet(labels, 4, 1e-9)  # every gamma variate underflows to 0 in float64
    assert all(len(np.unique(few[labels == k])) <= 2 for k in range(10))  # 2: after a repair
    many = dirichlet(labels, 4, 1e9)
    assert all(np.abs(np.bincount(many[labels == k]) - 25).max() <= 1 for k in range(10))


def test_an_empty_client_takes_one_sample_of_the_largest():
    labels = np.zeros(9, int)
    owners = dirichlet(labels, 3, 1e-9)
    rich = int(np.bincount(owners).argmax())
    assert sorted(np.bincount(owners)) == [1, 1, 7]
    others = [i for i in range(3) if i != rich]
    assert np.flatnonzero(owners == others[0]).tolist() == [8]  # the last by index, lowest first
    assert np.flatnonzero(owners == others[1]).tolist() == [7]


@pytest.mark.parametrize(
    ("split", "error", "message"),
    [
        (lambda: iid([0, 1], 3), ValueError, "iid: 2 samples for 3 clients; need at least one"),
        (lambda: iid([0.5, 1], 1), TypeError, "iid: labels have dtype float64; need integers"),
        (lambda: iid([[0, 1]], 1), ValueError, r"iid: labels have shape \(1, 2\); need \(m,\)"),
        (lambda: iid([0, 1], 0), ValueError, "iid: clients is 0; need an integer >= 1"),
        (lambda: iid([0, 1], 1, -1), ValueError, "iid: seed is -1; need an integer >= 0"),
        (lambda: dirichlet([0, 1], 2, 0.0), ValueError, "dirichlet: alpha is 0.0; need a finite"),
        (lambda: dirichlet([0, 1], 2, np.nan), ValueError, "dirichlet: alpha is nan; need a"),
        (lambda: dirichlet([0, 1], 2, "1"), TypeError, "dirichlet: alpha is str; need a number"),
        (lambda: by_classes([0, 1, 2], 1, 2), ValueError, r"3 classes; need 3\.\.3"),
        (lambda: by_classes([0, 1, 2], 2, 4), ValueError, r"3 classes; need 2\.\.3"),
        (lambda: by_classes([0, 1, 1, 1], 4, 1), ValueError, "client . of 4 is left without"),
        (lambda: by_classes([0, 1], 1, 1.0), TypeError, "classes_per_client is float; need an"),
    ],
)
def test_bad_input_is_named_in_one_line(split, error, message):
    with pytest.raises(error, match=message) as caught:
        split()
    assert "\n" not in str(caught.value)
