"""Hypothesis strategies for mixing matrices, their sequences, graphs and problems.

Every draw is valid by construction: nothing is filtered. Draws shrink towards few clients, small
numerators and no extra edges. ``P[i, j]`` is the share of j's mass that i receives.

Exact matrices are lists of rows of ``fractions.Fraction``; ``exact=False`` gives the same entries,
each rounded once to float64, in a ``scipy.sparse.csr_array``. So a column sums to 1 exactly, or
within n eps in floats, which is what every check of the package allows.
"""

from theorylab.strategies.graphs import Graph as Graph
from theorylab.strategies.graphs import permutations as permutations
from theorylab.strategies.graphs import strongly_connected_digraphs as strongly_connected_digraphs
from theorylab.strategies.graphs import symmetric_graphs as symmetric_graphs
from theorylab.strategies.matrices import Matrix as Matrix
from theorylab.strategies.matrices import Periodic as Periodic
from theorylab.strategies.matrices import column_stochastic as column_stochastic
from theorylab.strategies.matrices import doubly_stochastic as doubly_stochastic
from theorylab.strategies.matrices import metropolis as metropolis
from theorylab.strategies.matrices import periodic_sequences as periodic_sequences
from theorylab.strategies.matrices import to_csr as to_csr
from theorylab.strategies.problems import (
    problems_with_known_constants as problems_with_known_constants,
)

__all__ = [
    "Graph", "Matrix", "Periodic", "column_stochastic", "doubly_stochastic", "metropolis",
    "periodic_sequences", "permutations", "problems_with_known_constants",
    "strongly_connected_digraphs", "symmetric_graphs", "to_csr",
]  # fmt: skip
