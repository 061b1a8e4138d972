"""Table 1: a digit that makes a sentence false is noticed."""

import pytest

from theorylab.statements.pdbo.tab1 import STATEMENT


@pytest.mark.parametrize(
    ("row", "column", "entry"),
    [
        ("pFedMe", "FC", "84.1"),  # above the ensembles
        ("PDBO-MTL", "StoD", "82.4"),  # above PDBO-MTL&DA
        ("PDBO-DA", "StoU", "79.5"),  # below SGP
        ("PDBO-MTL&DA", "FC", "82.6"),  # below PDBO-DA
        ("PDBO-DA", "StoD10", "72.3"),  # below SGP at 10 %
        ("FedProx", "FC10", "75.0"),  # above PDBO-DA at 10 %
    ],
)
def test_another_entry_is_found(row, column, entry, changed_entry):
    assert changed_entry(STATEMENT, "printed", row, column, entry) == "VIOLATED"


def test_the_gain_is_less_by_what_the_entries_say(judged):
    found = judged(STATEMENT)["printed/gain", "as-transcribed"]
    assert found.measured == pytest.approx(0.7, rel=1e-12)  # FC: 0.0 against 0.7
    assert "DA's gain, FC" in found.place
