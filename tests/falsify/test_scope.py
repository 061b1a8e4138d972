"""A finding outside of what a claim speaks of says what the claim needs, and is no VIOLATED."""

import dataclasses
import itertools

import pytest
import sympy as sp

from theorylab.algorithms import SGP
from theorylab.falsify import falsify, shrinking
from theorylab.falsify.named_parts import named, names_option
from theorylab.falsify.scope import Breaking, Outside, Scope, written
from theorylab.falsify.score import Judge
from theorylab.statements import BUILT_IN, Assumption, Check, Source, Statement, Version
from theorylab.symbols import L, T, eta, f0, f_star, n, q, sigma_l, symbol, x0_spread

pytestmark = pytest.mark.usefixtures("registries")

DESCENT = 2 * (f0 - f_star) / (T * eta)  # true of one client, eta <= 1/L, without noise
RUN = {
    "problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 10,
    "algorithm": {"eta": 0.1},
    "x0": 1.0,
}
SHORT = Assumption("eta <= 1/L", rule=eta * L <= 1, finite=(L,))
ALONE = Assumption("one client", rule=n <= 1)


def claim(bound=DESCENT, assumes=(SHORT, ALONE), check=RUN, algorithm="sgp", **more):
    version = Version({"bound": bound}, assumes, (Check("benign", check),), **more)
    return Statement(
        id="test.scope",
        source=Source("test", "none", "planted"),
        algorithm=algorithm,
        quantity="mean_squared_gradient",
        versions={"printed": version},
    )


def searched(told, budget=400, **options):
    clock = itertools.count().__next__
    return falsify(told, budget=budget, clock=clock, known=False, **options)


def changed(**parts):
    return {**RUN, **parts}


LONG = changed(rounds=100, algorithm={"eta": 0.5})  # noise 1 stays above the bound here
NOISY = {"name": "noisy", "base": RUN["problem"], "field": "rademacher", "sigma": 1.0}
TWO = {"name": "quadratic", "H": [[[1.0]]] * 2, "c": [[0.0]] * 2}


@pytest.mark.parametrize(
    ("instance", "needs"),
    [
        (RUN, ()),
        (changed(problem=NOISY), ("no noise",)),
        (changed(problem={**RUN["problem"], "sigma": 0.5}), ("no noise",)),
        (changed(problem={"name": "pinwheel"}), ("no noise",)),  # noise without an option
        (changed(rounds=3), ()),
        (changed(x0=5.0), ()),  # f0 names the start
        (changed(problem={"name": "log-cosh", "dim": 1, "center": 2.0}), ()),  # L names the loss
        (changed(algorithm={"eta": 0.5}), ()),
        (changed(algorithm={"eta": 0.1, "alpha": 0.9}), ("alpha = 0",)),
        (changed(topology={"name": "ring"}), ()),  # every network of one client is the same
    ],
)
def test_what_the_claim_names_moves_and_all_else_is_a_need(instance, needs):
    assert Scope(claim(), "printed").needs(instance) == needs


@pytest.mark.parametrize(
    ("more", "needs"),
    [
        ({}, ("one client", "equal starts")),
        ({"assumes": (SHORT, ALONE)}, ("equal starts",)),
        ({"bound": DESCENT + x0_spread}, ("one client",)),
        ({"bound": DESCENT * q}, ("equal starts",)),  # a network has its clients
        ({"scope": {"starts": "free", "clients": (1, 3)}}, ()),
        ({"scope": {"starts": "free", "clients": (3, 9)}, "check": {**RUN, "clients": 3}}, None),
    ],
)
def test_clients_networks_and_starts_are_needs_where_the_text_does_not_name_them(more, needs):
    two = changed(problem=TWO, clients=2, x0=[[1.0], [-1.0]])
    if needs is None:
        more["check"]["problem"] = {"name": "quadratic", "dim": 1}
        needs = ("3 <= clients <= 9",)
    found = Scope(claim(**{"assumes": (SHORT,), **more}), "printed").needs(two)
    assert found == needs


