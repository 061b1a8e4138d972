"""What is read of a formula is what it computes: parsed by sympy, and cases by hand."""

import math
import random
import re

import numpy as np
import pytest
import sympy
from sympy.parsing import sympy_parser

from theorylab.formulas import Formula, read
from theorylab.formulas.trace import traced

RULES = (*sympy_parser.standard_transformations, sympy_parser.implicit_multiplication,
         sympy_parser.convert_xor)  # fmt: skip
KNOWN = {
    "logcosh": lambda y: sympy.log(sympy.cosh(y)), "max": sympy.Max, "min": sympy.Min,
    "clip": lambda y, low, high: sympy.Min(sympy.Max(y, low), high),
}  # fmt: skip
UNARY = (
    np.exp, np.sin, np.tanh, np.log1p, lambda y: -y, lambda y: y**2, lambda y: y**3,
    lambda y: y / 2, lambda y: 3 * y, lambda y: 2 / y, lambda y: np.clip(y, -1, 2),
    lambda y: (y + 1) * y, lambda y: np.logaddexp(y, -y) - math.log(2),
    lambda y: y - 0.5 - y * y,
)  # fmt: skip
BINARY = (
    lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / (2 + b * b),
    lambda a, b: np.logaddexp(a, b), np.maximum,
)  # fmt: skip


def drawn(draw, x, c):
    """A random function of two numbers, some of its parts in several places."""
    parts = [x, c, x - c]
    for _ in range(draw.randint(2, 7)):
        if draw.random() < 0.5:
            parts.append(draw.choice(UNARY)(draw.choice(parts)))
        else:
            parts.append(draw.choice(BINARY)(draw.choice(parts), draw.choice(parts)))
    return parts[-1] - draw.choice(parts)


def value(text, x, c):
    """The number that the text says."""
    whole, *named = re.split(r", (?=[a-z][0-9]* = )", text.replace("log cosh(", "logcosh("))
    known = {**KNOWN, "x": sympy.Float(x, 30), "c": sympy.Float(c, 30)}
    for part in named:
        letter, right = part.split(" = ")
        known[letter] = sympy_parser.parse_expr(right, known, RULES)
    return float(sympy_parser.parse_expr(whole, known, RULES))


@pytest.mark.parametrize("seed", range(60))
def test_a_text_of_numbers_says_what_the_function_computes(seed):
    x, c = 0.375, -1.25

    def function(x, c):
        return drawn(random.Random(seed), x, c)

    text = read(traced(function, {"x": (), "c": ()}), {"x": "x", "c": "c"}, repr)
    with np.errstate(all="ignore"):
        right = float(function(np.float64(x), np.float64(c)))
    if math.isfinite(right) and abs(right) < 1e9:
        assert math.isclose(value(text, x, c), right, rel_tol=1e-9, abs_tol=1e-9), text


def matrix(x, A, c):
    return ((x - c) * (A @ (x - c))).sum() / 2 + (A @ x) @ (A @ c) - ((A @ x) ** 2).mean()


VECTORS = {
    "(x - c_i)^T A_i (x - c_i)/2 + (A_i c_i)^T A_i x - |A_i x|^2/3": matrix,
    "2 sum_j x_j^3/(1 + c_ij) - c_i3 x_1": lambda x, A, c: (2 * x**3 / (1 + c)).sum() - x[0] * c[2],
    "|x_(1..2)|^2 + c_i(2..3)^T exp(x_(2..3))": lambda x, A, c: (
        (x[:2] ** 2).sum() + np.exp(x[1:]) @ c[1:]
    ),
    "3 x_1 + 6": lambda x, A, c: (0 * x + x[0] + 2).sum(),
    "|sum(A_i * x)|^2": lambda x, A, c: ((A * x).sum(axis=1) ** 2).sum(),
    "|A_i^T x|^2/2": lambda x, A, c: ((x @ A) ** 2).sum() / 2,
    "(sum_j c_ij) sum_j x_j": lambda x, A, c: x.sum() * c.sum(),
    "sum_j x_j^3": lambda x, A, c: (x**3).sum(),
    "|x - c_i|^4": lambda x, A, c: (((x - c) ** 2).sum()) ** 2,
    "log(1 + exp(-c_i^T x))": lambda x, A, c: np.logaddexp(0, -(c @ x)),
    "y^T (x - c_i - y/2), y = clip(x - c_i, -1, 1)": lambda x, A, c: (
        np.clip(x - c, -1, 1) * (x - c - np.clip(x - c, -1, 1) / 2)
    ).sum(),
}


@pytest.mark.parametrize("text", VECTORS)
def test_vectors_are_read_as_sums_over_coordinates(text):
    data = {"A": np.arange(18.0).reshape(2, 3, 3), "c": np.arange(6.0).reshape(2, 3)}
    formula = Formula(VECTORS[text], data, ("A", "c"), 3)
    letters = {"x": "x", "A": "A_i", "c": "c_i"}
    assert read(formula.value, letters, lambda v: f"{v:g}") == text


def test_a_function_that_doubles_at_each_step_has_a_short_text():
    def doubled(x):
        for _ in range(200):
            x = x * np.sin(x) + 1
        return x.sum()

    assert len(read(traced(doubled, {"x": (1,)}), {"x": "x"}, repr)) < 20_000
