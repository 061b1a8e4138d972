"""Problems with constants that are exact or proven, one line each, alphabetical."""

from theorylab.problems._base import Problem as Problem
from theorylab.problems._base import Sample as Sample
from theorylab.problems._base import names as names
from theorylab.problems._base import problem as problem
from theorylab.problems.clipped_linear import ClippedLinear as ClippedLinear
from theorylab.problems.log_cosh import LogCosh as LogCosh
from theorylab.problems.logistic import Logistic as Logistic
from theorylab.problems.quadratic import Quadratic as Quadratic
from theorylab.problems.softmax import Softmax as Softmax
