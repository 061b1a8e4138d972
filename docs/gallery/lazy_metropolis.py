"""Lazy Metropolis weights mix in O(n^2) steps on every connected graph.

Source: Nedic, Olshevsky, Rabbat 2018, Proc. IEEE 106(5), Section II (after Olshevsky 2014). With
W_ij = 1 / (2 max(d_i, d_j)) on edges, the claim says |lambda_2(W)| <= 1 - 1 / (71 n^2). The rival
says 1 - 1/n; on a path lambda_2 = (1 + cos(pi/n)) / 2, whose gap is about (pi / (2 n))^2.
"""

import networkx as nx
import numpy as np

from theorylab.experiments import Experiment
from theorylab.runs import Observation, Row
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import n

GRAPHS = {
    "path": nx.path_graph,
    "ring": nx.cycle_graph,
    "star": lambda m: nx.star_graph(m - 1),
    "complete": nx.complete_graph,
    "barbell": lambda m: nx.barbell_graph(m // 3, m - 2 * (m // 3)),
}


class Second(Experiment, name="gallery.second-eigenvalue"):
    """|lambda_2| of the lazy Metropolis matrix of one kind of graph, a row a size."""

    columns = ("modulus",)

    def __init__(self, *, graph="path", sizes=(6, 12, 24, 48)):
        self.graph, self.sizes = graph, list(sizes)

    def describe(self):
        return {"graph": self.graph, "sizes": self.sizes}

    def constants(self):
        return {}

    def observe(self, column, runs, seed):
        return Observation(tuple(map(self.row, self.sizes)), exact=True, axis="n")

    def row(self, size):
        W = nx.to_numpy_array(GRAPHS[self.graph](size))
        W /= 2 * np.maximum.outer(W.sum(axis=0), W.sum(axis=0))
        W += np.diag(1 - W.sum(axis=1))
        moduli = np.sort(np.abs(np.linalg.eigvalsh(W)))  # each is within 1e-12
        return Row(moduli[-2:-1], {"n": size}, f"n={size}", rounding=1e-12)


STATEMENT = Statement(
    id="gallery.metropolis",
    source=Source("Nedic et al. 2018", "Section II", "lazy Metropolis weights"),
    experiment="gallery.second-eigenvalue",
    quantity=Quantity("modulus", "rows", (0, 0), r"|\lambda_2|"),
    versions={
        "claim": Version({"b": 1 - 1 / (71 * n**2)}, (), [Check(g, {"graph": g}) for g in GRAPHS]),
        "rival": Version({"b": 1 - 1 / n}, (), [Check("path", {"graph": "path"}, "VIOLATED")]),
    },
)
