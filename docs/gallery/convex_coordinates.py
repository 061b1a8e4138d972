"""Random coordinate descent on a convex f (Taylor, Bach 2019, COLT, Appendix I, Theorem 16).

Read in the docstring of PEPit 0.5,
examples/stochastic_and_randomized_convex_minimization/randomized_coordinate_descent_smooth_convex,
https://arxiv.org/pdf/1902.00947.pdf: with g <= 1/L the mean of (t g L/d + 1)(f(x_t) - f*) + L/2
|x_t - x*|^2 does not grow. So E f(x_T) - f* is at most (f(x_0) - f* + L/2 |x_0 - x*|^2)/(T g L/d +
1), the claim. The rival forgets d and |x_0 - x*|^2.
"""

from dataclasses import dataclass

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import R2, L, T, d, eta, f0, f_star, mu, n, sigma_l


@dataclass(frozen=True)
class Coordinates(Algorithm, name="gallery-uniform"):
    eta: float

    def step(self, state, net):
        mask = net.coins(state.x.shape[2], "subset", k=1)
        return net.next(state, x=state.x - self.eta * mask * net.gradient(state.x))


FLAT = [[0.02 * (j == k) for k in range(4)] for j in range(4)]
FLAT[0][0] = 1.0
RUN = {"problem": {"name": "quadratic", "H": [FLAT], "c": [[0] * 4]}, "clients": 1, "rounds": 5}
RUN |= {"algorithm": {"eta": 1.0}, "x0": [[0.1, 1, 1, 1]]}
CLAIM = (f0 - f_star + L * R2 / 2) / (T * eta * L / d + 1)
BOUNDS = {"claim": CLAIM, "rival": (f0 - f_star) / (T * eta * L + 1)}
STATEMENT = st.Statement(
    "gallery.uniform",
    st.Source("Taylor and Bach 2019", "Theorem 16", "one coordinate a round, convex"),
    st.Quantity("suboptimality", "last"),
    st.versions(BOUNDS, RUN, eta * L <= 1, mu >= 0, n <= 1, sigma_l <= 0),
    "gallery-uniform",
)
