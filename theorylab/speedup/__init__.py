"""Linear speedup, measured: the error against the number of clients, with the controls beside it.

``speedup`` runs a study; ``theorylab speedup`` is the same on the command line.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.speedup.entry import speedup as speedup
    from theorylab.speedup.pattern import Pattern as Pattern
    from theorylab.speedup.result import Speedup as Speedup
    from theorylab.verdicts.power import Slope as Slope
    from theorylab.verdicts.power import power_of as power_of
    from theorylab.verdicts.power import slope_of as slope_of
else:
    from theorylab.lazy import attach

    attach(__name__)
