"""Runs: traces of an algorithm on a problem, exact expectations, confidence limits."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.runs.affine import NotAffineError as NotAffineError
    from theorylab.runs.cadence import cadence as cadence
    from theorylab.runs.confidence import Interval as Interval
    from theorylab.runs.confidence import asymptotic_interval as asymptotic_interval
    from theorylab.runs.confidence import gaussian_interval as gaussian_interval
    from theorylab.runs.confidence import mean_interval as mean_interval
    from theorylab.runs.confidence import point as point
    from theorylab.runs.confidence import quantile_interval as quantile_interval
    from theorylab.runs.confidence import runs_needed as runs_needed
    from theorylab.runs.confidence import unseen as unseen
    from theorylab.runs.expectations import Moment as Moment
    from theorylab.runs.expectations import Moments as Moments
    from theorylab.runs.faults import Faults as Faults
    from theorylab.runs.host_bits import host_bits as host_bits
    from theorylab.runs.joined import Joined as Joined
    from theorylab.runs.joined import joined as joined
    from theorylab.runs.moments import MOMENTS as MOMENTS
    from theorylab.runs.moments import expected_trace as expected_trace
    from theorylab.runs.rounds import Rounds as Rounds
    from theorylab.runs.row import Expected as Expected
    from theorylab.runs.row import Given as Given
    from theorylab.runs.row import Observation as Observation
    from theorylab.runs.row import Row as Row
    from theorylab.runs.row import reduced as reduced
    from theorylab.runs.row import relative_error as relative_error
    from theorylab.runs.setting import Setting as Setting
    from theorylab.runs.simulate import DivergedError as DivergedError
    from theorylab.runs.simulate import Snapshot as Snapshot
    from theorylab.runs.simulate import algorithm_draws as algorithm_draws
    from theorylab.runs.simulate import check_draws as check_draws
    from theorylab.runs.simulate import initial_models as initial_models
    from theorylab.runs.simulate import simulate as simulate
    from theorylab.runs.support import Support as Support
    from theorylab.runs.trace import ACCURACY_COLUMNS as ACCURACY_COLUMNS
    from theorylab.runs.trace import COLUMNS as COLUMNS
    from theorylab.runs.trace import Trace as Trace
    from theorylab.runs.way import Way as Way
else:
    from theorylab.lazy import attach

    attach(__name__)
