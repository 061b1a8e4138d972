"""(30): Lemma 3's (19), and no other."""

from theorylab.statements.dfedpgp.eq30 import STATEMENT
from theorylab.statements.dfedpgp.lem3 import STATEMENT as LEM3


def test_it_is_19(judged):
    for version in STATEMENT.versions.values():
        assert version.terms == LEM3.versions["printed/eq19"].terms
        assert version.assumes == LEM3.versions["printed/eq19"].assumes
    found = judged(STATEMENT)["printed/theorem1-constants", "alike-losses"]
    assert found.measured == judged(LEM3)["printed/eq19", "alike-losses"].measured


def test_a_bound_without_the_gradients_is_refuted(missed):
    (term,) = STATEMENT.versions["printed/theorem1-constants"].terms.values()
    variants = {"1e-4": {"consensus": term / 10**4}}
    assert missed(STATEMENT, "printed/theorem1-constants", variants) == set()
