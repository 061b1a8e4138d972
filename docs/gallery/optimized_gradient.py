"""The optimized gradient method (Kim, Fessler 2016, Math. Program. 159, Theorem 2).

Read in the docstring of PEPit 0.5, examples/unconstrained_convex_minimization/optimized_gradient,
https://arxiv.org/pdf/1406.5468.pdf: with theta_0 = 1, theta_t = (1 + sqrt(4 theta_(t-1)^2 + 1))/2
and an 8 in the place of the 4 in the last round, the last y has f - f* <= L |x_0 - x*|^2 / (2
theta_n^2). The model here is y. The rival has theta_n^4.
"""

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import R2, L, mu, n, sigma_l, symbol

theta = symbol("theta", r"\theta_n", "the last theta")


def thetas(rounds):
    made = [1.0]
    for t in range(rounds):
        made.append((1 + ((8 if t == rounds - 1 else 4) * made[-1] ** 2 + 1) ** 0.5) / 2)
    return made


class Optimized(Algorithm, name="gallery-optimized"):
    first_memory = {"old": 1}

    def __init__(self, horizon):
        self.horizon = horizon

    def step(self, state, net):
        now, after = thetas(self.horizon)[min(state.t, self.horizon - 1) :][:2]
        x = state.x - net.gradient(state.x) / net.problem.constants()["L"].value
        y = x + (now - 1) / after * (x - state.memory["old"]) + now / after * (x - state.x)
        return net.next(state, x=y, memory={"old": x})


def as_many_rounds(at):
    return at.algorithm.horizon == at.rounds


RUN = {"problem": {"name": "huber", "centers": 0.0}, "clients": 1, "x0": 12.0}
RUN |= {"rounds": 5, "algorithm": {"horizon": 5}}
FACTS = (mu >= 0, n <= 1, sigma_l <= 0, as_many_rounds)
STATEMENT = st.Statement(
    "gallery.optimized",
    st.Source("Kim and Fessler 2016", "Theorem 2", "the optimized gradient method"),
    st.Quantity("suboptimality", "last"),
    st.versions(
        {"claim": L * R2 / 2 / theta**2, "rival": L * R2 / 2 / theta**4},
        RUN,
        *FACTS,
        constants={theta: lambda at: thetas(at.rounds)[-1]},
    ),
    "gallery-optimized",
)
