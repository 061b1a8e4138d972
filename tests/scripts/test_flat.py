"""A script of a user's own classes is functions and a loop of at most 47 lines, where it can."""

import pathlib

import pytest

from theorylab import registry
from theorylab.scripts import LONGEST, script, write
from theorylab.scripts._agreement import ran
from theorylab.scripts._states import Draws
from theorylab.scripts._syntax import ClassfulError
from theorylab.statements import Check
from theorylab.verdicts import judge_check, selected

HERE = pathlib.Path(__file__).parent
LITERATURE = HERE.parents[1] / "verify/literature"
CENTERS = [[2.0, 1.5], [-1.0, 0.5], [-1.0, -2.0]]
TOP = {"problem": {"name": "literature-top-bowls", "centers": CENTERS}, "rounds": 20}
HEAVY = {"problem": {"name": "literature-bends", "low": 1.0, "high": 25.0}, "rounds": 60}
HEAVY |= {"algorithm": {"eta": 1 / 9, "beta": 4 / 9}, "x0": 3.2}
LATE = {"algorithm": {"eta": 1.0, "delay": 2}, "rounds": 40}


def found(file, name, change=None):
    """The script of a statement's one check, or of that with a change, and its form of classes."""
    with registry.restored():
        (statement,) = (s for s, _ in selected([str(file)]).values() if s.id.endswith(name))
        ((version, content),) = statement.versions.items()
        (check,) = content.checks
        check = Check(check.name, {**check.instance, **(change or {})})
        result = judge_check(statement, version, check, seeds=32)
        assert result.verdict == "VIOLATED"
        return script(statement, result), write._whole(statement, result, 0, False, False)[0]


def both(text):
    names = ran(text)
    return float(names["measured"]), float(names["bound"])


@pytest.mark.parametrize(
    ("file", "name", "change", "line"),
    [
        (LITERATURE / "heavy_ball.py", "heavy_ball", HEAVY, "    x, old = step(old, x)"),
        (HERE / "own_coins.py", ".push", None, "    half = x - eta * gradient(x / w[:, :, None])"),
        (LITERATURE / "top1.py", "top1", TOP, "    g = gradient(x)"),
        (HERE / "own_coins.py", ".skip", None, "    meets = coins[:, t]"),
        (HERE / "own_methods.py", ".nesterov", None, "def gradient(x):"),
    ],
)
def test_a_step_is_a_function_of_arrays_and_no_class_is_left(file, name, change, line):
    text, whole = found(file, name, change)
    assert line in text.splitlines()
    assert "class " not in text
    assert "self" not in text
    assert len(text.splitlines()) <= LONGEST
    assert "class Net" in whole
    assert both(text) == both(whole)


def test_a_memory_by_computed_keys_is_one_dictionary():
    text = found(LITERATURE / "delayed.py", "delayed", LATE)[0]
    assert "x, memory = x0, {f'x{k}': x0 for k in range(2)}" in text
    assert "class " not in text


@pytest.mark.parametrize(
    ("name", "why"),
    [("local", "metric.see(LocalStep("), ("seeded", "def philox(")],
)
def test_what_needs_its_classes_keeps_them(name, why):
    text = found(HERE / "findings.py", f".{name}")[0]
    assert "class Net" in text
    assert why in text


def test_a_short_form_with_other_numbers_is_not_sent(monkeypatch):
    short = found(LITERATURE / "heavy_ball.py", "heavy_ball", HEAVY)[0]
    written = write._whole

    def off(statement, result, seed, long, short):
        text, texts = written(statement, result, seed, long, short)
        # a relative 1e-12 is within the room of a result, and is another number all the same
        return (
            text.replace("float(values[0])", "values[0] * (1 + 1e-12)") if short else text
        ), texts

    monkeypatch.setattr(write, "_whole", off)
    long = found(LITERATURE / "heavy_ball.py", "heavy_ball", HEAVY)[0]
    assert "class " in long
    assert "class " not in short
    assert both(long) == both(short)


def test_names_of_a_file_that_a_script_would_assign_are_left_alone():
    text = found(HERE / "findings.py", ".every")[0]
    assert "P = 0.5" in text
    assert "P_ = np.full((2, 2), 1 / 2)" in text
    assert "class " not in text


def test_rounds_that_draw_unlike_each_other_have_no_array_of_draws():
    draws = Draws([], None)
    draws.asked = [(0, "coins", 0, 1, (1, 1)), (1, "coins", 1, 2, (1, 1))]
    draws.settled(2)
    assert draws.order == [("coins", 0, 1, (1, 1))]
    draws.asked[1] = (1, "coins", 1, 3, (2, 1))
    with pytest.raises(ClassfulError, match="unlike"):
        draws.settled(2)
