"""docs/gpu.md from the record of a GPU bench, or from none."""

from __future__ import annotations

from typing import Any

from theorylab.bench._gpu_summary import fastest

Record = dict[str, Any]

_HEAD = """# On a GPU

One command checks and times every GPU kernel. It takes less than 4 minutes, with `--quick` less
than 2:

```
python -m theorylab.bench --gpu --json gpu.json --plot gpu.png
python -m theorylab.bench --page gpu.json > docs/gpu.md
```

The second line writes this page from what the first one measured. `--sanitize` runs small checks
of every kernel under the tools of compute-sanitizer alone (memcheck, racecheck and synccheck);
the full command does so, too, and gives them at most a minute. `--dry-run` does the
same on the host, where the schedules run as loops at tiny sizes: it shows that every part works,
and nothing about speed.

The floor of a case is a copy, a read or a write of the least bytes that any implementation moves,
timed in the same rounds; its time is the least, that of all others the median. While the host
queues what is timed, a kernel spins on the device, so that no time on the device's clock holds any
of Python's. A time is settled if that kernel was still spinning when all was queued, and if the
least of the times is within 10 % of their median; the others are marked with a ~. A check that is
not done in time has failed.

The kernels compile for compute capabilities 8.0, 9.0, 10.0 and 12.0, and as loops on the host they
give the host's bits.

## How rounds are launched

Between two records, rounds of a method that is local steps and one exchange are launched together.
The launches of one round are put together once. A loop in C++ then puts those of round after round
on the stream, and writes into each what changes: the round, the step size, and where the weights
lie. What changes is no number in Python while the launches are put together, so that code which
would compute with it, and keep the first round's value, fails. The weights are audited after the
last of these rounds, the models in every eighth.

Rounds are launched one by one, by Python, where something needs the host in between: faults, late
messages, recorded local steps, a step or a network or a problem of one's own, a network that does
not fit in shared memory or has a period above 64, records in every third round or more often, and
models above 64 MiB, whose kernels take longer than their launches. Both ways give the same bits.

A CUDA graph is not used. It would replay the round of its capture, unless every kernel read the
round from memory or every node were updated before every replay. The command measures what a graph
could still win: the wall time of a round less its time on the device.
"""
_LAUNCHES = """Microseconds of a round of DFedSGPSM (K = 5, drawn network, float32), records
left out. What is left to win is the share of a round launched together in which the device waits
for the host: no CUDA graph can win more.
"""
_ROUNDS = """DFedSGPSM on log-cosh losses, K = 5, float32, a network of 10 receivers a client drawn
in every round; rho is SAM's radius, sigma the noise. Wall time of a round, launched as a user does,
what a run costs besides left out. The peers compute the same rounds with noise of their own
library; their networks are drawn beforehand, which is time that ours takes and theirs does not. No
product is TF32. "graph" is a CUDA graph of 16 rounds.
"""
_CALLS = """Microseconds that one call takes on the host, until the next may be made: the arrays are
small, so that the device is done earlier.
"""
_NONE = """
## No card has been met yet

No GPU has run the kernels so far, so there is no number to show.
"""


def page(record: Record | None) -> str:
    """The page in Markdown; ``None`` where no card was met.

    Raises:
        ValueError: the record is no GPU bench's, or one of a dry run, whose times say nothing.
    """
    if record is None:
        return _HEAD + _NONE
    if record.get("bench") != "gpu":
        raise ValueError(f"bench: a record of {record.get('bench')!r} came; need one of --gpu")
    if record["emulated"]:
        raise ValueError("bench: a record of a dry run came; its times say nothing about a GPU")
    parts = [_HEAD, f"\n## {record['board']}\n", _facts(record)]
    if record["rounds"]:
        parts.append(_rounds(record["rounds"]))
    parts += [_rows(record), _peers(record)]
    if record["calls"]:
        parts.append(_calls(record["calls"]))
    if record["launches"]:
        parts.append(_launches(record))
    if record["whole_run"] is not None:
        parts.append(_whole(record["whole_run"]))
    return "\n".join([*parts, _checks(record), _left(record)]).rstrip() + "\n"


def sentence(record: Record | None) -> str:
    """What README says of the card that was met, on one line of some 230 characters."""
    if record is None:
        return "**[No card](docs/gpu.md) has met them yet**: they were tested as loops on the host."
    parts = []
    for case in record["cases"]:
        if (case["kernel"], case["name"]) == ("push_mix", "headline") and case["ours"]:
            share = max(case["share"][label] for label in case["ours"])
            parts.append(f"push_mix has {share:.2f} of a copy's speed")
    ratios = []
    for row in record["rounds"]:
        best = fastest(row["round_ms"], ["theorylab"])
        eager = row["round_ms"].get("torch eager")
        if row["rho"] and row["sigma"] and best and eager:
            times = eager / row["round_ms"]["theorylab"]
            ratios.append(f"{times:.2g}, {best[1]:.2g} ({_size(row)})")
    if ratios:  # three of them: README has little room
        said = "; ".join(ratios[:3])
        parts.append(f"rounds' speed over eager torch's, the fastest peer's: {said}")
    where = f"[{_card(record)}](docs/gpu.md) ({record['date']}, {str(record['commit'])[:8]})"
    return f"On one {where} {'; '.join(parts or ['no case was timed'])}."


def _size(row: Record) -> str:
    return f"n={row['sizes']['n']} d={row['sizes']['d']:.0e}".replace("e+0", "e")


def _card(record: Record) -> str:
    return str(record["facts"]["name"])


