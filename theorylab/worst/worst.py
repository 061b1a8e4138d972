"""The worst case of a registered method over a class of functions, in one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from theorylab.algorithms import Algorithm
from theorylab.topologies import Topology
from theorylab.worst.certificate import Certificate, NotCertifiedError, certify
from theorylab.worst.check_certificate import up
from theorylab.worst.generation import Solved, solved
from theorylab.worst.outcome import Outcome, UnboundedError
from theorylab.worst.program import Program
from theorylab.worst.question import Functions, Question, push_sum_form
from theorylab.worst.rationals import rational
from theorylab.worst.recorder import Measure, record
from theorylab.worst.replay import Replay, replay
from theorylab.worst.solver import NotSolvedError
from theorylab.worst.symmetry import Circulant, is_circulant, unfolded

MARGIN = 1e-6  # of a claim over the solved value
_MARGINS = (1e-5, 1e-4, 1e-3)  # that are tried to say which would do
_LARGE, _PART = 8, 1e-4  # size of an assumption that is tried; the part of the value it carries
_FAR = 16  # |x^0 - x*| of a replay where it has no bound
ROUNDED, _LAST = (
    1e-6,
    Fraction(1, 10**6),
)  # of a bound; of the square of the largest number beside it
_TRIED = ("spread", "heterogeneity", "B", "distance", "gap")


@dataclass(frozen=True)
class Worst:
    """The answer to a question.

    Attributes:
        question: what was asked.
        method, network: of the runs.
        program, found: the semidefinite program, and what the solver found.
        outcome: PROVED with a certificate, of the bound where there is one; VIOLATED where
            functions of the class exceed it; ESTIMATE; or NOT_CERTIFIED.
        certificate: the proof, which a file of its own checks, or None.
        reason: why there is no certificate; else "".
        bound: what was to be shown, or None.
        measure: what makes the registered metric that is measured, or None.

    >>> from theorylab.algorithms import algorithm
    >>> from theorylab.topologies import topology
    >>> one = topology("complete", 1)
    >>> answer = worst(algorithm("dpsgd", eta=1.0), one, rounds=1, start={"distance": 1})
    >>> answer.outcome.name, round(answer.value, 6)  # 1/(4T + 2)
    ('ESTIMATE', 0.166667)
    """

    question: Question
    method: Algorithm
    network: Topology
    program: Program
    found: Solved
    outcome: Outcome
    certificate: Certificate | None = None
    reason: str = ""
    bound: Fraction | None = None
    measure: Measure | None = None

    @property
    def factor(self) -> Fraction | None:
        """The claim over the bound: the least c, up to the margin, with which c times the bound is
        PROVED. None without both."""
        if self.certificate is None or not self.bound:
            return None
        return self.certificate.claim / self.bound

    @property
    def value(self) -> float:
        """The solver's upper value."""
        return self.found.solution.dual

    def exceeds(self, bound: Fraction) -> bool:
        """Whether functions of the class exceed a bound in a run of the engine, by more than
        rounding and the last digits of their start.

        Raises ArithmeticError, one line, where there is no such run, or its functions may leave the
        class elsewhere.
        """
        if not self.question.functions.everywhere:
            raise ArithmeticError("the functions are in the class at the points asked alone")
        played = self.replay()
        largest = max(abs(a).max(initial=1) for f in played.problem.functions for a in f.data)
        rounding = Fraction(ROUNDED) * (abs(bound) + Fraction(float(largest)) ** 2 * _LAST)
        return Fraction(played.value) > bound + rounding

    def replay(self) -> Replay:
        """The worst functions, and what the engine measures on them.

        Raises ArithmeticError, one line, where the run leaves the class.
        """
        return self._replay

    @cached_property
    def _replay(self) -> Replay:
        question, program, found = self.question, self.program, self.found
        if not program.theorem.convex and program.theorem.n > 1:
            program = type(program)(program.theorem, inner=True)
            found = solved(program)
        if isinstance(program, Circulant):
            program, found = unfolded(program, found)
        if program.free:  # x* may be anywhere: within a large ball it has coordinates
            question = replace(question, start={**question.start, "distance": _FAR})
            program = Program(question.theorem())
            found = solved(program)
        return replay(question, program, found, self.method, self.network, self.measure)

    def as_json(self) -> dict[str, Any]:
        """Value, outcome and question; the recursion is in the certificate."""
        asked = self.question.as_json()
        kept = ("clients", "class", "start", "metric", "about")
        violated = self.outcome is Outcome.VIOLATED
        return {
            **{key: asked[key] for key in kept},
            "rounds": self.question.recursion.rounds,
            "value": self.value,
            "outcome": self.outcome.told,
            "reason": self.reason,
            "claim": None if self.certificate is None else str(self.certificate.claim),
            "bound": None if self.bound is None else str(self.bound),
            "factor": None if self.factor is None else float(self.factor),
            **({"functions": self.replay().as_json()} if violated else {}),
        }


