"""FedAvg with all clients (Li, Huang, Yang, Wang, Zhang 2020, ICLR, Theorem 1), without noise.

With m the strong convexity of every f_i, k = L/m, a = max(8k, E), step s of size 2 / (m (a + s)),
s = 1, 2, .., and an average after every E steps, the claim says that after T rounds f(w) - f* is
at most k / (a + E T) (2 B / m + m a R^2 / 2), B = 6 L (f* - mean f_i*) + 8 (E - 1)^2 G^2. Here
f_i* = 0. The rival leaves out B; it starts at x*, so it says 0. G bounds the gradients where the
run is: f_i = h_i/2 |x - c_i|^2 with steps below 1/L makes convex combinations of the start and the
centers, so G = L times the largest distance among these points.
"""

import numpy as np
import sympy as sp

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import L, T, f_star, symbol

m = symbol("least", "m", "strong convexity of every f_i", units=(1, -2), positive=True)
G = symbol("G", "G", "largest gradient among start and centers", units=(1, -1))
R2 = symbol("R2", "R^2", "|x^0 - x*|^2", units=(0, 2))
E = symbol("steps", "E", "local steps")


class FedAvg(Algorithm, name="gallery-fedavg"):
    def __init__(self, steps, a, m):
        self.steps, self.a, self.m = steps, a, m

    def step(self, state, net):
        x = state.x
        for k in range(self.steps):
            s = state.t * self.steps + k + 1
            x = x - 2 / (self.m * (self.a + s)) * net.gradient(x, k)
        return net.next(state, x=net.mix(x))


def gradient_bound(at):
    points = np.vstack([at.start, at.problem.centers])
    return float(at.problem.constants()["L"].value * np.ptp(points))  # in one dimension


FACTS = {G: gradient_bound, R2: lambda at: float((at.start[0] - at.problem.optimum)[0] ** 2)}
A = sp.Max(8 * L / m, E)
B = 6 * L * f_star + 8 * (E - 1) ** 2 * G**2
H, C = [[[1.0]], [[3.0]]], [[0.3], [-0.1]]  # the minimum of the mean is at 0
RUN = {"problem": {"name": "quadratic", "H": H, "c": C}, "topology": {"name": "complete"}}
RUN |= {"clients": 2, "rounds": 400, "algorithm": {"steps": 2, "a": 24.0, "m": 1.0}}


def version(x0, verdict, **terms):
    check = st.Check("two-clients", {**RUN, "x0": x0, "constants": {"least": 1.0}}, verdict)
    return st.Version(terms, (), (check,), constants=FACTS)


START, DRIFT = (L / m / (A + E * T) * part for part in (m * A * R2 / 2, 2 * B / m))
VERSIONS = {"claim": version(1.0, "HOLDS", start=START, drift=DRIFT)}
VERSIONS |= {"rival": version(0.0, "VIOLATED", start=START)}
GAP = st.Quantity("suboptimality", "last")
PAPER = st.Source("Li et al. 2020", "Theorem 1", "FedAvg with a falling step")
STATEMENT = st.Statement("gallery.fedavg", PAPER, GAP, VERSIONS, "gallery-fedavg")
