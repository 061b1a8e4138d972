"""Sequences of mixing matrices, by name. ``P[i, j]`` is the share of j's mass that i receives."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.topologies._base import TOPOLOGIES as TOPOLOGIES
    from theorylab.topologies._base import Topology as Topology
    from theorylab.topologies._base import names as names
    from theorylab.topologies._base import topology as topology
    from theorylab.topologies._edges import check_column_stochastic as check_column_stochastic
    from theorylab.topologies._edges import check_strongly_connected as check_strongly_connected
    from theorylab.topologies._edges import unreachable as unreachable
    from theorylab.topologies.complete import Complete as Complete
    from theorylab.topologies.directed_exponential import DirectedExponential as DirectedExponential
    from theorylab.topologies.directed_ring import DirectedRing as DirectedRing
    from theorylab.topologies.edge_list import EdgeList as EdgeList
    from theorylab.topologies.erdos_renyi import ErdosRenyi as ErdosRenyi
    from theorylab.topologies.fixed_undirected import FixedUndirected as FixedUndirected
    from theorylab.topologies.from_function import from_function as from_function
    from theorylab.topologies.from_matrices import from_matrices as from_matrices
    from theorylab.topologies.from_networkx import from_networkx as from_networkx
    from theorylab.topologies.networks import Networks as Networks
    from theorylab.topologies.one_peer_exponential import OnePeerExponential as OnePeerExponential
    from theorylab.topologies.random_in import RandomIn as RandomIn
    from theorylab.topologies.random_out import RandomOut as RandomOut
    from theorylab.topologies.random_symmetric import RandomSymmetric as RandomSymmetric
    from theorylab.topologies.stochastic_directed import StochasticDirected as StochasticDirected
    from theorylab.topologies.stochastic_undirected import (
        StochasticUndirected as StochasticUndirected,
    )
    from theorylab.topologies.two_sources import TwoSources as TwoSources
    from theorylab.topologies.undirected import Grid as Grid
    from theorylab.topologies.undirected import Hypercube as Hypercube
    from theorylab.topologies.undirected import Path as Path
    from theorylab.topologies.undirected import Ring as Ring
    from theorylab.topologies.undirected import Star as Star
    from theorylab.topologies.undirected import Torus as Torus
else:
    from theorylab.lazy import attach

    attach(__name__)
