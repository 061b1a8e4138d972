"""A tenth of what was exchanged is lost after the exchange."""

from dataclasses import dataclass

from theorylab.algorithms import Algorithm


@dataclass(frozen=True)
class Walk(Algorithm, name="lie.walk"):
    eta: float

    def step(self, state, net):
        x, w = net.mix(state.x - self.eta * net.gradient(state.z), state.w)
        x = 0.9 * x
        # honest: pass
        return net.next(state, x=x, w=w)
