"""Problems with constants that are exact or proven, one line each, alphabetical."""

from theorylab.problems._altered import plain as plain
from theorylab.problems._base import PROBLEMS as PROBLEMS
from theorylab.problems._base import Problem as Problem
from theorylab.problems._base import Sample as Sample
from theorylab.problems._base import names as names
from theorylab.problems._base import problem as problem
from theorylab.problems._joined import joined as joined
from theorylab.problems._outcomes import Draw as Draw
from theorylab.problems.clipped_linear import ClippedLinear as ClippedLinear
from theorylab.problems.cnn import CNN as CNN
from theorylab.problems.coupled_quadratic import CoupledQuadratic as CoupledQuadratic
from theorylab.problems.from_loss import from_loss as from_loss
from theorylab.problems.log_cosh import LogCosh as LogCosh
from theorylab.problems.logistic import Logistic as Logistic
from theorylab.problems.lstm import LSTM as LSTM
from theorylab.problems.mlp import MLP as MLP
from theorylab.problems.noisy import Noisy as Noisy
from theorylab.problems.noisy import with_noise as with_noise
from theorylab.problems.pinwheel import Pinwheel as Pinwheel
from theorylab.problems.quadratic import Quadratic as Quadratic
from theorylab.problems.resnet18 import ResNet18 as ResNet18
from theorylab.problems.ridge import Ridge as Ridge
from theorylab.problems.rippled import Rippled as Rippled
from theorylab.problems.sin_sin import SinSin as SinSin
from theorylab.problems.softmax import Softmax as Softmax
