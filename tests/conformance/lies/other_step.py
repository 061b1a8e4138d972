"""The step is twice as long as step_size says."""

from dataclasses import dataclass

from theorylab.algorithms import Algorithm


@dataclass(frozen=True)
class Walk(Algorithm, name="lie.walk"):
    eta: float

    def step_size(self, t):
        return self.eta / (t + 1)

    def step(self, state, net):
        eta = 2 * self.step_size(state.t)
        # honest: eta = self.step_size(state.t)
        x, w = net.mix(state.x - eta * net.gradient(state.z), state.w)
        return net.next(state, x=x, w=w)
