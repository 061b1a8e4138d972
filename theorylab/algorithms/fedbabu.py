"""FedBABU: one body, a head that nobody trains, fine-tuning last (Oh, Kim, Yun, ICLR 2022)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from theorylab.algorithms._base import Array, Context, State, checked, namespace
from theorylab.algorithms._partial import Phase, descend, most_steps
from theorylab.algorithms._server import (
    Centralised,
    one_model,
    split_server_start,
    whole_steps,
)
from theorylab.problems import Problem


@dataclass(frozen=True)
class FedBABU(Centralised, name="fedbabu"):
    """Oh, Kim, Yun, "FedBABU: toward enhanced representation for federated image classification":

    * All clients hold the same head v, which stays as it was at first (here: the mean of the heads
      in x0).
    * The server sends the body u^t to the clients S_t that take part; each does K local steps
      u <- u - eta grad_u F_i(u, v); u^{t+1} is the average.
    * At the end every client fine-tunes (u, v): ``finetune`` steps of the whole model.

    "FedBABU only updates the base layer with the personalized layer fixed and finally fine-tunes
    the whole model [...] it fine-tunes 5 times" (dfedpgp, Appendix C.1; dfedalt_dfedsalt, Appendix
    B.2; 5 epochs there, steps here).

    What would be deployed if round t were the last is what the tables' curves show, so the
    fine-tuned models are there after every round (``finetune_every`` = 1): ``memory["own"]``. It
    costs ``finetune`` more local steps a round and changes nothing of the training: the fine-tuned
    models are thrown away. With ``finetune_every`` = m they are there after rounds m, 2m, ...;
    elsewhere, and before the first round, the deployed model is (u, v) as it stands. Choose m to
    divide both the rounds recorded and the number of rounds.

    Every client fine-tunes, also one that did not take part or is down: it is an evaluation.

    Which draws: body step k has step number k, fine-tuning step k has K + k.

    Args:
        finetune: fine-tuning steps >= 0 at eta decay^t; the papers name no other step size.
        finetune_every: see above, >= 1.
        Otherwise as ``Centralised``.
    """

    finetune: int = 5
    finetune_every: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        checked(
            self.name,
            [
                ("finetune", self.finetune, lambda v: v >= 0 and v == int(v), "steps >= 0"),
                ("finetune_every", self.finetune_every, lambda v: v >= 1 and v == int(v),
                 "rounds >= 1"),
            ],
        )  # fmt: skip

    def init(self, x0: Array, problem: Problem | None = None) -> State:
        """The first state from x0 (R, n, d): the mean of the bodies, and the mean of the heads."""
        first = split_server_start(self.name, x0, problem)
        return replace(first, v=one_model(first.v))

    def step(self, state: State, context: Context) -> State:
        """One communication round."""
        chosen, share = self.taking_part(state, context)
        eta = self.rate(state.t)
        body = Phase("u", eta, self.local_steps, 0, False, self.alpha)
        x = self.serve(state.x, descend(body, state, chosen), share)
        memory = {}
        if self.finetune and (state.t + 1) % self.finetune_every == 0:
            memory["own"] = whole_steps(
                namespace(x).concat([x, state.v], axis=-1),
                replace(context, effort=None),
                state.t,
                eta=eta,
                steps=self.finetune,
                first=most_steps(self.local_steps),
                alpha=self.alpha,
            )
        return replace(state, t=state.t + 1, x=x, z=x, memory=memory)
