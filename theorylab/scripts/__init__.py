"""Plain NumPy scripts of a few lines that compute both sides of a result without theorylab.

``script`` writes one, of the lines that stand beside each metric (``Metric.plain``) and experiment
(``Experiment.plain``), or of a user's own text.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.scripts.base import LONGEST as LONGEST
    from theorylab.scripts.base import WIDEST as WIDEST
    from theorylab.scripts.base import Facts as Facts
    from theorylab.scripts.base import UnscriptedError as UnscriptedError
    from theorylab.scripts.exactly import ByScript as ByScript
    from theorylab.scripts.write import script as script
else:
    from theorylab.lazy import attach

    attach(__name__)
