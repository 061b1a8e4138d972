"""The script of a stranger's finding prints both sides where there is no theorylab."""

import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest
import sympy

from theorylab.algorithms import ALGORITHMS
from theorylab.falsify.recheck import recheck
from theorylab.metrics import METRICS
from theorylab.own import is_own
from theorylab.scripts import script
from theorylab.scripts._agreement import differences
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.verdicts import judge_check, selected

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = (ROOT / "tests/quality/claims", ROOT / "docs/gallery", ROOT / "tests/scripts")
OWN = {
    "methods": (
        *("adagrad", "averaged", "clip", "heavy", "median", "nesterov", "prox", "quantized"),
        *("signs", "trimmed"),
    ),
    "problems": ("huber", "logistic", "network", "simplex", "topk"),
    "coins": ("coordinate", "minibatch", "push", "skip", "zeroth"),
}
DAILY = [  # a metric and a memory, coins that are listed, a problem that starts elsewhere
    ("choco.py", "gallery.choco", "rival", "ring"),
    ("h28_every_run.py", "hostile.h28_coins", "max", "coins-max"),
    ("starts.py", "starts.nearer", "claim", "one"),
]
OTHERS = [
    ("edges.py", "edges.inside", "claim", "near"),
    ("edges.py", "edges.tighter", "claim", "two"),
    ("edges.py", "edges.roots", "claim", "two"),
    ("h02_nesterov_edge.py", "hostile.h02", "rival", "rival-b"),
    ("h04_strict_cap.py", "hostile.h04", "claim", "beside-a"),
    ("h05_worst_function.py", "hostile.h05", "rival", "rival-one"),
    ("h06_two_over_l.py", "hostile.h06", "wide", "wide"),
    ("h07_two_point.py", "hostile.h07", "a", "quad-false"),
    ("h07_two_point.py", "hostile.h07", "e", "cosh-false-given"),
    ("h08_survive_double.py", "hostile.h08_short", "false", "short-false"),
    ("h15_step_size.py", "hostile.h15", "e", "honest-false"),
    ("h16_descent.py", "hostile.h16", "b", "rival"),
    ("h16_descent.py", "hostile.h16", "d", "less"),
    ("h17_rare_negative.py", "hostile.h17_own", "near", "own-near"),
    ("h17_rare_negative.py", "hostile.h17_coins", "near", "coins-near"),
    ("h19_mean_kept.py", "hostile.h19", "e", "drift"),
    ("h22_initial.py", "hostile.h22", "c", "low"),
    ("h23_edge_of_set.py", "hostile.h23", "c", "under"),
    ("h23_edge_of_set.py", "hostile.h23", "d", "stationary"),
    ("h23_edge_of_set.py", "hostile.h23", "g", "sub-edge"),
    ("h24_nonsmooth.py", "hostile.h24", "b", "last"),
    ("h25_unstable.py", "hostile.h25", "c", "rival-10"),
    ("h26_coin_laws.py", "hostile.h26", "false", "index-false"),
    ("h26_coin_laws.py", "hostile.h26", "false", "subset-false"),
    ("h26_coin_laws.py", "hostile.h26", "false", "finite-false"),
    ("h26_coin_laws.py", "hostile.h26", "false", "sign-false"),
    ("h26_coin_laws.py", "hostile.h26", "false", "shared-false"),
    ("h28_every_run.py", "hostile.h28_coins", "every", "coins-every"),
    ("h28_every_run.py", "hostile.h28_coins", "chance", "coins-chance"),
    ("rare.py", "rare.coin", "claim", "coin"),
    ("rare.py", "rare.noise", "claim", "far"),
    ("rounding.py", "rounding.half", "claim", "one"),
    ("starts.py", "starts.sooner", "claim", "one"),
    ("dpsgd.py", "gallery.dpsgd", "rival", "quadratic"),
    ("extra.py", "gallery.extra", "rival", "quadratic"),
    ("exact_diffusion.py", "gallery.exactdiffusion", "rival", "quadratic"),
    ("fedavg.py", "gallery.fedavg", "rival", "two-clients"),
    ("gradient_descent.py", "gallery.gd", "rival", "quadratic"),
    ("gradient_tracking.py", "gallery.tracking", "rival", "ring"),
    ("high_probability.py", "gallery.chance", "rival", "quadratic"),
    ("push_pull.py", "gallery.pushpull", "rival", "two"),
    ("rates.py", "gallery.rates_delta", "rival", "two"),
    ("scaffold.py", "gallery.scaffold", "rival", "quadratic"),
    ("sgp.py", "gallery.sgp1", "rival", "quadratic"),
]
ALONE = (  # theorylab is not there, although it is installed
    "import runpy, sys; sys.modules['theorylab'] = None; runpy.run_path('script.py', "
    "run_name='__main__')"
)


