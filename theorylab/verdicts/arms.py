"""The verdict on "the error falls like n^p", an order over n, and on what must not pass for it.

An order's bracket is n^p here, and ``power.SLACK`` is the exponent that may be lost. What tells a
speed-up from anything else that falls are the other arms: P = I, no noise, models handed round, and
the clients' own errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from theorylab.verdicts.growth import FEWEST
from theorylab.verdicts.power import (
    FIRST,
    NOTHING,
    SLACK,
    Slope,
    ceiling_of,
    power_of,
    slope_of,
    why_no_power,
)
from theorylab.verdicts.result import Verdict

Floats = NDArray[np.float64]
Power = tuple[float, float]  # (low, high)
HALF = 0.5  # of the error: from there on noise dominates
SLOWER = 0.5  # of a power: so much slower than the claim is excluded of the clients' own error
AVERAGED = -1.0  # no mean of n independent noises falls faster
HIGHER = "need a higher --ceiling"
FEW = 0.1  # of the error: up to there what is left without noise does not bend the slope


@dataclass(frozen=True)
class Side:
    """The errors of one arm at one round: by n, (R,) each, with what rounding can do.

    ceiling: that was given: none of them is above it. None: the first runs choose one.
    """

    values: Mapping[int, Floats]
    room: Mapping[int, float]
    exact: bool
    ceiling: float | None = None

    def slope(self) -> Slope | None:
        at = list(self.values)
        if len(at) < 2:
            return None
        room = [self.room[n] for n in at]
        return slope_of(at, [self.values[n] for n in at], room, self.exact, self.ceiling)

    def clipped(self) -> dict[int, int]:
        """By n, how many runs that are judged are at the ceiling or above it."""
        first = 0 if self.ceiling is not None else FIRST
        return {n: int((v[first:] >= self.top).sum()) for n, v in self.values.items()}

    @property
    def top(self) -> float:
        """Where errors are clipped; inf where nothing is sampled."""
        if self.ceiling is not None or self.exact:
            return np.inf if self.ceiling is None else self.ceiling
        return ceiling_of(list(self.values.values()))

    def repeated(self, times: int) -> Side:
        """The same runs so often, one after the other."""
        more = {n: np.tile(v, times) for n, v in self.values.items()}
        return Side(more, self.room, self.exact, self.ceiling)

    def over_n(self) -> Side:
        """The same numbers, each divided by its n: a metric that falls by itself."""
        least = min(self.values)
        return Side(
            {n: v * least / n for n, v in self.values.items()},
            {n: r * least / n for n, r in self.room.items()},
            self.exact,
        )


@dataclass(frozen=True)
class Judgement:
    """``needs_runs``: more runs may decide it; ``needs``: about so many in all, 0 if not known."""

    verdict: Verdict
    reason: str
    slope: Slope | None
    power: float | None
    needs_runs: bool = False
    needs: int = 0

    def undecided(self, reason: str, more: bool = False) -> Judgement:
        """The same slope, where ``reason`` says why it decides nothing; ``more``: runs may."""
        return replace(self, verdict=Verdict.INCONCLUSIVE, reason=reason, needs_runs=more)


def judged(claim: float, main: Side, alone: Side, quiet: Side | None) -> Judgement:
    """What the errors of an arm, of the same without communication, and without noise say.

    It HOLDS where the rule names the claimed power or one that falls faster. It is VIOLATED where
    noise makes nearly all of the error at every n, and the interval lies above the claim, and
    contains another power.
    Whatever falls without communication, too, or is not shown not to, is INCONCLUSIVE.

    Args:
        quiet: None where it is not asked what is left without noise.
    """
    slope, sizes = main.slope(), list(main.values)
    power = None if slope is None else power_of(slope)

    def open_(reason: str, more: bool = False) -> Judgement:
        return Judgement(Verdict.INCONCLUSIVE, reason, slope, power, more)

    if len(sizes) < FEWEST:
        return open_(
            f"{', '.join(map(str, sizes))} clients came; a slope that lasts needs at least "
            f"{FEWEST} numbers of them, "
            f"such as {','.join(str(sizes[0] * 2**k) for k in range(4))}"
        )
    if slope is None:
        return open_("an error is 0 within rounding; need fewer rounds, or noise")
    apart = alone.slope()
    if apart is None:
        return open_("without communication an error is 0 within rounding, so nothing can be told")
    if not apart.low > NOTHING:
        if all(np.array_equal(v, alone.values[n]) for n, v in main.values.items()):
            return open_(
                "P = I changes no digit: the method does not exchange over the network, so nothing "
                "can be told from it"
            )
        if apart.high < NOTHING:
            return open_(
                f"without communication (P = I) the slope is {apart}: this protocol speeds up by "
                "itself, and cannot tell"
            )
        return open_(
            f"without communication (P = I) the slope is {apart}: it is open whether it falls, "
            "too; more --seeds may decide",
            not apart.exact,
        )
    if quiet is not None and (why := _loud(main, quiet)):
        return open_(why)
    most = min(claim, AVERAGED)
    if slope.high < most - SLACK:
        return open_(
            f"the slope {slope} is below n^{most:g}: averaging n noises makes an error fall like "
            "1/n and no faster, so that something else makes it fall"
        )
    faster = slope.high < claim + SLACK and slope.low > most - SLACK
    clipped = main.clipped()
    if faster or (power is not None and power <= claim):
        if max(clipped.values()) > clipped[sizes[0]]:  # this alone makes an error fall
            return open_(f"more runs are clipped at more clients ({told(clipped)}); {HIGHER}")
        reason = f"the slope {slope} lies between n^{most:g} and n^{claim:g}"
        if power is not None:
            reason = f"the slope {slope} contains n^{power:g} and excludes the other powers"
        return Judgement(Verdict.HOLDS, f"{reason}; P = I has {apart}", slope, power)
    if power is not None and slope.low > claim + SLACK:
        reason = f"the slope {slope} excludes n^{claim:g} and contains n^{power:g}"
        if any(clipped.values()):  # this alone makes a slope flat
            return open_(f"{reason}, but runs are clipped ({told(clipped)}); {HIGHER}")
        bent = 0.0 if quiet is None else loudest(main, quiet)
        if bent > FEW:  # a + b/n has every slope between 0 and -1
            return open_(
                f"{reason}, but up to {part(bent)} is there without noise, and "
                "bends the slope; need more rounds, a smaller step, or fewer clients"
            )
        reason += " at these steps and rounds; smaller steps and more rounds may do otherwise"
        return Judgement(Verdict.VIOLATED, reason, slope, power)
    return open_(why_no_power(slope, sizes[0], sizes[-1]), not slope.exact)


def told(clipped: Mapping[int, int]) -> str:
    """Counts by n in words."""
    return ", ".join(f"{count} at n = {n}" for n, count in clipped.items())


def each_gains(
    claim: float,
    found: Judgement,
    own: Side,
    handed: Side | str,
    nearer: Mapping[int, Power] | None,
) -> Judgement:
    """What becomes of a HOLDS once each client's own model is seen.

    The mean of models that never meet is better with more of them, and no client is. So either the
    clients' own error excludes the power that is slower than the claim by 1/2, or their models come
    nearer to each other, beside the error at their mean, as steps are made smaller. Of models that
    meet this is so: their disagreement is of the order of the squared step, and the error of the
    order of the step. Of models that never meet both are of one order. Where models are handed
    round, which is no averaging, the clients' own error must not fall.

    Args:
        own: the clients' own errors. handed: the same over a permutation; why there are none.
        nearer: by n whose disagreement is not small, the power of the step in the disagreement over
            the error, (low, high); None where no option scales the step.
    """

    open_, slope = found.undecided, own.slope()
    if slope is None:
        return open_("the clients' own error is 0 within rounding, so nothing can be told")
    reason = f"{found.reason}; the clients' own error has {slope}"
    if nearer is None and not gains(claim, slope):
        return open_(
            f"{reason}, and no option scales the step, so that nothing tells whether models come "
            "nearer at smaller ones"
        )
    if nearer and not gains(claim, slope):
        n = min(nearer, key=lambda each: nearer[each][0])
        low, high = nearer[n]
        to = "" if own.exact else f" to step^{high:.2f}"
        reason += ", and their disagreement over the error at their mean is of order "
        reason += f"step^{low:.2f}{to}"
        if not low > HALF:
            return open_(
                f"{reason} at n = {n}: models that meet come nearer at smaller steps, and of these "
                "it is not shown; need smaller steps, or a network with a larger gap",
                not own.exact and high > HALF,
            )
    if isinstance(handed, str):
        return open_(f"{reason}; of models that are handed round nothing is known: {handed}")
    round_ = handed.slope()
    if round_ is None:
        return open_(f"{reason}; of models that are handed round it is 0 within rounding")
    if not round_.low > NOTHING:
        return open_(
            f"{reason}; of models that are handed round, and never meet, it has {round_}: it is "
            "not shown that averaging makes it fall",
            not round_.exact and round_.high > NOTHING,
        )
    return replace(found, reason=f"{reason}; it has {round_} where models are handed round")


def gains(claim: float, own: Slope) -> bool:
    """Whether the clients' own error excludes the power that is slower than the claim by 1/2."""
    return own.high + SLACK < min(claim + SLOWER, 0.0)


