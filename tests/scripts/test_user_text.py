"""What a user's file computes as it is read is a float; what changes as it runs has no script."""

import pathlib
import re

import pytest
import sympy as sp

from theorylab import registry
from theorylab.falsify.recheck import recheck
from theorylab.scripts import UnscriptedError, script
from theorylab.scripts._user_text import COMPUTED, constant_of
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.user_file import load
from theorylab.verdicts import judge_check

HEAD = """import math
import numpy as np
from theorylab.algorithms import Algorithm
from theorylab.metrics import Metric
from theorylab.runs.row import Row
"""
METRIC = """
class Held(Metric, name="rounded.held"):
    def rows(self, before, after):
        yield Row({value} + 0 * after.x[:, 0, 0], {{"t": after.t}}, f"t={{after.t}}")
"""
STEP = """
class Step(Algorithm, name="rounded.step"):
    {body}
    def __init__(self, eta=0.1):
        self.eta = eta

    def step(self, state, net):
        {change}
        move = (self.eta + 1e-20 * {many}) * net.gradient(state.x)
        return net.next(state, x=net.mix(state.x - move))
"""
PLAIN = STEP.format(body="", change="", many="0.0")
RUN = {
    "problem": {"name": "quadratic", "H": [[[2.0]]], "c": [[0.0]]},
    **{"topology": {"name": "complete"}, "clients": 1, "rounds": 2, "x0": 1.1},
    "algorithm": {"eta": 0.1},
}
HELD = Quantity("rounded.held", "rows", (0, 0), "h")


@pytest.fixture
def file(tmp_path):
    with registry.restored():
        path = pathlib.Path(tmp_path, "rounded.py")

        def loaded(text):
            path.write_text(HEAD + text)
            return load(path)

        yield loaded


def judged(quantity, bound, relation="<="):
    check = Check("one", RUN)
    version = Version({"b": sp.sympify(bound)}, (), (check,), relation=relation)
    source = Source("rounded", "Lemma 1", "nothing but rounding is between both sides")
    statement = Statement("rounded.x", source, quantity, {"claim": version}, "rounded.step")
    return statement, judge_check(statement, "claim", check)


WRITTEN = [
    *("C = 1.0", "C: float = 0.5", "B, C = 2.0, 0.5", "C = 1 / 3", "C = -0.1", "C = {1: (0.5, 2)}"),
    *("C = np.array([[1.0, 0.1]])", "C = np.ones((2, 2))", "C = [0.5]\nD = C[0]"),
]
READ = [
    *("C = math.tanh(20.0)", "C = 0.1 + 0.2 - 0.3", "C = float('1')", "C = 1.0\nC = 2 * C"),
    *("C = [1.0]\nC[0] = math.tanh(20.0)", "for C in (1.0, 0.5):\n    pass", "C = 1.0\nC += 1e-17"),
    *("C = np.tanh(np.array([20.0, 0.5]))", "from math import pi as C", "if 1:\n    C = 0.5"),
    *("C = [0.5]\ndef f():\n    C.append(1.0)\nf()", "C = 1.0\ndef f():\n    global C\n    C = .5"),
    *("C = D = math.cos(1e-9)", "C = {1: math.cos(1e-9)}", "C = np.ones(2)\nC[:1] *= 1 - 1e-17"),
]


@pytest.mark.parametrize("text", WRITTEN)
def test_a_number_that_stands_in_the_file_is_that_number(file, text):
    module = file(text)
    assert COMPUTED not in constant_of("C", module.C, vars(module)).literal


@pytest.mark.parametrize("text", READ)
def test_a_number_that_the_file_computes_is_told_from_one_that_stands_there(file, text):
    module = file(text)
    assert constant_of("C", module.C, vars(module)).literal.endswith(COMPUTED)


@pytest.mark.parametrize(("text", "verdict"), [(READ[0], "INCONCLUSIVE"), (WRITTEN[0], "HOLDS")])
def test_what_a_file_computes_decides_no_claim_by_its_last_digit(file, text, verdict):
    file(text + PLAIN + METRIC.format(value="C"))  # tanh(20) is 1 - 8e-18, and its float64 is 1
    statement, found = judged(HELD, 1, ">=")
    assert found.verdict == verdict
    if verdict != "HOLDS":
        assert "C was computed as the file was read, in float64" in found.reason
        assert f"C = 1.0{COMPUTED}" in script(statement, found)


KEPT = {  # where a class keeps what a run leaves to the next one
    "a list of the file": ("LOG = []", "", "LOG.append(1.0)", "len(LOG)"),
    "an array of the file": ("LOG = np.zeros(1)", "", "LOG[0] += 1", "LOG[0]"),
    "another name of it": ("LOG = [0]", "", "log = LOG; log[0] += 1", "LOG[0]"),
    "a list of its own": ("", "log = []", "self.log.append(1.0)", "len(self.log)"),
    "a number of its own": ("", "count = 0", "Step.count += 1", "self.count"),
    "a default": ("def push(log=[]):\n    log.append(1)\n    return len(log)", "", "", "push()"),
    "a function's": ("def f():\n    pass\nf.n = 0", "", "f.n += 1", "f.n"),
}


@pytest.mark.parametrize("where", KEPT)
def test_what_changes_from_run_to_run_has_no_script_and_decides_nothing(file, where):
    text, body, change, many = KEPT[where]
    file(text + STEP.format(body=body, change=change, many=many))
    bound = sp.Rational(8, 10) ** 4 * sp.Rational(121, 100)  # of eta = 1/10
    quantity = Quantity("squared_distance", "last")
    statement, found = judged(quantity, bound, ">=")
    assert found.verdict == "INCONCLUSIVE"
    with pytest.raises(UnscriptedError, match=r"changes \w+ as it runs|differs|run alone"):
        script(statement, found)


TIES = {
    "a sign": "np.sign(0.1 + 0.2 - 0.3)",
    "a comparison": "(0.1 + 0.2 > 0.3) * 1.0",
    "a place": "np.argmax(np.array([0.3, 0.1 + 0.2]))",
    "a whole number": "np.ceil(10 * (0.1 + 0.2)) - 3.0",
}


@pytest.mark.parametrize("name", TIES)
def test_a_violation_by_the_rounding_of_a_literal_is_not_enclosed(file, name):
    file(PLAIN + METRIC.format(value=TIES[name]))
    statement, found = judged(HELD, sp.Rational(1, 2))
    assert found.measured == 1.0
    again = recheck(statement, "claim", found)
    assert again.holds is None
    assert re.search(r"hangs on rounding: .* give \[(0|-inf)", again.how)


def test_a_violation_by_a_comparison_of_other_numbers_is_enclosed(file):
    file(PLAIN + METRIC.format(value="np.sign(0.1 + 0.2 - 0.25)"))
    statement, found = judged(HELD, sp.Rational(1, 2))
    assert recheck(statement, "claim", found).holds is True
