from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from theorylab.data import Labelled, by_classes, dirichlet, iid, natural, pachinko, split
from theorylab.data.split import PARTITIONS, follow
from theorylab.kernels import Stream

TRAIN, TEST = np.arange(600) % 10, np.arange(170) % 10


def histogram(labels, owners, clients, classes=10):
    made = np.zeros((clients, classes), int)
    np.add.at(made, (owners, labels), 1)
    return made


def beyond_rounding(labels, owners, test, owners_test, clients, classes):
    """Cells (client, class) off their exact share of the test class by a whole sample or more."""
    held, asked = histogram(labels, owners, clients, classes), np.bincount(test, minlength=classes)
    made, wrong = histogram(test, owners_test, clients, classes), 0
    for i in range(clients):
        for k in range(classes):
            total = max(1, int(held[:, k].sum()))
            wrong += abs(int(made[i, k]) - Fraction(int(held[i, k] * asked[k]), total)) >= 1
    return wrong


def repairs_at_most(owners_test, clients):
    """A repaired client holds one test sample. Each repair changes two cells."""
    if len(owners_test) < clients:
        return 0
    return int(np.sum(np.bincount(owners_test, minlength=clients) == 1))


@st.composite
def cases(draw):
    clients = draw(st.integers(1, 8))
    labels = draw(st.lists(st.integers(0, 4), min_size=clients, max_size=40))
    owners = draw(st.lists(st.integers(0, clients - 1), min_size=len(labels), max_size=len(labels)))
    test = draw(st.lists(st.sampled_from(labels), max_size=60))
    return np.array(labels), np.array(owners), np.array(test, int), clients, draw(st.integers(0, 9))


@settings(max_examples=200)
@given(case=cases())
def test_a_client_gets_its_share_of_every_test_class_up_to_rounding(case):
    labels, owners, test, clients, seed = case
    made = follow(labels, owners, test, clients, seed)
    wrong = beyond_rounding(labels, owners, test, made, clients, 5)
    assert wrong <= 2 * repairs_at_most(made, clients)


@settings(max_examples=200)
@given(case=cases())
def test_no_client_is_without_a_test_sample_where_there_are_enough(case):
    labels, owners, test, clients, seed = case
    assume(len(test) >= clients)
    made = follow(labels, owners, test, clients, seed)
    assert made.dtype == np.int64
    assert made.shape == test.shape
    assert np.bincount(made, minlength=clients).min() >= 1
    assert 0 <= made.min() <= made.max() < clients


