"""FedEM: a mixture of shared models, and each client's own weights over them (Marfoq et al. 2021).

The centralised method and the decentralised one differ in how the models travel alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from theorylab.algorithms._base import Array, Context, State, namespace, steps_of
from theorylab.algorithms._local import working
from theorylab.algorithms._partial import split_start
from theorylab.algorithms._server import Centralised, split_server_start, where_working
from theorylab.problems import Problem


@dataclass(frozen=True)
class FedEM(Centralised, name="fedem"):
    """Marfoq, Neglia, Bellet, Kameni, Vidal, "Federated multi-task learning under a mixture of
    distributions" (NeurIPS 2021), Algorithm 1; Table 1 of pdbo_hgp has it on "FC". In a round:

    * E step: q_jk, in proportion to pi_ik exp(-loss of model k on sample j), of all own samples.
    * M step, weights: pi_ik = mean over the own samples of q_jk.
    * M step, models: K local steps on every model from the server's, the loss of sample j on model
      k weighted by q_jk, which stays as it is during the round.
    * The server averages each model over the clients that take part.

    A point is (models, l_i) with pi_i = softmax(l_i): ``v`` is l_i, the logarithms of the weights.
    A weight below the least normal float64 counts as that. Algorithm 1 lets all clients take part,
    hence ``fraction`` is 1; it weighs them by samples (``weights="samples"``), and "uniform", the
    average that f counts, is the default here as in all other methods. A client that does not take
    part, or is down, keeps its pi_i. Momentum is no part of Algorithm 1: alpha is 0 by default.

    Args:
        As ``Centralised``. The problem has to be a mixture (``mixture``).
    """

    fraction: float = 1.0

    def init(self, x0: Array, problem: Problem | None = None) -> State:
        """The models' mean over clients for everybody; each client's own weights. x0 (R, n, d)."""
        check_mixture(self.name, problem)
        return split_server_start(self.name, x0, problem)

    def step(self, state: State, context: Context) -> State:
        """One communication round."""
        few, share = self.taking_part(state, context)
        half, v = expect_and_maximise(state, few, self.rate(state.t), self.local_steps, self.alpha)
        x = self.serve(state.x, half, share)
        return replace(state, t=state.t + 1, x=x, z=x, v=v)


def check_mixture(name: str, problem: Problem | None) -> None:
    """Raise one line where the problem has no components with weights of each client's own."""
    if problem is None:
        raise ValueError(f"{name}: init came without the problem; need it, a mixture")
    mixes = hasattr(problem, "component_gradient") and problem.shared < problem.dim
    if not mixes:
        raise ValueError(
            f"{name}: {problem.name} has no components with personal weights; need a mixture "
            "(--problem mixture)"
        )


def expect_and_maximise(
    state: State, context: Context, eta: float, steps: int | Sequence[int], alpha: float
) -> tuple[Array, Array]:
    """(the models after the local steps (R, n, d_u), the new l (R, n, K)) of all clients.

    Minibatch of local step k: that of step number k.
    """
    assert state.v is not None
    problem: Any = context.problem
    xp = namespace(state.x)
    held = problem.posteriors(xp.concat([state.z, state.v], axis=-1))
    sizes = xp.asarray(problem.sizes, dtype=held.dtype, device=held.device)
    least = xp.asarray(xp.finfo(held.dtype).tiny, dtype=held.dtype, device=held.device)
    v = xp.log(xp.maximum(held.sum(axis=2) / sizes[:, None], least))
    x = xp.asarray(state.x, copy=True)
    most, counts = steps_of(context, steps)
    m: Array | None = None
    for k in range(most):
        point = xp.concat([x, state.v], axis=-1)
        g = problem.component_gradient(point, held, context.sample(state.t, k))
        m = g if m is None or not alpha else alpha * m + g
        x -= working(eta * m, counts, k)
    works = None if context.effort is None else context.effort > 0
    return x, where_working(v, state.v, works)


def mixture_start(name: str, x0: Array, problem: Problem | None) -> State:
    """Each client's own models and weights. Raises ValueError as ``check_mixture``."""
    check_mixture(name, problem)
    return split_start(name, x0, problem)
