"""What runs beside a study and must not pass for a speedup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from theorylab.runs.gradients import reads_exactly
from theorylab.speedup.cells import gradients_a_round
from theorylab.speedup.copies import misdrawn
from theorylab.speedup.protocol import (
    ALONE,
    FINER,
    GROWING,
    GROWING_ALONE,
    HANDED,
    MAIN,
    QUIET,
)
from theorylab.speedup.result import Control
from theorylab.speedup.steps import disagreement, shrinking, step_apart
from theorylab.speedup.study import Study
from theorylab.verdicts.arms import FEW, Judgement, judged, loudest, part, told
from theorylab.verdicts.power import NOTHING, SLACK, Slope, power_of

FIRST = 32  # rounds whose gradients are looked at
LOWER = 1.5  # of the step: noise that clients average is of order 1, and what they do not of 2
TOGETHER = 1e-9  # of the start's disagreement: that much rounding may leave
ROUNDED = 1e-12  # of what is left: a network that mixes more than that is slow, and models meet
SAME = 0.01  # of a first move: that much rounding of a float32 may do, and more is another step


def controls(study: Study, claim: float, probed: Sequence[Control]) -> tuple[Control, ...]:
    """Those that must not pass for a speedup, ``probes`` among them; ``passes``: they did not."""
    main, alone, quiet = (study.side(arm) for arm in (MAIN, ALONE, QUIET))
    made = [
        _still("no communication", "P = I", alone.slope(), None),
        _still(
            "no noise", "exact gradients: nothing to average", quiet.slope(), loudest(main, quiet)
        ),
    ]
    found = judged(claim, main.over_n(), alone.over_n(), None)
    made.append(_control("metric over n", "the error divided by n", found))
    made += [_growing(study, claim), *probed, _handed(study), _own_error(study)]
    wrong = misdrawn(study.protocol.pattern.base)
    if wrong is not None:
        what = "runs draw apart, and around the gradient"
        made.append(Control("noise", what, None, not wrong, wrong or "so it is, of 512 runs"))
    return tuple(made)


def probes(study: Study) -> tuple[Control, ...]:
    """The controls that need no run of the study."""
    return _own_step(study), _meeting(study), _work(study), _drawn(study)


def confirmed(study: Study, claim: float, found: Judgement) -> Judgement:
    """What becomes of a VIOLATED once a quarter of the step over the same network is seen.

    Some noise no averaging lessens: what the network has not mixed yet, or what curved losses make
    of noise. Where it makes the error, a method that does speed up looks as if it did not. It is of
    the order of the squared step, or a higher one, and the noise that clients average is of the
    order of the step. So the same power of n has to be there at the smaller step, and the error has
    to be of the lower order in it. Of the clients' own error the models have to agree, too, unless
    they stay apart however long they are mixed: then no smaller step could bring them together.
    """
    if not found.verdict.broken:
        return found

    def open_(but: str) -> Judgement:
        return found.undecided(f"the slope {found.slope} excludes n^{claim:g}, but {but}")

    need = "need smaller steps and more rounds"
    powers = study.step_power()
    if study.finer is None or not powers:
        return open_("no option scales the step, so that no smaller one can be looked at")
    smaller = study.finer.side(MAIN)
    if any(smaller.clipped().values()):
        return open_(f"at 1/{FINER} of the step runs are clipped ({told(smaller.clipped())})")
    slope = smaller.slope()
    best = f"at 1/{FINER} of the step it is {slope}"
    if slope is None or not slope.low > claim + SLACK or power_of(slope) != found.power:
        return open_(
            f"{best}: what bends it may be noise that this network has not mixed at these steps; "
            f"{need}"
        )
    apart = (disagreement(study.protocol, n) for n in study.clients if n > 1)
    if all(_for_good(*each, ROUNDED) for each in apart):
        return replace(found, reason=f"{found.reason}; {best}, and the models never meet")
    n = max(powers, key=lambda each: powers[each][1])
    if not powers[n][1] < LOWER:
        return open_(
            f"{best}, and at n = {n} the error is of order step^{powers[n][1]:.2f}: noise that no "
            f"averaging lessens may make it; {need}"
        )
    more = study.finer.apart()
    if study.protocol.measure == "clients" and more > FEW:
        return open_(f"{best}, where the disagreement of the models makes {part(more)}; {need}")
    return replace(found, reason=f"{found.reason}; {best}")


def _for_good(half: float, whole: float, less: float) -> bool:
    """Whether models that start apart are mixed by no more than ``less`` in the second half of the
    rounds; half, whole: what these leave, as of ``disagreement``."""
    return whole > TOGETHER and whole >= (1 - less) * half


def _handed(study: Study) -> Control:
    name, what = "models handed round", "P a permutation, the clients' own error"
    if (HANDED, study.clients[0]) not in study.cells:
        return Control(name, what, None, True, "not looked at: there is no HOLDS to guard")
    side = study.handed()
    if isinstance(side, str):
        return Control(name, what, None, False, f"not known: {side}", ("HOLDS",))
    return _still(name, what, side.slope(), None)


def _own_error(study: Study) -> Control:
    """The clients' own error, which a verdict reads beside the study's measure."""
    name, what = "the clients' own error", "over the clients' models, beside that at their mean"
    slope = study.side(MAIN, "clients").slope()
    return Control(name, what, slope, True, f"disagreement makes at most {part(study.apart())}")


def _meeting(study: Study) -> Control:
    name, what = "models meet", "their disagreement after the rounds where the loss is 0"
    try:
        parts = {n: disagreement(study.protocol, n) for n in study.clients}
    except ValueError as error:
        return Control(name, what, None, False, f"not known: {error}", ("HOLDS",))
    never = [n for n, both in parts.items() if _for_good(*both, SAME)]
    n = never[0] if never else max(parts, key=lambda each: parts[each][1])
    left = parts[n][1]
    outcome = f"{100 * left:.3g} % of the start's at n = {n}"
    return Control(name, what, None, not never and left <= FEW, outcome, ("HOLDS",))


def _work(study: Study) -> Control:
    name, what = "work of a client", "gradients a round and client, the same at every n"
    counts = {n: gradients_a_round(study.protocol, n) for n in study.clients}
    each = {n: count / n for n, count in counts.items() if count is not None}
    if len(each) < len(counts):
        return Control(name, what, None, True, "not counted: rounds or clients differ")
    least, most = min(each.values()), max(each.values())
    outcome = f"{least:g}" if least == most else f"{least:g} to {most:g}"
    return Control(name, what, None, least == most, outcome)


def _drawn(study: Study) -> Control:
    """A method that knows the exact gradient may lessen noise by itself."""
    protocol, n = study.protocol, study.clients[-1]
    parts = protocol.losses(n, MAIN), protocol.topology(n, MAIN), protocol.algorithm(n, MAIN)
    exact = reads_exactly(*parts, min(protocol.rounds, FIRST))
    outcome = f"the exact gradient {'is' if exact else 'is not'} asked for in a step"
    what = "steps know the gradient by its samples alone"
    return Control("noisy gradients alone", what, None, not exact, outcome, ("HOLDS",))


def _growing(study: Study, claim: float) -> Control:
    early = replace(study.protocol, rounds=study.protocol.every)
    name, what = "step grows with n", f"step times sqrt(n/n0), after {early.rounds} rounds"
    if early.step_sizes.shared is None:
        return Control(name, what, None, True, "not looked at: no option scales the step")
    growing = replace(study, protocol=early, cells={})
    growing.add([GROWING, GROWING_ALONE], study.runs)  # of fewer runs the limits tell nothing
    found = judged(claim, growing.side(GROWING), growing.side(GROWING_ALONE), None)
    return _control(name, what, found)


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
    holds, told = found.verdict.word.stands, f"{found.verdict.name}: {found.reason}"
    return Control(name, what, found.slope, not holds, told)
