"""Who sees the local steps of a round, and who hands out its samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from theorylab.algorithms._coins import Coin
from theorylab.algorithms._travel import Array


@dataclass(frozen=True)
class LocalStep:
    """Local step ``k`` = 0, 1, ... of all clients in round ``t``, on one ``part`` of the model.

    part: "u" or "v" of a method with personal parts; "" where the whole model moves.
    before, after: the part before and after the step, biased as it travels, (R, n, d of the part);
    None where a method asked ``Context.gradient`` and moves its model by itself.
    point: the whole debiased model at which the step's gradient is asked for, (R, n, d).
    lifted: SAM's point, ``point`` itself without SAM.
    plain, used: the part's stochastic gradients at these two; ``used`` moves the part.

    The arrays are the algorithm's own: whoever changes one changes the run.
    """

    t: int
    part: str
    k: int
    before: Array
    point: Array
    lifted: Array
    plain: Array
    used: Array
    after: Array


class Recorder(Protocol):
    """Sees every local step of a round; what it does not keep costs nothing."""

    def see(self, step: LocalStep) -> None: ...


class Unseeded:
    """The seed where a law hands out the samples: to ask for its number is an error."""

    def __index__(self) -> int:
        raise ValueError(
            "step: it draws by itself, where a law hands out every sample; need net.coins, or "
            "context.sample"
        )


UNSEEDED: Any = Unseeded()


class Samples(Protocol):
    """Hands out the samples of a law in place of the counter stream."""

    def sample(self, t: int, number: int, part: str) -> Any:
        """The sample of minibatch ``number`` of round t; ``part`` of the model alone reads it."""

    def coins(self, t: int, number: int, coin: Coin) -> Any:
        """The draws of the call ``number`` of ``net.coins`` in round t, (R, n, *shape) in NumPy, or
        (R, 1, *shape) where they are shared."""
