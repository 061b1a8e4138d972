"""Plain NumPy scripts of a few lines that compute both sides of a result without theorylab.

``script`` writes one. What it can write stands in ``EMITTERS``: a function for each metric, column
of a run and experiment, one file a family.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.scripts.base import EMITTERS as EMITTERS
    from theorylab.scripts.base import LONGEST as LONGEST
    from theorylab.scripts.base import WIDEST as WIDEST
    from theorylab.scripts.base import Emitter as Emitter
    from theorylab.scripts.base import Facts as Facts
    from theorylab.scripts.base import UnscriptedError as UnscriptedError
    from theorylab.scripts.base import emitter as emitter
    from theorylab.scripts.base import place_numbers as place_numbers
    from theorylab.scripts.exactly import ByScript as ByScript
    from theorylab.scripts.write import script as script
else:
    from theorylab.lazy import attach

    attach(__name__)

__all__ = [
    "EMITTERS", "LONGEST", "WIDEST", "ByScript", "Emitter", "Facts", "UnscriptedError", "emitter",
    "place_numbers", "script",
]  # fmt: skip
