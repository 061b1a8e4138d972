"""Search for an instance that breaks a statement; shrink it, re-check it, keep it for replay."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.falsify.finding import Counterexample as Counterexample
    from theorylab.falsify.finding import Finding as Finding
    from theorylab.falsify.finding import Theorem as Theorem
    from theorylab.falsify.moves import moves as moves
    from theorylab.falsify.replays import replay as replay
    from theorylab.falsify.rounding import shortened as shortened
    from theorylab.falsify.search import falsify as falsify
    from theorylab.falsify.shrinking import shrunk as shrunk
else:
    from theorylab.lazy import attach

    attach(__name__)
