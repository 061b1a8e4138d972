"""Hypergradients over networks: the oracle, HGP, VR-HGP, and their exact moments (pdbo)."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.hypergradients._bilevel import Bilevel as Bilevel
    from theorylab.hypergradients._personal_data import personal_data as personal_data
    from theorylab.hypergradients.descent import RisingCostWarning as RisingCostWarning
    from theorylab.hypergradients.edge_law import EdgeLaw as EdgeLaw
    from theorylab.hypergradients.edge_law import edge_law as edge_law
    from theorylab.hypergradients.edge_law import estimated_law as estimated_law
    from theorylab.hypergradients.edge_law import patterns as patterns
    from theorylab.hypergradients.hgp import hgp as hgp
    from theorylab.hypergradients.hypergradient import Hypergradient as Hypergradient
    from theorylab.hypergradients.hypergradient import hypergradient as hypergradient
    from theorylab.hypergradients.itd import itd as itd
    from theorylab.hypergradients.linear import Linear as Linear
    from theorylab.hypergradients.linear import spectral_radius as spectral_radius
    from theorylab.hypergradients.mean_square import MeanSquare as MeanSquare
    from theorylab.hypergradients.mean_square import floor as floor
    from theorylab.hypergradients.mean_square import mean_square as mean_square
    from theorylab.hypergradients.moments import Moments as Moments
    from theorylab.hypergradients.moments import moments as moments
    from theorylab.hypergradients.moments import second_moment_radius as second_moment_radius
    from theorylab.hypergradients.moments import tuned as tuned
    from theorylab.hypergradients.network_ensemble import NetworkEnsemble as NetworkEnsemble
    from theorylab.hypergradients.outer_loop import OUTER_COLUMNS as OUTER_COLUMNS
    from theorylab.hypergradients.outer_loop import SELECTS as SELECTS
    from theorylab.hypergradients.outer_loop import OuterSnapshot as OuterSnapshot
    from theorylab.hypergradients.outer_loop import StoppedError as StoppedError
    from theorylab.hypergradients.outer_loop import algorithm1 as algorithm1
    from theorylab.hypergradients.outer_loop import at_selected as at_selected
    from theorylab.hypergradients.outer_loop import pdbo as pdbo
    from theorylab.hypergradients.outer_loop import selected as selected
    from theorylab.hypergradients.pdbo import PDBO as PDBO
    from theorylab.hypergradients.pdbo import Adam as Adam
    from theorylab.hypergradients.pdbo import OuterState as OuterState
    from theorylab.hypergradients.personal import BILEVELS as BILEVELS
    from theorylab.hypergradients.personal import bilevel as bilevel
    from theorylab.hypergradients.quadratic import QuadraticBilevel as QuadraticBilevel
    from theorylab.hypergradients.recursion import READINGS as READINGS
    from theorylab.hypergradients.recursion import CoefficientLaw as CoefficientLaw
    from theorylab.hypergradients.recursion import Reading as Reading
    from theorylab.hypergradients.recursion import coefficient_law as coefficient_law
    from theorylab.hypergradients.reliability import Reliability as Reliability
    from theorylab.hypergradients.reliability import (
        UnreliableEstimateWarning as UnreliableEstimateWarning,
    )
    from theorylab.hypergradients.reliability import reliability as reliability
    from theorylab.hypergradients.sgp import SGP as SGP
    from theorylab.hypergradients.sgp import algorithm2 as algorithm2
    from theorylab.hypergradients.softmax_ensemble import SoftmaxEnsemble as SoftmaxEnsemble
    from theorylab.hypergradients.softmax_weights import SoftmaxWeights as SoftmaxWeights
    from theorylab.hypergradients.stationary import Exact as Exact
    from theorylab.hypergradients.stationary import exact as exact
    from theorylab.hypergradients.stationary import stationary as stationary
    from theorylab.hypergradients.table_rows import METHODS as METHODS
    from theorylab.hypergradients.table_rows import TABLE_ROWS as TABLE_ROWS
    from theorylab.hypergradients.table_rows import Entry as Entry
    from theorylab.hypergradients.table_rows import TableRows as TableRows
    from theorylab.hypergradients.table_rows import silent as silent
    from theorylab.hypergradients.torch_model import TorchBilevel as TorchBilevel
    from theorylab.hypergradients.torch_model import flat_model as flat_model
else:
    from theorylab.lazy import attach

    attach(__name__)
