"""Every theorem of docs/gallery becomes a file that is right where it is read: few edits."""

import re
import sys
from pathlib import Path

import pytest

from theorylab import symbols
from theorylab.latex import LatexError, skeleton

sys.path.insert(0, str(Path(__file__).parent))
from corpus import CASES, UNKNOWN, VALUES
from gallery import GALLERY
from gallery_networks import NETWORKS

THEOREMS = GALLERY | NETWORKS
FILES = Path(__file__).parents[2] / "docs" / "gallery"
READ = {"contraction": "gradient_descent"}  # of corpus.py, by the file that it is in


def loaded(code, name):
    names = {}
    exec(compile(code, name, "exec"), names)
    return names


def right_side(names):
    bound = names["BOUND"].bracket if "BOUND" in names else sum(names["TERMS"].values())
    values = {s: VALUES.get(symbols.name_of(s), UNKNOWN) for s in bound.free_symbols}
    return float(bound.subs(values))


def test_every_file_of_the_gallery_has_its_theorem_here():
    told = {*THEOREMS, *(READ[name] for name in CASES if name in READ)}
    told = {
        name.rstrip("12").removesuffix("_gap").removesuffix("_delta") for name in told - {"ef21"}
    }
    assert told | {"ef21"} == {path.stem for path in FILES.glob("*.py")}


@pytest.mark.parametrize("name", THEOREMS)
def test_a_theorem_of_the_gallery_needs_ten_edits_at_most(name):
    latex, left, right = THEOREMS[name]
    code, todo = skeleton(latex, f"gallery.{name}")
    names = loaded(code, f"gallery-{name}")
    quantity = names["STATEMENT"].quantity_of(names["STATEMENT"].versions["printed"])
    if left is None:
        assert any("which left side is" in line for line in todo)
    else:
        assert (quantity.column, quantity.over) in (left, (left[0], f"run {left[1]}"))
    if right is None:
        assert todo[0].startswith("piece1: line ")
    else:
        assert right_side(names) == pytest.approx(float(right), rel=1e-12)
        assert "piece" not in code
    to_edit = [line for line in code.splitlines() if "TODO" in line and "read from" not in line]
    assert len(to_edit) <= 10


def terms_of(right, left=r"f(x_T) - f^* \le "):
    code, todo = skeleton(left + right)
    return loaded(code, right), todo


def test_a_number_with_a_power_of_ten_is_one_number_and_told():
    names, todo = terms_of(r"1.5e-3 L + 2E2")
    assert right_side(names) == pytest.approx(0.0015 * VALUES["L"] + 200, rel=1e-12)
    assert todo == [
        "1.5e-3 (line 1, column 18) was read as 0.0015; is e no letter?",
        "2E2 (line 1, column 29) was read as 200; is e no letter?",
    ]
    assert right_side(terms_of(r"2e")[0]) == pytest.approx(2 * 2.718281828459045)


def test_what_stands_beside_an_order_is_told():
    names, todo = terms_of(r"O(1/T) + \mu L")
    assert right_side(names) == 1 / VALUES["T"]
    assert todo == [r"+\mu L stands beside O(...), and was left out"]
    names, todo = terms_of(r"\mathcal{O}(1/T) + O(L/T^2)")
    assert right_side(names) == pytest.approx(1 / 20 + 2 / 400)
    assert todo == []
    with pytest.raises(LatexError, match=re.escape("( opens here, and it is never closed")):
        terms_of("O(1/T")
    _, todo = terms_of("O(1/T) L")
    assert any("O (line 1" in line for line in todo)  # no order: an unknown letter is asked


def test_a_constant_or_logarithms_that_a_sign_leaves_out_are_asked_for():
    _, todo = terms_of("L/T", r"f(x_T) - f^* \lesssim ")
    assert todo == [r"\lesssim leaves a constant out: which?"]
    _, todo = terms_of(r"\tilde{O}(1/T)")
    assert todo == [r"\tilde O(1/T) hides powers of logarithms: which?"]


def test_a_letter_of_networks_is_asked_where_no_network_is_spoken_of():
    _, todo = terms_of("C/T")
    assert todo == ["C: is it C (factor of the consensus envelope C q^t)? No network is spoken of"]


def test_an_order_of_a_norm_is_one_of_its_square():
    names, _ = terms_of(r"O(T^{-2})", r"\|x_T - x^*\| = ")
    assert right_side(names) == pytest.approx(20**-4)


def test_a_letter_beside_the_one_that_counts_rounds_is_no_number_of_rounds():
    _, todo = terms_of(r"\frac{L R^2}{2 k}")
    assert any(line.startswith("k (line 1") for line in todo)
    _, todo = terms_of(r"\frac{M}{\sqrt{n+1}}", r"\min_{t \le n} f(x_t) - f^* \le ")
    assert todo[-1] == "the left side: it looks at x_0 .. x_n, and T here counts models: n is T - 1"
    assert "T" in str(terms_of("1/N", r"\min_{0 \le t < N} f(x_t) - f^* \le ")[0]["TERMS"])
    assert "T" in str(terms_of("1/N", r"\min_{t \le N-1} f(x_t) - f^* \le ")[0]["TERMS"])


def test_a_letter_of_points_or_of_a_letter_is_a_function():
    for right in (r"\kappa(A)^2", "D_h(x^*; x_0)", "T(L, R)"):
        _, todo = terms_of(right)
        assert todo[0].startswith("piece1: line 1, column 1"), right
    assert right_side(terms_of(r"L(1 + \mu)")[0]) == pytest.approx(3.0)
