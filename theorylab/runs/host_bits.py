"""Which runs have the same bits on a GPU as on the host."""

from __future__ import annotations

from theorylab.algorithms import Algorithm
from theorylab.own import is_own
from theorylab.problems import Problem, steps_by_kernel
from theorylab.runs.faults import Faults


def host_bits(problem: Problem, algorithm: Algorithm, faults: Faults | None = None) -> bool:
    """Whether a run in float64 goes through the same models, to the bit, on a GPU and on the host.

    It does where an own kernel makes all local steps of the problem, the method adds nothing up
    besides (``Algorithm.fixed_order``), and no message is late. Elsewhere gradients or sums are
    torch's: models then agree up to rounding, which torch promises nothing about. What is recorded
    of the models (losses, squared gradients) agrees up to rounding always.

    >>> from theorylab.algorithms import algorithm
    >>> from theorylab.problems import problem
    >>> log_cosh, mixture = problem("log-cosh", 4, dim=3), problem("mixture", 4)
    >>> host_bits(log_cosh, algorithm("sgp", eta=0.1))
    True
    >>> host_bits(log_cosh, algorithm("fedprox", eta=0.1))  # its own gradients
    False
    >>> host_bits(mixture, algorithm("sgp", eta=0.1))
    False
    """
    own = is_own(type(algorithm)) and algorithm.fixed_order()
    return own and steps_by_kernel(problem) and (faults is None or not faults.delay)
