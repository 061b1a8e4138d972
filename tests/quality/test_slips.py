"""The slips of an outsider: each changes what it says, keeps units, and comes by its name."""

from dataclasses import replace

import pytest
import sympy as sp
from quality_slips import KINDS, kind_of, slip, slips

from theorylab.statements import BUILT_IN
from theorylab.symbols import K, T, alpha

THM1 = BUILT_IN["dfedsgpsm.thm1"]


def bound(change):
    return slip(THM1, "corrected", change).statement.versions["corrected"].bound


def test_every_slip_does_what_its_name_says():
    told = THM1.versions["corrected"]
    terms = told.terms.values()
    assert bound("constant: all at 9/10") == sp.Add(*(t * sp.Rational(9, 10) for t in terms))
    assert bound("lost: K") == sum(term.subs(K, 1) for term in told.terms.values())
    assert bound("square: alpha squared") == told.bound.subs(alpha, alpha**2)
    first = next(iter(told.terms))
    assert bound(f"term: {first} dropped") == told.bound - told.terms[first]
    less = [t / T if T in t.free_symbols else t for t in terms]
    assert bound("power: a T less") == sp.Add(*less) != told.bound
    cap = told.assumes[0]
    made = slip(THM1, "corrected", f"assumption: without {cap.name}").statement
    assert cap not in made.versions["corrected"].assumes
    assert made.versions["corrected"].bound == told.bound
    assert made.versions["printed"] is THM1.versions["printed"]
    with pytest.raises(ValueError, match="has no slip 'lost: hope'"):
        slip(THM1, "corrected", "lost: hope")


def test_a_name_finds_the_same_slip_again():
    told = BUILT_IN["dfedalt.lem3"]
    found = slips(told, "corrected")
    assert {"constant", "power", "assumption"} <= set(map(kind_of, found)) <= set(KINDS)
    for change, variant in found.items():
        assert slip(told, "corrected", change).statement.versions == variant.statement.versions


def test_a_lower_bound_slips_upwards():
    told = replace(THM1.versions["corrected"], relation=">=")
    above = replace(THM1, versions={"corrected": told})
    change = "constant: all at 9/10"
    made = slip(above, "corrected", change).statement.versions["corrected"]
    assert made.bound == sp.Add(*(t * sp.Rational(10, 9) for t in told.terms.values()))


@pytest.mark.parametrize(
    ("name", "version"),
    [("dfedsgpsm.lem1", "corrected"), ("dfedalt.thm1", "corrected")],
    ids=["an equality", "an order"],
)
def test_what_has_no_bound_to_slip_in_has_none(name, version):
    content = BUILT_IN[name].versions.get(version)
    assert content is not None
    assert slips(BUILT_IN[name], version) == {}


def test_a_sum_up_to_a_count_has_no_slip_that_leaves_it_without_a_value():
    with pytest.raises(ValueError, match="has no slip"):
        slip(THM1, "corrected", "square: K under a root")
