"""Problems with constants that are exact or proven, one line each, alphabetical."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.problems._altered import exact_batches as exact_batches
    from theorylab.problems._altered import independent_clients as independent_clients
    from theorylab.problems._altered import minimiser as minimiser
    from theorylab.problems._altered import minimiser_off as minimiser_off
    from theorylab.problems._altered import plain as plain
    from theorylab.problems._base import PROBLEMS as PROBLEMS
    from theorylab.problems._base import Problem as Problem
    from theorylab.problems._domain import Domain as Domain
    from theorylab.problems._joined import joined as joined
    from theorylab.problems._kernel import kernel_losses as kernel_losses
    from theorylab.problems._kernel import steps_by_kernel as steps_by_kernel
    from theorylab.problems._named import names as names
    from theorylab.problems._named import problem as problem
    from theorylab.problems._options import Moves as Moves
    from theorylab.problems._outcomes import Draw as Draw
    from theorylab.problems._placed import placed_losses as placed_losses
    from theorylab.problems.absolute import Absolute as Absolute
    from theorylab.problems.clipped_linear import ClippedLinear as ClippedLinear
    from theorylab.problems.cnn import CNN as CNN
    from theorylab.problems.composite import Composite as Composite
    from theorylab.problems.coupled_quadratic import CoupledQuadratic as CoupledQuadratic
    from theorylab.problems.formula import FormulaProblem as FormulaProblem
    from theorylab.problems.formula import Option as Option
    from theorylab.problems.formula import Options as Options
    from theorylab.problems.from_loss import from_loss as from_loss
    from theorylab.problems.hinge import Hinge as Hinge
    from theorylab.problems.huber import Huber as Huber
    from theorylab.problems.log_cosh import LogCosh as LogCosh
    from theorylab.problems.logistic import Logistic as Logistic
    from theorylab.problems.logistic_l2 import LogisticL2 as LogisticL2
    from theorylab.problems.lstm import LSTM as LSTM
    from theorylab.problems.max_affine import MaxAffine as MaxAffine
    from theorylab.problems.min_max import MinMaxProblem as MinMaxProblem
    from theorylab.problems.min_max import Saddle as Saddle
    from theorylab.problems.mixture import Mixture as Mixture
    from theorylab.problems.mlp import MLP as MLP
    from theorylab.problems.noisy import Noisy as Noisy
    from theorylab.problems.noisy import with_noise as with_noise
    from theorylab.problems.piecewise_quadratic import PiecewiseQuadratic as PiecewiseQuadratic
    from theorylab.problems.pinwheel import Pinwheel as Pinwheel
    from theorylab.problems.quadratic import Quadratic as Quadratic
    from theorylab.problems.resnet18 import ResNet18 as ResNet18
    from theorylab.problems.ridge import Ridge as Ridge
    from theorylab.problems.rippled import Rippled as Rippled
    from theorylab.problems.rosenbrock import Rosenbrock as Rosenbrock
    from theorylab.problems.sin_sin import SinSin as SinSin
    from theorylab.problems.softmax import Softmax as Softmax
else:
    from theorylab.lazy import attach

    attach(__name__)
