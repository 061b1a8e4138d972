"""A script on balls says what it says in fractions, and nothing where balls leave it open."""

import math
from fractions import Fraction

import flint
import pytest

from theorylab.scripts.balls import UndecidedError, UnenclosedError
from theorylab.scripts.play import played

HEAD = "import numpy as np\n"


def measured(lines, bits=128):
    return played(HEAD + "\n".join(lines) + "\n", bits)["measured"]


def test_a_float_is_the_one_that_python_reads_and_a_quotient_is_exact():
    assert measured(["measured = 0.1"]) == Fraction(0.1)
    assert measured(["measured = 1 / 10"]) == Fraction(1, 10)
    assert measured(["n = 3", "measured = np.full((n, n), 1 / n).sum()"]) == 3
    assert measured(["D, k = 2, 3", "measured = 1.0 - D ** -k"]) == Fraction(7, 8)


def test_pi_is_no_float_and_narrower_balls_are_nearer():
    for name in ("np.pi", "math.pi"):
        low, high = measured([f"measured = 1e20 * ({name} - {math.pi!r})"], 256).ends
        assert abs(low - 12246.467991473532) < 1e-9  # of pi = 3.14159265358979323846264338...
        assert high - low < 1e-11


def test_a_recursion_is_its_exact_value():
    lines = ["x = np.array([1.0])", "for t in range(50):", "    x = x - 0.3 * x / 7",
             "measured = np.sum(x**2)"]  # fmt: skip
    exact = (1 - Fraction(0.3) / 7) ** 100
    low, high = measured(lines).ends
    assert Fraction(low) <= exact <= Fraction(high)
    assert high - low <= 1e-15 * high


def test_float64_loses_what_the_balls_keep():
    lines = ["x = 1e16", "measured = (x + 1.0) - x"]
    assert (1e16 + 1.0) - 1e16 == 0
    assert measured(lines) == 1


@pytest.mark.parametrize(
    "line",
    [
        "measured = 1.0 if x * x > 2 else 0.0",
        "measured = max(k for k in range(3) if x * x == 2)",
        "measured = np.where(np.ones(1) * x * x >= 2, 1.0, 0.0)[0]",
        "measured = int(x * x)",
        "measured = 1.0 if (x * x - 2) and x else 0.0",
        "measured = [x * x < 2].index(True)",
    ],
)
def test_a_comparison_that_balls_leave_open_is_not_taken_for_true(line):
    with pytest.raises(UndecidedError):
        measured(["x = np.sqrt(2.0)", line])


def test_narrower_balls_decide_what_wider_ones_leave_open():
    lines = ["x = np.sqrt(2.0)", "measured = 1.0 if x * x + 1e-60 > 2 else 0.0"]
    with pytest.raises(UndecidedError):
        measured(lines)
    assert measured(lines, 512) == 1


def test_the_larger_one_of_two_equal_numbers_needs_no_decision():
    low, high = measured(["x = np.sqrt(2.0)", "measured = max(x * x, 2.0)"]).ends
    assert low <= 2 <= high


def test_a_singular_system_is_said_to_prove_nothing():
    lines = ["x = np.sqrt(2.0)", "A = np.array([[x, 2.0], [1.0, x]])",
             "measured = np.linalg.solve(A, np.ones(2))[0]"]  # fmt: skip
    with pytest.raises(UndecidedError, match="singular"):
        measured(lines)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("measured = np.fft.fft(np.ones(4))", "a step that balls do not know"),
        ("measured = np.polyfit(np.ones(4), np.ones(4), 2)", "no balls"),
        ("measured = 1.0; measured /= 3", "divides in place"),
        ("measured = sum(0.1 for k in range(10**9))", "too many operations"),
        ("measured = 1.0\nwhile measured > 0: measured = measured / 2", "too many operations"),
        ("A = np.eye(3)\nfor t in range(10**9): A = A @ A", "too many operations"),
        ("measured = open('x')", "a step that balls do not know"),
    ],
)
def test_what_balls_do_not_know_is_named(line, why):
    with pytest.raises(UnenclosedError, match=why):
        played(HEAD + line + "\n", 128, 100_000)


@pytest.mark.parametrize(
    "asked",
    [
        *("repr(x)", "str(x)", 'f"{x}"', 'f"{x:.3g}"', '"%s" % x', "str([x])", "repr(X)"),
        *("type(x).__name__", "type(X).__name__", "x.__class__", 'hasattr(x, "shape")'),
        *('getattr(X, "size", 3)', "X.__doc__", "[*map(str, X)]", "isinstance(x, float)"),
    ],
)
def test_what_balls_answer_otherwise_than_floats_is_not_asked(asked):
    lines = ["x, X = 0.5, np.array([0.5, 1.0])", "def told():", f"    return {asked}"]
    with pytest.raises(UnenclosedError):
        measured([*lines, 'measured = 0.0 if told() == "0.5" else 1.0'])


@pytest.mark.parametrize(
    "line",
    [
        *("np.ones((10**4, 1)) * np.ones(10**4)", "np.ones((10**4, 1)) <= np.ones(10**4)"),
        *("np.maximum(np.ones((10**4, 1)), np.ones(10**4))", "np.zeros(10**8)", "np.eye(10**4)"),
        *("np.where(np.ones((10**4, 1)) > 0, np.ones(10**4), 0.0)", "np.full(10**8, 0.5)"),
        *("np.outer(np.ones(10**4), np.ones(10**4))", "np.tile(np.ones(10**4), (10**4, 1))"),
        *("np.ones(10**4).repeat(10**4)", "np.repeat(np.ones(10**4), 10**4)", "np.arange(1e8)"),
        *("np.kron(np.ones(10**4), np.ones(10**4))", "np.pad(np.ones(9), 10**8)"),
        *("np.ones((10**6, 1, 9)) @ np.ones((9, 9))", "np.linspace(0.0, 1.0, 10**8)"),
        "np.ones((9, 9)) @ np.ones((10**6, 9, 1))",
    ],
)
def test_a_long_array_is_refused_before_it_is_there(line):
    """Of 1e8 objects NumPy makes some gigabytes first; so many operations are refused at once."""
    with pytest.raises(UnenclosedError, match="too many operations for balls"):
        played(f"{HEAD}measured = {line}\n", 128, 10**6)


def test_the_precision_is_put_back_and_nothing_is_printed(capsys):
    before = flint.ctx.prec
    assert measured(["measured = 0.5", 'print(f"measured {measured:.15g}")'], 512) == 0.5
    assert flint.ctx.prec == before
    assert capsys.readouterr().out == ""


def test_a_script_that_catches_errors_is_refused_since_what_is_open_is_one():
    text = "try:\n    x = 1.0 if np.sqrt(2.0) ** 2 > 2 else 3.0\nexcept ValueError:\n    x = 2.0\n"
    with pytest.raises(UnenclosedError, match="the script catches errors"):
        played(text, 128)
