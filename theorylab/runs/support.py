"""What is known of the number of every single run, and the limits that its mean has by that."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from theorylab.runs.confidence import ERROR_ABOVE, Interval, mean_interval, runs_needed

MOST = 1 << 14  # runs: a forecast goes no further


@dataclass(frozen=True)
class Support:
    """No run is below ``floor`` or above ``ceiling``, and E (X - floor)^2 <= ``kurtosis`` times
    (E (X - floor))^2; infinite, or None, where that is not known.

    self_bound: c, where X is a function of standard normal draws with |grad X|^2 <= 2 c (X -
    floor). given_below, given_above: what of it stands on a user's word, in words. assumed: nobody
    gave the floor. error_above: chance of error of the upper limit.
    """

    floor: float = 0.0
    ceiling: float = math.inf
    kurtosis: float | None = None
    given_below: str = ""
    given_above: str = ""
    self_bound: float | None = None
    assumed: bool = False
    error_above: float = ERROR_ABOVE

    @property
    def bounded_above(self) -> bool:
        """Whether enough runs give the mean an upper limit."""
        tail = self.kurtosis is not None or self.self_bound is not None
        return self.ceiling < math.inf or (tail and self.floor > -math.inf)

    def interval(self, values: NDArray[Any], share: float = 1.0, room: float = 0.0) -> Interval:
        """Limits of the mean, see ``mean_interval``; ``room`` of rounding is not added to them."""
        return mean_interval(values, self.ceiling, share, **self._known, room=room)

    def runs_needed(self, values: NDArray[Any], bound: float, room: float = 0.0) -> int:
        """About how many runs in all would put ``bound`` outside the interval, up to ``MOST``."""
        return runs_needed(values, bound, self.ceiling, MOST, **self._known, room=room)

    @property
    def _known(self) -> dict[str, Any]:
        names = ("floor", "kurtosis", "self_bound", "error_above")
        return {name: getattr(self, name) for name in names}
