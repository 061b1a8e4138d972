"""The period is 2, and P(2) is another matrix than P(0)."""

import numpy as np

from theorylab.topologies import from_function


def turn(t, clients):
    stays = np.eye(clients)
    return (stays + np.roll(stays, 1 + t % 3, axis=0)) / 2


from_function(turn, clients=6, period=2, name="lie.turn")
# honest: from_function(turn, clients=6, period=3, name="lie.turn")
