"""What a study comes to: runs until its claim is decided, the controls, and all that it says."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from theorylab.speedup.controls import confirmed, controls, probes
from theorylab.speedup.protocol import ALONE, MAIN, QUIET
from theorylab.speedup.result import Control, Speedup
from theorylab.speedup.rows import rows, saturation
from theorylab.speedup.study import BATCH, Study
from theorylab.verdicts.arms import Judgement, each_gains, gains, judged, told
from theorylab.verdicts.power import ABOVE, FIRST

FORECAST = 8  # the runs that an open study needs are looked for up to 2^7 times those it has


def outcome(
    study: Study, title: str, claim: float, target: float | None, extra: Mapping[str, Any]
) -> Speedup:
    """Everything that a study says."""
    began = time.monotonic()
    probed = functools.cache(functools.partial(probes, study))
    found = confirmed(study, claim, judgement(study, claim, probed))
    beside = controls(study, claim, probed())
    taken = [each for each in beside if not each.passes and found.verdict.name in each.guards]
    if taken:
        found = found.undecided(
            f"the control {taken[0].name!r} does not pass ({taken[0].outcome}): nothing can be "
            f"told where {found.reason}"
        )
    bands = {n: study.band(n) for n in study.clients}
    best = min(float(mean.min()) for _, mean, _ in bands.values())
    aim = 2 * study.ends(study.clients[0])[1] if target is None else target
    table = rows(study, aim)
    return Speedup(
        title=title,
        verdict=found.verdict,
        reason=found.reason,
        claim=claim,
        slope=found.slope,
        power=found.power,
        exact=study.exact,
        limits=_limits(study),
        runs=study.runs,
        seed=study.seed,
        measure=study.protocol.measure,
        rows=table,
        controls=beside,
        saturates=saturation(study),
        target=aim,
        best=best,
        reached=any(row.rounds[1] is not None for row in table),
        transients=extra.get("transients", ()),
        exponents=extra.get("exponents", {}),
        grid=tuple(study.protocol.grid),
        curves=bands,
        document=study.protocol.document(study.clients[0], MAIN),
        needs=found.needs,
        seconds=time.monotonic() - began,
        work=study.kept.seconds,
    )


def judgement(study: Study, claim: float, probed: Callable[[], Sequence[Control]]) -> Judgement:
    """Runs are added until the claim is decided, or there are as many as may be.

    probed: ``controls.probes``, which a HOLDS alone asks for.
    """
    study.add([QUIET], 1)
    runs = 1 if study.exact else BATCH
    while True:
        study.add([MAIN, ALONE], runs)
        study.runs = runs
        found = judged(claim, study.side(MAIN), study.side(ALONE), study.side(QUIET))
        if found.verdict.word.stands and all(each.passes for each in probed()):
            own = study.side(MAIN, "clients")
            slope = own.slope()
            near = {} if slope is None or gains(claim, slope) else study.nearer()
            found = each_gains(claim, found, own, study.handed(), near)
        if not found.needs_runs:
            return found
        if runs + BATCH > study.most:
            return replace(found, needs=_needed(study, claim))
        runs += BATCH


def _needed(study: Study, claim: float) -> int:
    """About how many runs would decide, if more of them were like those that there are; 0 where
    so many would not. A forecast, of the slope and of P = I alone."""
    main, alone, quiet = (study.side(arm) for arm in (MAIN, ALONE, QUIET))
    for times in (2**k for k in range(1, FORECAST)):
        if not judged(claim, main.repeated(times), alone.repeated(times), quiet).needs_runs:
            return int(times * study.runs)
    return 0


def _limits(study: Study) -> str:
    """What the limits of the slope rest on, in words."""
    if study.exact:
        return "exact, up to rounding"
    side = study.side(MAIN)
    how = "as given"
    if study.ceiling is None:
        how = f"{ABOVE:g} times the largest of the first {FIRST} runs, which serve nothing else"
    return (
        f"betting limits of paired seeds, valid while runs are added, of the error clipped at "
        f"{side.top:.4g}, {how}; clipped runs: {told(side.clipped())}"
    )
