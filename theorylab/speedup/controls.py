"""What runs beside a study and must not pass for a speedup."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from theorylab.speedup.copies import misdrawn
from theorylab.speedup.fit import NOTHING, SLACK, Slope, power_of
from theorylab.speedup.judge import FEW, Judgement, judged, loudest, part
from theorylab.speedup.protocol import (
    ALONE,
    GROWING,
    GROWING_ALONE,
    MAIN,
    QUIET,
    STEP_SIZES,
    STEPS,
)
from theorylab.speedup.result import Control
from theorylab.speedup.steps import shrinking, step_apart
from theorylab.verdicts import Verdict

if TYPE_CHECKING:
    from theorylab.speedup.study import Study

BATCH = 16  # runs that are added at once
FINER = 4  # by how much the step is smaller where a VIOLATED is looked at once more
SAME = 0.01  # of a first move: that much rounding of a float32 may do, and more is another step


def controls(study: Study, claim: float) -> tuple[Control, ...]:
    """Those that must not pass for a speedup; ``passes`` says that they did not."""
    main, alone, quiet = (study.side(arm) for arm in (MAIN, ALONE, QUIET))
    made = [
        _still("no communication", "P = I", alone.slope(), None),
        _still(
            "no noise", "exact gradients: nothing to average", quiet.slope(), loudest(main, quiet)
        ),
    ]
    found = judged(claim, main.over_n(), alone.over_n(), None)
    made.append(_control("metric over n", "the error divided by n", found))
    early = replace(study.protocol, rounds=study.protocol.every)
    growing = replace(study, protocol=early, cells={})
    growing.add([GROWING, GROWING_ALONE], 1 if study.exact else BATCH)
    found = judged(claim, growing.side(GROWING), growing.side(GROWING_ALONE), None)
    what = f"step sizes times sqrt(n/n0), after {early.rounds} rounds"
    made.append(_control("step grows with n", what, found))
    made.append(_own_step(study))
    wrong = misdrawn(study.protocol.pattern.base)
    if wrong is not None:
        what = "runs draw apart, and around the gradient"
        made.append(Control("noise", what, None, not wrong, wrong or "so it is, of 512 runs"))
    return tuple(made)


def confirmed(study: Study, claim: float, found: Judgement) -> Judgement:
    """What becomes of a VIOLATED once a quarter of the step over the complete network is seen.

    Some noise no averaging lessens: what a sparse network has not mixed yet, or what curved losses
    make of noise. Where it makes the error, a method that does speed up looks as if it did not. It
    falls faster with the step than the noise that clients average, and the first is not there on a
    complete network. So the same power has to be there, too.
    """
    if found.verdict is not Verdict.VIOLATED:
        return found
    old = study.protocol
    given = old.step not in STEPS  # a text of n and T, of order T^-1/2 in every theorem
    smaller = {k: v / FINER if k in STEP_SIZES else v for k, v in old.options.items()}
    times = FINER**2 if given else FINER
    finer = replace(
        old,
        options=old.options if given else smaller,
        network="complete",
        network_options={},
        rounds=old.rounds * times,
        horizon=old.horizon * times,
    )
    again = replace(study, protocol=finer, cells={})
    again.add([MAIN], study.runs)
    slope = again.side(MAIN).slope()
    best = f"at 1/{FINER} of the step over the complete network it is {slope}"
    if slope is not None and slope.low > claim + SLACK and power_of(slope) == found.power:
        return replace(found, reason=f"{found.reason}; {best}")
    why = f"the slope {found.slope} excludes n^{claim:g}, but {best}: what bends it may be noise "
    why += "that this network has not mixed at these steps; need smaller steps and more rounds"
    return replace(found, verdict=Verdict.INCONCLUSIVE, reason=why)


def _own_step(study: Study) -> Control:
    name, what = (
        "a step of its own",
        "alike clients move as with P = I",
    )
    parts = {n: step_apart(study.protocol, n) for n in study.clients}
    known = {n: part for n, part in parts.items() if part is not None}
    if not known:
        return Control(name, what, None, True, "not looked at: P does not keep sums, or no move")
    n = max(known, key=lambda each: known[each])
    falls = shrinking(study.protocol, study.clients) if study.protocol.step == "fixed" else None
    if falls is not None and falls < NOTHING:
        outcome = f"the step depends on n: without noise and network it falls like n^{falls:.3g}"
        return Control(name, what, None, False, outcome)
    if known[n] <= SAME:
        return Control(name, what, None, True, f"apart by at most {known[n]:.2g} of it")
    outcome = f"the step depends on the network: apart by {100 * known[n]:.3g} % at n = {n}"
    return Control(name, what, None, False, outcome)


def _still(name: str, what: str, slope: Slope | None, share: float | None) -> Control:
    """A control whose error must not fall. share: the most of the study's error that it makes."""
    small = "" if share is None else f", at most {part(share)}"
    falls = slope is not None and not slope.low > NOTHING
    if slope is None:
        return Control(name, what, None, True, f"no slope: 0 within rounding, or one n{small}")
    if share is not None and share <= FEW:
        return Control(name, what, slope, True, f"plays no part{small}")
    outcome = "may fall, too" if falls else "does not fall"
    return Control(name, what, slope, not falls, f"{outcome}{small}")


def _control(name: str, what: str, found: Judgement) -> Control:
    passes = found.verdict is not Verdict.HOLDS
    return Control(name, what, found.slope, passes, f"{found.verdict.name}: {found.reason}")
