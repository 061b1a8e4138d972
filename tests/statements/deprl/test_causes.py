"""DePRL's faults: each alone, P_ii > 0 as the text has it, and their sizes in the paper's runs."""

import mpmath
import pytest

from theorylab.report.faults import claims_of
from theorylab.report.tally import grouped, refutation
from theorylab.statements import BUILT_IN, Check
from theorylab.statements.deprl import _causes as causes
from theorylab.statements.deprl import _instances as made
from theorylab.statements.deprl._theorem1 import SELF_LOOPS
from theorylab.verdicts import judge_check

READ = {  # statements in which P_ii > 0 decides, and the reading that goes without
    **dict.fromkeys(("thm1", "cor1", "cor1_rate", "cor1_consensus"), "printed"),
    "thm1_mixing": "implied",
}


def verdict(name, version, instance):
    return judge_check(BUILT_IN[f"deprl.{name}"], version, Check("made", instance)).verdict


@pytest.mark.parametrize("name", READ)
def test_that_i_is_in_n_i_is_read_wherever_it_decides(name):
    fairest, versions = READ[name], BUILT_IN[f"deprl.{name}"].versions
    without = versions[f"{fairest}/no-self-loops"]
    assert SELF_LOOPS in versions[fairest].assumes
    assert SELF_LOOPS not in without.assumes
    assert without.causes == (causes.NO_LOOPS,)
    assert causes.NO_LOOPS in versions[fairest].mends
    for told in versions.values():
        assert (causes.NO_LOOPS in told.causes) == (told is without)


def test_with_the_step_that_line_10_throws_away_the_heads_arrive():
    frozen = made.THROWN_AWAY
    assert verdict("thm1", "printed", frozen) == "VIOLATED"
    assert verdict("thm1", "printed/all-steps", made.changed(frozen, head="all-steps")) == "HOLDS"


def test_heads_below_two_over_l_do_not_diverge():
    assert verdict("thm1", "printed/all-steps", made.HEAD_STEP) == "VIOLATED"
    assert verdict("thm1", "printed/all-steps", made.changed(made.HEAD_STEP, alpha=0.5)) == "HOLDS"


def test_the_cap_on_alpha_is_36_times_what_heads_stand():
    cap = min((1 + 36 * tau**2) / tau for tau in range(2, 100))
    assert cap == 72.5  # over L, at two steps; heads diverge above 2/L
    assert cap / 2 > 36
    assert "72.5/L" in causes.HEAD_CAP.effect
    assert 1 + 36 == 37
    assert "37/L" in causes.HEAD_CAP.fails


def test_corollary_1_is_false_by_line_10_alone_and_its_rounds_are_those_of_the_speedup():
    claims = grouped(claims_of("deprl"))
    cor1 = refutation(claims["deprl.cor1"])
    assert (cor1.kind, cor1.severity) == ("inherited", "misprint")
    assert causes.OUT_OF_REACH.homes == ("deprl.cor1_speedup",)
    versions = BUILT_IN["deprl.cor1"].versions.values()
    assert not any(causes.OUT_OF_REACH in (*each.causes, *each.mends) for each in versions)
    assert sum(check.expect == "VACUOUS" for each in versions for check in each.checks) == 4
    assert refutation(claims["deprl.cor1_speedup"]).severity == "empty"


@pytest.mark.parametrize(("share", "digits"), [(3, "10^256.7"), (128, "10^1091.3")])
def test_the_rounds_that_the_corollary_asks_for_of_128_workers(share, digits):
    N, L = 128, 1
    with mpmath.workdps(800):
        p = mpmath.mpf(1) / share
        C, q = 2 * (1 + p**-N) / (1 - p**N), mpmath.root(1 - p**N, N)
        rounds = 18 * C**2 * L**2 * N**3 / (1 - q) ** 2
        assert f"10^{float(mpmath.log10(rounds)):.1f}" == digits
    assert digits in causes.OUT_OF_REACH.effect
