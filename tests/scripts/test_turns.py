"""A loop on intervals encloses what balls enclose, and a loop that may do more stays in balls."""

from fractions import Fraction

import pytest
from flint import arb

from theorylab.scripts import turns
from theorylab.scripts.arrays_of_balls import ball
from theorylab.scripts.balls import Ball, UndecidedError, UnenclosedError, Work
from theorylab.scripts.play import played

HEAD = "import numpy as np\nT = 60\n"
LOOP = [
    "X = np.array([[1.0, 2.0], [0.5, -3.0], [0.25, 0.125]])",
    "P = np.array([[0.5, 0, 0.5], [0.5, 0.5, 0], [0, 0.5, 0.5]])",
    "w = np.ones((3, 1))",
    "total = 0.0",
    "for t in range(T):",
    "    X0, Y = X, 0.0 * X",
    "    for k in range(2):",
    "        G = np.tanh(X / w - 0.3) + np.maximum(X, 0.1) * np.exp(-abs(X))",
    "        Y = 0.9 * Y + G / np.linalg.norm(G, axis=-1, keepdims=True)",
    "        X = X - 0.001 * Y",
    "    X, w = P @ X, P @ w",
    "    total += (X0.mean(-2) ** 2).sum()",
    "measured = total / T",
]


def both(lines, **given):
    """``measured`` with intervals and without, and whether a loop was taken."""
    text = HEAD + "\n".join(lines) + "\n"
    on = played(text, 128, intervals=True, **given)
    taken = Work.taken
    return ball(on["measured"]), ball(played(text, 128, **given)["measured"]), taken


def test_rounds_enclose_what_balls_of_128_bits_enclose():
    on, off, taken = both(LOOP)
    assert taken
    (low, high), (least, most) = on.ends, off.ends
    assert low <= least <= most <= high
    assert high - low < 1e-12 * high


def test_a_recursion_encloses_its_exact_value():
    lines = ["x = np.array([1.0])", "for t in range(50):", "    x = x - 0.3 * x / 7 + 1 / 3",
             "measured = np.sum(x)"]  # fmt: skip
    exact = Fraction(1)
    for _ in range(50):
        exact = exact - Fraction(0.3) * exact / 7 + Fraction(1, 3)
    on, _, taken = both(lines)
    assert taken
    assert Fraction(on.ends[0]) < exact < Fraction(on.ends[1])
    assert on.ends[1] - on.ends[0] < 50 * 4 * 3 * 8 * 2.0**-52  # turns, roundings, ulps, x < 8


def test_the_width_of_what_enters_is_kept():
    """The state and a constant are balls around all that they may be."""
    lines = ["x, c = 1.0, 0.5", "for t in range(40):", "    x = x * c + c", "measured = x"]
    ends = arb("0.49").union(arb("0.51"))

    def reading(value):
        return Ball(ends) if value == 0.5 else ball(value)

    on, _, taken = both(lines, reading=reading)
    assert taken
    for c in (Fraction(49, 100), Fraction(51, 100)):
        exact = Fraction(1)
        for _ in range(40):
            exact = exact * c + c
        assert Fraction(on.ends[0]) <= exact <= Fraction(on.ends[1])


def test_a_function_of_the_script_is_called_while_a_turn_is_written_down():
    lines = ["def slope(x, c):", "    y = x - c", "    return y * y * y", "x = 2.0",
             "for t in range(T):", "    x = x - 0.1 * slope(x, 0.5)", "measured = x"]  # fmt: skip
    on, off, taken = both(lines)
    assert taken
    assert on.ends[0] <= off.ends[0] <= off.ends[1] <= on.ends[1]


def test_names_that_hold_no_state_have_what_the_last_turn_leaves():
    lines = ["x = 1.0", "for t in range(T):", "    y = 3 * x", "    for k in range(4):",
             "        x = x * 0.99", "measured = y + 1000 * t + 100 * k"]  # fmt: skip
    on, off, taken = both(lines)
    assert taken
    assert on.ends[0] <= off.ends[0] <= off.ends[1] <= on.ends[1]


@pytest.mark.parametrize(
    "turn",
    [
        "    x = x * 0.5 + t",
        "    x = x * 0.5 if x > 1 else x * 0.25",
        "    x = np.where(np.ones(1) * x > 1, x, 0.5 * x)[0]",
        "    n = n + 1; x = x * 0.5 + n",
        "    seen.append(x); x = x * 0.5",
        "    x = x * 0.5 + len([seen.append(1)])",
        "    A[0] = A[0] * 0.5 + 1.0; x = A.sum()",
        "    B = A; A += x; x = B.sum() * 0.001",
        "    x = change(A) * 0.01",
        "    x = x * 0.5; pair = (x, x)",
        "    x = np.sin(x)",
        "    x = 0.5 * x + np.argmax(np.stack([x, 0.5 * x]))",
        "    while n < 1:\n        n = 1\n    x = 0.5 * x",
        "    x = 0.5 * x\n    if t > 3:\n        break",
        "    x = (lambda y: 0.5 * y)(x)",
        "    A = np.append(A, x); x = A.sum() * 0.01",
    ],
)
def test_a_turn_that_may_do_more_is_played_in_balls(turn):
    lines = ["x, n, seen, A = 3.0, 0, [], np.ones(3)", "def change(A):", "    A += 1",
             "    return A.sum()", "for t in range(20):", turn,
             "measured = x + n + len(seen)"]  # fmt: skip
    on, off, taken = both(lines)
    assert not taken
    assert on.ends == off.ends


