"""Exponents in the spectral gap and in push-sum's delta, as claims about a window.

With alike clients D-PSGD's disagreement is eta^2 s^2 times the mean of l^2 / (1 - l^2) over the
other eigenvalues l; on a ring that grows like 1/sqrt(gap), for steps small beside the gap. Of two
clients with weights (p, 1 - p) push-sum divides a deviation of size 1 by 2p, and SGP's disagreement
grows like delta^-2. The rivals: the ring does not matter, and delta^-1. Log-cosh is sampled.
"""

import numpy as np
import sympy as sp
from scipy.sparse import csr_array

import theorylab.statements as st
from theorylab.constants import lambda2, spectral_gap
from theorylab.symbols import delta, symbol
from theorylab.topologies import Topology

gap = symbol("gap", r"\gamma", "1 - |lambda_2| of the network", positive=True)


class Lopsided(Topology, name="lopsided"):
    """Two clients, eigenvalue 1/2, and a share p of the weight at client 0 in the end."""

    def __init__(self, clients, *, p=0.25):
        self.p = p
        super().__init__(clients, period=1, options={"p": p})

    def _build(self, t, run):
        b = self.p / 2
        return csr_array(np.array([[0.5 + b, b], [0.5 - b, 1 - b]]))


MEASURED = lambda setting: spectral_gap(lambda2(setting.topology.matrix(0))).value  # noqa: E731
ALIKE = {"name": "quadratic", "mu": 1.0, "L": 1.0, "sigma": 1.0, "heterogeneity": 0.0}
RING = {"problem": ALIKE, "topology": {"name": "ring"}, "clients": 8, "rounds": 200}
RING |= {"algorithm": {"eta": 0.001, "order": "mix-then-step"}}
RING["sweep"] = {"parameter": "clients", "values": [8, 12, 16]}
SAMPLED = RING | {"problem": {"name": "log-cosh", "dim": 2, "sigma": 1.0}}
TWO = {"problem": ALIKE, "topology": {"name": "lopsided", "p": 0.4}, "clients": 2, "rounds": 40}
TWO["algorithm"] = {"eta": 0.001}
TWO["sweep"] = {"parameter": "topology.p", "values": [0.2, 0.1, 0.05, 0.02]}


def statement(name, algorithm, base, power, rival, runs, constants):
    made = {}
    for key, exponent, verdict in (("claim", power, "HOLDS"), ("rival", rival, "VIOLATED")):
        order = st.Order(base**-exponent, window=True, slack=0.15)
        checks = tuple(st.Check(check, run, verdict) for check, run in runs.items())
        made[key] = st.Version(order=order, checks=checks, constants=constants)
    source, left = st.Source("me", name, "an exponent in a window"), "mean_consensus"
    return st.Statement(f"gallery.rates_{name}", source, left, made, algorithm)


RINGS, HALF = {"exact": RING, "sampled": SAMPLED}, sp.Rational(1, 2)
STATEMENTS = [
    statement("gap", "dpsgd", gap, HALF, 0, RINGS, {gap: MEASURED}),
    statement("delta", "sgp", delta, 2, 1, {"two": TWO}, {}),
]
