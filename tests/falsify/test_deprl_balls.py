"""deprl's counterexamples in interval arithmetic, by other code."""

import itertools
import math
from dataclasses import replace

import flint
import pytest

from theorylab.falsify._balls import ball, total
from theorylab.falsify._deprl_balls import Method, expected, method_of, played
from theorylab.falsify._personal_balls import losses_of
from theorylab.falsify._sweep_ways import growth_of
from theorylab.falsify.recheck import recheck
from theorylab.known import How, Known
from theorylab.metrics import measured as by_metric
from theorylab.metrics import metric
from theorylab.statements import BUILT_IN, Check, Version
from theorylab.statements.deprl._instances import (
    COROLLARY_RING,
    COUPLED,
    LINE_10_RUN,
    PAIR,
    PROBED,
    PROBED_UNCOUPLED,
    RING_RUN,
    after,
    scalars,
)
from theorylab.statements.deprl._symbols import printed_heads
from theorylab.verdicts import judge_check
from theorylab.verdicts.instance import built, parsed

ALL_HEADS = replace(  # a claim of one's own: the printed sum is no less than by all heads
    BUILT_IN["deprl.eq8"],
    versions={
        "printed": Version(
            terms={"sum": printed_heads},
            checks=(
                Check("quadratic", PROBED_UNCOUPLED, "VIOLATED"),
                Check("sin-sin", PROBED, "VIOLATED"),
            ),
        )
    },
)
FALSE = [
    pytest.param(statement, version, check, id=f"{statement.id}-{version}-{check.name}")
    for statement in (ALL_HEADS, *BUILT_IN.values())
    if statement.id.startswith("deprl.")
    for version, judged in statement.versions.items()
    for check in judged.checks
    if check.expect == "VIOLATED" and not check.control
]


@pytest.mark.parametrize(("statement", "version", "check"), FALSE)
def test_every_false_display_of_deprl_is_confirmed(statement, version, check):
    result = judge_check(statement, version, check)
    found = recheck(statement, version, result)
    assert found.holds is True
    # exact rows: their interval is float64's rounding, and holds the exact number
    assert result.ci[0] <= found.low <= found.high <= result.ci[1]
    above = result.model_copy(update={"bound": found.high * (1 + 1e-6)})
    assert recheck(statement, version, above).holds is False


def test_there_are_false_displays_of_deprl():
    assert len(FALSE) >= 13


def of(instance, L=None):
    """(setting, method) of the instance."""
    setting = built("here", parsed("here", instance), "deprl")
    return setting, method_of(setting, losses_of(setting.problem), L)


def measured(instance, alone=False, each=False):
    """(played, expected) of the instance, with its own steps."""
    setting, method = of(instance, 3.0 if each else None)
    return [side(method, setting, setting.rounds, alone) for side in (played, expected)]


@pytest.mark.parametrize("rounds", [1, 2, 3, 6, 13])
@pytest.mark.parametrize(("alone", "each"), [(False, False), (True, False), (False, True)])
def test_without_noise_the_covariances_are_the_play(rounds, alone, each):
    # two codes, one answer: every binary pattern of doubling and adding one
    instance = {**COUPLED, "rounds": rounds, "x0": 0.5, "clients": 3}
    instance["algorithm"] = {"alpha": 0.1, "beta": 0.05, "tau": 3, "head": "printed"}
    one, other = measured(instance, alone, each)
    assert one.overlaps(other)
    assert float(other.rad()) < 1e-10 * abs(float(other.mid())) + 1e-13


def test_with_noise_the_covariances_are_the_mean_over_all_signs():
    # Kicks of +-sigma have the covariance that gaussian ones have: all 2^8 are listed.
    problem = scalars(2, 0.5, 0.75, a=[1.0, -1.0], b=[2.0, 0.0], sigma_u=0.5, sigma_v=0.25)
    problem["C"] = [[[0.25]], [[-0.125]]]
    instance = {"problem": problem, "topology": PAIR, "clients": 2, "rounds": 2, "x0": 0.5}
    instance["algorithm"] = {"alpha": 0.25, "beta": 0.5, "tau": 1}
    setting, method = of(instance)
    values = []
    for signs in itertools.product((-1, 1), repeat=8):
        phi = theta = [[ball(0.5)], [ball(0.5)]]
        for k in range(2):

            def kick(s, i, k=k, signs=signs):
                return [signs[4 * k + 2 * s + i] * ball(0.25 if s == 0 else 0.5)]

            after = method.round(phi, theta, kick)
            values.append(total(e * e for e in method.parts(phi, theta, after[1])))
            phi, theta = after
    listed = total(values) / len(values)
    found = expected(method, setting, 2, False)
    assert listed.overlaps(found)
    assert float(found.rad()) < 1e-12 * float(found.mid())


