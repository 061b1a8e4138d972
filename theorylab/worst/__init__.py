"""Worst cases of a method over a whole class of functions, with certificates that anyone checks."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.worst.certificate import NotCertifiedError as NotCertifiedError
    from theorylab.worst.forever import Rate as Rate
    from theorylab.worst.forever import forever as forever
    from theorylab.worst.interpolation import Interpolant as Interpolant
    from theorylab.worst.interpolation import Interpolated as Interpolated
    from theorylab.worst.outcome import Outcome as Outcome
    from theorylab.worst.outcome import UnboundedError as UnboundedError
    from theorylab.worst.question import Functions as Functions
    from theorylab.worst.question import Question as Question
    from theorylab.worst.random_gradients import NotLinearError as NotLinearError
    from theorylab.worst.recorder import TooLargeError as TooLargeError
    from theorylab.worst.recorder import record as record
    from theorylab.worst.sequences import ColumnStochastic as ColumnStochastic
    from theorylab.worst.sequences import every_sequence as every_sequence
    from theorylab.worst.setting import DoublyStochastic as DoublyStochastic
    from theorylab.worst.solver import NotSolvedError as NotSolvedError
    from theorylab.worst.spectral import every_spectrum as every_spectrum
    from theorylab.worst.worst import Worst as Worst
    from theorylab.worst.worst import worst as worst
else:
    import sys

    from theorylab.lazy import attach

    attach(__name__)

    class _Called(type(sys.modules[__name__])):
        """The package is its own function: ``theorylab.worst(method, network, ...)``."""

        def __call__(self, *arguments, **options):
            return self.worst(*arguments, **options)

    sys.modules[__name__].__class__ = _Called
