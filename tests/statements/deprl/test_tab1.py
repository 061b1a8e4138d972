"""Table 1: another digit is found."""

from theorylab.statements.deprl.tab1 import STATEMENT


def test_another_digit_is_found(changed_entry):
    def changed(version, row, column, entry):
        return changed_entry(STATEMENT, version, row, column, entry)

    assert changed("printed", "HARBox:.3", "FC:DisPFL", "83.57") == "VIOLATED"
    assert changed("printed", "Fashion-MNIST:.1", "Ring:D-PSGD", "95.76") == "VIOLATED"
    assert changed("printed", "CIFAR-100:.5", "Random:DePRL", "38.00") == "VIOLATED"
    assert changed("printed/d-psgd", "CIFAR-10:.3", "Random:D-PSGD", "65.60") == "VIOLATED"
    assert changed("printed/d-psgd", "CIFAR-10:.3", "Random:DePRL", "65.60") == "HOLDS"
