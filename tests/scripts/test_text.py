"""Lines of Python from numbers and from texts that come from elsewhere."""

import ast
import math

import numpy as np
import pytest
import sympy as sp

from theorylab import symbols
from theorylab.scripts import LONGEST, UnscriptedError
from theorylab.scripts.bound import constant_lines, constants_of, formula_lines, names_of
from theorylab.scripts.text import WIDEST, array, checked, comment, identifier, literal, wrapped

HOSTILE = [
    "a\nimport os",
    "b\rimport os",
    "c\x0cimport os",
    "d\u2028import os",
    "e\x00f",
    "g\\\nimport os",
    '"""\nimport os\n"""',
    "'; import os; '",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_leaves_a_comment(text):
    line = f"x = 1  # {comment(text)}\n"
    assert len(line.splitlines()) == 1
    (statement,) = ast.parse(line).body
    assert ast.dump(statement) == ast.dump(ast.parse("x = 1").body[0])


@pytest.mark.parametrize("name", ["lambda", "np", "measured", "a b", "a;import os", "é", "", "1x"])
def test_every_name_becomes_an_identifier_of_its_own(name):
    made = identifier(name)
    assert made.isidentifier()
    assert made.isascii()
    ast.parse(f"{made} = 1")
    assert made not in ("np", "measured")
    assert identifier(name, {made}) != made


@pytest.mark.parametrize(
    "value",
    [
        [[0.1, 2.0], [1e-300, -0.5]],
        [1.0, 2.0],
        [[2.0, 0.0], [0.0, 2.0]],
        [[2.0, 0.0], [0.0, 3.0]],
        [[1.0, 0.0], [0.0, 1.0]],
        [0.5] * 9,
        [0.0] * 9,
        [[0.0] * 3],
        3.0,
    ],
)
def test_an_array_is_the_same_numbers_again(value):
    made = eval(array(value), {"np": np})
    assert made.dtype == np.float64
    assert np.array_equal(made, np.asarray(value))
    assert np.asarray(value).shape == made.shape


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "1", True, None, object()])
def test_only_finite_numbers_are_literals(value):
    with pytest.raises(UnscriptedError):
        literal(value)


def test_a_long_line_is_broken_and_means_the_same():
    line = f"    x = np.array({[k / 7 for k in range(60)]})"
    lines = wrapped(line)
    assert len(lines) > 1
    assert all(len(each) <= WIDEST for each in lines)
    text = "import numpy as np\nif True:\n"
    assert ast.dump(ast.parse(text + line)) == ast.dump(ast.parse(text + "\n".join(lines)))
    with pytest.raises(UnscriptedError, match="too long"):
        wrapped("x = " + "1" * 200)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import os\n", "imports os"),
        ("from subprocess import run\n", "imports subprocess"),
        ("x = open\n", "does not define open"),
        ("x = y\n", "does not define y"),
        ("x = eval('1')\n", "does not define eval"),
        ("x = (1).__class__\n", "uses __class__"),
        ("x = 1\n" * (LONGEST + 1), f"{LONGEST + 1} lines"),
        (f"x = {'1' * 100}\n", "100 characters"),
    ],
)
def test_what_comes_out_is_looked_at(text, why):
    with pytest.raises(UnscriptedError, match=why):
        checked(text)


def test_a_large_whole_number_is_a_float_in_the_bound():
    T, K = symbols.T, symbols.K
    bound = {"": sp.sqrt(T**3) + sp.log(T**3 * K)}
    known = {
        "T": {"value": 1e12, "how": "exact", "source": "rounds"},
        "K": {"value": 3.0, "how": "exact", "source": "steps"},
    }
    for body in ([], ["T = 1000000000000"]):
        found = constants_of(bound.values(), known, body)
        lines = [*body, *constant_lines(found), *formula_lines("bound", bound, names_of(found))]
        scope = {"np": np}
        exec("\n".join(lines), scope)
        assert scope["bound"] == pytest.approx(1e18 + math.log(3e36), rel=1e-12)


def test_a_constant_that_no_float_holds_is_told():
    known = {"T": {"value": None, "log10": 400.0, "how": "exact", "source": "rounds"}}
    with pytest.raises(UnscriptedError, match=r"10\^400.0, which no float64 holds"):
        constants_of([symbols.T**2], known)
    with pytest.raises(UnscriptedError, match="names no constant"):
        constants_of([symbols.T**2], {})


def test_what_numpy_has_no_word_for_is_refused():
    with pytest.raises(UnscriptedError, match="function"):
        formula_lines("bound", {"": sp.Function("import_os")(symbols.T)}, {symbols.T: "T"})
