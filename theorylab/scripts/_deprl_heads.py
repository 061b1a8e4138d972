"""DePRL's Equation (8): the gradient by all heads."""

from __future__ import annotations

from theorylab.experiments import DeprlHeads
from theorylab.scripts._losses import personal_losses
from theorylab.scripts.base import Facts, UnscriptedError, emitter
from theorylab.scripts.text import array

_ENDS = {
    "heads": "measured = np.sum(slopes**2) / len(V) ** 2  # f is the mean of the f_i",
    "common_shift": "measured = np.sum(slopes.mean(0) ** 2)  # all heads move alike",
}


@emitter("deprl-heads")
def heads(facts: Facts) -> list[str]:
    """||df/d(theta_1, ..., theta_N)||^2 at a drawn point, or of a shift of all heads."""
    found = facts.experiment
    assert isinstance(found, DeprlHeads)
    if facts.column not in _ENDS:
        raise UnscriptedError(f"no script is written for the column {facts.column}")
    losses, shared = personal_losses(found.problem), found.shared
    point = found.points(facts.seed)[0][facts.at("probe")]
    slopes = losses.heads("U", "V") or "0.0 * V"
    return [
        f"U, V = {array(point[:, :shared])}, {array(point[:, shared:])}",
        *losses.lines,
        f"slopes = {slopes}  # of f_i in v_i",
        _ENDS[facts.column],
    ]
