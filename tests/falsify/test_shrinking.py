"""Shrinking keeps the violation and makes every step smaller."""

import dataclasses
import itertools
import math

import pytest

from theorylab.commands.falsify.told import smaller_lines
from theorylab.falsify import Counterexample, falsify, replay, replays, shrunk
from theorylab.falsify.features import Features
from theorylab.falsify.scope import Scope
from theorylab.falsify.score import Judge
from theorylab.falsify.shrinking import Small, candidates, size, smallest
from theorylab.statements import Assumption, Check, Source, Statement, Version
from theorylab.symbols import L, T, alpha, eta, f0, f_star, n

BIG = {"share": 0.987654321, "count": 117, "extra": 3}


@pytest.fixture
def judge(planted):
    def made(deadline=math.inf):
        return Judge(planted(10.0), "printed", 16, 0, deadline)

    return made


def test_what_comes_out_is_violated_smaller_and_has_no_smaller_neighbour(judge):
    ask = judge()
    _, first = ask(BIG)
    small, result = shrunk(BIG, first, ask)
    assert result.verdict == "VIOLATED"
    assert size(small) < size(BIG)
    for other in candidates(small):
        _, found = ask(other)
        assert found is None or found.verdict != "VIOLATED" or found.ratio < 1.02


def test_what_is_not_allowed_is_passed_over(judge):
    ask = judge()
    _, first = ask(BIG)
    small, result = shrunk(BIG, first, ask, lambda made: "extra" in made)
    assert "extra" in small
    assert result.verdict == "VIOLATED"
    assert size(small) < size(BIG)


def test_every_candidate_is_smaller():
    assert all(size(other) < size(BIG) for other in candidates(BIG))


def test_nothing_is_returned_that_holds(judge):
    ask = judge(deadline=-math.inf)  # no time: the instance comes back as it is
    _, first = ask(BIG)
    assert shrunk(BIG, first, ask) == (BIG, first)


def test_clients_fall_to_a_plain_network_at_once():
    run = {
        "clients": 8,
        "rounds": 100,
        "topology": {"name": "edge-list", "edges": [[0, 1]]},
        "problem": {"name": "log-cosh"},
    }
    first = next(iter(candidates(run)))
    assert (first["clients"], first["topology"]) == (1, {"name": "complete"})


def test_a_loss_of_many_coordinates_becomes_one_of_few_and_no_option_that_says_so_goes():
    run = {
        "problem": {"name": "quadratic", "dim": 3, "L": 2.0},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": 1,
        "algorithm": {"eta": 0.1},
    }
    made = [each["problem"].get("dim") for each in candidates(run) if "problem" in each]
    assert 1 in made
    assert None not in made  # without it the loss would have more
    assert size({**run, "problem": {**run["problem"], "dim": 1}}) < size(run)


TWICE = {"name": "quadratic", "H": [[[1.0]]] * 2, "c": [[0.0]] * 2}
RUN = {
    "problem": TWICE,
    "topology": {"name": "complete"},
    "clients": 2,
    "rounds": 10,
    "algorithm": {"eta": 0.1, "alpha": 0.5},
    "x0": 1.0,
}
ONE = {**RUN, "clients": 1, "problem": {**TWICE, "H": [[[1.0]]], "c": [[0.0]]}}
SHORT = Assumption("eta <= 1/L", rule=eta * L <= 1, finite=(L,))
PUSHED = Assumption("momentum alpha < 1", rule=alpha < 1)
CLIENTS = Assumption("few clients", rule=n <= 8)


def claim(share=1e-3, assumes=(SHORT, PUSHED, CLIENTS), check=RUN, **more):
    bound = share * (f0 - f_star) / (T * eta)
    version = Version({"bound": bound}, assumes, (Check("benign", check, "VIOLATED"),), **more)
    return Statement(
        id="test.smallest",
        source=Source("test", "none", "planted"),
        algorithm="dfedsgpsm",
        quantity="mean_squared_gradient",
        versions={"printed": version},
    )


def told(statement, **options):
    return falsify(statement, clock=itertools.count().__next__, budget=4000, **options)


@pytest.fixture(scope="module")
def found():
    return told(claim())


