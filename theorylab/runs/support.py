"""What is known of the number of every single run, and the limits that its mean has by that."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from theorylab.runs.confidence import Interval, mean_interval, runs_needed

MOST = 1 << 14  # runs: a forecast goes no further


@dataclass(frozen=True)
class Support:
    """No run is below ``floor`` or above ``ceiling``, and E (X - floor)^2 <= ``kurtosis`` times
    (E (X - floor))^2; infinite, or None, where that is not known.

    given_below, given_above: what of it stands on a user's word, in words.
    """

    floor: float = 0.0
    ceiling: float = math.inf
    kurtosis: float | None = None
    given_below: str = ""
    given_above: str = ""

    @property
    def bounded_above(self) -> bool:
        """Whether enough runs give the mean an upper limit."""
        moment = self.kurtosis is not None and self.floor > -math.inf
        return self.ceiling < math.inf or moment

    def interval(self, values: NDArray[Any], share: float = 1.0, room: float = 0.0) -> Interval:
        """Limits of the mean, see ``mean_interval``; ``room`` of rounding is not added to them."""
        return mean_interval(
            values, self.ceiling, share, floor=self.floor, kurtosis=self.kurtosis, room=room
        )

    def runs_needed(self, values: NDArray[Any], bound: float, room: float = 0.0) -> int:
        """About how many runs in all would put ``bound`` outside the interval, up to ``MOST``."""
        return runs_needed(
            values,
            bound,
            self.ceiling,
            MOST,
            floor=self.floor,
            kurtosis=self.kurtosis,
            room=room,
        )
