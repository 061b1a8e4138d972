"""verify/exhibits.json has what the checks of docs/errata.md give."""

import importlib.util
import math
import pathlib
import re

import pytest

from theorylab.report.shown import Shown
from theorylab.statements import BUILT_IN

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "verify" / "exhibits.py"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?")


def module():
    spec = importlib.util.spec_from_file_location("exhibits", SCRIPT)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


EXHIBITS = {each.name: each for each in module().exhibits()}


def test_every_exhibit_of_the_page_is_kept_and_nothing_else():
    assert [*module().kept()] == [*EXHIBITS]


@pytest.mark.parametrize("name", [name for name, each in EXHIBITS.items() if each.check.quick])
def test_both_sides_are_as_kept(judged, name):
    each = EXHIBITS[name]
    result = judged(BUILT_IN[each.statement])[each.version, each.check.name]
    now = "" if result.measured is None else Shown(result).compared
    before = module().kept()[name]
    assert NUMBER.sub("#", now) == NUMBER.sub("#", before)
    pairs = zip(NUMBER.findall(now), NUMBER.findall(before), strict=True)
    # A number is told in three digits or more: another machine may round the last one otherwise.
    assert all(math.isclose(float(a), float(b), rel_tol=0.01) for a, b in pairs)
