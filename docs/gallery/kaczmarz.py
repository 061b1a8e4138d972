"""Randomized Kaczmarz (Strohmer, Vershynin 2009, J. Fourier Anal. Appl. 15, Theorem 2).

A x = b has a solution x*, and x goes to the nearest point of a random equation's hyperplane, here
with rows of length 1, so that all are alike. The paper has a rate of 1 - |A|_F^-2 / |A^-1|^2, which
is 1 - mu/L here: with f the mean of (a_i x - b_i)^2/2, E|x' - x*|^2 is |x - x*|^2 less (x - x*)'
A'A/n (x - x*), A'A/n is the Hessian of f, and L is 1. Client i holds row i. The rival has in each
step the rate of n steps.
"""

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import R2, L, T, mu, n, sigma_l


class Kaczmarz(Algorithm, name="gallery-kaczmarz"):
    server = True  # all hear of the row that was drawn

    def step(self, state, net):
        mask = net.coins(state.x.shape[1], "subset", k=1, shared=True)[:, 0, :, None]  # (R, n, 1)
        row = (mask * net.gradient(state.x)).sum(axis=1, keepdims=True)  # a_i (a_i x - b_i)
        return net.next(state, x=state.x - row)


def one_solution_and_start(at):
    solved = at.problem.gradient(at.problem.optimum + 0 * at.start[None])
    return not solved.any() and not (at.start - at.start[0]).any()


def rows_of_length_1(at):
    return bool((abs(at.problem.hessians.trace(axis1=1, axis2=2) - 1) < 1e-12).all())


H = [[[1, 0], [0, 0]], [[0, 0], [0, 1]], [[0.36, 0.48], [0.48, 0.64]]]
RUN = {"problem": {"name": "quadratic", "H": H, "c": [[0, 0]] * 3}, "clients": 3, "rounds": 6}
RUN |= {"topology": {"name": "complete"}, "x0": [[4.0, -3.0]] * 3}
BOUNDS = {"claim": (1 - mu / L) ** T * R2, "rival": (1 - mu / L) ** (n * T) * R2}
STATEMENT = st.Statement(
    "gallery.kaczmarz",
    st.Source("Strohmer and Vershynin 2009", "Theorem 2", "randomized Kaczmarz"),
    st.Quantity("squared_distance", "last"),
    st.versions(BOUNDS, RUN, one_solution_and_start, rows_of_length_1, sigma_l <= 0),
    "gallery-kaczmarz",
)
