"""Descent along random directions, from two values of f (after Nesterov, Spokoiny 2017).

u is a vector of random signs, and (f(x + u) - f(x - u))/2 = u' grad f(x) on a quadratic. With x' =
x - g u u' grad f(x), E u u' = 1 and |u|^2 = d the mean of |x' - x*|^2 is |x - x*|^2 - 2 g (x -
x*)' grad f(x) + g^2 d |grad f(x)|^2. With g <= 1/(d L), |grad f|^2 <= 2 L (f - f*) and (x - x*)'
grad f >= f - f* + mu/2 |x - x*|^2 that is at most (1 - g mu) |x - x*|^2, the claim. The rival has
d times the rate: it forgets that a direction is one of d.
"""

from dataclasses import dataclass

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import R2, L, T, d, eta, mu, n, sigma_l


@dataclass(frozen=True)
class TwoPoints(Algorithm, name="gallery-two-points"):
    eta: float

    def step(self, state, net):
        u, f = net.coins(state.x.shape[2], "sign"), net.problem.loss
        slope = (f(state.x + u) - f(state.x - u)) / 2  # (R, n)
        return net.next(state, x=state.x - self.eta * slope[..., None] * u)


def quadratic(at):
    return at.problem.name == "quadratic"


RUN = {"problem": {"name": "quadratic", "H": [[[1, 0], [0, 0.5]]], "c": [[0, 0]]}, "clients": 1}
RUN |= {"rounds": 5, "algorithm": {"eta": 0.5}, "x0": [[1, 8]]}
RATE = (1 - eta * mu) ** T * R2
BOUNDS = {"claim": RATE, "rival": (1 - d * eta * mu) ** T * R2}
STATEMENT = st.Statement(
    "gallery.twopoints",
    st.Source("Nesterov and Spokoiny 2017", "two values", "descent from two values"),
    st.Quantity("squared_distance", "last"),
    st.versions(BOUNDS, RUN, d * eta * L <= 1, quadratic, n <= 1, sigma_l <= 0),
    "gallery-two-points",
)
