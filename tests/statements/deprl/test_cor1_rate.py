"""Corollary 1's O(.): exponents, what is proved of the limit, and controls that must fail."""

import math
import pathlib
import runpy
from dataclasses import replace

import numpy as np
import pytest

from theorylab.statements import Check, evaluate
from theorylab.statements.deprl import _instances as made
from theorylab.statements.deprl import cor1_consensus
from theorylab.statements.deprl._corollary1 import BRACKET, WALK
from theorylab.statements.deprl._instances import CHOSEN, chosen, scalars
from theorylab.statements.deprl._symbols import phi_noise, tau
from theorylab.statements.deprl.cor1_rate import STATEMENT
from theorylab.symbols import T, n
from theorylab.verdicts import judge_check

LEFT = runpy.run_path(str(pathlib.Path(__file__).with_name("_left_side.py")))["left_side"]
# Nothing but the representation's noise: the left side is near beta L sigma^2 / (2 N).
NOISE = {
    **made.RATE_ROUNDS,
    "problem": scalars(2, 1.0, 1.0, sigma_u=1.0),
    "topology": {"name": "complete"},
    "algorithm": {"tau": 1},
    "x0": 0.0,
    **chosen(*(10**k for k in range(6, 11))),
}


def judged(instance, version="printed/no-self-loops", statement=STATEMENT, **changes):
    content = replace(statement.versions[version], **changes)
    planted = replace(statement, versions={version: content})
    return judge_check(planted, version, Check("planted", instance))


def steeper(power):
    """A control: the bracket to a power, as a claim about the window."""
    return replace(STATEMENT.versions["corrected"].order, bracket=BRACKET**power, window=True)


def test_the_bracket_is_the_papers():
    numbers = {n: 4, T: 9, tau: 2}
    # 1/sqrt(36) + 1/(9 * 2) + 1/(2 * 6)
    assert float(evaluate(BRACKET, numbers)) == pytest.approx(1 / 6 + 1 / 18 + 1 / 12, rel=1e-15)


def test_the_growth_of_pure_noise_is_1_and_that_of_a_power_what_is_missing():
    # beta/(2N) = 1/(2 sqrt(NK)) over (1 + 1/tau)/sqrt(NK): 1/4 with terms in beta = sqrt(N/K)
    assert judged(NOISE, "corrected").measured == pytest.approx(1.0, abs=2e-3)
    found = judged(NOISE, "corrected", order=steeper(1.5))
    assert found.measured == pytest.approx(10**0.25, rel=2e-3)
    assert found.verdict == "VIOLATED"


CONTROLS = {
    "K^(-3/4) for K^(-1/2)": (made.RATE_ROUNDS, 1.5),
    "K^(-.6) for K^(-1/2)": (made.RATE_ROUNDS, 1.2),
    "(NK)^(-3/4) along N": (made.RATE_CLIENTS, 1.5),
}


@pytest.mark.parametrize("control", CONTROLS)
def test_a_control_fails(control):
    instance, power = CONTROLS[control]
    assert judged(instance, "corrected", order=steeper(power)).verdict == "VIOLATED"


def test_on_the_ring_of_four_the_ratio_grows_as_the_root_of_k():
    found = judged(made.RATE_RING_OF_FOUR)
    # 10^(1/2); K^(-1) terms of the bracket at K = 1e8 and the curvature 1e-9 leave a thousandth
    assert found.measured == pytest.approx(10**0.5, rel=2e-3)
    assert "which outgrows the bracket" in found.reason


@pytest.mark.parametrize("counts", [[2, 10, 200]])
def test_the_walk_is_below_the_exact_average_at_every_number_of_rounds(counts):
    # a ring of six without self-loops: eigenvalues cos(pi j/3), of modulus 1 for j = 0 and 3
    edges = [[i, j % 6, 0.5] for i in range(6) for j in (i + 1, i + 5)]
    network = {"name": "edge-list", "edges": edges, "self_loops": False}
    flat = scalars(6, 0.0, 1.0, sigma_u=3.0)
    run = {"problem": flat, "clients": 6, "topology": network}
    P = np.zeros((6, 6))
    for i in range(6):
        P[i, (i + 1) % 6] = P[i, (i - 1) % 6] = 0.5
    for K in counts:
        row = LEFT("distance", K, **run)
        power, total, noise = np.eye(6), 0.0, 0.0
        for _ in range(K - 1):  # E||E(k)||^2 = beta^2 sigma^2 sum_{m<=k} ||P^m - J||_F^2
            power = P @ power
            noise += ((power - 1 / 6) ** 2).sum()
            total += noise
        by_hand = 9.0 * total / K**2  # beta^2 = 6/K, over N = 6
        assert float(row.values[0]) == pytest.approx(by_hand, rel=1e-11)
        floor = float(evaluate(WALK.lower, {phi_noise: 3.0, T: K}))
        assert floor == pytest.approx(9 / 2 * (K - 1) / K, rel=1e-15)
        assert by_hand >= floor * (1 - 1e-12)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"problem": scalars(4, 1e-9, 0.05, sigma_u=1.0)}, "deprl_flat"),  # ends the walk
        ({"problem": scalars(4, 0.0, 0.05, sigma_v=1.0)}, "tends to 0"),  # phi has no noise
        ({"topology": {"name": "ring"}}, "deprl_aperiodic"),  # it mixes
    ],
    ids=["curved", "quiet", "mixing"],
)
def test_where_the_proof_does_not_apply_nothing_is_proved(changes, why):
    early = chosen(10, 100, 1000, 10**4)
    run = {**made.RATE_RING_OF_FOUR, "x0": 2.0, **early, **changes}
    found = judged(run, assumes=())
    assert found.verdict != "VIOLATED"
    if found.verdict == "INCONCLUSIVE":
        assert "no limit is proved here" in found.reason
        assert why in found.reason


