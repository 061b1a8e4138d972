"""Gossip contracts by lambda_2 (Xiao, Boyd 2004, Systems & Control Letters 53).

x^{t+1} = W x^t with W doubly stochastic and symmetric. The theorem is well known; its proof is one
line: away from the vector of ones |W v| <= |lambda_2| |v|, with lambda_2 the second largest
eigenvalue by modulus. So the mean squared distance of the clients from their mean is at most
lambda_2^(2T) times that of the start. On a ring of six it is 2/3. The rival has lambda_2^(3T).
"""

import theorylab.statements as st
from theorylab.algorithms import Algorithm
from theorylab.symbols import T, lambda2, x0_spread


class Gossip(Algorithm, name="gallery-gossip"):
    def step(self, state, net):
        return net.next(state, x=net.mix(state.x))


RUN = {"problem": {"name": "quadratic", "dim": 1}, "topology": {"name": "ring"}, "clients": 6}
RUN |= {"rounds": 8, "x0": [[4], [2], [-2], [-4], [-2], [3]]}
BOUNDS = {"claim": lambda2 ** (2 * T) * x0_spread, "rival": lambda2 ** (3 * T) * x0_spread}
STATEMENT = st.Statement(
    "gallery.gossip",
    st.Source("Xiao and Boyd 2004", "averaging", "gossip contracts"),
    st.Quantity("consensus", "last"),
    st.versions(BOUNDS, RUN, st.doubly_stochastic(), st.symmetric()),
    "gallery-gossip",
)
