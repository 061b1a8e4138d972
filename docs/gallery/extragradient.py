"""Extragradient on a saddle (Mokhtari, Ozdaglar, Pattathil 2020, AISTATS, Theorem 7).

F = (grad_x f, -grad_y f) is L-Lipschitz and m-strongly monotone, and the step goes along F at the
point ahead: z' = z - g F(z - g F(z)). With g <= 1/(4 L) the claim says |z_T - z*|^2 <= (1 - g m)^T
|z_0 - z*|^2. It is quoted from memory. The rival is descent-ascent, the same code without the look
ahead, under the same claim: where x and y are coupled it goes round and outward.
"""

from dataclasses import dataclass

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import R2, L_field, T, eta, mu_field, n, sigma_l


@dataclass(frozen=True)
class Extragradient(Algorithm, name="gallery-extragradient"):
    eta: float
    ahead: bool = True

    def step(self, state, net):
        z = state.x - self.ahead * self.eta * net.gradient(state.x)
        return net.next(state, x=state.x - self.eta * net.gradient(z, 1))


def looks_ahead(at):
    return at.algorithm.ahead


LOSS = {
    "name": "saddle",
    "coupling": [[[1.0]]],
    "a": [[1.0]],
    "bend_x": 0.125,
    "bend_y": 0.125,
}
RUN = {
    "problem": LOSS,
    "clients": 1,
    "rounds": 40,
    "algorithm": {"eta": 0.2},
    "x0": 3.0,
}
PLAIN = {**RUN, "algorithm": {"eta": 0.2, "ahead": False}}
RATE = (1 - eta * mu_field) ** T * R2
FACTS = (4 * eta * L_field <= 1, mu_field > 0, n <= 1, sigma_l <= 0)
STATEMENT = st.Statement(
    "gallery.extragradient",
    st.Source("Mokhtari et al. 2020", "Theorem 7", "extragradient on a saddle"),
    st.Quantity("squared_distance", "last"),
    st.versions({"claim": RATE}, RUN, looks_ahead, *FACTS)
    | st.versions({"rival": RATE}, PLAIN, *FACTS),
    "gallery-extragradient",
)
