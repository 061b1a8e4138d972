"""``theorylab falsify`` and ``theorylab replay``: search for a counterexample; find it again."""

from __future__ import annotations

import contextlib
import math
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from theorylab.commands.falsify import Falsify, Replay
from theorylab.commands.falsify.told import FOUND, needed, told, unmet
from theorylab.commands.refusal import (
    Refused,
    refusing,
    tell,
    tell_over,
)
from theorylab.commands.request import one_statement
from theorylab.commands.scripted import check_script, scripted
from theorylab.explain import finding_lines
from theorylab.falsify import Counterexample, Theorem, falsify, replay
from theorylab.falsify.cycles import cycle_of
from theorylab.falsify.recheck import recheck
from theorylab.kernels import read_text
from theorylab.report.number import plain
from theorylab.statements import Version, scale_free, stands_for_a_number
from theorylab.symbols import name_of
from theorylab.verdicts.schedule import one_thread

_AT_ONCE = 0.05  # seconds until the instance at hand is given up


def hunt(asked: Falsify) -> int:
    """Search one version of one statement; the exit code.

    Ctrl-C ends the search, not what it has: that is told and written, and then the interrupt is
    raised. A second one ends it at once.
    """
    name, version, budget, seed = asked.name, asked.version, asked.budget, asked.seed
    json_target, script_target = asked.json_target, asked.script_target
    if not 0 <= seed < 2**63:
        raise Refused(f"falsify: seed is {seed}; need 0 <= seed < 2^63")
    check_script(script_target, asked.force)
    with refusing("falsify"):
        statement, file = one_statement([name])
        if version is None:  # the printed one, where there are several
            own = [*statement.versions]
            version = own[0] if len(own) == 1 else "printed"
        theorem = None if file is None else Theorem.of(file)
        clock, began = _Clock(budget), time.process_time()
        with one_thread(), clock.interrupted(), _how_far() as progress:
            finding = falsify(
                statement, version, budget=budget, seed=seed, progress=progress, clock=clock
            )
        if clock.over:  # its seconds are not those of the processor
            finding = replace(finding, seconds=round(time.process_time() - began, 1))
            if finding.result is None:
                raise KeyboardInterrupt
        again = None
        if finding.broken and finding.result is not None:
            again = recheck(statement, version, finding.result, finding.seed)
        kept = Counterexample.of(finding, budget, theorem, again)
        if finding.broken:
            three = finding_lines(finding.nearest, finding.began, finding.written)
            kept = kept.model_copy(update={"search": {**kept.search, "lines": three}})
        units = units_line(statement.versions[version])
    asked.write_json(kept.to_json())
    broken = None if clock.over else unmet(finding)
    if broken is not None:
        raise Refused(broken)
    lines, code = told(kept, finding, again)
    if finding.broken and finding.result is not None:
        cycle = cycle_of(statement, finding.result, finding.seed)
        if cycle is not None:
            lines.append(f"for ever: {cycle.words()}.")
        if script_target is not None:
            lines.append(scripted(statement, finding.result, script_target, finding.seed))
        if json_target not in (None, "-"):
            parts = ["theorylab", "replay", str(json_target), *(["--source", file] if file else [])]
            lines.append(f"{shlex.join(parts)} finds it again, bit for bit.")
        what = "what the claim needs" if finding.needs else "a counterexample"
        lines.append(f"Exit code {FOUND}: {what}.")
    elif script_target is not None:
        lines.insert(-1, f"{script_target}: no script was written, for nothing is refuted.")
    out = sys.stdout if asked.speaks else sys.stderr
    ended = clock.over and not finding.broken
    if ended:  # with the code of an interrupt
        lines = [line.removesuffix(" Exit code 0.") for line in lines]
    tell("\n".join([units, *lines]), file=out, flush=True)
    if ended:
        raise KeyboardInterrupt
    return code