@pytest.mark.parametrize(
    ("before", "turn", "after"),
    [
        ("def step(x): return x / (t + 2)", "x = step(x) + 1.0", "x"),
        ("seen = [0]", "seen += [1]; x = 0.5 * x", "x + len(seen)"),
        ("seen = [0]", "a = seen; a += [1]; a = 0; x = 0.5 * x", "x + len(seen)"),
        ("n = np.array([0, 0])", "n += 1; x = 0.5 * x", "x + n[0]"),
        ("n = np.array([0, 0])", "x = 0.5 * x + np.cumsum(n + 1, out=n)[0]", "x + n[0]"),
        ("n = np.array([0])\ndef count(k):\n    k += 1\n    return 0", "x = 0.5 * x + count(n)",
         "x + n[0]"),
        ("def f(x, s=[]):\n    s += [1]\n    return 0.5 * x + len(s)", "x = f(x)", "x"),
        ("X, Y = np.array([1.0, 2.0]), 0", "X = 0.5 * X + 1.0; Y = X", "Y[0]"),
        ("X, Y = np.array([1.0, 2.0]), 0", "X = 0.5 * X + 1.0; Y = X[:1]", "Y[0]"),
        ("it = iter(range(99))", "x = 0.5 * x + sum([v for v, k in zip(it, range(1))])", "x"),
        ("p = n = 0", "x = 0.5 * x + 1\n    if p:\n        z = x\n    p, n = n, 1", "z"),
        ("seen = []\nlen = seen.append", "x = 0.5 * x + (3 if seen[9:] else len(1) or 1)", "x"),
        ("def f(x, sum): return 0.5 * x + len([sum(1)])", "x = f(x, seen.append)", "x + len(seen)"),
        ("def twice(f): return lambda x: f(x) + t\n@twice\ndef f(x): return 0.5 * x", "x = f(x)",
         "x"),
    ],
)  # fmt: skip
def test_what_a_turn_leaves_elsewhere_or_finds_there_is_played_in_balls(before, turn, after):
    """The loop's number in a function, lists and arrays of whole numbers that are changed in place,
    two names of an array, what is taken from an iterator, a name that is another function."""
    lines = ["x, X, seen = 1.0, np.zeros(1), []", before, "for t in range(20):", f"    {turn}",
             "X[0] = 7.0", f"measured = {after}"]  # fmt: skip
    on, off, taken = both(lines)
    assert not taken
    assert on.ends == off.ends
    names = {}
    exec(HEAD + "\n".join(lines), names)
    assert off.ends[0] - 1e-12 <= names["measured"] <= off.ends[1] + 1e-12


def test_a_loop_whose_intervals_have_no_ends_is_played_in_balls():
    """What is divided by is 1e-17 in balls, and between two floats around 0 on intervals."""
    wide = ["x = 1.0", "for t in range(T):", "    x = 1 / (x - x / 3 - 2 * x / 3 + 1e-17)",
            "    x = 1.0 + 0 * x", "measured = x"]  # fmt: skip
    on, off, taken = both(wide)
    assert not taken
    assert on.ends == off.ends


def test_few_turns_and_other_loops_stay_what_they_are(monkeypatch):
    lines = ["x = 1.0", f"for t in range({turns.LEAST - 1}):", "    x = x * 0.5", "measured = x"]
    assert not both(lines)[2]
    lines[1] = f"for t in range({turns.LEAST}):"
    assert both(lines)[2]
    assert not both([*lines, "class A: pass"])[2]
    assert not both([lines[0], "for t in [1, 2] * 20:", *lines[2:]])[2]


def test_a_loop_that_takes_too_many_operations_is_refused_either_way():
    lines = ["x = 1.0", "for t in range(10 ** 12):", "    x = x * 0.5 + x * x", "measured = x"]
    for intervals in (True, False):
        with pytest.raises(UnenclosedError, match="too many operations"):
            played(HEAD + "\n".join(lines), 128, intervals=intervals)


def test_a_comparison_after_the_loop_is_left_open_by_what_is_too_wide():
    lines = ["x = 1.0", "for t in range(T):", "    x = x - x / 3",
             "y = 1 if x * 3 ** T > 2 ** T else 0", "measured = y"]  # fmt: skip
    with pytest.raises(UndecidedError):
        both(lines)
