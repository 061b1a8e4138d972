"""An identity that fails says by how much of its sides: against rounding every failure is huge."""

import math

import numpy as np
import pytest
from quality_variants import is_identity

from theorylab.experiments import experiment
from theorylab.runs import simulate
from theorylab.statements import BUILT_IN
from theorylab.verdicts import judge_check
from theorylab.verdicts.instance import built, parsed

# Their left side is one number, or a gap that grows without limit: no share of two sides.
ONE_NUMBER = ("printed-table", "edge-estimates", "sgp-approach")
BROKEN = [
    pytest.param(statement, name, check, id=f"{statement.id}-{name}-{check.name}")
    for statement in BUILT_IN.values()
    for name, version in statement.versions.items()
    if is_identity(version) and statement.experiment not in ONE_NUMBER
    for check in version.checks
    if check.expect == "VIOLATED" and check.quick
]


def test_every_paper_with_identities_is_among_them():
    papers = {param.values[0].source.paper for param in BROKEN}
    assert {"dfedsgpsm", "dfedpgp", "pdbo"} <= papers
    assert len(BROKEN) >= 30


@pytest.mark.parametrize(("statement", "version", "check"), BROKEN)
def test_a_broken_identity_says_its_relative_error(statement, version, check):
    found = judge_check(statement, version, check, seeds=16)
    assert found.verdict == "VIOLATED"
    most = math.inf if statement.experiment == "network-matrices" else 2  # a share of 1 there
    assert 1e-4 < found.relative_error <= most
    assert found.reason.endswith(f"; relative error {100 * found.relative_error:.3g} %")
    assert found.ratio > 1e3 * found.relative_error  # why the ratio is not the number to read


def test_the_update_s_is_a_share_of_the_largest_update_of_any_round_and_client():
    statement = BUILT_IN["dfedsgpsm.lem1"]
    check = next(c for c in statement.versions["printed"].checks if not c.control)
    instance = parsed("x", check.instance)
    setting = built("x", instance, statement.algorithm)
    names = ("update_size", "update_magnitude", "update_residual_line9")
    columns = simulate(
        *(setting.problem, setting.topology, setting.algorithm),
        rounds=instance.rounds,
        runs=range(16),
        seed=0,
        x0=np.asarray(instance.x0),
        columns=names,
    ).columns
    size, magnitude, residual = (columns[name] for name in names)
    # an update is eta sum alpha^{k-s} g: magnitude adds the model to the sizes of its parts
    assert (size > 0).all()
    assert (size <= magnitude).all()
    assert size.max() < 0.9 * magnitude.max()
    found = judge_check(statement, "printed", check, seeds=16)
    assert found.relative_error == pytest.approx(residual.max() / size.max(), rel=1e-14, abs=0)


def test_an_identity_that_holds_has_a_relative_error_near_rounding():
    for column in ("lemma2", "lemma5"):
        rows = experiment("hgp-identities").observe(column, range(4), 0).rows
        assert all(0 <= row.relative_error < 1e-13 for row in rows)
    rows = experiment("hgp-identities").observe("lemma5_shifted", range(4), 0).rows
    assert all(0.01 < row.relative_error <= 2 for row in rows)
