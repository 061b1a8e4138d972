"""Table 4's averages: an entry that makes a sentence false is noticed."""

import pytest

from theorylab.statements.pdbo.tab4 import STATEMENT


@pytest.mark.parametrize(
    ("row", "column", "entry"),
    [
        ("Local-MTL", "CIFAR100", "42.0"),
        ("PDBO-DA", "CIFAR10", "75.3"),
        ("PDBO-MTL", "CIFAR10", "75.9"),  # no exception any more
        ("PDBO-DA", "EMNIST", "81.2"),
        ("SGP-MTL", "CIFAR10", "73.9"),
        ("Local", "EMNIST10", "63.5"),  # Table 1 has another one
    ],
)
def test_another_entry_is_found(row, column, entry, changed_entry):
    assert changed_entry(STATEMENT, "printed", row, column, entry) == "VIOLATED"
