"""Every metric, a file a paper: left-hand sides measured on what the algorithm's ``step`` does."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.metrics._base import METRICS as METRICS
    from theorylab.metrics._base import Metric as Metric
    from theorylab.metrics._base import metric as metric
    from theorylab.metrics._measured import LAWS as LAWS
    from theorylab.metrics._measured import measured as measured
    from theorylab.metrics._squares import Squares as Squares
    from theorylab.metrics.deprl import HeadsAndShared as HeadsAndShared
    from theorylab.metrics.dfedalt import AlternatingRounds as AlternatingRounds
    from theorylab.metrics.dfedalt_measure import Measure as Measure
    from theorylab.metrics.dfedpgp import PushRounds as PushRounds
    from theorylab.metrics.dfedpgp_consensus import Consensus as Consensus
    from theorylab.metrics.dfedpgp_proof import BodyRounds as BodyRounds
    from theorylab.metrics.dfedpgp_stationarity import Stationarity as Stationarity
    from theorylab.metrics.dfedpgp_sums import Path as Path
    from theorylab.metrics.dfedsgpsm import LocalRounds as LocalRounds
    from theorylab.metrics.dfedsgpsm_selection import Wait as Wait
    from theorylab.metrics.dfedsgpsm_split import Split as Split
    from theorylab.metrics.regret import Regret as Regret
else:
    from theorylab.lazy import attach

    attach(__name__)