class _Clock:
    """Seconds of the processor for a search, which an interrupt ends: from then on every look at it
    is one budget later than the last."""

    def __init__(self, budget: float) -> None:
        self.budget, self.over, self._late = budget, False, 0.0

    def __call__(self) -> float:
        self._late += self.budget if self.over else 0.0
        return time.process_time() + self._late

    @contextlib.contextmanager
    def interrupted(self) -> Iterator[None]:
        """Hear the first Ctrl-C inside as the end of the time; the second is an interrupt."""
        before = signal.getsignal(signal.SIGINT)
        main = threading.current_thread() is threading.main_thread()
        if not main or before is not signal.default_int_handler:  # another one listens
            yield
            return

        def hear(number: int, frame: Any) -> None:
            if self.over:
                signal.default_int_handler(number, frame)
            self.over = True
            if signal.getitimer(signal.ITIMER_PROF)[0]:  # the search's own, of one instance
                signal.setitimer(signal.ITIMER_PROF, _AT_ONCE)

        signal.signal(signal.SIGINT, hear)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def again(asked: Replay) -> int:
    """Replay a file that ``falsify --json`` wrote, of a statement in ``source``; the exit code."""
    file, script_target = asked.file, asked.script_target
    check_script(script_target, asked.force)
    kept = read_kept(file)
    with refusing(str(file)):
        done = replay(kept, asked.source)
    name = f"{kept.statement} [{kept.version}]"
    out = sys.stdout if asked.speaks else sys.stderr
    if script_target is not None:
        tell(scripted(done.statement, done.result, script_target, kept.seed), file=out)
    if done.older:
        tell(f"{name}: the file was written by another version, in an older form.", file=out)
    if done.same:
        how = "to nine digits as in the file" if done.older else "every bit as in the file"
        said = f"your claim needs: {needed(done.needs)}" if done.needs else done.verdict
        tell(
            f"{name}: {said}, measured {plain(kept.measured)} against {plain(kept.bound)}: "
            f"{how}. Exit code 0.",
            file=out,
        )
        return 0
    for line in done.differences:
        tell(f"{name}: {line}", file=out)
    tell(f"{len(done.differences)} differences. Exit code {FOUND}.", file=out)
    return FOUND


def read_kept(file: Path) -> Counterexample:
    """The counterexample in a file; Refused, one line, where there is none."""
    with refusing(str(file)):
        try:
            text = read_text(file)
        except UnicodeDecodeError:
            raise ValueError("no text; need a file that falsify --json wrote") from None
        except FileNotFoundError:
            raise ValueError("no such file; need one that falsify --json wrote") from None
        return Counterexample.parsed(text)


@contextlib.contextmanager
def _how_far() -> Iterator[Callable[[str, float, float], None] | None]:
    """How far the search is, on one line of a terminal; elsewhere nothing says it."""
    if not sys.stderr.isatty():
        yield None
        return

    def reached(stage: str, share: float, best: float) -> None:
        ratio = "none inside the assumptions yet"
        if best > -1e5:
            ratio = f"best ratio {math.exp(min(best, 700)):.3g}"
        tell_over(f"{stage}, {min(share, 1):.0%} of the time: {ratio}")

    try:
        yield reached
    finally:
        tell_over("")


def units_line(version: Version) -> str:
    """What a change of units f -> a f, x -> b x does; the terms were checked when it was read.

    A symbol for a printed number carries units, so that the terms agree, and keeps its value in
    whatever units: with one of these the claim itself changes.
    """
    numbers = sorted(name_of(s) for s in version.free if stands_for_a_number(s))
    broken = [a.name for a in version.assumes if not scale_free(a.rule)]
    parts = []
    if numbers:
        parts.append(
            f"the claim depends on the units in use: {', '.join(numbers)} is a 1 that the paper "
            "prints where something with units is needed"
        )
    if broken:
        parts.append(f"these assumptions depend on the units in use: {'; '.join(broken)}")
    if not parts:
        return "units: every term scales like the left side, and no assumption depends on them."
    return f"units: {'. '.join(parts)}."
