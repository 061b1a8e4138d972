"""Clients that name the classes in other ways, and wrong labels."""

import numpy as np
import pytest

from theorylab.data import Labelled
from theorylab.hypergradients import personal_data
from theorylab.hypergradients._personal_data import PARTS


def made(samples=600, classes=5, **options):
    x = np.arange(samples, dtype=np.float64)[:, None]
    y = np.arange(samples) % classes
    data = Labelled("mine", x[:-100], y[:-100], x[-100:], y[-100:], classes)
    return personal_data("here", 6, data=data, partition="iid", **options)


def named(part, client, classes=5):
    """Client's label of each true class; -1 where it has no sample."""
    mine = part.owners() == client
    found = -np.ones(classes, int)
    found[part.inputs[mine, 0].astype(int) % classes] = part.labels[mine]
    return found


def test_a_group_names_the_classes_in_one_way_in_all_parts_and_groups_conflict():
    parts = made(concepts=3, samples=1200).parts
    ways = [[named(parts[name], client) for name in PARTS] for client in range(6)]
    for client in range(6):
        for way in ways[client]:
            there = way >= 0
            assert (way[there] == ways[client % 3][0][there]).all()
        assert sorted(ways[client][0]) == [0, 1, 2, 3, 4]
    assert (ways[0][0] == np.arange(5)).all()
    assert len({tuple(way[0]) for way in ways}) == 3


def test_one_concept_is_the_data_as_they_are():
    assert made(concepts=1, wrong=0.0).parts["train"].labels.tolist() == (
        made().parts["train"].labels.tolist()
    )


@pytest.mark.parametrize("wrong", [0.2, 0.7])
def test_that_share_of_the_training_labels_is_wrong_and_no_other(wrong):
    found, true = made(wrong=wrong, samples=3000).parts, made(samples=3000).parts
    off = found["train"].labels != true["train"].labels
    assert abs(off.mean() - wrong) < 5 * np.sqrt(wrong * (1 - wrong) / len(off))
    shift = (found["train"].labels - true["train"].labels)[off] % 5
    assert np.bincount(shift, minlength=5)[1:].min() > 0.2 * off.sum()  # every other class
    for name in PARTS[1:]:
        assert (found[name].labels == true[name].labels).all()


def test_the_labelled_view_trains_on_the_training_part_and_is_tested_on_another():
    data = made(concepts=2)
    for held in PARTS[1:]:
        view = data.labelled(held)
        assert (view.x == data.parts["train"].inputs).all()
        assert (view.y_test == data.parts[held].labels).all()
        assert (view.owners_test == data.parts[held].owners()).all()
    with pytest.raises(ValueError, match="held is 'train'; need validation or test"):
        data.labelled("train")
