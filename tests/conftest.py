"""Options of the whole suite, and the results of the catalogue, each judged once a session.

The plugin judges every check (`theorylab_claims` in pyproject.toml) where no test is named.
"""

import importlib
import os
import zlib
from collections.abc import Mapping

import pytest

from theorylab import registry, symbols
from theorylab.constants import consensus
from theorylab.statements import BUILT_IN
from theorylab.verdicts import judge_check


def pytest_addoption(parser):
    parser.addoption(
        "--sample",
        type=int,
        default=1,
        metavar="K",
        help="with -m slow: one in K of the slow tests, the same ones every time",
    )


def pytest_configure():
    """Tables are as wide as without a terminal, whose width pytest-xdist sets in its processes."""
    os.environ.pop("COLUMNS", None)


def pytest_collection_modifyitems(config, items):
    """The plugin's long checks are slow tests; a sample is chosen by the tests' names alone."""
    for item in items:
        if item.get_closest_marker("theorylab_slow"):
            item.add_marker("slow")
    share = config.getoption("--sample")
    if share < 1:
        raise pytest.UsageError(f"--sample is {share}; need at least 1")
    if share == 1:
        return
    kept, left = [], []
    for item in items:
        slow = item.get_closest_marker("slow") is not None
        out = slow and zlib.crc32(item.nodeid.encode()) % share != 0
        (left if out else kept).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = kept


class Results(Mapping):
    """The results of a statement's checks, by version and check; each is judged when asked for.

    Iteration leaves out the checks that are not quick.
    """

    def __init__(self, statement):
        versions = statement.versions.items()
        self.statement = statement
        self.checks = {(name, c.name): c for name, v in versions for c in v.checks}
        self.quick = [place for place, check in self.checks.items() if check.quick]
        self.judged = {}

    def __getitem__(self, place):
        if place not in self.judged:
            version, _ = place
            self.judged[place] = judge_check(self.statement, version, self.checks[place])
        return self.judged[place]

    def __iter__(self):
        return iter(self.quick)

    def __len__(self):
        return len(self.quick)


RESULTS = {id_: Results(statement) for id_, statement in BUILT_IN.items()}


def pytest_theorylab_judge(job):
    """No check is judged twice in a session, whoever asks: the plugin or `judged`."""
    return None if job.source_file else RESULTS[job.id][job.version, job.check]


@pytest.fixture(scope="session")
def judged():
    """judged(statement)["printed", "ring"]: what `theorylab verify` says of a built-in check."""

    def of(statement):
        assert statement is BUILT_IN[statement.id]  # a changed one would get the results of its id
        return RESULTS[statement.id]

    return of


@pytest.fixture
def registries():
    """What the test registers and declares is gone after it."""
    known = (symbols.MEANING, symbols.BY_NAME, symbols._NAMES, symbols._OF_FILES)
    before = [dict(table) for table in known]
    with registry.restored():
        yield
    for table, content in zip(known, before, strict=True):
        table.clear()
        table.update(content)


@pytest.fixture
def few_lags(monkeypatch):
    """Pairs (C, q) of rounds 0 and 1 alone, for what reads other constants of a slow network.

    Those of all lags cost minutes there, and `tests/constants/test_consensus.py` tests them.
    """
    kept = importlib.import_module("theorylab.constants.topology_constants")  # not the function
    monkeypatch.setattr(kept, "_KEPT", {})  # no other test is given these
    monkeypatch.setattr(consensus, "_forever", lambda *of: consensus._inside(of[0], 1, of[1]))
