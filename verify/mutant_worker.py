"""What ``mutants.py`` starts in a copy of the tree: run tests there, and say what they did.

    python mutant_worker.py record      the job on stdin: what each of its tests executes
    python mutant_worker.py serve       one job a line on stdin, one answer a line on stdout

``serve`` imports once whatever no mutant can change, and forks for every run of tests, so that a
run imports only the mutated module and what is built on it.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pathlib
import resource
import signal
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

FLAGS = (
    *("-q", "-p", "no:cacheprovider", "--basetemp=.mutants-tmp"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # plugins are imported before the fork
)
ANY = "*"  # in a statement's place: some statement of the module
SHARE = 0.25  # of a room's budget: what one file of it may use


def cpu() -> float:
    """Seconds of the processor that this process and its ended children have used."""
    return sum(os.times()[:4])


def arguments(files: Sequence[str]) -> list[str]:
    """What pytest is called with to run files of tests, and the checks of statements by id."""
    ids = any(not name.endswith(".py") for name in files)
    tiers = any(pathlib.Path("tests").rglob("tiers.py"))  # which would leave tests out itself
    own = (*(["--theorylab"] if ids else []), *(["--tier", "full"] if tiers else []))
    return [*FLAGS, *own, *files]


class Recorder:
    """For every test that passed: its file, its seconds, and the statements it executed.

    ``rooms``: of every file the room that pays for it, by which tests are left out once its budget
    is used up.
    """

    def __init__(self, seen: set[str], job: dict[str, Any]) -> None:
        self.seen = seen
        self.wanted, self.daily = set(job["wanted"]), set(job["daily"])
        self.budget: float = job["budget"]
        self.rooms = {name: room for room, names in job["files"].items() for name in names}
        self.order = {name: k for k, name in enumerate(self.rooms)}
        self.used: dict[str, float] = {}
        self.rows: dict[str, dict[str, Any]] = {}
        self.passed: set[str] = set()
        self.failed: list[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        def place(item: pytest.Item) -> tuple[int, bool]:
            return self.order.get(_file(item), len(self.order)), item.nodeid not in self.daily

        items.sort(key=place)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.seen.clear()
        began = cpu()
        result = yield
        seconds = cpu() - began
        seen = self.wanted & self.seen
        seen |= {f"{name.rpartition(':')[0]}:{ANY}" for name in self.seen}
        file = _file(item)
        self.rows[item.nodeid] = {"file": file, "seconds": seconds, "seen": sorted(seen)}
        for payer in (file, self.rooms.get(file, "")):
            self.used[payer] = self.used.get(payer, 0.0) + seconds
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """A test that is left out is skipped: so pytest still ends what an earlier one began."""
        file = _file(item)
        room = self.used.get(self.rooms.get(file, ""), 0.0)
        if room > self.budget or self.used.get(file, 0.0) > SHARE * self.budget:
            pytest.skip("its room's budget is used up")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)
        elif report.when == "call" and report.passed:
            self.passed.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


def _file(item: pytest.Item) -> str:
    return item.nodeid.split("::")[0]


class Only:
    """Of what is collected, the given tests in the given order; remembers which one failed."""

    def __init__(self, wanted: list[str]) -> None:
        self.order = {name: k for k, name in enumerate(wanted)}
        self.failed = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self.order),
            key=lambda item: self.order[item.nodeid],
        )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid


def recorded(job: dict[str, Any]) -> dict[str, Any]:
    """What the tests execute, which of them fail, and all modules that were imported, in order."""
    files = [name for names in job["files"].values() for name in names]
    if not files:
        return {"tests": {}, "failed": [], "code": 0, "modules": []}
    recorder = Recorder(importlib.import_module("_mutants_seen").SEEN, job)
    with _quiet():
        code = int(pytest.main(arguments(files), plugins=[recorder]))
    rows = {name: row for name, row in recorder.rows.items() if name in recorder.passed}
    return {"tests": rows, "failed": recorder.failed, "code": code, "modules": list(sys.modules)}


def served(preload: list[str]) -> None:
    """Answer jobs until stdin ends."""
    with warnings.catch_warnings(), _quiet():
        warnings.simplefilter("ignore")
        for name in preload:
            with contextlib.suppress(BaseException):
                importlib.import_module(name)
    for line in sys.stdin:
        print(json.dumps(judged(json.loads(line))), flush=True)


def judged(job: dict[str, Any]) -> dict[str, str]:
    """What becomes of a mutant: killed (by which test of which tier), timeout, survived, or late.

    The mutant lies on disk, in the place of its module, while tests run: so commands that they
    start meet it, too, and whatever is keyed by the text of the package has another key.
    """
    target = pathlib.Path(job["path"])
    original = target.read_bytes()
    if job["source"] is not None:
        target.write_text(job["source"])
    try:
        for chunk in job["chunks"]:
            outcome, test = _run(chunk["tests"], chunk["seconds"], job["until"])
            if outcome != "survived":
                return {"outcome": outcome, "test": test, "tier": chunk["tier"]}
        return {"outcome": "survived", "test": "", "tier": ""}
    finally:
        target.write_bytes(original)


def _run(tests: list[str], seconds: float, until: float) -> tuple[str, str]:
    """In a forked process: ``seconds`` of the processor, and never beyond ``until``."""
    mark = pathlib.Path(".mutants-failed")
    mark.unlink(missing_ok=True)
    process = os.fork()
    if process == 0:
        try:
            os.setsid()
            limit = int(seconds) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
            only = Only(tests)
            files = list(dict.fromkeys(name.split("::")[0] for name in tests))
            with _quiet():
                code = int(pytest.main(["-x", *arguments(files)], plugins=[only]))
            mark.write_text(only.failed)
        except BaseException:
            os._exit(3)  # pytest itself broke: no verdict of a test, but no tree that works
        os._exit(code)
    wall = time.time() + 10 * seconds  # asleep, or on a machine that has no time for it
    status = None
    while status is None:
        done, code = os.waitpid(process, os.WNOHANG)
        if done:
            status = code
        elif time.time() > min(wall, until):
            break
        else:
            time.sleep(0.01)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)  # also what the tests left running
    if status is None:
        os.waitpid(process, 0)
        return ("late" if time.time() > until else "timeout"), ""
    if os.WIFSIGNALED(status):
        slow = os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
        return ("timeout" if slow else "killed"), f"signal {os.WTERMSIG(status)}"
    # 5: none of these tests is there any more, which none of them says is wrong
    if os.WEXITSTATUS(status) in (0, 5):
        return "survived", ""
    told = mark.read_text() if mark.exists() else ""
    return "killed", told or "import"


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Whatever tests print goes nowhere: stdout is for answers."""
    kept = os.dup(1), os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        for number, copied in zip((1, 2), kept, strict=True):
            os.dup2(copied, number)
            os.close(copied)


def main(given: list[str]) -> int:
    sys.path.insert(0, os.getcwd())
    if given == ["record"]:
        print(json.dumps(recorded(json.loads(sys.stdin.readline()))))
        return 0
    served(json.loads(sys.stdin.readline()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
