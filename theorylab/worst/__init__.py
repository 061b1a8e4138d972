"""Worst cases of a method over a whole class of functions, with certificates that anyone checks."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.worst.certificate import Certificate as Certificate
    from theorylab.worst.forever import Rate as Rate
    from theorylab.worst.forever import forever as forever
    from theorylab.worst.question import Functions as Functions
    from theorylab.worst.question import Question as Question
    from theorylab.worst.recorder import NotLinearError as NotLinearError
    from theorylab.worst.recorder import Recursion as Recursion
    from theorylab.worst.recorder import TooLargeError as TooLargeError
    from theorylab.worst.recorder import record as record
    from theorylab.worst.rounding import NotCertifiedError as NotCertifiedError
    from theorylab.worst.setting import DoublyStochastic as DoublyStochastic
else:
    from theorylab.lazy import attach

    attach(__name__)

__all__ = [
    "Certificate", "DoublyStochastic", "Functions", "NotCertifiedError", "NotLinearError",
    "Question", "Rate", "Recursion", "TooLargeError", "forever", "record",
]  # fmt: skip
