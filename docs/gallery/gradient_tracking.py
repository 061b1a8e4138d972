"""Gradient tracking, DIGing, is R-linear (Nedic, Olshevsky, Shi 2017, SIOPT 27, Theorem 3.14).

The claim says that the distance is O(lambda^T), lambda = sqrt(1 - eta mu / 1.5), on a static W
with s = sigma_2(W), k = L / mu, J = 3 k (1 + 4 sqrt(n k)) and a step of at most 1.5 (sqrt(J^2 + (1
- s^2) J) - s J)^2 / (mu J (J + 1)^2). The formula is quoted from memory. The rival says lambda =
(1 - eta mu)^2. It is false: where L = mu is the curvature of all losses, the mean of y is the mean
gradient, so xbar - x* shrinks by exactly 1 - eta mu a round: the floor.
"""

from dataclasses import dataclass

import sympy as sp

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import L, Side, T, eta, f0, f_star, mu, n, symbol

s = symbol("s", r"\sigma", "second singular value of W", side=Side.UPPER, nonnegative=True)


@dataclass(frozen=True)
class Tracking(Algorithm, name="gallery-diging"):
    eta: float
    first_memory = {"y": 0, "g": 0}

    def step(self, state, net):
        g = net.gradient(state.x)
        y = net.mix(state.memory["y"]) + g - state.memory["g"]
        return net.next(state, x=net.mix(state.x) - self.eta * y, memory={"y": y, "g": g})


J = 3 * L / mu * (1 + 4 * sp.sqrt(n * L / mu))
CAP = 1.5 * (sp.sqrt(J**2 + (1 - s**2) * J) - s * J) ** 2 / (mu * J * (J + 1) ** 2)
FLOOR = st.Floor((1 - eta * mu) ** (2 * T) * 2 * (f0 - f_star) / L, along=T, assumes=(mu >= L,))
RUN = {"problem": {"name": "quadratic", "mu": 1.0, "L": 1.0, "dim": 2, "seed": 3}, "x0": 1.0}
RUN |= {"topology": {"name": "ring"}, "clients": 4, "rounds": 100, "algorithm": {"eta": 0.02}}
RUN |= {"sweep": {"parameter": "rounds", "values": [100, 200, 300]}}
RUN |= {"constants": {"s": {"value": 0.334, "how": "upper", "source": "1/3 on four clients"}}}


def version(rate, verdict, **floors):  # the squared distance falls like the rate's square
    order = st.Order(rate ** (2 * T), rate=rate**2, fixed=(L, mu), slack=0.001, **floors)
    network = () if floors else (st.doubly_stochastic(),)  # a floor takes relations alone
    step = st.Assumption("step", rule=eta <= CAP)
    return st.Version({}, (step, *network), (st.Check("ring", RUN, verdict),), order=order)


VERSIONS = {
    "claim": version(sp.sqrt(1 - 2 * eta * mu / 3), "HOLDS"),
    "rival": version((1 - eta * mu) ** 2, "VIOLATED", floors=(FLOOR,)),
}
PAPER = st.Source("Nedic et al. 2017", "Theorem 3.14", "DIGing is R-linear")
DISTANCE = st.Quantity("squared_distance", "last")
STATEMENT = st.Statement("gallery.tracking", PAPER, DISTANCE, VERSIONS, "gallery-diging")