@pytest.mark.parametrize("rounds", [1, 3, 6, 11])
def test_with_noise_in_the_plane_the_covariances_are_the_metrics(rounds):
    instance = {**COUPLED, "rounds": rounds, "x0": 0.5, "clients": 3}
    instance["algorithm"] = {"alpha": 0.1, "beta": 0.05, "tau": 2}
    instance["problem"] = {**COUPLED["problem"], "sigma_u": 0.5, "sigma_v": 0.75}
    setting, method = of(instance)
    known = {"deprl_L": Known(math.inf, How.EXACT, "not of this left side")}
    (row,) = by_metric(metric("deprl.measure"), setting, known, law="moments").rows
    found = expected(method, setting, rounds, False)
    assert abs(float(found.mid()) - row.values[0]) <= row.rounding + float(found.rad())


def test_a_growth_that_fades_is_that_of_the_last_step():
    values = [1, 10, 100]
    steady = growth_of(values, [flint.arb(10**k) for k in range(3)])
    assert float(steady.mid()) == pytest.approx(10.0)
    fading = growth_of(values, [flint.arb(1), flint.arb(100), flint.arb(200)])
    assert float(fading.mid()) == pytest.approx(2.0)


@pytest.mark.parametrize("fault", ["P", "alpha", "beta", "count"])
def test_a_fault_in_the_balls_own_algorithm_is_seen(fault, monkeypatch):
    statement = BUILT_IN["deprl.thm1"]
    check = Check("c", {**LINE_10_RUN, **after(10), "x0": 0.5})
    result = judge_check(statement, "corrected", check)
    right = recheck(statement, "corrected", result)
    assert result.ci[0] <= right.low <= right.high <= result.ci[1]

    def planted(*given):
        made = method_of(*given)
        wrong = {
            "P": [[(i, flint.arb(1))] for i in range(len(made.P))],
            "alpha": made.alpha * 2,
            "beta": made.beta * 2,
            "count": made.count + 1,
        }
        return Method(**{**vars(made), fault: wrong[fault]})

    monkeypatch.setattr("theorylab.falsify._deprl_ways.method_of", planted)
    found = recheck(statement, "corrected", result)
    assert not result.ci[0] <= found.low <= result.ci[1]


def test_a_place_of_a_sweep_is_rechecked_with_its_own_steps():
    statement, version = BUILT_IN["deprl.cor1"], "printed/no-self-loops"
    result = judge_check(statement, version, Check("ring", COROLLARY_RING))
    assert result.place == "rounds=2e+08, T=200000000"
    right = recheck(statement, version, result)
    assert result.ci[0] <= right.low <= right.high <= result.ci[1]
    other = recheck(statement, version, result.model_copy(update={"place": "rounds=2e+07, T=20"}))
    assert not result.ci[0] <= other.low <= result.ci[1]
    nowhere = recheck(statement, version, result.model_copy(update={"place": "T=200000000"}))
    assert nowhere.holds is None
    assert "no interval arithmetic for the place 'T=200000000'" in nowhere.how


def test_noise_without_exact_moments_is_named():
    statement = BUILT_IN["deprl.thm1"]
    instance = {**RING_RUN, **after(4)}
    instance["problem"] = {"name": "sin-sin", "sigma_u": 0.5, "seed": 1}
    result = judge_check(statement, "printed", Check("c", instance), seeds=2)
    result = result.model_copy(update={"place": "T=4", "runs": 2})
    found = recheck(statement, "printed", result)
    assert found.holds is None
    assert found.how.startswith("no interval arithmetic for this algorithm with noise; it stands")


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("deprl.thm1_mixing", "implied/no-self-loops"),
        ("deprl.cor1_consensus", "printed/no-self-loops"),
    ],
)
def test_what_falsify_finds_is_confirmed_and_replayed(name, version, stands_and_replays):
    stands_and_replays(name, version)
