"""``theorylab explain FOUND.json``: what a search found, where it began, and why it stands."""

from __future__ import annotations

import shlex
from pathlib import Path

from theorylab.commands.explain.work import say, say_lines, say_recheck, say_script, say_sides
from theorylab.commands.falsify.told import FOUND, needed, smaller_lines
from theorylab.commands.falsify.work import read_kept
from theorylab.commands.refusal import printable, refusing, tell
from theorylab.commands.scripted import scripted
from theorylab.explain import finding_lines, instance_line, judged, put_in
from theorylab.falsify import Counterexample, replay
from theorylab.falsify.finding import Began
from theorylab.falsify.scope import Scope, written
from theorylab.imports import imported
from theorylab.report.number import plain


def explain_finding(file: Path, source: Path | None, target: str | None) -> int:
    """Tell the finding, judge it again, and show its script; the exit code.

    That of a user's statement is judged again where ``source`` names its file, and only then: a
    stranger's file runs nothing. Without it what the file says is told as that.
    """
    kept = read_kept(file)
    theorem = kept.theorem
    known = {each.path.name for each in imported()}
    if theorem is not None and source is None and theorem.name not in known:
        _tell(kept, kept.began)
        measured, bound = plain(kept.measured), plain(kept.bound)
        say("As the file says", f"measured {measured} against {bound} ({kept.reason}).")
        again = f"theorylab explain {file} --source {theorem.name}"
        say("To judge it again, and for its script", again)
        return 0
    with refusing(str(file)):
        done = replay(kept, source)
        scope = Scope(done.statement, kept.version)  # of what is judged, whatever the file says
        nearest = scope.nearest(kept.instance)
        began = Began(check=nearest, instance=written(done.statement, scope.checks[nearest]))
        now = {"written": written(done.statement, kept.instance), "needs": [*done.needs]}
        kept = kept.model_copy(update=now | {"verdict": done.result.verdict})
    _tell(kept, began if kept.refuted or kept.needs else None)
    result = done.result
    say_lines("Judged", judged(done.statement, result))
    say("With its numbers", put_in(done.statement, result))
    say_sides(result)
    for line in done.differences:
        say("Not as in the file", line)
    if kept.refuted or kept.needs:
        say_recheck(done.statement, result, kept.seed)
        if target is None:
            own = ["--source", str(source)] if source else []
            parts = ["theorylab", "explain", str(file), *own, "--script", "both.py"]
            say("To write its script", shlex.join(parts))
            say_script(done.statement, result, kept.seed)
    if target is not None:
        tell(f"\n{scripted(done.statement, result, target, kept.seed)}")
    return FOUND if done.differences else 0


def _tell(kept: Counterexample, began: Began | None) -> None:
    """What was found, in the words of the search: all of it is data of a file."""
    name = f"{kept.statement} [{kept.version}]"
    if kept.needs:
        tell(printable(f"{name}: your claim needs: {needed(kept.needs)}"))
    elif kept.refuted:
        tell(printable(f"{name}: {kept.verdict}"))
    else:
        tell(printable(f"{name}: no counterexample; this is the nearest instance"))
    if began is None:
        say("finding", f"{instance_line(kept.instance)}.")
        return
    lines = finding_lines(began.check, began.instance, kept.written)
    for line in [*lines, *smaller_lines(kept)]:
        label, _, text = line.partition(": ")
        say(label, text)