def test_a_version_without_clients_in_its_text_takes_a_network_for_a_need():
    told = claim(assumes=(SHORT,), check=changed(clients=2, problem=TWO))
    scope = Scope(told, "printed")
    ring = changed(clients=2, problem=TWO, topology={"name": "ring", "weights": "lazy"})
    assert scope.needs(ring) == ("the network complete",)
    assert scope.needs(changed()) == ("2 clients",)


def test_checks_that_differ_in_a_part_say_that_it_moves():
    told = claim(assumes=(SHORT,))
    version = told.versions["printed"]
    more = Check("two", changed(clients=2, problem=TWO))
    both = dataclasses.replace(version, checks=(*version.checks, more))
    scope = Scope(dataclasses.replace(told, versions={"printed": both}), "printed")
    assert scope.needs(changed(clients=5, problem={"name": "quadratic", "dim": 1})) == ()


def test_words_of_assumptions_and_functions_name_parts():
    quiet = Assumption("no noise", rule=sigma_l <= 0)
    assert "noise" in named(Version({"b": f0}, (quiet,)))
    spread = Assumption("alike", holds=lambda setting: setting.topology.period == 1)
    assert {"network", "clients"} <= named(Version({"b": L}, (spread,)))
    assert named(Version({"b": sp.Integer(1)})) == set()
    assert names_option(Version({"b": eta}), "eta")
    assert names_option(Version({"b": L}, (Assumption("ratio below 1", rule=L < 1),)), "ratio")
    assert not names_option(Version({"b": eta}), "ratio")


def test_a_papers_statement_speaks_of_all_parts():
    for statement in map(BUILT_IN.__getitem__, ("dfedsgpsm.thm1", "pdbo.lem6")):
        scope = Scope(statement, "printed" if "printed" in statement.versions else "printed/r3")
        assert scope.needs(changed(problem=NOISY, clients=7)) == ()


def test_a_search_tells_the_need_and_never_says_violated_of_the_claim():
    found = searched(claim(check=LONG), budget=500, shrink=False)
    assert (found.refuted, found.broken, found.result.verdict) == (False, True, "VIOLATED")
    assert Scope(claim(check=LONG), "printed").needs(found.instance) == found.needs
    told = {found.needs[0], *found.also}
    assert "no noise" in told
    assert all(" and " not in each for each in told)  # each is put back alone where it can be


def test_parts_outside_are_put_back_where_the_claim_is_still_broken():
    instance = changed(problem=NOISY, algorithm={"eta": 0.1, "alpha": 0.9, "rho": 0.5})
    outside = Outside(Scope(claim(), "printed"))
    by_noise = Breaking(instance, "result", "how", "stage")
    assert (
        outside.take(by_noise, lambda made: "again" if "field" in made["problem"] else None) is None
    )
    assert list(outside.told) == [("no noise",)]
    assert outside.knows(instance)
    assert not outside.knows(changed(algorithm={"eta": 0.1, "alpha": 0.9}))
    inside = outside.take(by_noise, lambda made: "again")
    assert Scope(claim(), "printed").needs(inside.instance) == ()


def test_what_is_found_inside_comes_before_what_is_found_outside():
    found = searched(claim(DESCENT / 3, (SHORT, ALONE)), budget=900)
    assert (found.refuted, found.needs) == (True, ())
    assert Scope(claim(), "printed").needs(found.instance) == ()


def test_a_part_that_scope_frees_is_no_need():
    free = dict.fromkeys(("noise", "alpha", "rho", "local_steps", "decay"), "free")
    found = searched(claim(scope=free), budget=900)
    assert found.refuted


def test_a_range_holds_the_search_and_what_is_made_small():
    told = claim(DESCENT / 3, scope={"rounds": (4, 20), "eta": (0.05, 1.0)})
    found = searched(told, budget=900)
    assert found.refuted
    assert 4 <= found.instance["rounds"] <= 20
    assert 0.05 <= found.instance["algorithm"]["eta"] <= 1.0


