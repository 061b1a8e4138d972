"""SCAFFOLD does not feel heterogeneity (Karimireddy et al. 2020, ICML, Theorem III, all clients).

The claim: f(x^T) - f* = O((1 - eta mu K / 2)^T) without noise, for eta <= 1 / (81 K L), whatever
the clients' optima. The theorem is quoted from memory, with its factor in the exponent;
independently, I computed the spectral radius of one round here: its square is .98411, and the
claimed rate is .996. The rival is FedAvg, the same code without its corrections c - c_i, under the
same claim: clients of unlike curvature draw it to another point, where f - f* > 0 stays, so the
window refutes it.
"""

from dataclasses import replace

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import K, L, T, eta, mu


class Scaffold(Algorithm, name="gallery-scaffold"):
    def __init__(self, eta, local_steps=5, correct=True):
        self.eta, self.local_steps, self.correct = eta, local_steps, correct

    def init(self, x0, problem=None):
        return replace(super().init(x0, problem), memory={"c": 0 * x0})

    def step(self, state, net):
        own, y = state.memory["c"], state.x
        shift = net.mix(own) - own
        for k in range(self.local_steps):
            y = y - self.eta * (net.gradient(y, k) + self.correct * shift)
        own = (state.x - y) / (self.local_steps * self.eta) - shift
        return net.next(state, x=net.mix(y), memory={"c": own})


H, C = [[[1.0]], [[3.0]]], [[3.0], [-2.0]]
RUN = {"problem": {"name": "quadratic", "H": H, "c": C}, "topology": {"name": "complete"}}
RUN |= {"clients": 2, "rounds": 100, "x0": -0.748}
RUN |= {"sweep": {"parameter": "rounds", "values": [100, 200, 300]}}
RATE = 1 - eta * mu * K / 2
STEP = st.Assumption("eta <= 1 / (81 K L)", rule=81 * K * L * eta <= 1)


def version(verdict, correct, **options):
    algorithm = {"eta": 0.0008, "local_steps": 5, "correct": correct}
    check = st.Check("two-clients", {**RUN, "algorithm": algorithm}, verdict)
    order = st.Order(RATE**T, rate=RATE, fixed=(L, mu), slack=0.01, **options)
    return st.Version({}, (STEP,), (check,), order=order)


BOTH = {"claim": version("HOLDS", True), "rival": version("VIOLATED", False, window=True)}
GAP = st.Quantity("suboptimality", "last")
PAPER = st.Source("Karimireddy et al. 2020", "Theorem III", "SCAFFOLD is linear")
STATEMENT = st.Statement("gallery.scaffold", PAPER, GAP, BOTH, "gallery-scaffold")
