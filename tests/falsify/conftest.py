"""A statement with a hidden set of counterexamples, cheap enough to search thoroughly.

Measured: share / (1 - share) * count; claimed: at most ``level``. It is broken only where share is
near 1 or count is large: no check is near.
"""

import importlib
import itertools
import json
import pathlib
import sys
import time
import types
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from theorylab import cli, registry
from theorylab.experiments import Experiment, Observation, Row
from theorylab.known import How, Known
from theorylab.statements import BUILT_IN, Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import BY_NAME, symbol

# the probe of planted claims is a script of verify
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "verify"))

share = symbol("planted_share", "s", "an option in (0, 1)")
step = symbol("planted_step", "s_1", "the same option, as a step size")
row = symbol("planted_row", "r_1", "number of the row")


class Planted(Experiment, name="test-planted"):
    columns = ("value", "noisy", "rows")

    def __init__(self, *, share=0.5, count=1, scale=1.0, extra=None):
        if not 0 < share < 1 or count < 1 or not scale > 0:
            raise ValueError("planted: out of range")
        self.options = {"share": share, "count": count, "scale": scale}
        if extra is not None:
            self.options["extra"] = extra

    def describe(self):
        return self.options

    def constants(self):
        known = Known(self.options["share"], How.EXACT, "option")
        return {"planted_share": known, "planted_step": known}

    def observe(self, column, runs, seed):
        o = self.options
        value = o["share"] / (1 - o["share"]) * o["count"] * min(o["scale"], 1.0)
        if column == "noisy":  # the mean of the runs is below the bound, one in ten is above
            rare = np.where(np.array(runs) % 10 == 0, 5.0, 0.0)
            return Observation((Row(rare * value),), exact=False)
        if column == "rows":
            many = (Row(np.array([value]), at={"planted_row": k}) for k in range(2))
            return Observation(tuple(many), exact=True)
        return Observation((Row(np.array([value])),), exact=True)


def statement(level=1e4, rule=None, column="value", instance=None):
    assumes = () if rule is None else (Assumption("cap", rule=rule),)
    check = Check("start", instance or {"share": 0.25, "count": 2, "extra": 7})
    return Statement(
        id="test.planted",
        source=Source("test", "none", "planted"),
        experiment="test-planted",
        quantity=Quantity(column, "rows", (0, 0), "v"),
        versions={"printed": Version({"bound": sp.Float(level)}, assumes, (check,))},
    )


@pytest.fixture(autouse=True)
def no_problems_of_other_tests():
    """A search asks every problem where to begin: those that other tests define are not there."""
    known = registry.table("problem")
    with registry.restored():
        registry.forget({e.file for e in map(known.entry, known) if not e.built_in})
        yield


@pytest.fixture
def planted():
    """``planted(level, rule=None, column="value", instance=None)``: the statement."""
    return statement


@pytest.fixture(scope="session")
def searched():
    """searched("dfedpgp.eq30", ...): the exit code of ``theorylab falsify`` whose seconds are looks
    at its clock, 900 of them: what is found depends on no machine and on nothing beside it."""

    def code(*arguments):
        command = importlib.import_module("theorylab.commands.falsify.work")
        counting = types.SimpleNamespace(
            process_time=itertools.count().__next__, monotonic=time.monotonic
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(command, "time", counting)
            return cli.run(["falsify", *map(str, arguments), "--budget", "900"])

    return code


@pytest.fixture
def stands_and_replays(tmp_path, capsys, searched):
    def check(name, version="printed"):
        """What a short search finds of ``name`` is confirmed in balls, and replays."""
        file = tmp_path / "found.json"
        assert searched(name, "--version", version, "--json", file) == 1
        assert "in exact arithmetic: stands" in capsys.readouterr().out
        assert json.loads(file.read_text())["recheck"]["holds"] is True
        assert cli.run(["replay", str(file)]) == 0

    return check


@pytest.fixture
def steps_squared():
    """steps_squared(power): eq. (30) of DFedPGP with its steps to that power in the bound and not
    in the assumptions, and one check, far below the caps."""

    def of(power):
        told = BUILT_IN["dfedpgp.eq30"]
        version = told.versions["printed/theorem1-constants"]
        steps = BY_NAME["dfedpgp_K_u"]
        terms = {name: term.subs(steps, steps**power) for name, term in version.terms.items()}
        problem = {"name": "coupled-quadratic", "a": [[1.0], [-1.0], [0.0]], "b": [[0.0]] * 3}
        instance = {
            "problem": {**problem, "A": [[[1.0]]] * 3, "B": [[[1.0]]] * 3, "C": [[[0.0]]] * 3},
            "topology": {"name": "directed-ring"},
            "clients": 3,
            "rounds": 11,
            "at": [10],
            "algorithm": {"eta_u": 1e-8, "eta_v": 0.05, "steps_u": 1, "steps_v": 1}
            | {"batch": "per-step"},
        }
        checks = (Check("small", instance),)
        return replace(told, versions={"made": replace(version, terms=terms, checks=checks)})

    return of


@pytest.fixture
def five_steps():
    """The instance of a check with five steps."""

    def of(told):
        (check,) = told.versions["made"].checks
        return {**check.instance, "algorithm": {**check.instance["algorithm"], "steps_u": 5}}

    return of
