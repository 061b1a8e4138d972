"""A theorem in LaTeX becomes a file: what is read is right, and what is not read is asked."""

import re
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import sympy as sp

from theorylab import symbols
from theorylab.latex import LatexError, skeleton
from theorylab.symbols import T
from theorylab.verdicts import jobs, judge

sys.path.insert(0, str(Path(__file__).parent))
from corpus import CASES, UNKNOWN, VALUES

OPEN = re.compile(r"= letters\.|= symbol\(")  # a line of a letter that has to be looked at


def loaded(code):
    names = {}
    exec(compile(code, "skeleton", "exec"), names)
    return names


def right_side(names):
    bound = names["BOUND"].bracket if "BOUND" in names else sum(names["TERMS"].values())
    values = {s: VALUES.get(symbols.name_of(s), UNKNOWN) for s in bound.free_symbols}
    return float(bound.subs(values))


@pytest.mark.parametrize("name", CASES)
def test_a_theorem_of_the_field_is_read(name):
    latex, left, right, letters = CASES[name]
    code, todo = skeleton(latex, f"corpus.{name}")
    names = loaded(code)
    assert right_side(names) == pytest.approx(float(right), rel=1e-12)
    quantity = names["STATEMENT"].quantity
    if left is None:
        assert any("which left side is" in line for line in todo)
        assert "TODO which left side" in code
    else:
        assert (quantity.column, quantity.over) in (left, (left[0], f"run {left[1]}"))
    assert sum(bool(OPEN.search(line)) for line in code.splitlines()) == letters
    to_edit = [line for line in code.splitlines() if "TODO" in line and "read from" not in line]
    assert len(to_edit) <= 10


def test_files_are_judged_as_they_are_written(tmp_path):
    for name in ("contraction", "sgd", "gd", "pdbo"):
        (tmp_path / f"{name}.py").write_text(skeleton(CASES[name][0], f"corpus.{name}")[0])
    found = {job.id: judge(job) for job in jobs([str(f) for f in tmp_path.iterdir()])}
    verdicts = {key.removeprefix("corpus."): each.verdict for key, each in found.items()}
    # h = 1/4 is no 1/L = 1/2, which the file has as a rule
    assert verdicts["gd"] == "ASSUMPTION_FAILS"
    assert verdicts["contraction"] == verdicts["sgd"] == "HOLDS"


def test_rules_are_those_of_the_words():
    code, todo = skeleton(CASES["contraction"][0])
    assert 'Assumption(r"h <= \\frac2{\\mu+L}", rule=eta <= 2/(L + mu)),' in code
    assert 'Assumption(r"0 < h", rule=0 < eta),' in code
    assert any("then gradient descent has" in line for line in todo)
    assert "Eq(eta, 1/L)" in skeleton(CASES["gd"][0])[0]


def test_a_relation_of_every_round_is_no_rule_of_an_instance():
    words = r"For $k \ge 0$ and $\eta \le 1/L$: \[ f(x_k) - f^* \le \frac{R^2}{2 \eta k}. \]"
    code, _ = skeleton(words)
    assert code.count("Assumption(r") == 1
    assert "rule=eta <= 1/L" in code


def test_a_letter_that_may_be_two_things_is_asked_and_never_silent():
    code, todo = skeleton(r"f(x_T) - f^* \le \frac{\rho^2}{\beta T}")
    assert "rho_ = letters.rho  # TODO \\rho: or " in code
    assert any(
        line.startswith("\\beta may be alpha (momentum coefficient) or L (") for line in todo
    )


def test_a_term_that_is_no_expression_is_a_todo_with_its_latex():
    code, todo = skeleton(r"f(x_T) - f^* \le \frac{R^2}{T} + \sum_{t=0}^{T} \eta_t^2 M")
    assert r'piece2 = symbol("piece2", r"\sum_{t=0}^T\eta_t^2M", "TODO: it was not read")' in code
    assert todo[0] == r"piece2: line 1, column 34: \sum is not read here"
    assert "M" not in loaded(code)


def test_a_norm_that_is_not_squared_has_both_sides_squared():
    code, _ = skeleton(r"\|x_k - x^*\| \le (1 - \frac{\mu}{L})^k \|x_0 - x^*\|")
    names = loaded(code)
    assert list(names["TERMS"]) == ["both sides squared"]
    right = ((1 - VALUES["mu"] / VALUES["L"]) ** VALUES["t"]) ** 2 * VALUES["R2"]
    assert right_side(names) == pytest.approx(float(right), rel=1e-12)
    assert names["STATEMENT"].quantity.column == "squared_distance"
    _, todo = skeleton(r"\mathbb{E}\|x_k - x^*\| \le q^k")
    assert any("of the mean of a norm nothing follows" in line for line in todo)


