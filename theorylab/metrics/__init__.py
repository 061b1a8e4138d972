"""Every metric, a file a paper: left-hand sides measured on what the algorithm's ``step`` does."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.metrics._base import METRICS as METRICS
    from theorylab.metrics._base import Metric as Metric
    from theorylab.metrics._base import metric as metric
    from theorylab.metrics._beside import measured_beside as measured_beside
    from theorylab.metrics._measured import LAWS as LAWS
    from theorylab.metrics._measured import measured as measured
    from theorylab.metrics._squares import Squares as Squares
else:
    from theorylab.lazy import attach

    attach(__name__)
