"""A pytest plugin: ``pytest --theorylab my_theorem.py`` makes one test of every check.

A run that meets no theorem pays for this module alone: it imports nothing of theorylab before a
theorem is collected.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from theorylab.statements import Check, Statement, Version
    from theorylab.verdicts import Job, Result

_FILES = pytest.StashKey[set[pathlib.Path]]()  # theorem files that the ini file names
_IDS = pytest.StashKey[list[str]]()  # built-in statements, by id or pattern


class UnexpectedVerdictError(Exception):
    """A check's verdict is not the expected one; the text is all that the report shows."""


class Hooks:
    """What a suite may take over."""

    @pytest.hookspec(firstresult=True)
    def pytest_theorylab_judge(self, job: Job) -> Result | None:
        """The result of a check; None: it is judged now. For a suite that keeps results."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(Hooks)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("theorylab", "theorems as tests")
    group.addoption(
        "--theorylab",
        action="store_true",
        help="judge the theorem files and the ids of built-in statements that are named; where "
        "none is, those of theorylab_claims alone",
    )
    group.addoption(
        "--theorylab-full", action="store_true", help="judge the checks that take long, too"
    )
    parser.addini(
        "theorylab_claims",
        "theorem files (path/*.py, from the ini file's folder) and ids of built-in statements",
        type="args",
        default=[],
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "theorylab: a check of a statement")
    config.addinivalue_line(
        "markers", "theorylab_slow: a check that takes long; needs --theorylab-full"
    )
    claims, folder = config.getini("theorylab_claims"), config.inipath or config.rootpath
    folder = folder.parent if config.inipath else folder
    files = [path for item in claims if item.endswith(".py") for path in _found(folder, item)]
    ids = [item for item in claims if not item.endswith(".py")]
    source, named = config.args_source, config.args
    if source is config.ArgsSource.ARGS:
        own = config.getoption("theorylab")
        ids = [item for item in named if own and _is_id(config, item)]
        named[:] = [item for item in named if item not in ids]
    elif config.getoption("theorylab"):
        if not claims:
            raise pytest.UsageError(
                "--theorylab: no theorem is named; need a FILE.py, an id, or theorylab_claims"
            )
        named[:] = map(str, files)
    elif source is config.ArgsSource.TESTPATHS:
        walked = [(config.invocation_params.dir / item).resolve() for item in named]
        named += [str(f) for f in files if not any(f.is_relative_to(root) for root in walked)]
    config.stash[_FILES], config.stash[_IDS] = set(files), ids


def _found(folder: pathlib.Path, pattern: str) -> list[pathlib.Path]:
    files = sorted(path.resolve() for path in folder.glob(pattern))
    if not files and "*" not in pattern:
        raise pytest.UsageError(f"theorylab_claims: {pattern}: no such file in {folder}")
    return files


def _is_id(config: pytest.Config, item: str) -> bool:
    """What is named like a file or a folder is for pytest to find, or to miss."""
    path = item.partition("::")[0]
    there = (config.invocation_params.dir / path).exists()
    return not there and not path.endswith(".py") and os.sep not in path


def _is_claim(path: pathlib.Path, session: pytest.Session) -> bool:
    """A file of the ini file's; with --theorylab also one that is named, and is no test file."""
    config = session.config
    if path.resolve() in config.stash[_FILES]:
        return True
    named = config.getoption("theorylab") and path.suffix == ".py" and session.isinitpath(path)
    return named and not any(path.match(pattern) for pattern in config.getini("python_files"))


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: pathlib.Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    others = yield
    if not _is_claim(file_path, parent.session):
        return others
    # not pytest's own module, too: it would run the file a second time, and find no test
    kept = [each for each in others if type(each) is not pytest.Module]
    return [*kept, ClaimFile.from_parent(parent, path=file_path)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    items += _built_in(session)
    if config.getoption("theorylab_full") or "theorylab_slow" in config.getoption("markexpr"):
        return
    slow = [item for item in items if item.get_closest_marker("theorylab_slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("theorylab_slow")]


def _built_in(session: pytest.Session) -> list[pytest.Item]:
    """The checks of the built-in statements that are named, each once: ID, ID::VERSION, ..."""
    if not (ids := session.config.stash[_IDS]):
        return []
    from theorylab.verdicts import selected

    found: dict[str, pytest.Item] = {}
    for item in ids:
        pattern, *rest = item.split("::")
        try:
            statements = selected([pattern])
        except ValueError as error:
            raise pytest.UsageError(f"theorylab: {error}") from None
        for name, (statement, _) in statements.items():
            node = Claim.from_parent(session, name=name, nodeid=name, statement=statement)
            checks = {check.nodeid: check for check in session.genitems(node)}
            found |= {k: c for k, c in checks.items() if k.split("::")[1:][: len(rest)] == rest}
        if not found:
            raise pytest.UsageError(f"theorylab: no check is called {item}")
    return list(found.values())


class ClaimFile(pytest.File):
    """A theorem file."""

    def collect(self) -> Iterator[Claim]:
        """Its statements; one line where it cannot be loaded."""
        from theorylab.verdicts import selected

        source = str(self.path)
        try:
            found = selected([source])
        except ValueError as error:
            raise self.CollectError(str(error).replace(source, self.path.name)) from None
        for name, (statement, file) in found.items():
            yield Claim.from_parent(self, name=name, statement=statement, file=file)


class Claim(pytest.Collector):
    """A statement, of a theorem file or built in."""

    def __init__(self, *, statement: Statement, file: str | None = None, **node: Any) -> None:
        super().__init__(**node)
        self.statement, self.file = statement, file

    def collect(self) -> Iterator[ClaimVersion]:
        """Its versions, in order."""
        for name, content in self.statement.versions.items():
            yield ClaimVersion.from_parent(self, name=name, claim=self, content=content)


class ClaimVersion(pytest.Collector):
    """A version of a statement."""

    def __init__(self, *, claim: Claim, content: Version, **node: Any) -> None:
        super().__init__(**node)
        self.claim, self.content = claim, content

    def collect(self) -> Iterator[ClaimCheck]:
        """Its checks, in order."""
        from theorylab.verdicts import Job

        for check in self.content.checks:
            job = Job(self.claim.statement.id, self.name, check.name, self.claim.file)
            yield ClaimCheck.from_parent(self, name=check.name, job=job, check=check)


class ClaimCheck(pytest.Item):
    """A check; it passes where its verdict is the expected one, VIOLATED included."""

    def __init__(self, *, job: Job, check: Check, **node: Any) -> None:
        super().__init__(**node)
        self.job = job
        self.add_marker("theorylab")
        if not check.quick:
            self.add_marker("theorylab_slow")

    def runtest(self) -> None:
        from theorylab.extras import MISSING
        from theorylab.verdicts import judge
        from theorylab.verdicts.failed import failed
        from theorylab.verdicts.schedule import one_thread

        try:
            # not self.ihook: a built-in statement is in no conftest's folder
            kept: Result | None = self.config.hook.pytest_theorylab_judge(job=self.job)
            with one_thread():  # as ``verify`` does: xdist has a process for each core
                result = judge(self.job) if kept is None else kept
        except MISSING as error:
            pytest.skip(f"not run: {error}")
        except Exception as error:
            result = failed(self.job, error)
            if result.fault == "theorylab":
                raise
        if result.fault:
            self.user_properties.append(("verdict", result.verdict))
            raise UnexpectedVerdictError(f"{result.verdict}: {result.reason}")
        self.user_properties.append(("verdict", result.verdict))
        if not result.as_expected:
            told = f"{result.verdict}, but {result.expected} is expected: {result.reason}"
            raise UnexpectedVerdictError("\n".join([told, *self._shown(result)]))

    def _shown(self, result: Result) -> list[str]:
        """Of a counterexample its instance, both sides, and the command that writes its script."""
        from theorylab.explain import explained, reproduced
        from theorylab.report.shown import Shown

        if not result.outcome.broken:
            return []
        again = reproduced(result, self.job.source_file or "")
        instance = explained(result, source_file=self.job.source_file or "").instance
        sides = f"{Shown(result).compared}{' at ' * bool(result.place)}{result.place}"
        return [f"instance: {instance}", sides, f"as NumPy: {again} --script -"]

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The verdict's reason, or what is wrong with the instance or the file: no traceback."""
        from theorylab.characters import printable
        from theorylab.verdicts import UserFaultError

        error = excinfo.value
        wrong = isinstance(error, ValueError) and str(error).startswith(self.job.id)
        if not (wrong or isinstance(error, UnexpectedVerdictError | UserFaultError)):
            return super().repr_failure(excinfo)  # a fault of theorylab's
        shown = excinfo.getrepr(style="value")
        if shown.reprcrash is not None:
            first = str(error).partition("\n")[0]
            shown.reprcrash.message = printable(first)  # of the summary; no name of a class
        for entry in getattr(shown.reprtraceback, "reprentries", ()):
            entry.lines = [printable(line) for line in entry.lines]
        return shown

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        return self.path, None, f"{self.job.id} [{self.job.version}] {self.job.check}"
