"""Options of the whole suite, and the results of the catalogue, each judged once a session.

The plugin judges every check (`theorylab_claims` in pyproject.toml) where no test is named.
"""

import functools
import importlib.util
import os
import pathlib
import sys
import tempfile
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

from theorylab import registry, symbols
from theorylab.campaigns import kept_results
from theorylab.campaigns.kept_results import KeptResults
from theorylab.campaigns.kept_results import Results as Stored
from theorylab.constants import consensus
from theorylab.kernels import set_threads
from theorylab.statements import BUILT_IN
from theorylab.verdicts import Job, judge_check
from theorylab.verdicts.schedule import one_thread

# No test asks how fast a shared machine is, neither to draw an example nor to run it. Hypothesis
# draws anew in a tier of its own: a change is not to fail by an old fault that it did not touch.
_ANY_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("random", _ANY_MACHINE)
settings.register_profile("gate", _ANY_MACHINE, derandomize=True, database=None)
settings.load_profile("gate")

FOLDER = "THEORYLAB_TEST_RESULTS"  # where the processes of one session keep what they judged
KEPT = "THEORYLAB_TEST_KEPT"  # where `theorylab verify` keeps what it judged of this very code


def _suite():
    """The package ``suite`` of this folder, which is on no import path: tests see what users do."""
    path = pathlib.Path(__file__).with_name("suite")
    spec = importlib.util.spec_from_file_location(
        "theorylab_suite", path / "__init__.py", submodule_search_locations=[str(path)]
    )
    sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[spec.name])


_suite()
tiers, costs, emulated = (
    importlib.import_module(f"theorylab_suite.{name}") for name in ("tiers", "costs", "emulated")
)
emulated.install()


def pytest_addoption(parser):
    tiers.add_options(parser)


def pytest_configure(config):
    """Tables are as wide as without a terminal, whose width pytest-xdist sets in its processes.

    Each of those has one thread: two of each would wait for a core that the other's hold.
    """
    os.environ.pop("COLUMNS", None)
    worker = hasattr(config, "workerinput")  # of pytest-xdist; a test may start a pytest of its own
    if worker:
        vars(config.option).update(config.workerinput["suite"])
    else:
        tiers.settle(config)
        folder = tempfile.TemporaryDirectory()
        os.environ[FOLDER] = folder.name
        config.add_cleanup(folder.cleanup)
        os.environ[KEPT] = str(kept_results.folder() or "")
        os.environ[kept_results.FOLDER] = ""  # nothing is kept of what a test may have changed
    os.environ.pop("PYTEST_ADDOPTS", None)  # it was for this pytest, not for one of a test's
    settings.load_profile("random" if config.option.tier == "random" else "gate")
    config.pluginmanager.register(tiers.Chosen())
    if config.option.costs:
        config.pluginmanager.register(costs.Clock())
        if not worker:
            config.pluginmanager.register(costs.Sums(pathlib.Path(config.option.costs)))
    if worker:
        set_threads(1)
        threadpool_limits(1)
        os.environ["OMP_NUM_THREADS"] = "1"  # of libraries that are loaded later, and of commands


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """What was settled here holds in every process of pytest-xdist."""
    given = vars(node.config.option)
    node.workerinput["suite"] = {name: given[name] for name in ("tier", "draw", "sample", "costs")}


def pytest_report_header(config):
    return tiers.header(config)


def pytest_collection_modifyitems(items):
    """The plugin's long checks are slow tests."""
    for item in items:
        if item.get_closest_marker("theorylab_slow"):
            item.add_marker("slow")


class Results(Mapping):
    """The results of a statement's checks, by version and check; each is judged when asked for.

    Iteration leaves out the checks that are not quick. All processes of a session share them.
    """

    store = kept = None

    def __init__(self, statement):
        versions = statement.versions.items()
        self.statement = statement
        self.checks = {(name, c.name): c for name, v in versions for c in v.checks}
        self.quick = [place for place, check in self.checks.items() if check.quick]
        self.judged = {}

    def __getitem__(self, place):
        if place not in self.judged:
            store, kept = self._shared()
            job = Job(self.statement.id, *place, None)
            key = job.key()
            found = store.get(job, key) or kept.get(job)
            if found is None:
                with one_thread(), costs.apart(self.checks[place].quick):
                    found = judge_check(self.statement, place[0], self.checks[place])
                store.put([(key, found)])
            self.judged[place] = found
        return self.judged[place]

    @classmethod
    def _shared(cls):
        if cls.store is None:
            path = pathlib.Path(os.environ[FOLDER]) / "results.sqlite"
            cls.store = Stored(path, print, check=False)  # other processes are at it
            where = os.environ.get(KEPT)
            told = functools.partial(print, file=sys.stderr)
            cls.kept = KeptResults(pathlib.Path(where) if where else None, told)
        return cls.store, cls.kept

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


@pytest.fixture(params=sorted({name.partition(".")[0] for name in BUILT_IN}))
def statements(request):
    """The statements of a paper: what takes microseconds for one is one test for all of them."""
    return [s for name, s in BUILT_IN.items() if name.startswith(f"{request.param}.")]


@pytest.fixture
def versions(statements):
    """(name to show, statement, version) of every version of a paper's statements."""
    return [(f"{s.id} [{name}]", s, v) for s in statements for name, v in s.versions.items()]


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
    monkeypatch.setattr(
        consensus, "_forever", lambda *of: consensus.Envelope(consensus._inside(of[0], 1, of[1]))
    )
