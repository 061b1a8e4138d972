"""The step draws from numpy.random."""

from dataclasses import dataclass

import numpy as np

from theorylab.algorithms import Algorithm


@dataclass(frozen=True)
class Walk(Algorithm, name="lie.walk"):
    eta: float

    def step(self, state, net):
        x, w = net.mix(state.x - self.eta * net.gradient(state.z), state.w)
        x = x + 0.01 * np.random.standard_normal(x.shape)  # noqa: NPY002
        # honest: pass
        return net.next(state, x=x, w=w)