def _facts(record: Record) -> str:
    facts, machine = record["facts"], record["machine"]
    return (
        f"Measured on {record['date']} at commit {record['commit']} on one {_card(record)}: "
        f"compute capability {facts['capability'] / 10:.1f}, "
        f"{facts['multiprocessors']} multiprocessors, {facts['total'] / 2**30:.0f} GiB, beside "
        f"{machine['cores']} cores. Medians, interleaved.\n"
    )


def _still(settled: bool) -> str:
    return "" if settled else " ~"


def _rounds(rows: list[Record]) -> str:
    heads = ["n", "d", "rho", "sigma", "", "ms a round", "times as long as ours"]
    lines = []
    for row in rows:
        for label, each in row["round_ms"].items():
            shown = [str(row["sizes"]["n"]), f"{row['sizes']['d']:,}"]
            shown += [f"{row['rho']:g}", f"{row['sigma']:g}", label]
            shown.append(f"{each:.4g}{_still(row['settled'][label])}")
            lines.append([*shown, f"{each / row['round_ms']['theorylab']:.2f}"])
    absent = {f"{label}: {why}" for row in rows for label, why in row["lacking"].items()}
    said = "".join(f"\n- Left out: {line}" for line in sorted(absent))
    return "### Whole rounds\n\n" + _ROUNDS + "\n" + _table(heads, lines) + said + "\n" * bool(said)


def _calls(rows: list[Record]) -> str:
    lines = []
    for row in rows:
        sizes = ", ".join(f"{key} = {value}" for key, value in row["sizes"].items())
        for label, us in row["us"].items():
            lines.append([row["call"], sizes, label, f"{us:.1f}{_still(row['settled'][label])}"])
    return "### Calls\n\n" + _CALLS + "\n" + _table(["of", "sizes", "", "us"], lines)


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] + ["---:"] * (len(heads) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _rows(record: Record) -> str:
    heads = ["case", "dtype", "way", "flop / byte", "GB/s", "floor GB/s", "share of the floor"]
    rows = [
        [
            row["case"], row["dtype"], row["way"], f"{row['intensity']:.2f}", f"{row['GB_s']:.0f}",
            f"{row['roof_GB_s']:.0f}", f"{row['share']:.2f}{_still(row['settled'])}",
        ]
        for row in record["roofline"]
    ]  # fmt: skip
    return "### Roofline\n\n" + _table(heads, rows)


def _peers(record: Record) -> str:
    rows = []
    for case in record["cases"]:
        own = min((case["seconds"][label] for label in case["ours"]), default=None)
        for label, seconds in case["seconds"].items():
            if own is None or label in case["ours"] or label in ("copy", "read", "write"):
                continue
            name = f"{case['kernel']}, {case['name']}, {case['dtype']}"
            shown = f"{seconds * 1e3:.3f}{_still(case['settled'][label])}"
            rows.append([name, label, shown, f"{seconds / own:.2f}"])
    heads = ["case", "peer", "median ms", "times as long as ours"]
    return "### Peers\n\n" + _table(heads, rows)


def _launches(record: Record) -> str:
    heads = ["n", "d", "launched by Python", "launched together", "on the device", "left to win"]
    rows = []
    for row in record["launches"]:
        times = [1e3 * row[key] for key in ("step_ms", "tape_ms", "device_ms")]
        left = max(0.0, 1 - times[2] / times[1])
        sizes = [str(row["sizes"][key]) for key in ("n", "d")]
        rows.append([*sizes, *(f"{each:.1f}" for each in times), f"{100 * left:.0f} %"])
        rows[-1][4] += _still(row["settled"])
    return "### Launches\n\n" + _LAUNCHES + "\n" + _table(heads, rows)


def _whole(run: Record) -> str:
    sizes = ", ".join(f"{key} = {value}" for key, value in run["sizes"].items())
    peak = "" if run["peak_bytes"] is None else f" at most {run['peak_bytes'] / 2**30:.2f} GiB,"
    host = run["host_round_ms"]
    ratio = None if host is None else host / run["round_ms"]
    beside = "" if ratio is None else f" A round on the host takes {ratio:.1f} times as long."
    return (
        "### A whole run with its metrics\n\n"
        f"DFedSGPSM on log-cosh losses, float32, {sizes}:{peak} "
        f"{run['seconds']:.2f} s, {run['round_ms']:.2f} ms a round.{beside}\n"
    )


def _checks(record: Record) -> str:
    wrong = [check for check in record["checks"] if check["why"]]
    trials = sum(check["trials"] for check in record["checks"])
    lines = [f"### Checks\n\n{trials} trials on fresh inputs (seed {record['seed']}), "
             f"{len(wrong)} with a wrong answer.\n"]  # fmt: skip
    words = {True: "clean", False: "errors", None: "not run"}
    for tool in record["sanitizer"]:
        why = f": {tool['why']}" if tool["why"] else ""
        lines.append(f"- {tool['tool']}: {words[tool['clean']]}{why}")
    lines += [f"- {check['kernel']} ({check['path']}): {check['why']}" for check in wrong]
    notes = record.get("notes", [])  # by hand: what became of a find, what was seen beside it
    lines += ["\nSince then:\n", *(f"- {note}" for note in notes)] if notes else []
    return "\n".join(lines) + "\n"


def _left(record: Record) -> str:
    lines = [*record["skipped"], *(f"failed: {line}" for line in record["failed"])]
    return "### Left out\n\n" + "\n".join(f"- {line}" for line in lines) if lines else ""