@pytest.mark.parametrize("partition", PARTITIONS)
@settings(max_examples=25)
@given(clients=st.integers(5, 30), seed=st.integers(0, 2**63))
def test_train_and_test_agree_and_no_client_is_empty(partition, clients, seed):
    coarse = TRAIN // 2
    owners, owners_test = split(TRAIN, TEST, clients, partition=partition, coarse=coarse, seed=seed)
    assert np.bincount(owners, minlength=clients).min() >= 1
    sizes = np.bincount(owners_test, minlength=clients)
    assert sizes.min() >= 1
    assert len(sizes) == clients
    wrong = beyond_rounding(TRAIN, owners, TEST, owners_test, clients, 10)
    assert wrong <= 2 * repairs_at_most(owners_test, clients)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, lambda: dirichlet(TRAIN, 7, 0.3, 5)),
        ({"alpha": 2.0}, lambda: dirichlet(TRAIN, 7, 2.0, 5)),
        ({"partition": "classes"}, lambda: by_classes(TRAIN, 7, 2, 5)),
        ({"partition": "classes", "classes_per_client": 3}, lambda: by_classes(TRAIN, 7, 3, 5)),
        ({"partition": "iid"}, lambda: iid(TRAIN, 7, 5)),
        ({"partition": "pachinko"}, lambda: pachinko(TRAIN, TRAIN // 5, 7, seed=5)),
        (
            {"partition": "pachinko", "alpha": 3, "beta": 0.2},
            lambda: pachinko(TRAIN, TRAIN // 5, 7, 3.0, 0.2, 5),
        ),
    ],
)
def test_the_training_data_is_split_as_the_partition_alone_does(options, wanted):
    owners, owners_test = split(TRAIN, TEST, 7, coarse=TRAIN // 5, seed=5, **options)
    assert np.array_equal(owners, wanted())
    assert np.array_equal(owners_test, follow(TRAIN, owners, TEST, 7, 5))


def test_pathological_clients_are_tested_on_their_classes_alone():
    owners, owners_test = split(TRAIN, TEST, 20, partition="classes", classes_per_client=2, seed=3)
    for client in range(20):
        mine = set(TRAIN[owners == client].tolist())
        assert len(mine) == 2
        assert set(TEST[owners_test == client].tolist()) == mine


def test_rounding_does_not_favour_a_client_over_many_classes():
    # even shares: every class gives 3 of 20 clients one sample, and 100 classes 15 to each
    labels, test = np.repeat(np.arange(100), 20), np.repeat(np.arange(100), 3)
    owners_test = follow(labels, np.tile(np.arange(20), 100), test, 20)
    assert np.bincount(owners_test).tolist() == [15] * 20


def test_which_test_samples_a_client_gets_is_drawn_from_the_seed():
    owners = np.arange(40) % 2
    first = follow(np.zeros(40, int), owners, np.zeros(40, int), 2, 1)
    assert np.array_equal(first, follow(np.zeros(40, int), owners, np.zeros(40, int), 2, 1))
    assert not np.array_equal(first, follow(np.zeros(40, int), owners, np.zeros(40, int), 2, 2))
    held = [np.flatnonzero(first == i) for i in range(2)]
    assert held[0].min() < held[1].max()
    assert held[1].min() < held[0].max()
    training = np.argsort(Stream(1, "partition").uniform(1, 1, 0, 2, 40)[0, 0])
    assert set(training[:20]) != set(held[0])  # the test data has draws of its own


def test_an_empty_client_takes_a_sample_of_the_class_it_is_trained_on():
    # class 0: due 1.75 and .25 of two samples, class 1: all to client 2; client 1 is left empty
    labels, owners = [0] * 8 + [1] * 8, [0] * 7 + [1] + [2] * 8
    assert follow(labels, owners, [0, 0, 1, 1, 1], 3).tolist() == [0, 1, 2, 2, 2]  # its last one


def test_a_donor_keeps_a_sample_and_the_next_class_is_asked():
    # client 1 knows class 1 best, but its one test sample is all that client 2 has
    labels = [0] * 10 + [1] * 9
    owners = [0] * 9 + [1] + [1] * 2 + [2] * 7
    assert follow(labels, owners, [1, 0, 0], 3).tolist() == [2, 0, 1]


def test_where_its_classes_are_not_tested_a_client_takes_any_sample():
    assert follow([0, 0, 1], [0, 0, 1], [0, 0, 0], 2).tolist() == [0, 0, 1]
    # of the richest client, not of the first class
    assert follow([0, 1, 2], [0, 1, 2], [0, 0, 2, 2, 2], 3).tolist() == [0, 0, 2, 2, 1]


def test_with_fewer_test_samples_than_clients_nothing_is_repaired():
    labels, owners = [0, 0, 0, 1, 2], [0, 0, 0, 1, 2]
    assert follow(labels, owners, [0, 0], 3).tolist() == [0, 0]
    assert follow(labels, owners, np.zeros(0, int), 3).tolist() == []


BAD = [
    (lambda: split(TRAIN, TEST, 5, partition="even"), ValueError, "partition is 'even'; need one"),
    (lambda: split(TRAIN, TEST, 5, beta=1.0), ValueError, "beta came with .*; need pachinko"),
    (
        lambda: split(TRAIN, TEST, 5, partition="iid", alpha=1.0),
        ValueError,
        "alpha came with partition 'iid'; need dirichlet or pachinko",
    ),
    (
        lambda: split(TRAIN, TEST, 5, classes_per_client=2),
        ValueError,
        "classes_per_client came with partition 'dirichlet'; need classes",
    ),
    (lambda: split(TRAIN % 9, TEST, 5), ValueError, "test label 9 is none of the 9 training labe"),
    (lambda: split(TRAIN, [0.5], 5), TypeError, "test labels have dtype float64; need integers"),
    (lambda: split(TRAIN, [[0]], 5), ValueError, r"test labels have shape \(1, 1\); need \(m,\)"),
    (lambda: follow(TRAIN, [0], TEST, 5), ValueError, r"owners have shape \(1,\); need \(600,\)"),
    (lambda: follow([0], [5], [0], 5), ValueError, r"owners are 5\.\.5; need 0\.\.4"),
    (lambda: follow([0], [-1], [0], 5), ValueError, r"owners are -1\.\.-1; need 0\.\.4"),
    (lambda: follow([0], [0], [0], 0), ValueError, "clients is 0; need an integer >= 1"),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD)
def test_bad_input_is_named_in_one_line(call, error, message):
    with pytest.raises(error, match=f"^split: {message}") as caught:
        call()
    assert "\n" not in str(caught.value)


def users(*owners):
    x = np.arange(len(owners), dtype=np.float64)[:, None]
    y, own = np.zeros(len(owners), np.int64), np.array(owners)
    return Labelled("users", x, y, x[::-1].copy(), y, 1, owners=own, owners_test=own[::-1].copy())


def test_natural_owners_are_the_largest_or_the_first():
    data = users(0, 1, 2, 1, 3, 2, 1, 2)  # sizes 1, 3, 3, 1
    largest = natural(data, 3)
    assert largest.x.ravel().tolist() == [0, 1, 2, 3, 5, 6, 7]
    assert largest.owners.tolist() == [2, 0, 1, 0, 1, 0, 1]
    assert largest.owners_test.tolist() == [1, 0, 1, 0, 1, 0, 2]
    first = natural(data, 2, "first")
    assert first.x.ravel().tolist() == [0, 1, 3, 6]
    assert first.owners.tolist() == [0, 1, 1, 1]
    assert natural(users(5, 2, 5), 1).owners.tolist() == [0, 0]  # numbers without samples
    assert natural(users(5, 2, 5), 1, "first").x.ravel().tolist() == [1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: natural(users(0, 1), 3), "clients is 3, but users has 2 owners; need no more"),
        (lambda: natural(users(0, 1), 0), "clients is 0; need an integer >= 1"),
        (lambda: natural(users(0, 1), 1, "best"), "choose is 'best'; need largest or first"),
        (lambda: natural(bare(), 1), "bare has no natural owners; need LEAF data, or split"),
    ],
)
def test_natural_refuses_in_one_line(call, message):
    with pytest.raises(ValueError, match=f"^natural: {message}"):
        call()


def bare():
    x, y = np.ones((2, 1)), np.zeros(2, np.int64)
    return Labelled("bare", x, y, x, y, 1)
