"""Table 2: another digit is found."""

from theorylab.statements.deprl._tables import TABLE_2
from theorylab.statements.deprl.tab2 import STATEMENT


def test_another_digit_is_found(changed_entry):
    assert changed_entry(STATEMENT, "printed", "HARBox:.5", "Ring:DisPFL", "52.44") == "VIOLATED"
    assert changed_entry(STATEMENT, "printed", "CIFAR-10:.1", "Ring:D-PSGD", "75.95") == "VIOLATED"


def test_the_least_lead_is_the_docstrings():
    leads = {
        (row, graph): float(entries[f"{graph}:DePRL"])
        - max(float(entries[f"{graph}:{other}"]) for other in ("D-PSGD", "DisPFL"))
        for row, entries in TABLE_2.items()
        for graph in ("Ring", "Random", "FC")
    }
    assert min(leads, key=leads.get) == ("CIFAR-100:.5", "FC")
    assert round(min(leads.values()), 2) == 1.48
