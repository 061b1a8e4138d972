"""How many threads own kernels use. The number changes the speed, never a bit of the result."""

from __future__ import annotations

import operator

from theorylab import _core


def set_threads(threads: int) -> None:
    """Use at most ``threads`` threads, 1 to 64, in every kernel of this process from now on.

    The start value is the environment's ``THEORYLAB_THREADS``, or else the number of CPUs this
    process may use, at most 8. After a fork it is 1 and stays 1, because OpenMP's workers do not
    survive a fork: start worker processes with ``spawn`` or ``forkserver`` to use more.

    Raises:
        TypeError: ``threads`` is no integer.
        ValueError: out of range, or above 1 in a forked process.
    """
    if isinstance(threads, bool) or not hasattr(threads, "__index__"):
        raise TypeError(f"set_threads: {threads!r} came; need an int, 1 to 64")
    number = operator.index(threads)
    if not 1 <= number <= 64:
        raise ValueError(f"set_threads: {number} came; need 1 to 64")
    _core.set_threads(number)


def get_threads() -> int:
    """The number of threads that own kernels use now."""
    return _core.get_threads()