def on(statement, instance):
    return Features(Scope(statement, "printed")).on(instance)


def test_the_claims_own_parts_are_those_that_it_names_and_those_that_its_checks_have_on():
    several = on(claim(), RUN)
    assert several == {"several clients", "eta", "alpha"}
    assert on(claim(), {**RUN, "algorithm": {"eta": 0.1}}) == {"several clients", "eta"}
    assert on(claim(), ONE) == {"eta", "alpha"}
    steps = {**RUN, "algorithm": {"eta": 0.1, "local_steps": 3}}
    assert "local_steps" not in several  # no check has any, and the text names none
    assert "local_steps" in on(claim(check=steps), steps)
    assert "local_steps" not in on(claim(check=steps), RUN)


def test_noise_counts_where_the_claim_names_it_and_heads_where_a_check_has_them():
    noisy = {**RUN, "problem": {"name": "noisy", "base": TWICE, "sigma": 1.0}}
    assert "noise" not in on(claim(), noisy)
    quiet = Assumption("noise of bounded variance", holds=lambda setting: True)
    assert "noise" in on(claim(assumes=(SHORT, quiet)), noisy)
    heads = {"name": "coupled-quadratic", "dim_u": 1, "dim_v": 1}
    assert "heads" in on(claim(check={**RUN, "problem": heads}), {**RUN, "problem": heads})
    assert "heads" not in on(claim(check={**RUN, "problem": heads}), RUN)


def test_what_cannot_be_built_has_nothing_on():
    heads = {"name": "coupled-quadratic", "dim_u": 1, "dim_v": 1}
    broken = {**RUN, "problem": {"name": "quadratic", "H": "?"}}
    assert on(claim(check={**RUN, "problem": heads}), broken) == frozenset()


def test_two_clients_and_momentum_come_first_and_what_is_smaller_is_second(found):
    assert found.refuted
    assert found.instance["clients"] == 2
    assert found.written["algorithm"]["alpha"] > 0
    less = found.smaller
    assert less.instance["clients"] == 1
    assert less.result.verdict == "VIOLATED"
    assert less.instance["rounds"] <= found.instance["rounds"]


def test_what_rests_in_the_finding_is_put_on_where_it_still_breaks_the_claim():
    statement = claim()
    judge = Judge(statement, "printed", 16, 0, math.inf)
    result = judge(ONE)[1]
    first, least = smallest(
        Small(ONE, result, 0), judge, Scope(statement, "printed"), lambda made: True, math.inf
    )
    assert on(statement, first.instance) == {"several clients", "eta", "alpha"}
    assert least.instance["clients"] == 1


def test_one_client_stays_where_the_claim_is_about_one():
    alone = Assumption("one client", rule=n <= 1)
    finding = told(claim(assumes=(SHORT, alone), check=ONE))
    assert finding.instance["clients"] == 1
    assert finding.written["algorithm"]["alpha"] > 0
    less = finding.smaller
    assert less is None or less.instance["clients"] == 1


def test_the_second_line_says_both_sides_and_goes_through_the_file(found, monkeypatch):
    monkeypatch.setattr(replays, "BUILT_IN", {"test.smallest": claim()})
    kept = Counterexample.parsed(Counterexample.of(found, 1.0, None, None).to_json())
    (line,) = smaller_lines(kept)
    assert line.startswith("smaller still: f_i(x) = ")
    assert "n = 1" in line
    assert "measured" in line
    assert replay(kept).same
    forged = kept.smaller.model_copy(update={"measured_hex": (2.0).hex()})
    assert any("smaller still, measured" in each for each in replay(
        kept.model_copy(update={"smaller": forged})
    ).differences)  # fmt: skip
    holds = kept.smaller.model_copy(update={"instance": {**ONE, "rounds": 1, "x0": 0.0}})
    assert any("smaller still, verdict" in each for each in replay(
        kept.model_copy(update={"smaller": holds})
    ).differences)  # fmt: skip


def test_a_file_without_a_second_line_is_read_and_tells_none(found):
    kept = Counterexample.of(dataclasses.replace(found, smaller=None), 1.0, None, None)
    assert smaller_lines(kept) == []
