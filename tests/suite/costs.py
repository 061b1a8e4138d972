"""What tests cost: seconds of the processor, ended children included, whatever else runs.

``pytest --costs=FILE`` measures them and puts them into FILE beside what that has of other tests.
Functions of at most ``CHEAP`` seconds an item are not listed. What many tests share, a fixture that
is made once, is no cost of the one that comes first, and is listed where it is above ``DEAR``.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from . import tree

CHEAP, DEAR = 0.05, 1.0
FILE = tree.ROOT / "tests" / "costs.json"
_APART = [0.0]  # seconds of what no test is to pay for, since the last look at the clock


@dataclass
class Costs:
    """Seconds an item of functions, and of fixtures that are made once for many tests.

    Both by "tests/x/test_y.py::name", from the root.
    """

    functions: dict[str, float] = field(default_factory=dict)
    fixtures: dict[str, float] = field(default_factory=dict)

    @classmethod
    def read(cls, path: pathlib.Path = FILE) -> Costs:
        """Raises pytest.UsageError, one line, where it is no such file; without one, none."""
        try:
            content = json.loads(path.read_text())
            found = cls(content["functions"], content["fixtures"])
            if not all(s >= 0 for part in (found.functions, found.fixtures) for s in part.values()):
                raise ValueError("a negative number of seconds")
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise pytest.UsageError(f"{path}: no costs of tests ({error}); delete it") from None
        return found

    def write(self, path: pathlib.Path) -> None:
        """What is dear, sorted; whole or not at all."""
        content = {
            "functions": {k: s for k, s in sorted(self.functions.items()) if s > CHEAP},
            "fixtures": {k: s for k, s in sorted(self.fixtures.items()) if s > DEAR},
        }
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        fresh.write_text(json.dumps(content, indent=1) + "\n")
        os.replace(fresh, path)


def function_of(nodeid: str) -> str:
    """The function of an item, without its parameters."""
    return nodeid.partition("[")[0]


@contextlib.contextmanager
def apart(really: bool = True) -> Iterator[None]:
    """What is done inside is not the cost of the test that happens to be the first to ask."""
    began = _now()
    yield
    if really:
        _APART[0] += _now() - began


def _now() -> float:
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


class Clock:
    """In each process: puts the seconds of every phase into its report."""

    def __init__(self) -> None:
        self.last = _now()
        self.fixtures: list[tuple[str, float]] = []
        _APART[0] = 0.0

    def pytest_runtest_logstart(self) -> None:
        self.last, _APART[0] = _now(), 0.0

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: pytest.FixtureRequest) -> Any:
        if fixturedef.scope == "function":
            return (yield)
        before, began = _APART[0], _now()
        result = yield
        spent = _now() - began - (_APART[0] - before)
        _APART[0] += spent
        self.fixtures.append((f"{fixturedef.baseid}::{fixturedef.argname}", spent))
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Any:
        report = yield
        now = _now()
        seconds = max(0.0, now - self.last - _APART[0])
        report.user_properties.append(("seconds", seconds))
        report.user_properties += [("fixture", each) for each in self.fixtures]
        self.last, _APART[0] = now, 0.0
        self.fixtures.clear()
        return report


class Sums:
    """In the process that hears all reports: adds up, and writes at the end."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.items: dict[str, set[str]] = {}
        self.seconds: dict[str, float] = {}
        self.fixtures: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if "[" not in report.nodeid and ".py::" not in report.nodeid:
            return  # a check of a statement
        name = function_of(report.nodeid)
        self.items.setdefault(name, set()).add(report.nodeid)
        for kind, value in report.user_properties:
            if kind == "seconds":
                self.seconds[name] = self.seconds.get(name, 0.0) + value
            elif kind == "fixture":
                which, seconds = value
                self.fixtures[which] = max(seconds, self.fixtures.get(which, 0.0))

    def pytest_sessionfinish(self) -> None:
        known = Costs.read(self.path)
        for name, seconds in self.seconds.items():
            known.functions[name] = round(seconds / len(self.items[name]), 3)
        known.fixtures |= {name: round(seconds, 2) for name, seconds in self.fixtures.items()}
        for part in (known.functions, known.fixtures):
            gone = [name for name in part if not (tree.ROOT / name.partition("::")[0]).exists()]
            for name in gone:
                del part[name]
        known.write(self.path)
