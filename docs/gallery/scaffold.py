"""SCAFFOLD does not feel heterogeneity (Karimireddy et al. 2020, ICML, Theorem III, all clients).

The claim is f(x^T) - f* = O((1 - eta mu K / 2)^T) without noise, for eta <= 1/(81 K L), wherever
the clients' optima are. It is quoted from memory, with its factor in the exponent; the spectral
radius of one round here, squared, is .98411, and the claimed rate is .996. The rival is FedAvg, the
same code without the corrections c - c_i: clients of unlike curvature draw it elsewhere.
"""

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import K, L, T, eta, mu


class Scaffold(Algorithm, name="gallery-scaffold"):
    first_memory = {"c": 0}

    def __init__(self, eta, local_steps=5, correct=True):
        self.eta, self.local_steps, self.correct = eta, local_steps, correct

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
RUN |= {"algorithm": {"eta": 0.0008, "local_steps": 5}}
PLAIN = {**RUN, "algorithm": {"eta": 0.0008, "local_steps": 5, "correct": False}}
RATE = 1 - eta * mu * K / 2
KEPT = {"rate": RATE, "fixed": (L, mu), "slack": 0.01}
CLAIM, RIVAL = st.Order(RATE**T, **KEPT), st.Order(RATE**T, window=True, **KEPT)
STEP = 81 * K * L * eta <= 1
STATEMENT = st.Statement(
    "gallery.scaffold",
    st.Source("Karimireddy et al. 2020", "Theorem III", "SCAFFOLD is linear"),
    st.Quantity("suboptimality", "last"),
    st.versions({"claim": CLAIM}, RUN, STEP) | st.versions({"rival": RIVAL}, PLAIN, STEP),
    "gallery-scaffold",
)
