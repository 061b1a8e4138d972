"""Numbers that write down what is done with them: one turn of a loop becomes a tape."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from flint import arb, fmpq

from theorylab.kernels._intervals import STEPS

Ends = tuple[float, float]
_PLACES = {name: place for place, name in enumerate(STEPS)}


class UnrecordableError(ValueError):
    """A turn does what no tape has: it compares, or calls another function."""


def _operation(name: str, swapped: bool = False) -> Callable[[Recorded, Any], Any]:
    def method(self: Recorded, other: Any) -> Any:
        return self.tape.step(name, other, self) if swapped else self.tape.step(name, self, other)

    return method


def _function(name: str) -> Callable[[Recorded], Any]:
    return lambda self: self.tape.step(name, self, self)


class Recorded:
    """A number of a turn, where flint's numbers stand else. slot: its place on the tape."""

    __hash__ = None  # type: ignore[assignment]
    __slots__ = ("slot", "tape")

    def __init__(self, tape: Tape, slot: int) -> None:
        self.tape, self.slot = tape, slot

    __add__, __radd__ = _operation("add"), _operation("add", True)
    __sub__, __rsub__ = _operation("sub"), _operation("sub", True)
    __mul__, __rmul__ = _operation("mul"), _operation("mul", True)
    __truediv__, __rtruediv__ = _operation("div"), _operation("div", True)
    max, min = _operation("max"), _operation("min")
    __neg__, __abs__, sqrt = _function("neg"), _function("abs"), _function("root")
    exp, log, tanh = _function("exp"), _function("log"), _function("tanh")

    def nonnegative_part(self) -> Any:
        return self.max(0)

    def __pow__(self, k: Any) -> Any:
        if type(k) is not int or k < 1:
            raise UnrecordableError(f"the power {k}")
        half = self ** (k // 2) if k > 1 else 1
        return half * half * self if k % 2 else half * half

    def _refused(self, *_: Any) -> Any:
        raise UnrecordableError("a comparison, or another function")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = __rpow__ = _refused

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # NumPy asks
            raise AttributeError(name)
        raise UnrecordableError(name)


class Tape:
    """The operations of a turn, each once. open: while one is written down."""

    open = False

    def __init__(self) -> None:
        self.state: list[Ends] = []
        self.constants: list[Ends] = []
        self._steps: dict[tuple[int, int, int], int] = {}
        self._slots: dict[Any, int] = {}
        self._kept: list[Any] = []  # so that no other constant gets its id

    @classmethod
    def refuses_change(cls) -> None:
        """Of an array in place: the next turn would not find what this one has found."""
        if cls.open:
            raise UnrecordableError("an array that is changed in place")

    def enters(self, x: Any) -> Recorded:
        """A number of the state, before any operation."""
        self.state.append(self._finite(x))
        return Recorded(self, len(self.state) - 1)

    def step(self, name: str, a: Any, b: Any) -> Any:
        """What an operation gives; of 0 and 1 what needs none."""
        if name in ("add", "sub") and _is(b, 0):
            return a
        if name == "add" and _is(a, 0):
            return b
        if name == "mul" and (_is(a, 0) or _is(b, 0)):
            return fmpq(0)  # of a number with finite ends, as all on a tape have
        if name in ("mul", "div") and _is(b, 1):
            return a
        if name == "mul" and _is(a, 1):
            return b
        key = _PLACES[name], self.slot(a), self.slot(b)
        return Recorded(self, self._steps.setdefault(key, len(self.state) + len(self._steps)))

    def slot(self, x: Any) -> int:
        """Of a constant it is below 0 until ``steps`` knows how many there are."""
        if type(x) is Recorded:
            return x.slot
        if type(x) not in (int, fmpq, arb):
            raise UnrecordableError(f"a number of the kind {type(x).__name__}")
        key = id(x) if type(x) is arb else (int(fmpq(x).p), int(fmpq(x).q))
        if key not in self._slots:
            self._slots[key] = -1 - len(self.constants)
            self.constants.append(self._finite(x))
            self._kept.append(x)
        return self._slots[key]

    def _finite(self, x: Any) -> Ends:
        low, high = ends_of(x)
        if not (math.isfinite(low) and math.isfinite(high)):
            raise UnrecordableError("a number without finite ends")
        return low, high

    def placed(self, slot: int) -> int:
        """Where it is: the state, the constants, the steps."""
        if slot < 0:
            return len(self.state) - 1 - slot
        return slot if slot < len(self.state) else slot + len(self.constants)

    @property
    def steps(self) -> list[tuple[int, int, int]]:
        return [(kind, self.placed(a), self.placed(b)) for kind, a, b in self._steps]


def _is(x: Any, whole: int) -> bool:
    return type(x) in (int, fmpq) and bool(x == whole)


def ends_of(number: Any) -> Ends:
    """(a, b): floats, rounded outward, that a number lies between; nan where it may be infinite."""
    x = arb(number)
    if not x.is_finite():
        return math.nan, math.nan
    least, most = x.lower(), x.upper()
    low, high = float(least), float(most)
    return (
        low if arb(low) <= least else math.nextafter(low, -math.inf),
        high if arb(high) >= most else math.nextafter(high, math.inf),
    )
