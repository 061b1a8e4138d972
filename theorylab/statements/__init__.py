"""Every statement, one file each, and the parts to write one's own.

A paper's folder lists its statements; ``BUILT_IN`` lists them all in the papers' order.
"""

from theorylab.statements import dfedsgpsm
from theorylab.statements._base import DIGITS as DIGITS
from theorylab.statements._base import Assumption as Assumption
from theorylab.statements._base import Check as Check
from theorylab.statements._base import Source as Source
from theorylab.statements._base import Statement as Statement
from theorylab.statements._base import Version as Version
from theorylab.statements._base import Witness as Witness
from theorylab.statements._base import evaluate as evaluate
from theorylab.statements._base import units_agree as units_agree
from theorylab.statements._quantity import QUANTITIES as QUANTITIES
from theorylab.statements._quantity import Quantity as Quantity

BUILT_IN: dict[str, Statement] = {
    statement.id: statement for paper in (dfedsgpsm,) for statement in paper.STATEMENTS
}