def worst(
    method: Algorithm,
    network: Topology,
    *,
    rounds: int,
    start: Mapping[str, Any],
    functions: Functions | None = None,
    metric: str | None = None,
    certify: bool = False,
    margin: float = MARGIN,
    bound: Any = None,
    fractions: Mapping[float, Fraction] | None = None,
    measure: Measure | None = None,
) -> Worst:
    """The worst value of ``metric`` over all functions of a class and all starts, in any dimension.

    Args:
        method: the algorithm. Its ``step`` is recorded; it has to be linear in the gradients, and
            not random.
        network: a static topology.
        rounds: T.
        start: conditions by name, as of ``Question``, such as {"distance": 1, "spread": 1}.
        functions: the class; None: convex and 1-smooth.
        metric: None: distance, gap or mean-gradient, which a strongly convex, a convex and another
            class has.
        certify: prove it, at a claim of at most 1 + ``margin`` times the value.
        margin: > 0; the size of a certificate's claim over the value.
        bound: what the worst value is to be at most; it is proved, or functions exceed it.
        fractions: the rationals that floats of the options were written as.
        measure: makes the registered metric that is measured, as of ``record``.

    Returns:
        The value, and what is proved of it.

    Raises:
        NotLinearError, TooLargeError: as ``record``.
        UnboundedError: one line with the assumption that is missing.
        NotSolvedError: where the solver stops early.
        ValueError: on a question that is none.

    >>> from theorylab.algorithms import algorithm
    >>> from theorylab.topologies import topology
    >>> one = topology("complete", 1)
    >>> found = worst(algorithm("dpsgd", eta=1.0), one, rounds=2, start={"distance": 1})
    >>> round(found.value, 6)  # 1/(4T + 2)
    0.1
    """
    kind = Functions() if functions is None else functions
    most = None if bound is None else rational(bound)
    if most is not None and most < 0:
        raise ValueError(f"bound is {bound}; need at least 0")
    if measure is not None:
        metric = "squares"
    elif metric is None:
        metric = "mean-gradient" if not kind.convex else "distance" if kind.mu else "gap"
    recursion = record(method, network, rounds, fractions, measure)
    if recursion.personal and measure is None:
        raise ValueError(
            f"{method.name} keeps personal parts; need the ID of a theorem about it, or a measure"
        )
    about = {"method": {"name": method.name, **_plain(method.options())}, "network": network.name}
    form = None if measure is not None else push_sum_form(method, recursion, fractions or {})
    question = Question(recursion, kind, start, metric, about, form)
    theorem = question.theorem()
    program = Circulant(theorem) if is_circulant(theorem) else Program(theorem)
    try:
        found = solved(program)
    except NotSolvedError:
        missing = "" if _bounded(question) else _missing(question)
        if missing:
            raise UnboundedError(
                f"{metric} has no bound without {missing}, by floating point: it grows with it"
            ) from None
        raise
    answer = Worst(question, method, network, program, found, Outcome.ESTIMATE, measure=measure)
    if certify or most is not None:
        answer = _proved(answer, margin)
    return answer if most is None else _decided(replace(answer, bound=most))


def _decided(answer: Worst) -> Worst:
    """The outcome for the bound."""
    bound, made = answer.bound, answer.certificate
    assert bound is not None
    if made is not None and made.claim <= bound:
        return answer
    try:
        if answer.exceeds(bound):
            return replace(answer, outcome=Outcome.VIOLATED)
        reason = f"no run exceeds the bound {bound} by more than rounding"
    except (ArithmeticError, ValueError) as error:
        reason = str(error)
    if made is not None:
        reason = f"the claim {up(made.claim)} is above the bound {bound}, and {reason}"
    else:
        reason = f"{answer.reason}; {reason}"
    return replace(answer, outcome=Outcome.NOT_CERTIFIED, reason=reason)


def _proved(answer: Worst, margin: float) -> Worst:
    """The answer with its certificate; else NOT_CERTIFIED, with the margin that would do."""
    try:
        made = certify(answer.question, answer.program, answer.found, margin)
        return replace(answer, outcome=Outcome.PROVED, certificate=made)
    except (NotCertifiedError, NotSolvedError) as error:
        reason = str(error)
    for more in _MARGINS:
        if more > margin:
            try:
                certify(answer.question, answer.program, answer.found, more)
            except (NotCertifiedError, NotSolvedError):
                continue
            reason += f"; a margin of {more:.0e} would do"
            break
    return replace(answer, outcome=Outcome.NOT_CERTIFIED, reason=reason)


def _bounded(question: Question) -> bool:
    """Whether there is a worst case, whatever a solver says of large numbers: all gradients at x^0
    are bounded, and L bounds how they move; or B bounds subgradients, and x^0 is near x*."""
    kind, start = question.functions, question.start
    if kind.L is None:
        return kind.B is not None and "distance" in start
    near = "distance" in start or kind.mu > 0
    alike = question.recursion.clients == 1 or kind.B is not None or ("spread" in start and near)
    return alike or (kind.heterogeneity is not None and "gap" in start)


def _missing(question: Question) -> str:
    """The assumption with which there is a worst case that grows with it; "" where none is that.

    The multiplier of an assumption is the slope of the value, which is concave in its square: where
    it still carries a part of the value at a large size, it carries it at every size.
    """
    for name in _TRIED:
        try:
            asked = _with(question, name, _LARGE)
            found = solved(Program(asked.theorem()))
        except (ValueError, NotSolvedError):
            continue
        key = "bounded" if name == "B" else name
        y = found.solution.y * found.block.b
        part = sum(v for v, each in zip(y, found.names, strict=True) if each[0] == key)
        if part > _PART * abs(found.solution.dual):
            return name
    return ""


def _with(question: Question, name: str, value: Any) -> Question:
    if name in ("B", "heterogeneity"):
        if getattr(question.functions, name) is not None:
            raise ValueError(f"there is a {name}")
        return replace(question, functions=replace(question.functions, **{name: value}))
    if name in question.start:
        raise ValueError(f"there is a {name}")
    return replace(question, start={**question.start, name: value})


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as JSON has them, where it does."""
    simple = (str, int, float, bool, type(None), list, tuple)
    return {name: v for name, v in options.items() if isinstance(v, simple)}
