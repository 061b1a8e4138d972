"""The bracket's extremes: growth as derived and proved, bounded for the corrected one."""

import dataclasses
import math

import numpy as np
import pytest
import sympy as sp

from theorylab.runs import Setting
from theorylab.statements import Check, evaluate
from theorylab.statements.dfedpgp import _floors
from theorylab.statements.dfedpgp import _instances as made
from theorylab.statements.dfedpgp import _symbols as pgp
from theorylab.statements.dfedpgp._instances import STATIONARY, changed, scalars
from theorylab.statements.dfedpgp._orders import WITHOUT_NETWORK
from theorylab.statements.dfedpgp.cor1_growth import STATEMENT
from theorylab.symbols import T, n
from theorylab.verdicts import judge_check
from theorylab.verdicts.instance import built, parsed

CORRECTED = STATEMENT.versions["corrected"]


def tried(instance, version="printed", **changes):
    content = dataclasses.replace(STATEMENT.versions[version], **changes)
    statement = dataclasses.replace(STATEMENT, versions={version: content})
    return judge_check(statement, version, Check("planted", instance))


def windowed(**changes):
    """As a claim about the window: nothing is proved against an order that is true."""
    return dataclasses.replace(CORRECTED.order, window=True, **changes)


def test_the_growth_is_what_the_argument_gives(judged):
    found = judged(STATEMENT)
    # the ratio gains K_u and 1/L_v (1 + L_v at first), sqrt T: fitted, so to 30 %
    noise = found["printed/line-4", "body-steps-of-three"]
    heads, biased = (found["printed", name] for name in ("flat-heads-of-three", "biased"))
    for result in (noise, heads):
        assert result.measured == pytest.approx(10, rel=0.3)
    assert biased.measured > 10**0.5
    for result in (noise, heads, biased):
        assert "which outgrows the bracket" in result.reason


def test_planted_errors_are_refuted(missed):
    content = dataclasses.replace(CORRECTED, order=windowed())
    statement = dataclasses.replace(STATEMENT, versions={"window": content})
    bound = CORRECTED.terms["bounded"]
    variants = {f"times {k}/10": {"bounded": bound * k / 10} for k in (3, 5, 6, 7, 8)}
    assert missed(statement, "window", variants) == set()


def test_a_transient_is_no_growth_without_end():
    # The start is off along curvature 1e-6 alone: the gradient stays what it is while the bracket
    # falls, so the ratio is 2e-6 sqrt T, until T is about 10^12. It never passes 1.
    problem = {
        "name": "coupled-quadratic", "A": [[[1.0, 0.0], [0.0, 1e-6]]], "B": [[[1.0]]],
        "C": [[[0.0], [0.0]]], "a": [[0.0, 0.0]], "b": [[0.0]],
    }  # fmt: skip
    sets = {name: text.replace("L_u*", "").replace("L_v*", "")
            for name, text in made.IN_T["sweep"]["set"].items()}  # fmt: skip
    slow = {**made.IN_T, "problem": problem, "topology": {"name": "complete"}, "clients": 1}
    slow |= {"x0": [0.0, 1.0, 0.0], "sweep": {**made.IN_T["sweep"], "set": sets}}
    result = tried(slow, "corrected")
    assert result.verdict == "INCONCLUSIVE"
    assert result.measured == pytest.approx(10**0.5, rel=1e-2)


def test_without_the_network_the_bracket_is_too_small_by_one_over_delta():
    # client 0 pulls one way, and holds next to nothing of all weight
    sets = {name: text.replace("L_u*", "").replace("L_v*", "")
            for name, text in made.IN_DELTA["sweep"]["set"].items()}  # fmt: skip
    pulled = {**made.IN_DELTA, "problem": scalars(2, 1.0, 1.0, a=[10.0, -10.0]), "x0": [0.1, 0.0]}
    pulled |= {"sweep": {**made.IN_DELTA["sweep"], "set": sets}}
    without = windowed(bracket=WITHOUT_NETWORK, hides=sp.Integer(32))
    found = tried(pulled, "corrected", order=without)
    assert found.verdict == "VIOLATED"
    assert found.measured > 10
    whole = windowed(hides=sp.Integer(32))
    assert tried(pulled, "corrected", order=whole).verdict != "VIOLATED"


@pytest.mark.parametrize(("share", "name"), [(1.01, "c_u, c_v"), (30.0, "L_u eta_u K_u")])
def test_half_of_a_cap_is_all_there_is(share, name):
    far = {**made.IN_DELTA, "constants": {"dfedpgp_c_u": 0.5 * share, "dfedpgp_c_v": 0.25}}
    told = {a.name: a.holds for a in tried(far, "corrected").assumptions}
    assert [holds for text, holds in told.items() if name in text] == [False]


LOPSIDED = {  # columns sum to 1, and rows to .75 and 1.25
    "topology": {
        "name": "edge-list", "edges": [[0, 0, 0.5], [0, 1, 0.5], [1, 0, 0.25], [1, 1, 0.75]],
    },
    "clients": 2,
}  # fmt: skip
NOISY, FLAT = made.ONE_BATCH_OF_THREE, made.FLAT_OF_THREE


def with_losses(instance, **options):
    return {**instance, "problem": {**instance["problem"], **options}}


