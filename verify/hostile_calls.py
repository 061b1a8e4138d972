"""The hostile calls of ``hostile.py``: each a function of (seed, number) alone."""

from __future__ import annotations

import copy
import functools
import json
import math
import pathlib
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hostile_library import library, outcome
from hostile_theorem import theorem

VALUES: tuple[Any, ...] = (
    *(0, -1, 1, 2, 3, 0.5, -0.5, 1e-300, 1e300, 1e400, -1e400, math.nan, True, False, None, ""),
    *(2**31, 2**63, 2**64, 10**22, 10**400, "nan", "x" * 300, "\u0000", "\ud800", "../..", "ring"),
    *("\u202e", "%s", "{}", "edge-list", "/dev/zero", [], [[]], [1, [2]], {}, {"name": 3}, [None]),
)
WORDS = (
    *(
        "",
        "0",
        "-1",
        "1",
        "7",
        "nan",
        "inf",
        "-inf",
        "1e400",
        "1e30",
        "0.5",
        "9" * 5000,
        "[" * 5000,
    ),
    *("null", "true", "{}", "[]", "\udcff", "x" * 300, "..", "/", "/dev/zero", "-", "--", "ring"),
    *("sgp", "quadratic", "a=b", "eta=nan", "eta=-1", "eta=1e9", "rho=[1,2]", "dim=0", "dim=3"),
    *("seed=1", "weights=1", "name=3", "=", "x=", str(2**63), str(2**64), "\u202e", "%n%s", "1.5"),
)
NUMBERS = (
    *("0", "1", "2", "3", "7", "0.5", "-1", "1e-9", "1e30", "nan", "1e400", "9" * 5000),
    *(str(2**k) for k in (31, 32, 40, 62, 63, 64)),
)
RUN = ["run", "sgp", "--problem", "quadratic", "--topology", "ring", "--clients", "3",
       "--rounds", "3", "--eta", "0.1"]  # fmt: skip
BASES = (
    RUN,
    [*RUN, "--seeds", "2", "--problem-option", "sigma=0.1", "--loss", "0.1", "--out", "o"],
    ["compare", "sgp", "dpsgd", *RUN[2:]],
    ["constants", "ring", "--clients", "4", "--horizon", "5"],
    ["constants", "random-out", "--clients", "4", "--degree", "2", "--seed", "1", "--dim", "2"],
    ["list", "deprl.*"],
    ["verify", "dfedsgpsm.lem1", "--seeds", "16", "--seed", "1", "--budget", "5"],
    ["verify", "dfedsgpsm.lem1", "--out", "o", "--jobs", "1"],
    ["falsify", "dfedsgpsm.lem1", "--budget", "0.3", "--seed", "3"],
    ["replay", "none.json"],
    ["report", "none"],
    ["doctor"],
)
EXTRA = (
    *("--json", "--out", "--config", "--x0", "--set", "--problem-option", "--topology-option"),
    *("--every", "--columns", "--dtype", "--delay", "--fault", "--band", "--seeds", "--option"),
    *("--checkpoint-every", "--target", "--source", "--version", "--resume", "--force", "--nope"),
)


@dataclass(frozen=True)
class Call:
    """``make`` runs in a folder of its own and gives the exit code. ``line``: what a refusal must
    say, None where there need be none. ``wrong``: verdicts that would be wrong."""

    kind: str
    text: str
    make: Callable[[pathlib.Path], int]
    codes: tuple[int, ...] = (0, 1, 2, 4)
    line: str | None = ""
    wrong: tuple[str, ...] = ()


def command(arguments: list[str], files: dict[str, str | bytes] | None = None) -> Any:
    def make(folder: pathlib.Path) -> int:
        from theorylab import cli

        for name, content in (files or {}).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            data = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
            path.write_bytes(data)
        return cli.run(arguments)

    return make


