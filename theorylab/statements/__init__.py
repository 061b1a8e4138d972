"""Every statement, one file each, and the parts to write one's own.

A paper's folder lists its statements in its own order; ``BUILT_IN`` imports one when it is asked
for.
"""

from theorylab.statements._assumption import Assumption as Assumption
from theorylab.statements._base import EQUAL as EQUAL
from theorylab.statements._base import Check as Check
from theorylab.statements._base import Source as Source
from theorylab.statements._base import Statement as Statement
from theorylab.statements._base import Version as Version
from theorylab.statements._base import Witness as Witness
from theorylab.statements._branches import BITS as BITS
from theorylab.statements._branches import resolved as resolved
from theorylab.statements._by_place import by_place as by_place
from theorylab.statements._catalogue import BUILT_IN as BUILT_IN
from theorylab.statements._catalogue import NOT_RUN as NOT_RUN
from theorylab.statements._cause import Cause as Cause
from theorylab.statements._cause import Line as Line
from theorylab.statements._cause import worst_of as worst_of
from theorylab.statements._enclosed import BRANCHES as BRANCHES
from theorylab.statements._enclosed import enclosed as enclosed
from theorylab.statements._evaluate import DIGITS as DIGITS
from theorylab.statements._evaluate import evaluate as evaluate
from theorylab.statements._order import Floor as Floor
from theorylab.statements._order import Order as Order
from theorylab.statements._predicates import doubly_stochastic as doubly_stochastic
from theorylab.statements._predicates import jointly_connected as jointly_connected
from theorylab.statements._predicates import self_loops as self_loops
from theorylab.statements._predicates import step_sizes as step_sizes
from theorylab.statements._predicates import steps_within as steps_within
from theorylab.statements._predicates import symmetric as symmetric
from theorylab.statements._quantity import QUANTITIES as QUANTITIES
from theorylab.statements._quantity import Quantity as Quantity
from theorylab.statements._severity import Severity as Severity
from theorylab.statements._sides import SIDES as SIDES
from theorylab.statements._sides import one_sided as one_sided
from theorylab.statements._sums import TooLongError as TooLongError
from theorylab.statements._sums import adds as adds
from theorylab.statements._sums import spelled as spelled
from theorylab.statements._sums import within as within
from theorylab.statements._units import scale_free as scale_free
from theorylab.statements._units import stands_for_a_number as stands_for_a_number
from theorylab.statements._units import units_agree as units_agree
from theorylab.statements._versions import versions as versions

__all__ = [
    "BITS", "BRANCHES", "BUILT_IN", "DIGITS", "EQUAL", "NOT_RUN", "QUANTITIES", "SIDES",
    "Assumption", "Cause", "Check", "Floor", "Line", "Order", "Quantity", "Severity", "Source",
    "Statement",
    "TooLongError", "Version", "Witness", "adds", "by_place", "doubly_stochastic",
    "enclosed", "evaluate", "jointly_connected", "one_sided", "resolved", "scale_free",
    "self_loops", "spelled", "stands_for_a_number", "step_sizes", "steps_within", "symmetric",
    "units_agree", "versions", "within", "worst_of",
]  # fmt: skip