def one_noise_a_round(L, sigma, steps, eta, rounds, fresh):
    """(1/T) sum_{t=1..T} of L E x^2 on L/2 x^2 from 0, by the plain recursion of a round."""
    shrink = (1 - eta * L) ** (2 * steps)
    if fresh:
        noise = eta**2 * sigma**2 * sum((1 - eta * L) ** (2 * k) for k in range(steps))
    else:
        noise = (eta * sigma * sum((1 - eta * L) ** k for k in range(steps))) ** 2
    square = total = 0.0
    for _ in range(rounds):
        square = shrink * square + noise
        total += L * square
    return total / rounds, noise


@pytest.mark.parametrize("c", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("steps", [1, 3, 40])
@pytest.mark.parametrize("rounds", [200, 10**4])
def test_the_lower_bounds_are_below_plain_sums(c, steps, rounds):
    L, sigma = 2.0, 0.7
    eta = c / (L * steps * rounds**0.5)
    u = {pgp.c_u: c, pgp.L_u: L, pgp.sigma_u: sigma, pgp.K_u: steps, pgp.eta_u: eta}
    v = {pgp.c_v: c, pgp.L_v: L, pgp.sigma_v: sigma, pgp.K_v: steps, pgp.eta_v: eta}
    numbers = {**u, **v, T: rounds, n: 1}
    for floor, fresh in ((_floors.ONE_NOISE, False), (_floors.FLAT, True), (_floors.FLAT, False)):
        measured, noise = one_noise_a_round(L, sigma, steps, eta, rounds, fresh)
        # a sum of ``rounds`` positive numbers is right to as many roundings
        assert float(evaluate(floor.lower, numbers)) <= measured * (1 + rounds * 2.0**-52)
        # what a round adds to F is at most what the upper bounds take it for
        assert L * noise / 2 <= L * (eta * steps * sigma) ** 2 / 2 * (1 + 1e-12)
    exact = one_noise_a_round(L, sigma, steps, eta, 10**4, False)[0]
    lower = float(evaluate(_floors.ONE_NOISE.lower, {**numbers, T: 10**4}))
    if rounds == 10**4 and c == 1.0:  # and close to it where the transient is over
        assert lower > 0.97 * exact


@pytest.mark.parametrize(
    ("version", "instance", "why"),
    [
        ("printed/line-4", changed(NOISY, batch="per-step"), "never"),
        ("printed/line-4", {**NOISY, "x0": 1.0}, "a window proves nothing"),
        ("printed/line-4", {**NOISY, **LOPSIDED}, "Eq(dfedpgp_balanced, 1)"),
        ("printed", {**FLAT, "x0": [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]}, "start_spread"),
        ("printed", with_losses(FLAT, coupling=1e-3), "isotropic"),
    ],
    ids=["fresh", "a start", "uneven", "apart", "coupled"],
)
def test_where_a_proof_does_not_apply_nothing_is_refuted(version, instance, why):
    found = tried(instance, version)
    assert found.verdict != "VIOLATED"
    if found.verdict == "INCONCLUSIVE":
        assert why in found.reason


@pytest.mark.parametrize("rounds", [3, 200])
def test_the_noise_of_three_clients_stays_above_its_lower_bound(rounds):
    # E ubar^2 of u^2 from 0 on any doubly stochastic network: the mean of three noises a round
    L, sigma, steps, c = 2.0, 0.7, 3, 0.5
    eta = c / (L * steps * rounds**0.5)
    numbers = {pgp.c_u: c, pgp.L_u: L, pgp.sigma_u: sigma, pgp.K_u: steps, T: rounds, n: 3}
    lower = float(evaluate(_floors.ONE_NOISE.lower, numbers))
    one, _ = one_noise_a_round(L, sigma, steps, eta, rounds, False)
    assert 0.3 * one / 3 < lower <= one / 3 * (1 + rounds * 2.0**-52)


def setting_of(instance, **changes):
    instance = {**instance, "rounds": 5, **changes}
    return built("here", parsed("here", instance), "dfedpgp")


@pytest.mark.parametrize("steps", [1, 3])
def test_the_bias_is_below_algorithm_1_played_by_hand(steps):
    setting = setting_of(STATIONARY)
    assert isinstance(setting, Setting)
    least = _floors._bias(setting)
    P = setting.topology.matrix(0, 0).toarray()
    b, eta_u, eta_v = 0.1 * math.sin(3.0), 0.1, 0.3
    u, mu, v, seen = np.full(3, 3.0), np.ones(3), np.zeros(3), []
    for _ in range(400):
        z = u / mu
        for _ in range(steps):
            v = v - eta_v * (v - b + 0.1 * np.sin(z) * np.cos(v))
        for _ in range(steps):
            z = u / mu
            u = u - eta_u * ((z - 3.0) + 0.1 * np.cos(z) * np.sin(v))
        u, mu = P @ u, P @ mu
        seen.append(((v - b + 0.1 * np.sin(u) * np.cos(v)) ** 2).mean() / 1.1)
    assert 0 < least <= min(seen) * (1 + 1e-12)
    assert least == pytest.approx(min(seen), rel=1e-6)


@pytest.mark.parametrize(
    "changes",
    [
        {"x0": [2.9, 0.0]},
        {"x0": [3.0, 0.1]},
        {"topology": {"name": "directed-ring"}},  # every mu_i is 1
        {"topology": {"name": "directed-ring", "self_loops": False}},
        {"problem": {**STATIONARY["problem"], "a": [[3.0], [3.0], [3.1]]}},
        {"problem": {**STATIONARY["problem"], "sigma_u": 0.1}},
        {"problem": {**STATIONARY["problem"], "b": [[0.1]] * 3}},
    ],
)
def test_no_bias_is_told_where_none_is_proved(changes):
    assert _floors._bias(setting_of(STATIONARY, **changes)) == 0.0
