"""What a round that is probed reads: noises one by one, and coins that show what is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import Coin, LocalStep
from theorylab.runs.setting import Setting

Floats = NDArray[Any]

FACES = 256  # outcomes of the coins of a round that are probed


class NotAffineError(ValueError):
    """The round is no affine map with additive noise; the text says why."""


class Noises:
    """Hands each run its own noise, and notes which minibatch is asked for in which part.

    faces: what the coins show, by the number of their call, (1 or R, n or 1, *shape); None: there
    must be no coins. ``tossed`` has those that the step asks for.
    """

    def __init__(self, setting: Setting, faces: Mapping[int, Floats] | None = None) -> None:
        self.faces, self.tossed = faces, dict[int, Coin]()
        self.setting, self.asked = setting, dict[tuple[int, str], None]()
        self.drawn: dict[int, Floats] = {}  # minibatch -> (R, n, d), 0 where absent
        self.runs, self.steps, self.t = 1, 0, 0

    def see(self, step: LocalStep) -> None:
        self.steps += 1

    def sample(self, t: int, number: int, part: str) -> Any:
        problem = self.setting.problem
        if t != self.t and problem.stochastic:  # two rounds that share one are not independent
            name = self.setting.algorithm.name
            raise NotAffineError(f"round {self.t} of {name} reads a minibatch of round {t}")
        self.asked.setdefault((number, part))
        if not problem.stochastic:
            return None
        none = np.zeros((self.runs, problem.clients, problem.dim))
        return self.drawn.get(number, none)

    def coins(self, t: int, number: int, coin: Coin) -> Any:
        if self.faces is None:
            raise NotAffineError(f"{self.setting.algorithm.name} tosses coins")
        if coin.outcomes > FACES:
            raise NotAffineError(f"a coin has {coin.outcomes} outcomes; need at most {FACES}")
        self.tossed[number] = coin
        shown = self.faces.get(number)
        if shown is None:  # nothing is known of it yet: its first outcome
            clients = 1 if coin.shared else self.setting.problem.clients
            shown = np.broadcast_to(coin.listed()[0][0], (1, clients, *coin.shape))
        return np.broadcast_to(shown, (self.runs, *shown.shape[1:]))