def test_the_first_model_is_asked_about():
    code, todo = skeleton(r"f(x_T) - f^* \le \frac{L \|x_1 - x^*\|^2}{T}")
    assert "is that where the run starts?" in todo[0]
    assert r"# TODO \|x_1-x^*\|^2: is that where the run starts?" in code


def test_a_sum_from_one_is_asked_about():
    _, todo = skeleton(r"\frac1T\sum_{t=1}^T \|\nabla f(x_t)\|^2 \le \frac{f(x_0) - f^*}{\eta T}")
    assert any("it sums from 1" in line for line in todo)


def test_of_a_paper_the_first_theorem_is_read_and_others_are_told():
    paper = "\\section{x}\n$a \\le b$\n" + CASES["gd"][0] + CASES["sgd"][0]
    code, todo = skeleton(paper)
    assert todo[0] == "1 more theorems stand in the text; the first was read"
    assert 'Source("paper", "Nesterov 2004, Corollary 2.1.2"' in code


@pytest.mark.parametrize(
    ("right", "value"),
    [
        (r"\frac12 T^{-2}", Fraction(1, 8)),
        (r"\frac12", Fraction(1, 2)),
        (r"\frac1{12} + \frac{12}T + \sqrt4T", Fraction(1, 12) + 6 + 4),
        (r"T^23", 12),
    ],
)
def test_a_command_takes_one_digit_where_there_are_no_braces(right, value):
    code, _ = skeleton(rf"f(x_T) - f^* \le {right}")
    terms = loaded(code)["TERMS"].values()
    assert sum(sp.sympify(term).subs(T, 2) for term in terms) == value


def test_a_product_behind_a_slash_is_asked_about():
    for right, below in ((r"\sigma_l^2/nT", "/nT"), ("1/2T", "/2T")):
        _, todo = skeleton(rf"f(x_T) - f^* \le {right}")
        assert [line.partition(" (")[0] for line in todo] == [below]
    for right in (r"1/(2T)", r"\frac{1/2 + L}{T}", r"L/T + \mu"):
        assert not any("divided" in line for line in skeleton(rf"f(x_T)-f^* \le {right}")[1])


def test_words_and_sides_beside_the_claim_are_not_dropped():
    claim = r"f(x_T) - f^* \le \frac{L}{T}"
    code, todo = skeleton(rf"{claim} \quad \text{{for all }} T \ge 10")
    assert todo == [r"assumed in words: \text{for all } T \ge 10"]
    assert "# TODO \\text{for all } T" in code
    words = "with probability at least $1 - p$"
    _, todo = skeleton(f"Let $f$ be convex.\nThen\n\\[ {claim}\n\\text{{ if odd}}.\\]\n{words}.")
    assert todo[-1] == rf"assumed in words: Then \text{{ if odd}}. {words}."
    _, todo = skeleton(rf"{claim} \le \mu")
    assert todo == [r"\frac LT stands between the two sides, and was left out"]


@pytest.mark.parametrize("right", [r"\lceil T/2 \rceil", r"L \over T"])
def test_a_command_that_is_no_letter_is_a_piece(right):
    assert "piece1" in skeleton(rf"f(x_T) - f^* \le {right}")[0]


@pytest.mark.parametrize(
    ("latex", "line"),
    [
        (r"f(x_T)-f^* \le \frac{1}{T", "line 1, column 24: { is never closed"),
        (
            "f(x_T)-f^* \\le\n  \\frac{1} + 2",
            "line 2, column 9: it ends here; need a number or a letter",
        ),
        (r"f(x_T)-f^* \le (L + \mu", "line 1, column 16: ( opens here, and it is never closed"),
        (r"f(x_T)-f^* \le L ^", "line 1, column 18: it ends here; need a number or a letter"),
        (r"f(x_T)-f^* \le L +", "line 1, column 18: it ends here; need a number or a letter"),
        (r"f(x_T)-f^* \le ", "nothing stands here; need an expression"),
        (r"f(x_T)-f^* \le L } T", "line 1, column 18: } closes nothing"),
        (r"f(x_T)-f^* \le L \&", "line 1, column 18"),
        (r"$f(x_T)$ is small", "no inequality with \\le was found"),
        ("", "no inequality with \\le was found"),
    ],
)
def test_latex_that_cannot_be_read_is_one_line_with_its_place(latex, line):
    with pytest.raises(ValueError, match=re.escape(line)) as raised:
        skeleton(latex)
    assert "\n" not in str(raised.value)
    assert isinstance(raised.value, LatexError) == line.startswith(("line", "nothing"))
