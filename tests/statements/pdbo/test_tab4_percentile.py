"""Table 4's percentiles: false by two entries, and by these alone."""

import pytest

from theorylab.statements.pdbo.tab4_percentile import STATEMENT


def test_it_is_off_by_what_the_two_entries_say(judged):
    found = judged(STATEMENT)["printed", "as-transcribed"]
    assert found.measured == pytest.approx(69.7 - 65.2, rel=1e-12)
    assert "PDBO-MTL at 10 %, CIFAR10" in found.place


def test_another_entry_is_found(changed_entry):
    assert changed_entry(STATEMENT, "corrected", "PDBO-DA", "Shakespeare10", "25.8") == "VIOLATED"
    assert changed_entry(STATEMENT, "printed/same-model", "Local-MTL", "EMNIST10", "75.2") == (
        "VIOLATED"
    )
