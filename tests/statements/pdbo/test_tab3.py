"""Table 3: another tick is noticed."""

import pytest

from theorylab.statements.pdbo.tab3 import STATEMENT


@pytest.mark.parametrize(
    ("row", "column", "entry"),
    [
        ("Liu", "static-undirected", 0),
        ("Li", "stochastic-directed", 1),
        ("Gao", "light-messages", 0),
        ("Yang", "light-products", 1),
    ],
)
def test_another_tick_is_found(row, column, entry, changed_entry):
    assert changed_entry(STATEMENT, "printed", row, column, entry) == "VIOLATED"


def test_it_is_liu_who_is_not_centralized(judged, changed_entry):
    assert "Liu" in judged(STATEMENT)["printed/centralized", "as-transcribed"].place
    assert changed_entry(STATEMENT, "printed/centralized", "Liu", "centralized", 1) == "HOLDS"
    assert changed_entry(STATEMENT, "corrected", "Li", "centralized", 0) == "VIOLATED"