def shares_of(main: Side, quiet: Side) -> dict[int, float]:
    """The part of each error that is there without noise."""
    return {n: float(quiet.values[n].mean() / v.mean()) for n, v in main.values.items()}


def loudest(main: Side, quiet: Side) -> float:
    """The largest of ``shares_of``."""
    return max(shares_of(main, quiet).values())


def part(share: float) -> str:
    """A share of the error in words.

    >>> part(0.125), part(14.72)
    ('12.5 % of the error', '14.7 times the error')
    """
    if share < 9.99:
        return f"{100 * share:.3g} % of the error"
    digits = ".0f" if 1000 <= share < 1e6 else ".3g"
    return f"{share:{digits}} times the error"


def _loud(main: Side, quiet: Side) -> str:
    """Why what is there without noise keeps the slope from telling; empty if it does not."""
    shares = shares_of(main, quiet)
    worst = max(shares, key=lambda n: shares[n])
    if shares[worst] > HALF:
        return (
            f"without noise {part(shares[worst])} is there at n = {worst}: its "
            "transient is not over, or it saturates; need more rounds, a smaller step, or fewer "
            "clients"
        )
    own = quiet.slope()
    if own is not None and own.high < NOTHING and shares[worst] > FEW:
        return (
            f"without noise the slope is {own}, of up to {part(shares[worst])}: "
            "not only averaging makes it fall"
        )
    return ""
