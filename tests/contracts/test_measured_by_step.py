"""What a method does is measured on what its registered ``step`` does, or probed from it."""

import sys

import pytest

from theorylab.algorithms import ALGORITHMS
from theorylab.statements import BUILT_IN
from theorylab.verdicts import judge_check

PAPERS = ("dfedsgpsm", "dfedalt", "dfedsalt", "dfedpgp", "deprl")
# Experiments on matrices, drawn points, sums and printed numbers: no method acts in them.
NO_METHOD = {
    *("deprl-heads", "drawn-points", "lemma3-rates", "network-matrices"),
    *("local-maps", "momentum-sums", "printed-rates", "printed-table"),
    *("sgp-recovers", "hgp-network"),
}
ABOUT = {
    name: statement
    for name, statement in BUILT_IN.items()
    if statement.source.paper in PAPERS and statement.experiment not in NO_METHOD
}
LEFT = {  # by another way than ``step``, and why
    "dfedsgpsm.lem5_split": "its long rounds are moments of 2000 linear steps, all of one sign",
}


def test_there_are_sixty_of_them():
    assert len(ABOUT) - len(LEFT) >= 60
    assert set(LEFT) <= set(ABOUT)


class Stepped(BaseException):  # no handler of errors on the way takes it for one
    """A registered method's ``step`` was called."""


@pytest.fixture
def every_step_ends_the_run(monkeypatch):
    def stepped(self, state, context):
        raise Stepped

    # where a kernel plays rounds it has the bits of ``step``: tests/runs/test_fused.py
    monkeypatch.setattr(sys.modules["theorylab.runs.simulate"], "fused", lambda *a, **k: None)
    for kind in {owner for made in ALGORITHMS.values() for owner in made.__mro__}:
        if "step" in vars(kind) and kind.__module__.startswith("theorylab"):
            monkeypatch.setattr(kind, "step", stepped)


def measured_checks(statement):
    """The cheapest check of every version that is measured, controls and empty ones left out."""
    for name, version in statement.versions.items():
        checks = [c for c in version.checks if c.quick and not c.control]
        told = [c for c in checks if c.expect in ("HOLDS", "VIOLATED")]
        if told:
            yield name, told[0]


@pytest.mark.parametrize("name", sorted(set(ABOUT) - set(LEFT)))
@pytest.mark.usefixtures("every_step_ends_the_run")
def test_the_measured_side_comes_from_step(name, monkeypatch):
    for version, check in measured_checks(ABOUT[name]):
        for module in ("measure", "measured", "observe"):  # versions share what was measured
            monkeypatch.setattr(f"theorylab.verdicts.{module}._KEPT", {})
        try:
            result = judge_check(ABOUT[name], version, check, seeds=16)
        except Stepped:
            continue
        assert result.verdict == check.expect
        assert result.measured is None, f"{name} [{version}] {check.name}: no step was taken"
