"""Figures of worst cases over classes: certificates, sizes, forgeries, replays.

    python verify/worst.py [cases|relaxed|sizes|forged|replays|triangles|rates|networks|damaged ...]

cases    30 worst cases PROVED at a relative margin of 1e-6, each checked by the standalone file in
         a process of its own; how many are proved at 1e-9, too
sizes    large ones: seconds of processor to solve and to certify, beside what they may take
forged   1,000 damaged or forged certificates by kind: none is accepted, none ends in a traceback
relaxed  noise and SAM, PROVED from above; gradient descent with noise beside its closed form
replays  20 worst functions run by the engine: measured over claimed
triangles, rates, networks, damaged: theorems beside their classes; for all T; over classes of
         networks; see ``worst_triangles.py`` and ``worst_rates.py``
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import worst_cases
import worst_rates
import worst_triangles
from worst_cases import Case, cases, large

from theorylab.worst import Outcome, check_certificate

PROVED, TIGHT, REACHED = 30, 25, 1 - 1e-6  # what the figures have to reach
CHECKED, FORGED = 1.0, 10.0  # seconds of processor: of a check, of a forgery
EACH = 125  # forgeries of a kind


def _checked(path: Path) -> tuple[bool, float]:
    """Whether the standalone file accepts a certificate, and its seconds of processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "check_certificate.py", path.name],
        cwd=path.parent, capture_output=True, check=False,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode == 0, seconds


def _row(case: Case, folder: Path) -> tuple[bool, bool, float]:
    """Print a case; whether it is proved and accepted, proved at 1e-9, and the check's seconds."""
    begun = time.process_time()
    answer = case.answer()
    made = answer.certificate
    spent, n = time.process_time() - begun, answer.question.recursion.clients
    head = f"{case.label:32} n {n:2} T {case.rounds:2} {case.metric:14} {answer.value:.8f}"
    if made is None:
        print(f"{head}  {answer.outcome.told}: {answer.reason}", flush=True)
        return False, False, 0.0
    path = folder / "c.json"
    made.save(path)
    accepted, seconds = _checked(path)
    tight = case.answer(margin=1e-9).outcome is Outcome.PROVED
    print(
        f"{head} <= {float(made.claim):.8f}  {'PROVED' if accepted else 'NOT PROVED'}  "
        f"{len(made.text()):6} bytes  {spent:5.2f} s, check {seconds:.2f} s  "
        f"1e-9: {'yes' if tight else 'no'}",
        flush=True,
    )
    return accepted, tight, seconds


def all_cases() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        rows = [_row(case, Path(folder)) for case in cases()]
    proved, tight = sum(row[0] for row in rows), sum(row[1] for row in rows)
    slowest = max(row[2] for row in rows)
    print(
        f"proved at 1e-6: {proved} of {len(rows)}; at 1e-9: {tight}; slowest check {slowest:.2f} s"
    )
    return proved >= PROVED and tight >= TIGHT and slowest <= CHECKED


def relaxed() -> bool:
    q = (1 - Fraction(1, 20)) ** 2  # (1 - mu eta)^2; the noise adds eta^2 sigma^2 = 1/16 a round
    form = q**10 + Fraction(1, 16) * sum(q**t for t in range(10))
    with tempfile.TemporaryDirectory() as folder:
        rows = [_row(case, Path(folder)) for case in worst_cases.relaxed()]
    print(f"gradient descent with noise in closed form: {float(form):.8f}")
    return all(accepted for accepted, _, _ in rows)


def sizes() -> bool:
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for case, limit in large():
            begun = time.process_time()
            answer = case.answer()
            spent = time.process_time() - begun
            accepted, seconds = False, 0.0
            if answer.certificate is not None:
                answer.certificate.save(Path(folder) / "c.json")
                accepted, seconds = _checked(Path(folder) / "c.json")
            n = answer.question.recursion.clients
            good &= accepted and spent <= limit
            print(
                f"{case.label}, n = {n}, T = {case.rounds}: {answer.value:.8f}, "
                f"{'PROVED' if accepted else answer.outcome.told} in {spent:.1f} s of processor "
                f"(at most {limit:g}), check {seconds:.2f} s",
                flush=True,
            )
    return good


def _lowered(c: dict[str, Any]) -> None:
    c["claim"] = str(Fraction(c["claim"]) * (1 - Fraction(1, 10**5)))


def _indices(c: dict[str, Any], draw: random.Random) -> None:
    """A multiplier speaks of the values of other points; the claim is below what is attained."""
    _lowered(c)
    pairs = [m for m in c["multipliers"] if m[1] == "pair"]
    for pair in draw.sample(pairs, 3):
        pair[draw.choice((2, 3, 4))] = draw.randrange(5)


def _zeros(c: dict[str, Any], draw: random.Random) -> None:
    """A gradient has no part in a later query."""
    _lowered(c)
    k = draw.randrange(3, len(c["method"]["queries"]))
    row = c["method"]["queries"][k][1]
    row[draw.randrange(len(row))] = "0"


