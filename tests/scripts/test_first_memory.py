"""A class says what its state carries at first, and its script starts with that, too."""

import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from theorylab.algorithms import Algorithm
from theorylab.scripts import script
from theorylab.statements import Quantity, Source, Statement, versions
from theorylab.symbols import f0, f_star
from theorylab.verdicts import judge_check

X0 = np.array([[[1.0, -2.0], [0.5, 4.0]]])


class Said(Algorithm, name="memory-said"):
    first_memory = {"old": 1, "half": 0.5, "sum": 0}  # noqa: RUF012  # as a user writes it

    def step(self, state, net):
        total = state.memory["sum"] + net.gradient(state.memory["old"])
        x = net.mix(state.x) - 0.25 * total + 0.5 * state.memory["half"]
        return net.next(state, x=x, memory={"old": state.x, "half": x / 4, "sum": total})


class Written(Algorithm, name="memory-written"):
    def init(self, x0, problem=None):
        memory = {"old": x0, "half": 0.5 * x0, "sum": 0 * x0}
        return replace(super().init(x0, problem), memory=memory)

    def step(self, state, net):
        total = state.memory["sum"] + net.gradient(state.memory["old"])
        x = net.mix(state.x) - 0.25 * total + 0.5 * state.memory["half"]
        return net.next(state, x=x, memory={"old": state.x, "half": x / 4, "sum": total})


class Whole(Said, name="memory-whole"):
    def step(self, state, net):
        total = state.memory["sum"] + net.gradient(state.memory["old"])
        x = net.mix(state.x) - 0.25 * total + 0.5 * state.memory["half"]
        kept = {"old": state.x, "half": x / 4, "sum": total}
        return net.next(state, x=x, memory=kept)


class Wrong(Said, name="memory-wrong"):
    first_memory = {"old": "x0"}  # noqa: RUF012  # as a user writes it


RUN = {"problem": {"name": "quadratic", "H": [[[1]], [[2]]], "c": [[1], [-1]]}, "clients": 2}
RUN |= {"topology": {"name": "complete"}, "rounds": 2, "x0": [[4], [3]]}


def judged(method):
    both = versions({"rival": (f0 - f_star) / 10**3}, RUN)
    gap, source = Quantity("suboptimality", "last"), Source("own", "1", "memory")
    statement = Statement("own.memory", source, gap, both, method)
    return statement, judge_check(statement, "rival", both["rival"].checks[0])


def test_the_first_state_carries_multiples_of_x0():
    said, written = (kind().init(X0).memory for kind in (Said, Written))
    assert said.keys() == written.keys()
    assert all((said[key] == written[key]).all() for key in said)
    assert said["old"] is not X0
    with pytest.raises(
        TypeError, match=r"^memory-wrong: first_memory is .*; need a number by each"
    ):
        Wrong().init(X0)


@pytest.mark.parametrize("method", ["memory-said", "memory-written", "memory-whole"])
def test_all_classes_have_one_run_and_one_script(method, tmp_path):
    """By hand: x^1 = (3.5 - .25 (3, 8) + .25 (4, 3)), x^2 with half = x^1/4; in floats exact."""
    x = np.array([4.0, 3.0])
    old, half, total = x, x / 2, 0 * x
    H, c = np.array([1.0, 2.0]), np.array([1.0, -1.0])
    for _ in range(2):
        total = total + H * (old - c)
        old, x = x, np.full(2, x.mean()) - total / 4 + half / 2
        half = x / 4
    gap = (H * (x.mean() - c) ** 2).mean() / 2 - (H * (-1 / 3 - c) ** 2).mean() / 2
    statement, result = judged(method)
    assert result.measured == pytest.approx(gap, rel=1e-12)
    text = script(statement, result)
    assert "class " not in text  # the short form, which goes out where it prints what the long does
    (tmp_path / "script.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "-I", str(tmp_path / "script.py")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    printed = float(re.search(r"measured (\S+)", done.stdout)[1])
    assert printed == pytest.approx(gap, rel=1e-9)
