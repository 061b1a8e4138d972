"""What ``mutants.py`` tells at its end: who killed what, by room, and which texts are unseen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

COUNTED = ("killed", "timeout", "survived")


@dataclass(frozen=True)
class Outcome:
    """What became of one mutant; ``test``: the one that failed, of which ``tier``."""

    room: str
    module: str
    operator: str
    text: bool
    change: str
    outcome: str
    test: str
    tier: str
    reached: bool
    seconds: float

    @property
    def dead(self) -> bool:
        return self.outcome in ("killed", "timeout")


def room_of(module: str) -> str:
    """The folder under the package: "verdicts" of theorylab/verdicts/case.py."""
    folders = module.split("/")[:-1]
    return "/".join(folders[1:2] or folders) or "."


def share(outcomes: Sequence[Outcome], tier: str = "") -> float:
    """Of the mutants that were run and that code sees: the share that tests kill."""
    run = [o for o in outcomes if o.outcome in COUNTED and not o.text]
    return sum(o.dead and tier in ("", o.tier) for o in run) / max(1, len(run))


def summary(outcomes: Sequence[Outcome], seed: int, tier: str) -> list[str]:
    """The survivors, what the daily tier loses, and the table of the rooms."""
    run = [outcome for outcome in outcomes if outcome.outcome in COUNTED]
    lines: list[str] = []
    for o in run:
        if o.outcome == "survived":
            kind = f"{o.operator}{', a text' if o.text else ''}"
            seen = "" if o.reached else "; no test that was watched runs it"
            lines += ["", f"survived: {o.module} ({kind}{seen})", o.change]
        elif tier == "both" and o.tier == "full":
            lines += ["", f"only full kills: {o.module} ({o.operator}) by {o.test}", o.change]
    tiers = ["daily", "full"] if tier == "both" else [tier]
    lines += ["", f"{'room':14s}{'mutants':>9s}{'survived':>10s}" + _row(tiers, "{:>8s}".format)]
    counted = [outcome for outcome in run if not outcome.text]
    for room in (*sorted({outcome.room for outcome in counted}), "all"):
        lines.append(_line(room, [o for o in counted if room in (o.room, "all")], tiers))
    if told := [outcome for outcome in run if outcome.text]:
        lines.append(_line("texts, apart", told, tiers))
    lost = sum(o.dead and o.tier == "full" for o in counted)
    if tier == "both":
        lines.append(f"the daily tier loses {lost} beside the full one")
    unseen = sum(not outcome.reached for outcome in counted)
    lines.append(f"{unseen} are run by no test that was watched")
    left = len(outcomes) - len(run)
    lines.append(f"seed {seed}; {len(run)} mutants run, {left} not for time")
    return lines


def _row(tiers: Sequence[str], told: Callable[[str], str]) -> str:
    return "".join(told(tier) for tier in tiers)


def _line(name: str, outcomes: Sequence[Outcome], tiers: Sequence[str]) -> str:
    def killed(tier: str) -> str:
        """Whoever fails in the daily tier fails in the full one, which holds it."""
        dead = sum(o.dead and (tier == "full" or o.tier == "daily") for o in outcomes)
        return f"{dead / max(1, len(outcomes)):8.1%}"

    survived = sum(not outcome.dead for outcome in outcomes)
    return f"{name:14s}{len(outcomes):9d}{survived:10d}" + _row(tiers, killed)
