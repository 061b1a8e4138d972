"""Lies and truths of every kind, short ones: the first word of a name says which it is."""

import pathlib

import pytest

from theorylab.conformance import brought, check_things
from theorylab.imports import import_file, scope

FILES = sorted((pathlib.Path(__file__).parent / "kinds").glob("*.py"))
FOUND = {  # by name: a row that is a lie, among others perhaps
    "lie.percent": "gradient",
    "lie.one-coordinate": "gradient",
    "lie.runs": "a batch is its runs",
    "lie.float32": "float32",
    "lie.biased": "stochastic gradient's mean",
    "lie.own-generator": "sample",
    "lie.ignores-run": "draws anew",
    "lie.measured": "measured_noise",
    "lie.optimum": "optimum",
    "lie.bounds": "B",
    "lie.negative": "entries >= 0",
    "lie.forgets": "describe()",
    "lie.seedless": "P a function of (seed, run, t)",
    "lie.undeclared": "draws",
    "lie.weights": "mass kept",
    "lie.options": "options()",
    "lie.counts-itself": "draws by counter",
    "lie.one-number": "rows",
    "lie.mixes": "a batch is its runs",
    "lie.no-axis": "rows",
    "lie.nan": "rows",
    "lie.by-place": "c: a batch is its runs",
    "lie.plain-constant": "constants",
}


@pytest.fixture(scope="module")
def findings():
    with scope():
        paths = [import_file(file).path for file in FILES]
        found = list(check_things(brought(paths), {}))
    return {name: [f for f in found if f.name == name] for name in {f.name for f in found}}


@pytest.mark.parametrize("name", FOUND)
def test_a_lie_is_found_in_its_row(findings, name):
    lies = {each.checked for each in findings[name] if each.result == "LIE"}
    assert FOUND[name] in lies


def test_every_truth_passes(findings):
    truths = {name for name in findings if name.startswith("true.")}
    assert len(truths) >= 12
    assert set(findings) - truths == set(FOUND)
    for name in truths:
        assert [f for f in findings[name] if f.result in ("LIE", "raises", "not checked")] == []


def test_a_loss_that_cancels_in_float32_is_a_doubt(findings):
    told = {each.checked: each.result for each in findings["true.cancels"]}
    assert told["float32"] == "doubtful"
    assert told["gradient"] == "holds"
