"""A constant and how it is known.

A bound evaluated with a constant that was only estimated from below can be too small, and a
bound that is too small fakes a violation. So no number enters a verdict without its side.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from theorylab.exact import Span, rational_text, span
from theorylab.tables import Columns, Framed, html_table

EPS = 2.0**-52  # from 1 to the next float64
UNIT = 2.0**-53  # unit roundoff: how far rounding to nearest moves a number, as a share of it
COMPUTED = Fraction(1, 2**44)  # of a number: the rounding of some hundred operations behind it


class How(enum.StrEnum):
    """What is known of ``Known.value`` relative to the true constant.

    Attributes:
        EXACT: equal, up to the rounding of the last operation.
        UPPER, LOWER: a proven upper, or lower, bound.
        ESTIMATE: a sample; it proves nothing on either side.
        CERTIFIED: an enclosure [lower, upper] with directed rounding.

    >>> How("upper") is How.UPPER
    True
    """

    EXACT = "exact"  # equal, up to rounding of the last operation
    UPPER = "upper"  # a proven upper bound
    LOWER = "lower"  # a proven lower bound
    ESTIMATE = "estimate"  # a sample; proves nothing on either side
    CERTIFIED = "certified"  # an enclosure [lower, upper] with directed rounding


class Curve(Protocol):
    """Pairs (C, q), one C for every q: ``theorylab.constants.consensus_pairs``."""

    def C(self, q: float) -> float:
        """The least C that is valid with this q; inf where there is none."""

    def rates(self) -> list[float]:
        """Values of q to try, increasing."""


@dataclass(frozen=True)
class Known:
    """A constant, the side it is known from, and where it comes from.

    Args:
        value: the number. ``math.inf`` says that no finite constant exists (``source`` says why),
            or, beside a ``log10_value``, that the number does not fit into a float64.
        how: see ``How``.
        source: one line: the formula or the computation.
        lower, upper: the enclosure, where there is one.
        log10_value: log10 of a positive number that float64 cannot hold (``value`` is then inf
            or 0), or holds less well than its logarithm.
        within: what the number is limited to ("rounds 0..30, run 0"), where a constant of the
            whole network was asked for; empty if nothing limits it. Such a number may serve a proof
            that looks at nothing else; it shows neither that an assumption holds nor that a claim
            fails.
        pairs: of C and q, the curve of all valid pairs that this one is on.
        asked: the rationals that were asked for, where ``value`` was typed, or made to be that
            number up to the rounding that ``lower`` and ``upper`` enclose.

    Raises:
        ValueError: on nan, on an enclosure that does not contain the value, or on a logarithm
            that is not finite or contradicts the value.

    >>> L = Known(2.0, How.EXACT, "the largest eigenvalue of all H_i")
    >>> L.value, L.how.value, L.finite
    (2.0, 'exact', True)
    """

    value: float
    how: How
    source: str
    lower: float | None = None
    upper: float | None = None
    log10_value: float | None = None
    within: str = ""
    pairs: Curve | None = field(default=None, compare=False, repr=False)
    asked: Span | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if math.isnan(self.value):
            raise ValueError(f"Known: value is nan ({self.source}); need a number or inf")
        low = -math.inf if self.lower is None else self.lower
        high = math.inf if self.upper is None else self.upper
        if not low <= self.value <= high:
            raise ValueError(
                f"Known: value {self.value!r} lies outside [{low!r}, {high!r}]; "
                "need lower <= value <= upper"
            )
        if self.log10_value is not None and not self._log10_fits(self.log10_value):
            raise ValueError(
                f"Known: log10_value {self.log10_value!r} does not belong to value "
                f"{self.value!r} ({self.source}); need log10 of the same number"
            )

    def _log10_fits(self, log10: float) -> bool:
        if not math.isfinite(log10) or self.value < 0:
            return False
        if self.value == math.inf:
            return log10 > 308  # the largest float64 is 1.8e308, the smallest 4.9e-324
        if self.value == 0:
            return log10 < -323
        if self.value < 2.3e-308:  # subnormal: up to one bit left
            return abs(log10 - math.log10(self.value)) <= 0.31
        return abs(log10 - math.log10(self.value)) <= 1e-9 * max(1.0, abs(log10))

    @property
    def finite(self) -> bool:
        """True if there is a finite number, whether or not it fits into a float64."""
        return math.isfinite(self.value) or self.log10_value is not None

    @property
    def at_least(self) -> bool:
        """True if ``value`` is at least the true constant."""
        return self.how in (How.EXACT, How.UPPER)

    @property
    def at_most(self) -> bool:
        """True if ``value`` is at most the true constant."""
        return self.how in (How.EXACT, How.LOWER)

    @property
    def log10(self) -> float | None:
        """log10 of the number; None where there is none (it is <= 0 or infinite)."""
        if self.log10_value is not None:
            return self.log10_value
        return math.log10(self.value) if 0 < self.value < math.inf else None

    @property
    def enclosure(self) -> Span | None:
        """Between ``lower`` and ``upper``, where both are there and finite."""
        if self.lower is None or self.upper is None:
            return None
        if not (math.isfinite(self.lower) and math.isfinite(self.upper)):
            return None
        return Fraction(self.lower), Fraction(self.upper)

    def row(self) -> dict[str, Any]:
        """The fields as a row of a table; an infinite number stays one."""
        return {
            "value": self.value,
            "log10": self.log10,
            "how": self.how.value,
            "lower": self.lower,
            "upper": self.upper,
            "within": self.within,
            "source": self.source,
        }

    def text(self) -> str:
        """Four digits, or a power of ten where float64 cannot hold the number."""
        if self.log10_value is not None and (self.value == 0 or math.isinf(self.value)):
            return f"10^{self.log10_value:.1f}"
        return f"{self.value:.4g}"

    def as_json(self) -> dict[str, Any]:
        """The fields for a JSON file. JSON has no infinity: an infinite number becomes null."""

        def number(x: float | None) -> float | None:
            return x if x is not None and math.isfinite(x) else None

        return {
            "value": number(self.value),
            "lower": number(self.lower),
            "upper": number(self.upper),
            "log10": self.log10,
            "how": self.how.value,
            "source": self.source,
            **({"within": self.within} if self.within else {}),
            **({"asked": self._rational} if self._rational else {}),
        }

    @property
    def _rational(self) -> str:
        """What was asked for, where it is a rational that ``value`` does not print; or ""."""
        asked = self.asked
        apart = asked is not None and asked[0] == asked[1] and asked != span(self.value)
        return rational_text(asked[0]) if asked is not None and apart else ""


class Constants(dict[str, Known], Framed):
    """Constants by name; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        columns: Columns = {
            "name": [*self],
            "value": [known.text() for known in self.values()],
            "how": [known.how.value for known in self.values()],
            "source": [known.source for known in self.values()],
            "within": [known.within for known in self.values()],
        }
        return html_table(f"{len(self)} constants", columns)


def no_less(value: float, room: float, source: str, least: float = -math.inf) -> Known:
    """A number of a bound that rounding may have put off by ``room``, and that is >= ``least``.

    >>> no_less(0.5, 0.25, "a loss").value
    0.75
    """
    value, text = max(value, least), f"{source}, rounding included"
    return Known(value + room, How.UPPER, text, max(value - room, least), value + room)
