"""Runs the gate's steps. All failures are listed at its end, each with the line that repeats it.

A test that fails runs once more, alone. If it passes then, it is told as flaky, and the next change
lists it in tests/flaky.txt, which has room for three. One that is listed and fails again is a
failure.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

AGAIN = 10  # failed tests that are run alone; more of them are no accident
ROOM = 3  # tests that tests/flaky.txt may list
LIMIT = 2400.0  # seconds of a step: what hangs is to be told, too
_CRASHED = re.compile("crashed while running")  # a fault of memory is no accident of timing
TOLD = 40  # last lines that are shown of a step that passes


@dataclass(frozen=True)
class Step:
    """``words``: commands of a shell, one after the other, in the tree."""

    name: str
    words: Sequence[str]
    more: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_tests(self) -> bool:
        """Whether pytest is the last that it does, and its tests may be tried alone."""
        return bool(self.words) and "pytest" in self.words[-1]

    @property
    def again(self) -> str:
        """The line that repeats it, in the tree."""
        given = [f"{key}={shlex.quote(value)}" for key, value in self.more.items()]
        return " ".join([*given, " && ".join(self.words)])


@dataclass
class Outcome:
    """What became of a step."""

    step: Step
    seconds: float
    failed: list[str]  # what to say of it; empty where it passed


class Gate:
    """Runs steps in a tree, and remembers what failed."""

    def __init__(self, tree: pathlib.Path, say: Callable[[str], None] = print) -> None:
        self.tree, self.say = tree, say
        self.outcomes: list[Outcome] = []
        self.flaky: list[str] = []

    def step(self, step: Step) -> bool:
        """Run the step; whether it passed. One that does not end is ended."""
        began = time.monotonic()
        self.say(f"\n.. {step.name}")
        script = "set -euo pipefail\n" + "\n".join(step.words)
        cache = self.tree / "build" / f"cache-{abs(hash(step.name))}"  # steps run beside each other
        more = {**step.more}
        if step.is_tests:
            more["PYTEST_ADDOPTS"] = f"{more.get('PYTEST_ADDOPTS', '')} -o cache_dir={cache}"
        code, text = self._ended(script, more)
        seconds = time.monotonic() - began
        lines = text.splitlines()
        cut = lines if code else lines[-TOLD:]
        self.say("\n".join([f"\n== {step.name} ({seconds:.0f} s)", *cut]))
        failed = [f"exit code {code}: {step.again}"] if code else []
        if code == 1 and step.is_tests and not _CRASHED.search(text):
            failed = self._tried_alone(failed, cache)
        self.outcomes.append(Outcome(step, seconds, failed))
        return not failed

    def _ended(self, script: str, more: Mapping[str, str]) -> tuple[int, str]:
        """Exit code and output; of one that takes too long, with all that it started, 124."""
        process = subprocess.Popen(
            ["bash", "-c", script], cwd=self.tree, env={**os.environ, **more},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", start_new_session=True,
        )  # fmt: skip
        try:
            text, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            text, _ = process.communicate()
            return 124, f"{text}\nended after {LIMIT:.0f} s"
        return process.returncode, text

    def together(self, lanes: Sequence[Sequence[Step]]) -> None:
        """The lanes beside each other, the steps of each one after the other."""
        with ThreadPoolExecutor(len(lanes)) as pool:
            list(pool.map(lambda lane: [self.step(step) for step in lane], lanes))

    def _tried_alone(self, failed: list[str], cache: pathlib.Path) -> list[str]:
        """What is left of the failure after every failed test ran once more, alone."""
        kept = cache / "v" / "cache" / "lastfailed"
        names = sorted(json.loads(kept.read_text())) if kept.exists() else []
        if not 0 < len(names) <= AGAIN or not all("::" in name for name in names):
            return failed  # a file that cannot be collected, a process of pytest-xdist
        left = []
        for name in names:
            claim = "" if ".py" in name else "--theorylab "
            line = f".venv/bin/pytest {claim}{shlex.quote(name)}"
            done = subprocess.run(
                ["bash", "-c", line], cwd=self.tree, stdin=subprocess.DEVNULL, capture_output=True
            )
            if done.returncode:
                left.append(f"a test fails: {line}")
            elif name in listed(self.tree):
                left.append(f"a test of tests/flaky.txt is flaky again: {line}")
            else:
                self.flaky.append(name)
        return left

    def broke(self, text: str) -> None:
        """The gate itself cannot go on."""
        self.say(text)
        self.outcomes.append(Outcome(Step("the gate", []), 0.0, [text.splitlines()[-1]]))

    def ended(self) -> int:
        """Say what failed and what each step took; the exit code."""
        self.say("\n== seconds of each step")
        for outcome in self.outcomes:
            self.say(f"{outcome.seconds:6.0f}  {outcome.step.name}")
        for name in self.flaky:
            self.say(f"flaky, passed alone: {name} (list it in tests/flaky.txt)")
        failures = [(o.step.name, line) for o in self.outcomes for line in o.failed]
        for name, line in failures:
            self.say(f"FAILED {name}: {line}")
        self.say("all steps passed" if not failures else f"{len(failures)} failed")
        return 1 if failures else 0


def listed(tree: pathlib.Path) -> set[str]:
    """The tests that were seen flaky. Raises ValueError where they are more than the room."""
    lines = (tree / "tests" / "flaky.txt").read_text().splitlines()
    names = {line for line in lines if line and not line.startswith("#")}
    if len(names) > ROOM:
        raise ValueError(f"tests/flaky.txt lists {len(names)} tests; need at most {ROOM}")
    return names
