"""Random pairs that average, on a complete graph (after Boyd, Ghosh, Prabhakar, Shah 2006).

In every round two clients, all pairs alike, take the mean of their models. The paper bounds the
disagreement by the second eigenvalue of E[W]; on a complete graph this is an equality. Its proof:
W = I - v v'/2 with v = e_i - e_j is a projection, so E|W x|^2 = x' E[W] x, and on what sums to 0
E[W] is 1 - 1/(n - 1), as the mean of v v' is 2/(n - 1) there. "tight" is the equality. The rival
has in each round the rate of n/2 pairs, as if all n clients averaged.
"""

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import T, n, x0_spread


class Pairs(Algorithm, name="gallery-pairs"):
    server = True  # any two clients may meet, wherever the network leads

    def step(self, state, net):
        mask = net.coins(state.x.shape[1], "subset", k=2, shared=True)[:, 0, :, None]  # (R, n, 1)
        mean = (mask * state.x).sum(axis=1, keepdims=True) / 2
        return net.next(state, x=state.x + mask * (mean - state.x))


RUN = {"problem": {"name": "quadratic", "dim": 1}, "topology": {"name": "complete"}, "clients": 4}
RUN |= {"rounds": 3, "x0": [[3], [1], [-1], [-3]]}
RATE = (1 - 1 / (n - 1)) ** T
BOUNDS = {"claim": RATE * x0_spread, "rival": RATE ** (n / 2) * x0_spread}
TIGHT = st.versions({"tight": RATE * x0_spread}, RUN, n > 2, relation="==")
STATEMENT = st.Statement(
    "gallery.pairs",
    st.Source("Boyd et al. 2006", "random pairs", "random pairs average"),
    st.Quantity("consensus", "last"),
    st.versions(BOUNDS, RUN, n > 2) | TIGHT,
    "gallery-pairs",
)
