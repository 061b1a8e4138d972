"""What statements are about beside runs of an algorithm, one line each, alphabetical."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.experiments._base import EXPERIMENTS as EXPERIMENTS
    from theorylab.experiments._base import Experiment as Experiment
    from theorylab.experiments._base import Observation as Observation
    from theorylab.experiments._base import Row as Row
    from theorylab.experiments._base import check_column as check_column
    from theorylab.experiments._base import experiment as experiment
    from theorylab.experiments._base import relative_error as relative_error
    from theorylab.experiments._plain import AsRun as AsRun
    from theorylab.experiments._plain import Plain as Plain
    from theorylab.experiments._plain import Spot as Spot
    from theorylab.experiments._plain import UnwrittenError as UnwrittenError
    from theorylab.experiments.deprl_heads import DeprlHeads as DeprlHeads
    from theorylab.experiments.drawn_points import DrawnPoints as DrawnPoints
    from theorylab.experiments.lemma3_rates import Lemma3Rates as Lemma3Rates
    from theorylab.experiments.method_accuracy import MethodAccuracy as MethodAccuracy
    from theorylab.experiments.momentum_sums import MomentumSums as MomentumSums
    from theorylab.experiments.network_matrices import NetworkMatrices as NetworkMatrices
    from theorylab.experiments.noise_split import NoiseSplit as NoiseSplit
    from theorylab.experiments.pdbo.aid_products import AidProducts as AidProducts
    from theorylab.experiments.pdbo.approach import SgpApproach as SgpApproach
    from theorylab.experiments.pdbo.blocks import HgpBlocks as HgpBlocks
    from theorylab.experiments.pdbo.error import HgpError as HgpError
    from theorylab.experiments.pdbo.identities import HgpIdentities as HgpIdentities
    from theorylab.experiments.pdbo.identities import HgpNorms as HgpNorms
    from theorylab.experiments.pdbo.itd import Itd as Itd
    from theorylab.experiments.pdbo.network import EdgeEstimates as EdgeEstimates
    from theorylab.experiments.pdbo.network import HgpNetwork as HgpNetwork
    from theorylab.experiments.pdbo.other_point import HgpBias as HgpBias
    from theorylab.experiments.pdbo.other_point import HgpCross as HgpCross
    from theorylab.experiments.pdbo.paired_accuracy import PdboAccuracy as PdboAccuracy
    from theorylab.experiments.pdbo.second_moment import HgpRmse as HgpRmse
    from theorylab.experiments.pdbo.second_moment import HgpSecondMoment as HgpSecondMoment
    from theorylab.experiments.pdbo.series import HgpSeries as HgpSeries
    from theorylab.experiments.pdbo.sgp_recovers import SgpRecovers as SgpRecovers
    from theorylab.experiments.pdbo.slopes import HgpSlopes as HgpSlopes
    from theorylab.experiments.pdbo.stationary import OwnLayers as OwnLayers
    from theorylab.experiments.pdbo.stationary import PdboStationary as PdboStationary
    from theorylab.experiments.pdbo.unbiased import HgpUnbiased as HgpUnbiased
    from theorylab.experiments.printed_rates import PrintedRates as PrintedRates
    from theorylab.experiments.printed_table import PrintedTable as PrintedTable
else:
    from theorylab.lazy import attach

    attach(__name__)
