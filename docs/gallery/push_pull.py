"""Push-Pull on two networks, R by rows and C by columns (Pu, Shi, Xu, Nedic 2021, IEEE TAC 66).

x^{k+1} = R (x^k - eta y^k), y^{k+1} = C y^k + g^{k+1} - g^k. The paper proves that it is linear.
For losses of one curvature h the claim is my exact rate: (x, y) moves by M = [[R, -eta R], [h (R -
I), C - eta h R]], 1'(y - h x) stays (the eigenvalue 1), and the squared consensus error is
O(lambda^(2T)) with lambda the largest other modulus. The rival says that the networks do not
matter: O((1 - eta h)^(2T)).
"""

import numpy as np

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import L, T, eta, mu, symbol
from theorylab.topologies import from_matrices

lam = symbol("lam", r"\lambda", "largest other modulus", positive=True)
EDGES = np.array([[1, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 0], [0, 1, 1, 1]])  # of R; C turns them
R, C = EDGES / EDGES.sum(axis=1)[:, None], EDGES[::-1, ::-1] / EDGES[::-1, ::-1].sum(axis=0)
from_matrices([R], name="gallery-pull", sums="rows"), from_matrices([C], name="gallery-push")


class PushPull(Algorithm, name="gallery-push-pull"):
    first_memory = {"y": 0, "g": 0}

    def __init__(self, eta):
        self.eta = eta

    def step(self, state, net):
        g = net.gradient(state.x)
        y = net.mix(state.memory["y"], network="push") + g - state.memory["g"]
        x = net.mix(state.x - self.eta * y, network="pull")
        return net.next(state, x=x, memory={"y": y, "g": g})


def factor(at):
    h, step, unit = at.problem.constants()["L"].value, at.algorithm.eta, np.eye(4)
    M = np.block([[R, -step * R], [h * (R - unit), C - step * h * R]])
    return float(np.sort(np.abs(np.linalg.eigvals(M)))[-2])


NETWORKS = {"pull": "gallery-pull", "push": "gallery-push"}
RUN = {"problem": {"name": "quadratic", "mu": 1.0, "L": 1.0, "dim": 2, "seed": 3}, "clients": 4}
RUN |= {"topology": {"name": "networks", "of": NETWORKS}, "rounds": 40, "x0": 1.0}
RUN |= {"algorithm": {"eta": 0.1}, "sweep": {"parameter": "rounds", "values": [50, 100, 150]}}


def version(rate, verdict, **options):
    order = st.Order(rate ** (2 * T), rate=rate**2, fixed=(L, mu), slack=0.01, **options)
    one, checks = st.Assumption("one curvature", rule=mu >= L), (st.Check("two", RUN, verdict),)
    return st.Version({}, (one,), checks, constants={lam: factor}, order=order)


BOTH = {"claim": version(lam, "HOLDS"), "rival": version(1 - eta * mu, "VIOLATED", window=True)}
PAPER, APART = st.Source("Pu et al. 2021", "Theorem 1", "linear"), st.Quantity("consensus", "last")
STATEMENT = st.Statement("gallery.pushpull", PAPER, APART, BOTH, "gallery-push-pull")
