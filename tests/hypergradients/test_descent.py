"""An outer step that raises the outer cost is told, with numbers and what helps."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from theorylab.hypergradients import (
    PDBO,
    SGP,
    QuadraticBilevel,
    RisingCostWarning,
    StoppedError,
    algorithm2,
    pdbo,
)
from theorylab.hypergradients.descent import Training, check_descent
from theorylab.topologies import topology

N, T = 3, 150
PROBLEM = QuadraticBilevel.random(N, 2, 2, seed=8)
FULL, DRAWN = topology("complete", N), topology("sto-d", N, seed=5)
DOWN = PDBO(0.3, 3, 60, rate=0.05, omega="mean")
LONG = replace(DOWN, rate=40.0)


def plays(method, graph=FULL, problem=PROBLEM, **options):
    told = []
    made = pdbo(problem, graph, method, rounds=T, tell=told.append, **options)
    return made.table, told


def wrong(monkeypatch):
    """Let every estimate have the wrong sign, as a series at other models can."""
    honest = PDBO.hypergradient
    monkeypatch.setattr(PDBO, "hypergradient", lambda *args: -honest(*args))


def test_the_change_is_that_of_two_trainings_with_the_same_draws():
    for graph, runs in ((FULL, 1), (DRAWN, 2)):
        method = replace(DOWN, optimizer="sgd", outer_steps=2).settled(PROBLEM, graph)
        kept = []
        table = pdbo(
            PROBLEM, graph, method, rounds=T, runs=runs, checkpoint=lambda x, k=kept: k.append(x)
        ).table
        lams = [np.zeros((runs, N, 2)), kept[0].state.lam, kept[1].state.lam]
        for s in range(2):
            first, ids = s * (T + 2 * method.terms), np.arange(runs)
            costs = []
            for lam in lams[s : s + 2]:
                x = algorithm2(PROBLEM, graph, SGP(0.3), lam, T, first=first, runs=ids).x
                costs.append(PROBLEM.outer(x, lam).mean(axis=1))
            assert np.array_equal(table["outer_change"][:, s], costs[1] - costs[0])
        assert np.isnan(table["outer_change"][:, -1]).all()


def test_where_nothing_is_drawn_looking_costs_nothing(monkeypatch):
    rounds = []
    honest = SGP.round
    monkeypatch.setattr(SGP, "round", lambda *args: rounds.append(1) or honest(*args))
    cases = [(DOWN, FULL, 4), (DOWN, DRAWN, 7), (replace(DOWN, descent="off"), DRAWN, 4)]
    for method, graph, trainings in cases:  # S + 1 = 4 without looking
        rounds.clear()
        plays(method, graph, columns=["outer_loss"])
        assert len(rounds) == trainings * T


def test_a_sound_run_is_silent_and_its_digits_are_those_of_nobody_looking():
    table, told = plays(DOWN)
    plain, _ = plays(replace(DOWN, descent="off"))
    assert told == []
    assert (np.diff(table["outer_loss"]) < 0).all()
    assert "outer_change" not in plain
    assert np.array_equal(table["outer_loss"], plain["outer_loss"])


def test_a_wrong_sign_is_told_once_with_both_slopes(monkeypatch):
    wrong(monkeypatch)
    method = replace(DOWN, optimizer="sgd")
    table, told = plays(method)
    assert (np.diff(table["outer_loss"]) > 0).all()
    (line,) = told
    loss = table["outer_loss"][0]
    assert f"outer step 0 raises the outer cost from {loss[0]:.6g} to {loss[1]:.6g}" in line
    assert "the estimate has the wrong sign; need more than 60 terms" in line
    promised, slope = (float(line.partition(word)[2].split(",")[0].split(":")[0].split(" ")[1])
                       for word in ("the estimate has slope", "a finite difference"))  # fmt: skip
    assert promised < 0 < slope
    # 60 terms and 150 rounds leave 1e-4 of the series: the true slope is the negative one
    assert slope == pytest.approx(-promised, rel=1e-2)


def test_rises_that_rounding_explains_one_by_one_are_told_together(monkeypatch):
    monkeypatch.setattr(Training, "tolerance", lambda _, cost: 0.05)
    down = replace(DOWN, optimizer="sgd", rate=0.01, outer_steps=12)
    _, told = plays(down)
    assert told == []
    wrong(monkeypatch)
    table, told = plays(down)
    rises = np.diff(table["outer_loss"][0])
    assert (rises > 0).all()
    assert (rises < 0.05).all()
    last = int(np.argmax(np.cumsum(rises) > 0.05))
    assert 0 < last < len(rises) - 1
    (line,) = told
    assert f"outer step {last} raises the outer cost" in line
    before = float(line.partition("after a rise of ")[2].split(" ")[0])
    assert before == pytest.approx(rises[:last].sum(), rel=1e-2)
    assert "the estimate has the wrong sign" in line


def test_a_step_that_goes_down_is_never_told_whatever_was_before():
    training = Training(DOWN, PROBLEM, FULL, T, 0, np.arange(1))
    costs = np.array([0.5]), np.array([0.49])
    assert not check_descent(training, None, None, None, costs, 0.09, None)
    assert training.tolerance(costs[0]) < 0.08


def test_a_series_at_models_of_another_step_is_named(monkeypatch):
    wrong(monkeypatch)
    _, (short, line) = plays(replace(DOWN, series_eta=0.03, check=False))
    assert "terms leave out" in short
    assert "series_eta 0.03 at models that were trained with step 0.3 at the end" in line
    assert "need drops that end the training" in line
    dropped = replace(DOWN, series_eta=0.03, drops=[100], check=False)
    assert "series_eta" not in plays(dropped)[1][0]


def test_a_step_that_is_too_long_asks_for_a_smaller_rate():
    _, (line,) = plays(LONG)
    assert "the step goes down at first and is too long; need a smaller rate" in line


def test_it_is_a_warning_without_a_listener_and_refused_on_request():
    with pytest.warns(RisingCostWarning, match="outer step 0 raises the outer cost") as caught:
        pdbo(PROBLEM, FULL, LONG, rounds=T)
    assert caught[0].filename == __file__
    with pytest.raises(ValueError, match="outer step 0 raises") as error:
        plays(replace(LONG, descent="refuse"))
    assert not isinstance(error.value, StoppedError)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pdbo(PROBLEM, FULL, replace(DOWN, descent="refuse"), rounds=T)
        pdbo(PROBLEM, FULL, replace(LONG, descent="off"), rounds=T)
    with pytest.raises(ValueError, match="descent is 'x'; need one of flag, refuse, off"):
        PDBO(descent="x")
