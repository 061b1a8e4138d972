"""Search for an instance that breaks a statement; shrink it, re-check it, keep it for replay."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.falsify.counterexample import Counterexample as Counterexample
    from theorylab.falsify.finding import Finding as Finding
    from theorylab.falsify.moves import moves as moves
    from theorylab.falsify.moves import numbers_in as numbers_in
    from theorylab.falsify.replayed import Replayed as Replayed
    from theorylab.falsify.replayed import replay as replay
    from theorylab.falsify.search import falsify as falsify
    from theorylab.falsify.short import shortened as shortened
    from theorylab.falsify.shrink import shrunk as shrunk
    from theorylab.falsify.theorem import Theorem as Theorem
else:
    from theorylab.lazy import attach

    attach(__name__)
