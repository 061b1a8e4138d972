"""What a user's algorithm, problem, experiment or formula raises names its file and line."""

import importlib
import itertools
import pathlib
import re
import time
import types

import pytest

from theorylab import cli
from theorylab.verdicts import UserFaultError, jobs, judge

TEXT = (pathlib.Path(__file__).parent / "user_theorem.py").read_text()
ALGORITHM = """
import dataclasses, numpy as np
from theorylab.algorithms import SGP

@dataclasses.dataclass(frozen=True)
class Mine(SGP, name="test-mine"):
    def step(self, state, context):
        BODY
"""
PROBLEM = """
from theorylab.problems import Quadratic

class Mine(Quadratic, name="test-mine"):
    def gradient(self, x):
        BODY
"""
EXPERIMENT = """
from theorylab.experiments import Experiment, Observation, Row
from theorylab.known import How, Known
from theorylab.statements import *
from theorylab.symbols import f0

class Mine(Experiment, name="test-mine-rows"):
    def __init__(self, power=1.0):
        self.power = power
    def describe(self):
        return {"power": self.power}
    def constants(self):
        return {"f0": Known(2.0, How.EXACT, "given")}
    def observe(self, column, runs, seed):
        BODY

STATEMENT = Statement(
    id="mine.thm1", source=Source("mine", "1", "a bound"), experiment="test-mine-rows",
    quantity=Quantity("anything", "rows", (1, 0), "a"),
    versions={"printed": Version({"a": f0}, (), (Check("one", {}),))},
)
"""


pytestmark = pytest.mark.usefixtures("registries")


def of(kind, body):
    """A theorem's file whose own code of this kind runs ``body``, and the line of it."""
    if kind == "step":
        text = ALGORITHM + TEXT.replace('algorithm="sgp"', 'algorithm="test-mine"')
    elif kind == "gradient":
        text = PROBLEM + TEXT.replace('"name": "quadratic"', '"name": "test-mine"')
    else:
        text = EXPERIMENT
    return text.replace("BODY", body), text[: text.index("BODY")].count("\n") + 1


BODIES = [
    ("context.problem.grad if KIND else self.grad", "AttributeError"),
    ("raise SystemExit(0)", "SystemExit: 0"),
    ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    ("return 1 / 0", "ZeroDivisionError: division by zero"),
    ("return {}['a']", "KeyError: 'a'"),
    ("raise ValueError('mine')", "ValueError"),
    ("from theorylab.kernels import push_mix; push_mix(1, 2, 3)", "TypeError"),
]


@pytest.mark.parametrize("kind", ["step", "gradient", "observe"])
@pytest.mark.parametrize(("body", "what"), BODIES, ids=[what for _, what in BODIES])
def test_what_a_user_s_code_raises_is_named_with_file_and_line(tmp_path, capsys, kind, body, what):
    text, line = of(kind, body.replace("KIND", str(kind == "step")))
    path = tmp_path / "my.py"
    path.write_text(text)
    assert cli.run(["verify", str(path)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"theorylab: my.py, line {line}: {what}")
    assert "fault of theorylab" not in err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2 * (f0 - f_star) / (T * eta)", "2 * (f0 - f_star) / ((T - 200) * eta)", "no finite"),
        ("eta * L <= 1", "1 / (T - 200) <= 1", "no finite real value"),
        ("eta * L <= 1", "(T - 300) ** 0.5 <= 1", "no finite real value"),
        ('"mean_squared_gradient"', 'Q("tracking", "last", (0, 2), "d")', "no run has a"),
        ('"mean_squared_gradient"', 'Q("accuracy", "last", (2, -2), "d")', "needs test labels"),
    ],
)
def test_a_formula_without_a_value_and_an_unknown_column_name_the_file(tmp_path, old, new, message):
    first = "from theorylab.statements import Quantity as Q\n"
    if "(0, 2)" in new:
        first += "from theorylab.symbols import x0_sq\n"
        text = TEXT.replace("2 * (f0 - f_star) / (T * eta)", "x0_sq")
    else:
        text = TEXT
    text = first + text.replace(old, new)
    path = tmp_path / "my.py"
    path.write_text(text)
    line = text[: text.index("STATEMENT =")].count("\n") + 1
    (job,) = jobs([str(path)])
    with pytest.raises(UserFaultError, match=rf"\Amy\.py, line {line}: textbook\.thm1") as caught:
        judge(job)
    assert message in str(caught.value)


@pytest.fixture
def counting(monkeypatch):
    """The seconds of ``theorylab falsify`` are looks at its clock, however fast the machine is."""
    command = importlib.import_module("theorylab.commands.falsify.work")
    clock = types.SimpleNamespace(process_time=itertools.count().__next__, monotonic=time.monotonic)
    monkeypatch.setattr(command, "time", clock)


@pytest.mark.usefixtures("counting")
def test_an_instance_that_a_user_s_code_cannot_take_does_not_end_a_search(tmp_path, capsys):
    # f0 = 2 is measured as 1: the claim holds; at every other power the code breaks
    body = """if self.power != 1.0:
            raise SystemExit(0)
        return Observation((Row([1.0]),), True)"""
    text, _ = of("observe", body)
    path, kept = tmp_path / "my.py", tmp_path / "kept.json"
    path.write_text(text)
    assert cli.run(["falsify", str(path), "--budget", "1000", "--json", str(kept)]) in (0, 1)
    found = capsys.readouterr()
    tried = re.search(r"(\d+) instances judged", found.out)
    assert tried, found
    assert int(tried.group(1)) > 3


@pytest.mark.usefixtures("counting")
def test_a_search_in_which_nothing_can_be_judged_says_why_with_the_line(tmp_path, capsys):
    text, line = of("observe", "return 1 / 0")
    path = tmp_path / "my.py"
    path.write_text(text)
    assert cli.run(["falsify", str(path), "--budget", "1000"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert f"my.py, line {line}: ZeroDivisionError" in err