def _options(draw: random.Random) -> Call:
    """A command that is right but for one or two of its words."""
    line = list(draw.choice(BASES))
    for _ in range(draw.choice((1, 1, 2))):
        word = draw.choice(WORDS if draw.random() < 0.5 else NUMBERS)
        values = [k for k in range(1, len(line)) if line[k - 1].startswith("--")]
        if len(line) > 1 and draw.random() < 0.5:
            anywhere = draw.random() < 0.2 or not values
            line[draw.choice(range(1, len(line)) if anywhere else values)] = word
        else:
            line += [draw.choice(EXTRA), word]
    return Call("options", json.dumps(line), command(line))


CONFIGURATION = {
    "algorithm": {"name": "dfedsgpsm", "eta": 0.1, "alpha": 0.5, "rho": 0.1, "local_steps": 2},
    "problem": {"name": "quadratic", "dim": 2, "mu": 0.5, "L": 1.0, "sigma": 0.1, "seed": 1},
    "topology": {"name": "random-out", "degree": 1, "seed": 2},
    "clients": 3, "rounds": 3, "seeds": 2, "x0": [1.0, 2.0], "columns": ["loss"],
    "faults": {"loss": 0.1, "delay": 1},
}  # fmt: skip
EDGES = {"clients": 3, "edges": [[0, 1], [1, 2], [2, 0]], "weights": "uniform"}
COUNTEREXAMPLE = {
    "schema_number": 2, "theorylab": "0", "statement": "dfedsgpsm.thm1", "version": "printed",
    "theorem": None, "instance": {
        "algorithm": {"alpha": 0.9, "eta": 0.001}, "clients": 1, "rounds": 16,
        "problem": {"center": 8.0, "name": "log-cosh"}, "topology": {"name": "ring"}},
    "seeds": 16, "seed": 1, "refuted": True, "verdict": "VIOLATED", "reason": "", "place": "",
    "measured": 1.0, "bound": 0.9, "ratio": 1.1, "measured_hex": "0x1p+0", "low_hex": "0x1p+0",
    "bound_hex": "0x1p-1", "recheck": None, "search": {},
}  # fmt: skip


def _paths(data: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at] if at else []
    pairs: Any = ()
    if isinstance(data, dict | list):
        pairs = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in pairs:
        found += _paths(value, (*at, key))
    return found


def changed(draw: random.Random, data: Any) -> str | bytes:
    """A JSON document with a part replaced, lost or added; or its text cut or flipped."""
    made = copy.deepcopy(data)
    for _ in range(draw.randint(1, 2)):
        paths = _paths(made)
        if not paths:
            break
        *outer, last = draw.choice(paths)
        inner = functools.reduce(lambda part, key: part[key], outer, made)
        if draw.random() < 0.75:
            inner[last] = copy.deepcopy(draw.choice(VALUES))
        else:
            inner.pop(last)
    text = json.dumps(made).replace("1e+400", "9" * draw.choice((9, 5000)))
    if draw.random() < 0.2:
        return damaged(draw, text.encode())
    return text


def damaged(draw: random.Random, data: bytes) -> bytes:
    """Cut, or with some bits flipped."""
    if draw.random() < 0.3:
        return data[: draw.randrange(len(data) + 1)]
    flipped = bytearray(data)
    for _ in range(draw.choice((1, 1, 8))):
        flipped[draw.randrange(len(flipped))] ^= 1 << draw.randrange(8)
    return bytes(flipped)


def _documents(draw: random.Random) -> Call:
    name, data, line = draw.choice([
        ("c.json", CONFIGURATION, ["run", "--config", "c.json"]),
        ("c.json", CONFIGURATION, ["run", "--config", "c.json", "--out", "o", "--loss", "0.2"]),
        ("g.json", EDGES, ["constants", "g.json", "--horizon", "4"]),
        ("k.json", COUNTEREXAMPLE, ["replay", "k.json"]),
    ])  # fmt: skip
    content = changed(draw, data)
    return Call("documents", f"{line} {content!r}", command(line, {name: content}))


