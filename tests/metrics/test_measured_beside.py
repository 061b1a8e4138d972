"""Settings that differ in their starts have, in one batch, the values that each has alone."""

from dataclasses import replace

import numpy as np
import pytest

from theorylab.algorithms import algorithm
from theorylab.known import UNIT
from theorylab.metrics import METRICS, measured, measured_beside
from theorylab.problems import problem
from theorylab.runs import Setting, algorithm_draws
from theorylab.runs.rounding import run_off
from theorylab.statements import BUILT_IN
from theorylab.topologies import topology
from theorylab.verdicts.case import Case
from theorylab.verdicts.measured import Measured

SHORT = 12  # rounds
ALIKE = {"dfedsgpsm.no_direction", "dfedsgpsm.split_inner"}  # 0 wherever these runs start


def first_checks():
    """metric -> a check of it whose run is short, without noise."""
    found = {}
    for statement in BUILT_IN.values():
        for name, version in statement.versions.items():
            quantity = statement.quantity_of(version)
            if quantity.column in found or quantity.column not in METRICS:
                continue
            for check in version.checks:
                given = check.instance
                still = "sweep" not in given and "sigma" not in given.get("problem", {})
                if still and "base" not in given["problem"] and given["rounds"] <= SHORT:
                    found[quantity.column] = Case(statement, name, version, check, quantity)
                    break
    return found


CASES = {
    name: case
    for name, case in first_checks().items()
    if not (METRICS[name].single or algorithm_draws(Measured(case).setting.algorithm))
}


def test_there_are_forty_of_them():
    assert len(CASES) >= 40, sorted(CASES)


@pytest.mark.parametrize("name", CASES)
def test_each_has_the_values_that_it_has_alone(name):
    case = CASES[name]
    subject = Measured(case)
    subject.constants(case)
    known = {each: subject.table[each] for each in subject.metric.numbers}
    draw = np.random.default_rng(5).normal(size=(2, *subject.setting.start.shape)) / 8
    settings = [replace(subject.setting, start=subject.setting.start + away) for away in draw]
    together = measured_beside(subject.metric, settings, known)
    for setting, found in zip(settings, together, strict=True):
        alone = measured(subject.metric, setting, known)
        assert [row.label for row in found.rows] == [row.label for row in alone.rows]
        for one, other in zip(found.rows, alone.rows, strict=True):
            # NumPy adds in an order of its own where there are several runs
            assert np.allclose(one.values, other.values, rtol=1e-13, atol=one.rounding or 0.0)
    if name not in ALIKE:
        values = ([row.values for row in each.rows] for each in together)
        assert any((a != b).any() for a, b in zip(*values, strict=True))


@pytest.mark.parametrize("rounds", [[0], [0, 1], [1, 99]])
def test_rounds_without_a_row_are_refused_as_those_of_one_setting(rounds):
    setting = Measured(CASES["dfedalt.spread"]).setting
    refused = []
    for measure in (
        measured_beside,
        lambda kind, each, *given, **asked: measured(kind, each[0], *given, **asked),
    ):
        with pytest.raises(ValueError, match=r"need T >= 1") as error:
            measure(METRICS["deprl.distance"], [setting], {}, rounds=rounds)
        refused.append(str(error.value))
    assert refused[0] == refused[1]


@pytest.mark.parametrize("eta", [0.1, 0.1 * (1 + 2.0**-50)])
def test_steps_of_a_kernel_are_measured_beside_each_other(eta):
    losses = problem("log-cosh", 3, dim=2, scale=1.0, center=0.5, spread=1.0)
    start = np.ones((3, 2))
    methods = [algorithm("dfedsgpsm", eta=each, local_steps=2) for each in (0.1, eta)]
    settings = [Setting(losses, topology("ring", 3), each, {}, 4, start) for each in methods]
    kind = METRICS["dfedsgpsm.wait"]  # looks at no local step
    for setting, found in zip(settings, measured_beside(kind, settings, {}), strict=True):
        alone = measured(kind, setting, {}).rows
        assert [row.values.tolist() for row in found.rows] == [row.values.tolist() for row in alone]


def test_an_instance_in_other_digits_has_its_own_rows():
    case = CASES["dfedsgpsm.consensus"]
    subject = Measured(case)
    subject.constants(case)
    known = {each: subject.table[each] for each in subject.metric.numbers}
    start, rows = subject.setting.start, []
    for other in subject.moved([(start + 0.125, 1.0), (start - 0.25, 1.0)]):
        alone = measured(subject.metric, other.setting, known, rounds=subject.instance.at)
        rows.append([row.values.tolist() for row in other._observed(case, 1, 0).rows])
        expected = [row.values for row in alone.rows]
        assert np.allclose(rows[-1], expected, rtol=1e-13, atol=alone.rows[0].rounding or 0.0)
    assert rows[0] != rows[1]


def test_an_error_of_several_rounds_is_that_of_each():
    losses = problem("quadratic", 2, dim=1, mu=1.0, L=1.0)
    points = np.array([[[1.0], [-8.0]], [[3.0], [2.0]]])  # two rounds of one run
    for rounds, each in ((np.array([4, 5]), 2), (4, 2)):
        _, model = run_off(losses, [points if np.ndim(rounds) else points[:1]], rounds, each)
        count = 8 * (np.asarray(rounds) + 1) * (2 + each + 4)
        assert np.array_equal(model, count * UNIT * ([8.0, 3.0] if np.ndim(rounds) else 8.0))
