"""Sizes of data sets are exact."""

from theorylab.statements.dfedsgpsm.appa_data import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)["printed", "as-transcribed"]
    assert (found.measured, found.bound) == (10000, 0)


def test_another_size_is_found(changed_entry):
    assert changed_entry(STATEMENT, "corrected", "CIFAR-10", "test", 9999) == "VIOLATED"
    assert changed_entry(STATEMENT, "printed", "MNIST", "train", 50000) == "HOLDS"
