"""Mirror descent on the simplex (Dragomir, Taylor, d'Aspremont, Bolte 2021, Theorem 1).

Read in the docstring of PEPit 0.5, examples/composite_convex_minimization/
no_lips_in_function_value, https://arxiv.org/pdf/1911.08510.pdf: with a distance D_h to which f is
L-smooth and g <= 1/L, f(x_n) - f* is at most D_h(x*; x_0)/(g n). With the entropy h the step
multiplies x by exp(-g grad f) and divides by the sum, an f that is L-smooth in |.|_2 is L-smooth to
D_h, as |.|_2 <= |.|_1, and D_h(x*; x_0) is at most log d from the center. The rival has 1/n^4.
"""

from dataclasses import dataclass

import numpy as np
import sympy as sp

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import L, T, d, eta, mu, n, sigma_l


@dataclass(frozen=True)
class Mirror(Algorithm, name="gallery-mirror"):
    eta: float

    def step(self, state, net):
        x = state.x * np.exp(-self.eta * net.gradient(state.x))
        return net.next(state, x=x / x.sum(axis=2, keepdims=True))


def from_the_center_of_a_simplex(at):
    simplex = at.problem.describe().get("set") == {"kind": "simplex", "total": 1}
    return bool(simplex and (abs(at.start - 1 / at.start.shape[1]) < 1e-12).all())


LOSS = {"name": "quadratic", "H": [[[1, 0], [0, 1]]], "c": [[1, 0]]}
LOSS |= {"set": {"kind": "simplex", "total": 1}}
RUN = {"problem": LOSS, "clients": 1, "rounds": 8, "algorithm": {"eta": 1.0}, "x0": [[0.5, 0.5]]}
RATE = sp.log(d) / (eta * T)
FACTS = (eta * L <= 1, mu >= 0, n <= 1, sigma_l <= 0, from_the_center_of_a_simplex)
STATEMENT = st.Statement(
    "gallery.mirror",
    st.Source("Dragomir et al. 2021", "Theorem 1", "mirror descent"),
    st.Quantity("suboptimality", "last"),
    st.versions({"claim": RATE, "rival": RATE / T**4}, RUN, *FACTS),
    "gallery-mirror",
)
