"""Exponents in the spectral gap and in push-sum's delta, as claims about a window.

Alike clients that mix and then step have a disagreement of eta^2 s^2 / n times the sum of
1 / (1 - l^2) over the other eigenvalues l: on a ring 1/sqrt(gap), for steps small beside the gap.
Of two clients with weights (p, 1 - p) push-sum divides a deviation of size 1 by 2p, and SGP's
disagreement grows like delta^-2. The rivals: the ring does not matter, and delta^-1.
"""

import sympy as sp

import theorylab.statements as st
from theorylab.constants import lambda2, spectral_gap
from theorylab.symbols import L, T, delta, eta, f0, f_star, sigma_g, symbol

gap = symbol("gap", r"\gamma", "1 - |lambda_2| of the network", positive=True)
rings = symbol("rings", "1_r", "1 on a ring that mixes first, from one start", integer=True)


MEASURED = lambda setting: spectral_gap(lambda2(setting.topology.matrix(0))).value  # noqa: E731


def on_a_ring(setting):
    mixes = setting.algorithm.order == "mix-then-step"
    return float(mixes and setting.topology.name == "ring" and not setting.start.any())


ALIKE = {"name": "quadratic", "mu": 1.0, "L": 1.0, "sigma": 1.0, "heterogeneity": 0.0}
RING = {"problem": ALIKE, "topology": {"name": "ring"}, "clients": 8, "rounds": 200}
RING |= {"algorithm": {"eta": 0.001, "order": "mix-then-step"}}
RING["sweep"] = {"parameter": "clients", "values": [8, 12, 16]}
# client 0 keeps 1/2 + b and sends the rest, client 1 sends b: an eigenvalue of 1/2, and p = 2b
EDGES = [[0, 0, 0.6], [0, 1, 0.4], [1, 0, 0.1], [1, 1, 0.9]]
TWO = {"problem": ALIKE, "topology": {"name": "edge-list", "edges": EDGES}, "clients": 2}
TWO |= {"algorithm": {"eta": 0.001}, "rounds": 40}
TWO["sweep"] = {"parameter": "b", "values": [0.05, 0.025, 0.01], "set": {}}
for k, share in enumerate(("0.5 + b", "0.5 - b", "b", "1 - b")):
    TWO["sweep"]["set"][f"topology.edges.{k}.2"] = share


def statement(name, algorithm, base, power, rival, runs, constants, *assumes):
    made = {}
    small = st.Assumption("small steps", rule=eta * L <= base / 20)
    assumes = (small, st.Assumption("alike", rule=sp.Eq(sigma_g, 0)), *assumes)
    for key, exponent, verdict in (("claim", power, "HOLDS"), ("rival", rival, "VIOLATED")):
        order = st.Order(base**-exponent, window=True, slack=0.15)
        checks = tuple(st.Check(check, run, verdict) for check, run in runs.items())
        made[key] = st.Version(order=order, checks=checks, constants=constants, assumes=assumes)
    source, left = st.Source("me", name, "an exponent in a window"), "mean_consensus"
    return st.Statement(f"gallery.rates_{name}", source, left, made, algorithm)


SETTLED = st.Assumption("rounds", rule=T * gap >= 5), st.Assumption("a ring", rule=sp.Eq(rings, 1))
AT_REST = st.Assumption("at rest", rule=sp.Eq(f0, f_star)), st.Assumption("p", rule=delta <= 0.2)
KNOWN, HALF = {gap: MEASURED, rings: on_a_ring}, sp.Rational(1, 2)
STATEMENTS = [
    statement("gap", "dpsgd", gap, HALF, 0, {"exact": RING}, KNOWN, *SETTLED),
    statement("delta", "sgp", delta, 2, 1, {"two": TWO}, {}, *AT_REST),
]
