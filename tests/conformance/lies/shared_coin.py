"""One coin serves all runs: the generator knows the seed and the round, and no run."""

from dataclasses import dataclass

import numpy as np

from theorylab.algorithms import Algorithm


@dataclass(frozen=True)
class Walk(Algorithm, name="lie.walk"):
    eta: float
    draws = True

    def step(self, state, net):
        coin = np.random.default_rng([net.seed, state.t]).integers(2)
        # honest: coin = net.coins(1, "bernoulli", p=0.5, shared=True)
        x, w = net.mix(state.x - coin * self.eta * net.gradient(state.z), state.w)
        return net.next(state, x=x, w=w)