def test_what_is_made_small_stays_where_the_finding_lies(monkeypatch):
    seen = []

    def kept(instance, result, judge, allowed):
        seen.extend(map(allowed, (changed(), changed(problem=NOISY), changed(x0=2.0))))
        return instance, result

    monkeypatch.setattr(shrinking, "shrunk", kept)
    assert searched(claim(DESCENT / 3), budget=900).refuted
    assert seen == [True, False, True] * 2  # with all on, and the smallest


def test_an_option_at_its_default_moves_and_is_a_need():
    @dataclasses.dataclass(frozen=True)
    class Stretched(SGP, name="test-stretched"):
        ratio: float = 1.0

        def step(self, state, context):
            after = super().step(state, context)
            x = state.x + self.ratio * (after.x - state.x)
            return dataclasses.replace(after, x=x, z=x)

    told = claim(algorithm="test-stretched", check=changed(algorithm={"eta": 0.5}))
    assert written(told, RUN)["algorithm"]["ratio"] == 1.0
    found = searched(told, budget=1400, shrink=False)
    assert "ratio = 1" in {*found.needs, *found.also}


@pytest.mark.parametrize(
    ("scope", "line"),
    [
        ({"wind": "free"}, "'wind' names nothing of the claim; need one of loss, noise, clients"),
        ({"rounds": (20, 30)}, "20 <= rounds <= 30.* leaves out every check; need one inside"),
        ({"network": ["ring"], "clients": (2, 3)}, "leaves out every check"),
        ({"network": ["complete", "nowhere"]}, "network: no network 'nowhere'; need one that list"),
        ({"loss": ["quadratic", "bowl"]}, "loss: no loss 'bowl'; need one that list shows"),
        ({"start": (0, 1)}, "start: .* came; need 'free' or 'fixed'"),
        ({"clients": ["one"]}, "clients: .* came; need 'free', 'fixed' or a range"),
    ],
)
def test_a_scope_of_nothing_or_without_a_check_is_one_line(scope, line):
    with pytest.raises(ValueError, match=line):
        searched(claim(scope=scope))


@pytest.mark.parametrize(
    "extent", ["some", (2, 1), (1,), (float("nan"), 1), 3, [], ["a", 1], (0, 10**400)]
)
def test_an_extent_that_is_none_is_one_line(extent):
    with pytest.raises(ValueError, match="need 'free', 'fixed', a pair"):
        claim(scope={"noise": extent})
    with pytest.raises(TypeError, match="need a mapping"):
        claim(scope=[extent])


def test_a_loss_without_what_a_claims_own_function_asks_for_is_left_out():
    away = symbol("test_away", "r", "|x^0 - x*|", units=(0, 1))
    facts = {away: lambda s: float(abs(s.start - s.problem.optimum).max())}
    told = claim(bound=L**2 * away**2, constants=facts)
    judge = Judge(told, "printed", 2, 0, 1e9, screening=True, clock=lambda: 0.0)
    assert (judge(RUN)[1], judge.invalid) == (None, 0)
    judge(changed(problem={"name": "ridge"}))
    assert "no minimiser is known" in judge.refused


def test_where_nothing_can_move_one_line_says_why():
    fixed = dict.fromkeys(
        ("loss", "noise", "clients", "network", "start", "starts", "rounds"), "fixed"
    )
    fixed |= dict.fromkeys(("eta", "alpha", "rho", "local_steps", "decay"), "fixed")
    with pytest.raises(ValueError, match="nothing to move: its scope fixes every part; need one"):
        falsify(claim(scope=fixed), budget=1.0)
    numbers = claim(check={**RUN, "constants": {"L": 1.0}})
    with pytest.raises(ValueError, match="nothing to move: constants that are numbers hold for"):
        falsify(numbers, budget=1.0)
    freer = searched(claim(scope={**fixed, "rounds": "free"}), budget=60)  # true for any rounds
    assert not freer.refuted