def finding(file, name, version, check):
    (path,) = (folder / file for folder in FOLDERS if (folder / file).exists())
    statement = next(s for s, _ in selected([str(path)]).values() if s.id == name)
    (chosen,) = (c for c in statement.versions[version].checks if c.name == check)
    return statement, judge_check(statement, version, chosen)


def prints_both_sides(folder, file, name, version, check):
    statement, result = finding(file, name, version, check)
    assert result.verdict == "VIOLATED"
    text = script(statement, result)
    assert "theorylab" not in text
    assert "drawn" not in text
    (folder / "script.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "-I", "-c", ALONE], capture_output=True, text=True, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    told = re.findall(r"(?:measured|bound) (\S+)", done.stdout)[-2:]
    measured, bound = map(float, told)
    room = max(1e-9 * abs(result.bound), unit_of(told[0]), 1e-9 * abs(result.measured))
    assert measured == pytest.approx(result.measured, rel=0, abs=room)
    assert measured == pytest.approx(result.measured, rel=0.1, abs=1e-9 * abs(result.bound))
    assert bound == pytest.approx(result.bound, rel=1e-9, abs=unit_of(told[1]))
    assert bound == pytest.approx(result.bound, rel=1e-5)
    assert (measured > bound) == (result.relation == "<=")


def unit_of(text):
    """One in the last digit of a number that is printed."""
    digits, _, power = text.partition("e")
    return 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))


@pytest.mark.parametrize("each", DAILY, ids=lambda each: each[3])
def test_the_script_alone_prints_both_sides(each, tmp_path):
    prints_both_sides(tmp_path, *each)


@pytest.mark.slow
@pytest.mark.parametrize("each", OTHERS, ids=lambda each: f"{each[0]}-{each[3]}")
def test_every_other_script_alone_prints_both_sides(each, tmp_path):
    prints_both_sides(tmp_path, *each)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, names in OWN.items() for name in names]
)
def test_a_method_metric_problem_or_network_of_ones_own_is_sent_as_a_script(kind, name, tmp_path):
    each = (f"own_{kind}.py", f"{kind}.{name}", "claim", "one")
    prints_both_sides(tmp_path, *each)
    statement, result = finding(*each)
    again = recheck(statement, "claim", result)
    assert again.holds is (None if name == "minibatch" else True), again.how


OF_THE_TREE = """
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theorylab.algorithms import Algorithm, Context, State
from theorylab.metrics import Metric
from theorylab.runs import Row


def _size(x):
    return np.sqrt((x**2).sum(-1)).max(-1)


class Far(Metric, name="trial.far"):
    def rows(self, before: State, after: State):
        yield Row(_size(after.x), {"t": after.t}, f"t={after.t}")


@dataclass(frozen=True)
class Ball(Algorithm, name="trial-ball"):
    eta: float
    gamma: float = 0.3
    first_memory = {"old": 1}

    def step(self, state: State, net: Context) -> State:
        moved = state.x - self.eta * net.gradient(state.x)
        x = net.mix(moved + self.gamma * (state.x - state.memory["old"]))
        return net.next(state, x=x, memory={"old": state.x})
"""


def test_a_part_of_theorylab_s_own_without_lines_is_written_as_a_stranger_s_is(tmp_path):
    """A new algorithm in ``theorylab/algorithms`` has a script before it has phases."""
    file, name = tmp_path / "_trial.py", "theorylab.algorithms._trial"
    file.write_text(OF_THE_TREE)
    found = importlib.util.spec_from_file_location(name, file)
    with pytest.MonkeyPatch.context() as patch:
        for table in (ALGORITHMS, METRICS):
            patch.setattr(table, "_entries", {**table._entries})
        module = importlib.util.module_from_spec(found)
        patch.setitem(sys.modules, name, module)
        found.loader.exec_module(module)
        assert is_own(module.Ball)
        assert is_own(module.Far)
        instance = {"problem": {"name": "quadratic", "dim": 2}, "topology": {"name": "ring"}}
        instance |= {"clients": 4, "rounds": 3, "x0": 1.0, "algorithm": {"eta": 0.25}}
        check = Check("ring", instance, "VIOLATED")
        version = Version({"b": sympy.Float(1e-9)}, (), (check,))
        source = Source("trial", "Lemma 1", "a claim that is false")
        quantity = Quantity("trial.far", "rows", (0, 1))
        claim = Statement("trial.far", source, quantity, {"claim": version}, "trial-ball")
        result = judge_check(claim, "claim", check)
        text = script(claim, result)
        assert "theorylab" not in text
        assert differences(text, result) == []
        assert recheck(claim, "claim", result).holds is True
