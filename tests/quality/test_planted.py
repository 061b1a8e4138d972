"""Planted false variants are refuted by the search within its budget, statement by statement."""

import pathlib
import runpy

import pytest

from theorylab.falsify.variants import is_identity
from theorylab.statements import BUILT_IN

QUALITY = runpy.run_path(
    str(pathlib.Path(__file__).resolve().parents[2] / "verify" / "quality.py"), run_name="quality"
)
BOUNDS = [
    (statement.id, version)
    for statement, version in QUALITY["holding"]()
    if not is_identity(statement.versions[version])
]
SAMPLE = [  # cheap ones of every paper; the others are slow
    ("dfedsgpsm.asm2", "printed"),
    ("dfedsgpsm.lem4_weight", "printed"),
    ("deprl.asm2", "printed"),
    ("pdbo.lem6", "printed/r3"),
    ("pdbo.thm8_series", "printed/hgp"),
]


def caught(name, version, budget, most):
    row = QUALITY["tested"](BUILT_IN[name], version, budget, most)
    assert row["planted"] == len(row["refuted"]) + len(row["missed"]) + len(row["open"])
    return row


@pytest.mark.parametrize(("name", "version"), SAMPLE)
def test_what_is_known_to_be_false_is_refuted(name, version):
    row = caught(name, version, budget=2.0, most=5)
    assert row["refuted"]
    # a tenth less needs an instance that nearly attains the bound; the rest must all be seen
    assert set(row["missed"]) <= {"all x 9/10"}


@pytest.mark.slow
def test_nine_in_ten_of_all_false_variants_are_refuted():
    rows = [caught(name, version, budget=60.0, most=12) for name, version in BOUNDS]
    refuted = sum(len(row["refuted"]) for row in rows)
    missed = [(row["id"], row["version"], row["missed"]) for row in rows if row["missed"]]
    assert refuted >= 0.9 * (refuted + sum(len(m) for *_, m in missed)), missed
