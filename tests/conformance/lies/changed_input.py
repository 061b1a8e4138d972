"""The step changes the state that it is given."""

from dataclasses import dataclass

from theorylab.algorithms import Algorithm


@dataclass(frozen=True)
class Walk(Algorithm, name="lie.walk"):
    eta: float

    def step(self, state, net):
        x = state.x
        x -= self.eta * net.gradient(state.z)
        # honest: x = x - self.eta * net.gradient(state.z)
        x, w = net.mix(x, state.w)
        return net.next(state, x=x, w=w)
