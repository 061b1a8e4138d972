"""Eq. (6)'s stationary point of pdbo in interval arithmetic, by other code."""

from fractions import Fraction

import flint
import pytest

from theorylab.falsify._hgp_point_balls import Stationary, edges_of
from theorylab.falsify.recheck import recheck
from theorylab.statements import BUILT_IN, Check
from theorylab.topologies import topology
from theorylab.verdicts import judge_check

EQ6 = BUILT_IN["pdbo.eq6"]
COLUMNS = ("distance", "second_point", "second_y")
PLACES = [
    pytest.param(version, check, id=f"{version}-{check.name}")
    for version, judged in EQ6.versions.items()
    if EQ6.quantity_of(judged).column in COLUMNS
    for check in judged.checks
    if check.expect in ("VIOLATED", "HOLDS")
]


@pytest.mark.parametrize(("version", "check"), PLACES)
def test_the_enclosure_lies_in_what_was_measured(version, check):
    result = judge_check(EQ6, version, check)
    found = recheck(EQ6, version, result)
    assert result.ci[0] <= found.low <= found.high <= result.ci[1]
    assert found.holds is (result.verdict == "VIOLATED")
    if found.holds:
        above = result.model_copy(update={"bound": found.high * (1 + 1e-6)})
        assert recheck(EQ6, version, above).holds is False


def test_where_the_models_are_far_apart_they_and_not_their_weights_count():
    check = EQ6.versions["printed/unique"].checks[0]
    problem = dict(check.instance["problem"], b=[[-100.0], [100.0]])
    result = judge_check(EQ6, "printed/unique", Check("c", {**check.instance, "problem": problem}))
    found = recheck(EQ6, "printed/unique", result)
    assert found.low > 2  # the weights differ by 1
    assert result.ci[0] <= found.low <= found.high <= result.ci[1]


def test_there_are_counterexamples_among_them():
    assert sum(param.values[1].expect == "VIOLATED" for param in PLACES) >= 10


@pytest.mark.parametrize("fault", ["often", "step", "after"])
def test_a_fault_in_the_balls_own_system_is_seen(fault, monkeypatch):
    version, check = PLACES[1].values
    result = judge_check(EQ6, version, check)
    solve = Stationary._solve

    def planted(self, mean):
        if fault == "often":
            mean = [list(row) for row in zip(*mean, strict=True)]
        if fault == "step":
            self.steps = [2 * step for step in self.steps]
        if fault == "after":
            self.after = not self.after
        solve(self, mean)

    monkeypatch.setattr(Stationary, "_solve", planted)
    found = recheck(EQ6, version, result)
    assert not result.ci[0] <= found.low <= result.ci[1]


def test_a_singular_system_is_said_to_prove_nothing(monkeypatch):
    def singular(self):
        return flint.arb_mat([[0]]).solve(flint.arb_mat([[1]])).entries()

    version, check = PLACES[0].values
    result = judge_check(EQ6, version, check)
    monkeypatch.setattr(Stationary, "optimum", singular)
    found = recheck(EQ6, version, result)
    assert (found.holds, found.low) == (None, None)
    assert "the balls divide by what may be 0 (a singular system); it stands on" in found.how


@pytest.mark.parametrize("weights", ["uniform", "constant"])
@pytest.mark.parametrize("name", ["sto-d", "sto-u"])
def test_the_patterns_of_a_round_are_a_law_of_column_stochastic_matrices(name, weights):
    table = [[1.0, 0.25, 0.5], [0.25, 1.0, 1.0], [0.5, 1.0, 1.0]]
    network = topology(name, 3, probabilities=table, weights=weights)
    listed = list(edges_of(network))
    assert len(listed) == (4 if name == "sto-u" else 16)
    assert sum((chance for chance, _, _ in listed), flint.arb(0)) == 1
    mean = [[flint.arb(0)] * 3 for _ in range(3)]
    for chance, P, there in listed:
        for j in range(3):
            kept = [there[i][j] for i in range(3)]
            share = Fraction(1, sum(kept) if weights == "uniform" else 3)
            for i in range(3):
                own = share * (1 if weights == "uniform" else 4 - sum(kept))
                right = own if i == j else share * kept[i]
                assert P[i][j].overlaps(flint.arb(flint.fmpq(right.numerator, right.denominator)))
                mean[i][j] = mean[i][j] + chance * P[i][j]
    for i in range(3):
        for j in range(3):
            assert float(mean[i][j]) == pytest.approx(network.mean()[i, j], rel=1e-14)


def test_what_falsify_finds_is_confirmed_and_replayed(stands_and_replays):
    stands_and_replays("pdbo.eq6")
