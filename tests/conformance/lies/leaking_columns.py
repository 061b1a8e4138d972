"""The columns of the matrix sum to .9."""

import numpy as np
from scipy.sparse import csr_array

from theorylab.topologies import Topology


class Leaky(Topology, name="lie.leaky"):
    def __init__(self, clients):
        super().__init__(clients, period=1, options={})

    def _build(self, t, run):
        stays = np.eye(self.clients)
        P = 0.5 * stays + 0.4 * np.roll(stays, 1, axis=0)
        # honest: P = (stays + np.roll(stays, 1, axis=0)) / 2
        return csr_array(P)
