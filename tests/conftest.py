"""Options of the whole suite, and the results of the catalogue, each judged once a session.

The plugin judges every check (`theorylab_claims` in pyproject.toml) where no test is named.
"""

import importlib
import os
import pathlib
import tempfile
import zlib
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

from theorylab import registry, symbols
from theorylab.constants import consensus
from theorylab.kernels import set_threads
from theorylab.report.store import Store
from theorylab.statements import BUILT_IN
from theorylab.verdicts import Job, judge_check
from theorylab.verdicts.schedule import one_thread

# No test asks how fast a shared machine is, neither to draw an example nor to run it.
settings.register_profile(
    "any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any-machine")

FOLDER = "THEORYLAB_TEST_RESULTS"  # where the processes of one session keep what they judged


def pytest_addoption(parser):
    parser.addoption(
        "--sample",
        type=int,
        default=1,
        metavar="K",
        help="with -m slow: one in K of the slow tests, the same ones every time",
    )


def pytest_configure(config):
    """Tables are as wide as without a terminal, whose width pytest-xdist sets in its processes.

    Each of those has one thread: two of each would wait for a core that the other's hold.
    """
    os.environ.pop("COLUMNS", None)
    if "PYTEST_XDIST_WORKER" not in os.environ:
        folder = tempfile.TemporaryDirectory()
        os.environ[FOLDER] = folder.name
        config.add_cleanup(folder.cleanup)
        return
    set_threads(1)
    threadpool_limits(1)
    os.environ["OMP_NUM_THREADS"] = "1"  # of libraries that are loaded later, and of commands


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

    Iteration leaves out the checks that are not quick. All processes of a session share them.
    """

    store = None

    def __init__(self, statement):
        versions = statement.versions.items()
        self.statement = statement
        self.checks = {(name, c.name): c for name, v in versions for c in v.checks}
        self.quick = [place for place, check in self.checks.items() if check.quick]
        self.judged = {}

    def __getitem__(self, place):
        if place not in self.judged:
            store = self._shared()
            key = Job(self.statement.id, *place, None).key()
            found = store.get(key)
            if found is None:
                with one_thread():
                    found = judge_check(self.statement, place[0], self.checks[place])
                store.put(key, found)
            self.judged[place] = found
        return self.judged[place]

    @classmethod
    def _shared(cls):
        if cls.store is None:
            cls.store = Store(pathlib.Path(os.environ[FOLDER]) / "results.sqlite")
        return cls.store

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
