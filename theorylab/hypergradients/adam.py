"""Adam for a batch of runs (Kingma & Ba, 2015, Algorithm 1): every number has its own moments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from theorylab.hypergradients._bilevel import Floats
from theorylab.problems._options import number

Moments = Mapping[str, Floats]


@dataclass(frozen=True)
class Adam:
    """m <- b1 m + (1 - b1) g, v <- b2 v + (1 - b2) g^2, x <- x - rate mhat / (sqrt(vhat) + eps).

    mhat = m / (1 - b1^t), vhat = v / (1 - b2^t), t = 1, 2, ...

    Args:
        rate: > 0, one number, or one for every number of the last axis.
        beta1, beta2: in [0, 1). eps: > 0.
    """

    rate: float | Sequence[float] = 0.1
    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-8

    def __post_init__(self) -> None:
        for name, value in (("beta1", self.beta1), ("beta2", self.beta2)):
            if number("adam", name, value, at_least=0) >= 1:
                raise ValueError(f"adam: {name} is {value!r}; need 0 <= {name} < 1")
        number("adam", "eps", self.eps, above=0)

    def init(self, like: Floats) -> Moments:
        """The moments before the first step."""
        return {"m": np.zeros_like(like), "v": np.zeros_like(like)}

    def step(self, x: Floats, gradient: Floats, t: int, kept: Moments) -> tuple[Floats, Moments]:
        """x and its moments after step t = 1, 2, ..."""
        m = self.beta1 * kept["m"] + (1 - self.beta1) * gradient
        v = self.beta2 * kept["v"] + (1 - self.beta2) * gradient**2
        root = np.sqrt(v / (1 - self.beta2**t)) + self.eps
        return x - np.asarray(self.rate) * (m / (1 - self.beta1**t)) / root, {"m": m, "v": v}
