"""EXTRA on losses of one curvature h (Shi, Ling, Wu, Yin 2015, SIAM J. Optim. 25).

The method is x^{k+1} = W x^k - eta g^k - sum_{j<k} (I - W)/2 x^j. The paper proves a linear rate,
and the claim is my exact one: subtracting two rounds, an eigenvalue w < 1 of W gives the factors r
with r^2 - (1 + w - eta h) r + (1 + w)/2 - eta h = 0. With lambda the largest modulus, the squared
distance of the clients from their mean is O(lambda^(2T)), where no root is double. The rival says
O((1 - eta h)^(2T)), the rate of gradient descent on every network.
"""

import numpy as np

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import L, T, eta, mu, symbol

lam = symbol("lam", r"\lambda", "largest modulus of a factor", positive=True)


class Extra(Algorithm, name="gallery-extra"):
    first_memory = {"sum": 0}

    def __init__(self, eta):
        self.eta = eta

    def step(self, state, net):
        mixed, total = net.mix(state.x), state.memory["sum"]
        x = mixed - self.eta * net.gradient(state.x) - total
        return net.next(state, x=x, memory={"sum": total + (state.x - mixed) / 2})


def factor(at):
    step = at.algorithm.eta * at.problem.constants()["L"].value
    others = np.linalg.eigvalsh(at.topology.matrix(0).toarray())[:-1]
    roots = [np.roots([1, step - 1 - w, (1 + w) / 2 - step]) for w in others]
    return float(np.abs(roots).max())


def order(rate, **options):
    return st.Order(rate ** (2 * T), rate=rate**2, fixed=(L, mu), slack=0.01, **options)


RUN = {"problem": {"name": "quadratic", "mu": 1.0, "L": 1.0, "dim": 2, "seed": 3}, "clients": 8}
RUN |= {"topology": {"name": "path"}, "rounds": 40, "algorithm": {"eta": 0.5}, "x0": 1.0}
RUN |= {"sweep": {"parameter": "rounds", "values": [40, 80, 120]}}
BOUNDS = {"claim": order(lam), "rival": order(1 - eta * mu, window=True)}
STATEMENT = st.Statement(
    "gallery.extra",
    st.Source("Shi et al. 2015", "Section 3", "EXTRA is linear"),
    st.Quantity("consensus", "last"),
    st.versions(BOUNDS, RUN, mu >= L, constants={lam: factor}),
    "gallery-extra",
)
