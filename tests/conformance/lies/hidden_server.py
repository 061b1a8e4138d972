"""All clients get the mean over all clients, whatever the network is."""

from dataclasses import dataclass

from theorylab.algorithms import Algorithm


@dataclass(frozen=True)
class Walk(Algorithm, name="lie.walk"):
    eta: float

    def step(self, state, net):
        x = state.x - self.eta * net.gradient(state.z)
        x = 0 * x + x.mean(axis=1, keepdims=True)
        # honest: pass
        x, w = net.mix(x, state.w)
        return net.next(state, x=x, w=w)