def _classes(c: dict[str, Any], draw: random.Random) -> None:
    c["class"]["mu"] = str(1 + Fraction(draw.randrange(0, 100), draw.randrange(1, 100)))


def _recursions(c: dict[str, Any], draw: random.Random) -> None:
    """One coefficient is another one; the claim is lower."""
    _lowered(c)
    rows = [row for _, row in c["method"]["queries"] if row] + c["method"]["averages"][1:]
    row = draw.choice(rows)
    row[draw.randrange(len(row))] = str(Fraction(draw.randrange(-100, 100), 100))


def _claims(c: dict[str, Any], draw: random.Random) -> None:
    _lowered(c)
    for pair in draw.sample(c["multipliers"], 2):
        pair[0] += draw.randrange(-(pair[0] // 1000) - 1, pair[0] // 1000 + 1)


def _orders(c: dict[str, Any], draw: random.Random) -> None:
    """Queries, averages or multipliers of other rows; the claim is lower."""
    _lowered(c)
    draw.shuffle(c["method"][draw.choice(("queries", "averages"))])


def _huge(c: dict[str, Any], draw: random.Random) -> None:
    number = 10 ** draw.randrange(100, 4299)
    place = draw.randrange(6)
    if place == 0:
        c["denominator"] = number
    elif place == 1:
        c["multipliers"][draw.randrange(len(c["multipliers"]))][0] = -number
    elif place == 2:
        c["clients"] = number
    elif place == 3:
        c["claim"] = f"1/{number}"
    elif place == 4:
        c["method"]["queries"][-1][1][0] = f"{number}/{number + 1}"
    else:
        c["multipliers"][0][2:] = [number, number, number]


def _deep(c: dict[str, Any], draw: random.Random) -> str:
    depth = draw.randrange(900, 200_000)
    key = draw.choice(("claim", "method", "about", "start", "multipliers"))
    opening, closing = draw.choice((("[", "]"), ('{"a":', "}")))
    text = opening * depth + "1" + closing * depth * draw.randrange(2)
    return json.dumps({**c, key: 0}).replace(f'"{key}": 0', f'"{key}": {text}')


KINDS: dict[str, Callable[[dict[str, Any], random.Random], str | None]] = {
    "values of other points": _indices,
    "gradients without effect": _zeros,
    "mu >= L": _classes,
    "another recursion": _recursions,
    "a claim lowered by 1e-5": _claims,
    "rows in another order": _orders,
    "huge integers": _huge,
    "deep JSON": _deep,
}


def forged() -> bool:
    answer = cases()[13].answer()
    assert answer.certificate is not None
    base = answer.certificate.data | {"method": answer.question.rows()}
    check_certificate.proved(json.loads(json.dumps(base)))
    draw, good = random.Random(0), True
    with tempfile.TemporaryDirectory() as folder:
        for kind, forge in KINDS.items():
            accepted = raised = 0
            slowest = 0.0
            for _ in range(EACH):
                c = copy.deepcopy(base)
                text = forge(c, draw) or json.dumps(c)
                path = Path(folder) / "c.json"
                path.write_text(text)
                begun = time.process_time()
                try:
                    with contextlib.redirect_stdout(io.StringIO()):
                        accepted += check_certificate.main([str(path)]) == 0
                except BaseException:
                    raised += 1
                slowest = max(slowest, time.process_time() - begun)
            good &= not accepted and not raised and slowest <= FORGED
            print(
                f"{kind:26} {EACH} files: {accepted} accepted, {raised} tracebacks, slowest "
                f"{slowest:.2f} s",
                flush=True,
            )
    print(f"{EACH * len(KINDS)} files in all")
    return good


def replays() -> bool:
    ratios = []
    for case in cases():
        answer = case.answer()
        if answer.certificate is None:
            continue
        try:
            played = answer.replay()
        except ArithmeticError as error:
            print(f"{case.label:32} T {case.rounds:2} not replayed: {error}", flush=True)
            continue
        ratio = played.value / float(answer.certificate.claim)
        ratios.append(ratio)
        print(
            f"{case.label:32} T {case.rounds:2} claim {float(answer.certificate.claim):.8f} "
            f"measured {played.value:.8f} ratio 1 - {1 - ratio:.1e}",
            flush=True,
        )
    reached = sum(ratio >= REACHED for ratio in ratios)
    print(f"{reached} of {len(cases())} replays reach 1 - 1e-6 of the claim")
    return reached >= 20


FIGURES = {
    "cases": all_cases,
    "relaxed": relaxed,
    "sizes": sizes,
    "forged": forged,
    "replays": replays,
}
FIGURES |= worst_rates.FIGURES | worst_triangles.FIGURES


def main(chosen: list[str]) -> int:
    unknown = [name for name in chosen if name not in FIGURES]
    if unknown:
        print(f"worst: no {unknown[0]!r}; need some of {', '.join(FIGURES)}", file=sys.stderr)
        return 2
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    missed = [name for name in chosen or FIGURES if not FIGURES[name]()]
    print(f"missed: {', '.join(missed)}" if missed else "every figure is reached")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
