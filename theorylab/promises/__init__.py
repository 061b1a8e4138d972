"""What a theorem promises: the least number of rounds for a target, beside what runs need."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.promises.plan import Plan as Plan
    from theorylab.promises.plan import Row as Row
    from theorylab.promises.plan import plan as plan
else:
    from theorylab.lazy import attach

    attach(__name__)