def _folders(draw: random.Random) -> Call:
    """A finished or unfinished folder, one file of it damaged, and a command that reads it."""
    which = draw.choice(["run.json", "trace.npz", "results.json", "results.sqlite"])
    seed = draw.randrange(2**32)
    verify = ["verify", "dfedsgpsm.lem1", "--out", "o"]
    line = draw.choice([[*RUN, "--out", "o", "--resume"], ["compare", "o", "o"]])
    if which.startswith("results"):
        line = verify if which.endswith("sqlite") else ["report", "o"]

    def make(folder: pathlib.Path) -> int:
        from theorylab import cli

        first = verify if which.startswith("results") else [*RUN, "--out", "o"]
        if cli.run([*first, "--json", "kept.json"]) != 0:
            return 98
        path = folder / "o" / which
        path.write_bytes(damaged(random.Random(seed), path.read_bytes()))
        for name in ("out", "err"):
            (folder / name).write_text("")
        return cli.run(line)

    return Call("folders", f"{which} {seed}: {line}", make, line=None)


# What a user's file may do at its top, or where its code is called; the line of it is named.
BODIES = (
    *("raise SystemExit(0)", "import sys; sys.exit(5)", "raise KeyboardInterrupt", "return 1 / 0"),
    *("raise MemoryError", "raise GeneratorExit", "return {}['a']", "return (1).none", "assert 0"),
    *("raise type('Own', (BaseException,), {})", "return float('x')", "raise StopIteration"),
    "return (lambda f: f(f))(lambda f: f(f))",
)


def _theorems(draw: random.Random) -> Call:
    """A rate with a factor: true at 1 and above, false below, and no verdict may be wrong."""
    factor = draw.choice((0.5, 0.999, 1.001, 2.0))
    text = theorem(draw, factor)
    if draw.random() < 0.3:  # a faster rate than the true one: false for any T >= 1
        text, factor = text.replace("** (2 * T)", "** (21 * T)"), 0.0
        text = text.replace("0.5 * (1 - mu", "1.0 * (1 - mu")
    wrong = ("VIOLATED",) if factor > 1 else ("HOLDS",)
    line = ["verify", "my.py", "--json", "-"]
    return Call("theorems", text, command(line, {"my.py": text}), wrong=wrong)


def _user_files(draw: random.Random) -> Call:
    """A file whose code does what it must not: exit code 2, and the line is named."""
    place, body = (
        draw.choice(("top", "loss", "gradient", "L", "formula", "sign")),
        draw.choice(BODIES),
    )
    if place == "top":
        text = theorem(draw, 2.0, top=f"def f():\n    {body}\nf()")
    elif place in ("loss", "gradient"):
        text = theorem(draw, 2.0, **{place: body})
    elif place == "L":
        text = theorem(draw, 2.0, L=1e-3)
    elif place == "formula":
        rule = draw.choice(("1 / (T - T) <= 1", "(f_star - f0) ** 0.5 <= 1", "(-eta) ** 0.5 <= 1"))
        text = theorem(draw, 2.0, rule=rule)
    else:
        text = theorem(draw, 2.0, gradient="return -CURVE * (x - CENTRE)")
    line = [*draw.choice((["verify"], ["verify", "--quick"], ["verify", "--jobs", "1"])), "my.py"]
    if place == "top" and draw.random() < 0.5:
        line = draw.choice((["list", "my.py"], ["falsify", "my.py", "--budget", "0.5"]))
    make = command(line, {"my.py": text})
    return Call("files", f"{line} {place} {body}", make, (2,), "my.py, line ")


def _library(draw: random.Random) -> Call:
    text, call = library(draw)
    return Call("library", text, lambda folder: outcome(call), (0, 2), None)


def _damaged(draw: random.Random) -> Call:
    from hostile_files import drawn as spoilt

    return spoilt(draw)


KINDS: dict[str, Callable[[random.Random], Call]] = {
    "options": _options, "documents": _documents, "folders": _folders, "theorems": _theorems,
    "files": _user_files, "library": _library, "damaged": _damaged,
}  # fmt: skip


def drawn(seed: int, number: int, only: str | None = None) -> Call:
    """Call ``number``: the kinds take turns, so that a short sample has all of them."""
    kinds = [*KINDS.values()] if only is None else [KINDS[only]]
    return kinds[number % len(kinds)](random.Random(f"{seed} {number}"))
