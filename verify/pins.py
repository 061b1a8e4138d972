"""What a rewrite must not change, saved before it and compared after it.

    python verify/pins.py save FILE [ID ...] [--quick] [--sample K] [--runs]
    python verify/pins.py compare FILE [--intended LIST]

Of every check FILE keeps the verdict, measured side, limits and bound to the last bit, and the
place that is shown; of a VIOLATED one also what its script prints and the enclosure of its
re-check, or why there is none. ``--sample K`` keeps one check in K, chosen by a hash of its name.
``--runs`` keeps at 1 and at 2 threads what is no check: 200 seeded searches, and replays of what
they find, the judgement of every claimed speed-up (without ``--sample``), the bits of every kernel,
and exit codes of commands.
``compare`` judges what FILE has once more and prints a line for each difference:

    numbers of a script may be printed with fewer or with more digits, none of them another;
    an enclosure has to meet the old one, and one that decided has to decide;
    what had no script or no enclosure may have one.

What LIST names may differ, and the reason is printed: a line "ID [VERSION] CHECK: reason", or
"ID: reason" for all checks of a statement, or docs/withdrawn.md, whose first column names the rows.
Exit code 0 if nothing else differs, 1 if something does, 2 on bad input.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import hashlib
import io
import json
import pathlib
import re
import sys
import types
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import _pins_runs

from theorylab.explain.explanation import rechecked, script_of
from theorylab.verdicts import Job, jobs, judge, selected

Pin = dict[str, Any]
RUNS = "runs"
NUMBERS = ("measured", "low", "high", "bound")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def label(job: Job) -> str:
    return f"{job.id} [{job.version}] {job.check}"


def sampled(job: Job, one_in: int) -> bool:
    """Whether the check is among those of a sample: the same in every run and on every machine."""
    return int.from_bytes(hashlib.sha256(label(job).encode()).digest()[:8]) % one_in == 0


def _hex(value: float | None) -> str | None:
    return None if value is None else float(value).hex()


def pin(job: Job) -> Pin:
    """What is kept of one check."""
    result = judge(job)
    numbers = zip(NUMBERS, (result.measured, *result.ci, result.bound), strict=True)
    found: Pin = {name: _hex(value) for name, value in numbers}
    found |= {"job": [job.id, job.version, job.check], "verdict": result.verdict}
    found["place"] = result.place
    if result.verdict == "VIOLATED":
        statement, _ = selected([job.id])[job.id]
        text, why = script_of(statement, result, job.seed)
        found |= {"prints": printed(text) if text else None, "unwritten": why}
        again = rechecked(statement, result, job.seed)
        assert again is not None
        found["enclosed"] = None if again.low is None else [_hex(again.low), _hex(again.high)]
        found |= {"holds": again.holds, "how": again.how}
    return found


def printed(script: str) -> str:
    """What a script prints. A dataclass of the script looks up its module by name."""
    out, module = io.StringIO(), types.ModuleType("script")
    sys.modules["script"] = module
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(script, "script", "exec"), module.__dict__)
    finally:
        del sys.modules["script"]
    return out.getvalue()


def same_text(old: str, new: str) -> bool:
    """Whether two texts differ in nothing but how many digits their numbers are printed with."""
    if _NUMBER.sub("#", old) != _NUMBER.sub("#", new):
        return False
    pairs = zip(_NUMBER.findall(old), _NUMBER.findall(new), strict=True)
    return all(same_number(*map(Decimal, pair)) for pair in pairs)


def same_number(a: Decimal, b: Decimal) -> bool:
    """Whether the one with fewer digits is the other one, rounded."""
    last = max(int(a.as_tuple().exponent), int(b.as_tuple().exponent))
    return abs(a - b) <= Decimal(5).scaleb(last - 1)


def differences(old: Pin, new: Pin) -> list[str]:
    """What differs of one check, a line each."""
    told = [
        f"{name} was {_shown(old[name])}, is {_shown(new[name])}"
        for name in ("verdict", *NUMBERS, "place")
        if old[name] != new[name]
    ]
    text, again = old.get("prints"), new.get("prints")
    if text is not None and again is None:
        told.append(f"the script is gone: {new.get('unwritten')}")
    elif text is not None and again is not None and not same_text(text, again):
        told.append(f"the script printed {text!r}, prints {again!r}")
    was, now = (each.get("enclosed") for each in (old, new))
    if was is not None and now is None:
        told.append(f"the enclosure is gone: {new.get('how')}")
    elif was is not None and now is not None:
        low, high, lower, upper = map(float.fromhex, [*was, *now])
        if max(low, lower) > min(high, upper):
            told.append(f"the enclosure was [{low!r}, {high!r}], is [{lower!r}, {upper!r}]")
    if old.get("holds") is not None and old["holds"] != new.get("holds"):
        told.append(f"the re-check said {old['holds']}, says {new.get('holds')}: {new.get('how')}")
    return told


def _shown(value: Any) -> str:
    number = isinstance(value, str) and re.match(r"-?0x|-?inf|nan", value)
    return repr(float.fromhex(value) if number else value)


def intended(path: pathlib.Path) -> dict[str, str]:
    """What may differ, checks or statements, with the reasons; ValueError for a line that names
    none."""
    text = path.read_text()
    if path.suffix == ".md":
        return dict(_withdrawn(text))
    found: dict[str, str] = {}
    for place, line in enumerate(text.splitlines(), 1):
        name, mark, reason = line.rpartition(": ")
        if line.strip() and not (mark and reason.strip() and "." in name):
            raise ValueError(f"{path}:{place}: {line!r}; need ID [VERSION] CHECK: reason")
        if line.strip():
            found[name] = reason
    return found


def _withdrawn(text: str) -> Iterator[tuple[str, str]]:
    """Of tables with the columns row, version, what changed, why: the statements and reasons."""
    for line in text.splitlines():
        cells = line.split("|")
        names = re.findall(r"`([\w.]+)`", cells[1]) if len(cells) > 4 else []
        for name in names:
            paper = names[0].partition(".")[0]
            yield (name if "." in name else f"{paper}.{name}"), cells[3].strip()


def reason_of(name: str, listed: dict[str, str]) -> str | None:
    return listed.get(name, listed.get(name.partition(" [")[0]))


def save(
    file: pathlib.Path, selection: list[str], quick: bool, one_in: int, runs: bool = False
) -> int:
    every = [job for job in jobs(selection, quick=quick) if sampled(job, one_in)]
    if not every:
        raise ValueError("no check is left; need a smaller K")
    kept: dict[str, Any] = {}
    for job in every:
        kept[label(job)] = pin(job)
        print(label(job), flush=True)
    told = f"{len(kept)} checks are in {file}"
    if runs:
        kept[RUNS] = {"sample": one_in, "lines": _pins_runs.pinned(one_in)}
        lines = [f"{len(each)} lines at {n} threads" for n, each in kept[RUNS]["lines"].items()]
        told = f"{told}, and {', '.join(lines)}"
    file.write_text(json.dumps(kept, indent=1) + "\n")
    print(told)
    return 0


def compare(file: pathlib.Path, listed: dict[str, str]) -> int:
    kept: dict[str, Pin] = json.loads(file.read_text())
    runs = kept.pop(RUNS, None)
    every = jobs(sorted({old["job"][0] for old in kept.values()} & {*selected([])}))
    there = {label(job): job for job in every}
    broken = meant = 0
    for name, old in kept.items():
        if name in there:
            told = differences(old, pin(dataclasses.replace(there[name], rows=False)))
        else:
            told = ["there is no such check any more"]
        for line in told:
            reason = reason_of(name, listed)
            print(f"{name}: {line}{f' (intended: {reason})' if reason else ''}", flush=True)
        broken += bool(told) and reason_of(name, listed) is None
        meant += bool(told) and reason_of(name, listed) is not None
    print(f"{len(kept)} checks: {broken} differ, {meant} were meant to")
    if runs is None:
        return 1 if broken else 0
    old = runs["lines"]
    told = _pins_runs.differing(old, _pins_runs.pinned(runs["sample"], old))
    print("\n".join([*told, f"{sum(map(len, old.values()))} other lines: {len(told)} differ"]))
    return 1 if broken or told else 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    ways = parser.add_subparsers(dest="way", required=True)
    saving = ways.add_parser("save")
    saving.add_argument("file", type=pathlib.Path)
    saving.add_argument("ids", nargs="*", metavar="ID")
    saving.add_argument("--quick", action="store_true", help="only checks that take seconds")
    saving.add_argument("--sample", type=int, default=1, metavar="K", help="one check in K")
    saving.add_argument("--runs", action="store_true", help="searches, kernels, exit codes too")
    comparing = ways.add_parser("compare")
    comparing.add_argument("file", type=pathlib.Path)
    comparing.add_argument("--intended", type=pathlib.Path, metavar="LIST")
    given = parser.parse_args(arguments)
    try:
        if given.way == "save":
            if given.sample < 1:
                raise ValueError(f"--sample {given.sample}; need at least 1")
            return save(given.file, given.ids, given.quick, given.sample, given.runs)
        return compare(given.file, {} if given.intended is None else intended(given.intended))
    except (OSError, ValueError) as error:
        print(f"pins: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
