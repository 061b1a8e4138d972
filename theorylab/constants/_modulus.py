"""A largest eigenvalue modulus, the interval it lies in, and how that is known."""

from __future__ import annotations

from typing import NamedTuple

from theorylab.known import How, Known

SHARE = 0.01  # the largest error of an estimate, as a share of the value and of 1 - value


class Modulus(NamedTuple):
    """``low <= modulus <= high``: proven unless ``how`` is ESTIMATE, then as far as is known."""

    low: float
    value: float
    high: float
    how: How
    source: str

    def known(self) -> Known:
        """The same as a constant. An estimate has no enclosure to show."""
        if self.how in (How.EXACT, How.ESTIMATE):
            return Known(self.value, self.how, self.source)
        low = self.low if self.low > 0 or self.high == 0 else None
        return Known(self.value, self.how, self.source, low, self.high)


def exactly(value: float, source: str) -> Modulus:
    """A modulus that is known up to its last rounding."""
    return Modulus(value, value, value, How.EXACT, source)


def enclosed(low: float, high: float, source: str) -> Modulus:
    """A modulus with two proven ends; its value is the upper one, so that a gap is not too large.

    It is an upper bound with a lower end: rounding is bounded, but not directed.
    """
    high = min(1.0, high)
    return Modulus(max(0.0, min(low, high)), high, high, How.UPPER, source)


def estimated(value: float, error: float, source: str) -> Modulus | None:
    """An estimate; None where ``error`` exceeds ``SHARE`` of the value or of 1 - value.

    1 - value is the spectral gap, which is an estimate as soon as the value is one.
    """
    value = min(1.0, value)
    if not error <= SHARE * min(value, 1 - value):
        return None
    text = f"{source}; error about {error:.1g}"
    return Modulus(value - error, value, value + error, How.ESTIMATE, text)


def larger(one: Modulus, other: Modulus) -> Modulus:
    """The larger of two moduli, of which at most one is an estimate."""
    for first, second in ((one, other), (other, one)):
        if first.low >= second.high:
            return first
    low, value, high = (max(pair) for pair in zip(one[:3], other[:3], strict=True))
    source = f"the larger of two: {one.source}; and {other.source}"
    if How.ESTIMATE not in (one.how, other.how):
        return enclosed(low, high, source)
    proven = one if other.how is How.ESTIMATE else other
    error = max(high - value, value - low)
    return estimated(value, error, source) or enclosed(proven.low, 1.0, f"{source}; too far apart")
