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
    from theorylab.experiments.momentum_sums import MomentumSums as MomentumSums
    from theorylab.experiments.noise_split import NoiseSplit as NoiseSplit
    from theorylab.experiments.printed_rates import PrintedRates as PrintedRates
    from theorylab.experiments.printed_table import PrintedTable as PrintedTable
else:
    from theorylab.lazy import attach

    attach(__name__)