def lazy_pair(w):
    edges = [[0, 0, 1 - w], [0, 1, w], [1, 0, w], [1, 1, 1 - w]]
    return {**made.RATE_ROUNDS, "topology": {"name": "edge-list", "edges": edges}}


@pytest.mark.usefixtures("few_lags")
@pytest.mark.parametrize(
    ("statement", "w"), [(STATEMENT, 1e-6), (cor1_consensus.STATEMENT, 1e-8)], ids=["rate", "drift"]
)
def test_a_network_that_has_not_mixed_yet_refutes_nothing(statement, w):
    # until 1/w rounds the noise piles up as K beta^2 = N, whatever K is; then it does not
    for version in statement.versions:
        found = judge_check(statement, version, Check("lazy", lazy_pair(w)))
        assert found.verdict == "INCONCLUSIVE", found.reason
        assert "no limit is proved here" in found.reason


@pytest.mark.parametrize("statement", [STATEMENT, cor1_consensus.STATEMENT], ids=["rate", "drift"])
def test_a_curvature_however_small_leaves_the_ring_open(statement):
    # the walk stops once beta 1e-9 K is of order 1, at K of about 1e17: no window shows it
    ring = {**made.RATE_RING_OF_FOUR, "problem": scalars(4, 1e-9, 0.05, sigma_u=1.0)}
    found = judge_check(statement, "printed/no-self-loops", Check("curved", ring))
    assert found.verdict == "INCONCLUSIVE", found.reason


def test_where_a_limit_is_proved_a_window_that_does_not_show_it_holds_nothing():
    # heads from far away: their decay hides the walk in the first decades
    early = chosen(10, 100, 1000, 10**4)
    found = judged({**made.RATE_RING_OF_FOUR, "x0": [[0.0, 1e6]] * 4, **early})
    assert found.verdict == "INCONCLUSIVE"
    assert "which outgrows the bracket" in found.reason


def test_steps_of_ones_own_are_not_the_corollarys():
    for factor, verdict in (("1", "HOLDS"), ("1.000001", "ASSUMPTION_FAILS")):
        steps = {
            "algorithm.alpha": "1/(tau*sqrt(rounds))",
            "algorithm.beta": f"{factor}*sqrt(clients/rounds)",
        }
        along = {**made.RATE_ROUNDS["sweep"], "set": steps}
        assert judged({**made.RATE_ROUNDS, "sweep": along}).verdict == verdict


@pytest.mark.parametrize("along", ["clients", "algorithm.tau"])
def test_each_value_of_a_sweep_is_its_own_run(along):
    problem = {"name": "coupled-quadratic", "mu_u": 1.0, "L_u": 1.0, "coupling": 0.0}
    base = {**NOISE, "problem": {**problem, "sigma_u": 1.0, "seed": 1}, "clients": 3}
    values = [2, 4, 8]
    word = along.split(".")[-1]
    steps = {"rounds": f"100*({word}/2)**2", **CHOSEN}
    sweep = {"parameter": along, "values": values, "set": steps}
    found = judged({**base, "sweep": sweep}, order=replace(steeper(1), fixed=()), assumes=())
    logs = []
    for value in values:
        N, steps = (value, 1) if along == "clients" else (3, value)
        K = 100 * (value // 2) ** 2
        parts = {key: base[key] for key in ("problem", "topology", "x0")}
        left = float(LEFT("measure", K, **parts, clients=N, tau=steps).values[0])
        bracket = 1 / math.sqrt(N * K) + 1 / (K * math.sqrt(N)) + 1 / (steps * math.sqrt(N * K))
        logs.append(math.log10(left / bracket))
    slope = np.polyfit(np.log10(values), logs, 1)[0]
    assert found.measured == pytest.approx(10**slope, rel=1e-12)
