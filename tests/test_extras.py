"""A base install, without any extra: what works there, and what says which extra it needs."""

import json
import pathlib
import re
import subprocess
import sys
import textwrap
import tomllib
from xml.etree import ElementTree

import pytest

from theorylab import cli
from theorylab.extras import EXTRAS, PACKAGES, MissingExtraError, need

ROOT = pathlib.Path(__file__).resolve().parents[1]
NEEDED = ROOT / "tests" / "requirements.txt"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# Modules that only a problem of torch imports, once it has looked whether torch is there.
OF_TORCH = {
    f"theorylab.problems._{name}"
    for name in (
        *("device", "network_copies", "network_modules", "network_passes", "network_stacks"),
        *("replays", "tf32"),
    )
}
BASE = f"""
import contextlib, io, importlib, json, pkgutil, sys
ABSENT = {sorted(set(EXTRAS) - {"PIL"})!r}  # matplotlib brings Pillow along

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())

def run(*words):
    from theorylab.cli import run
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(list(words))
    return code, out.getvalue(), err.getvalue()
"""


def in_base(text):
    """What the program prints, as JSON, in a process where no extra can be imported."""
    code = BASE + textwrap.dedent(text)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def packages(requirements):
    return {re.match(r"[\w.-]+", each)[0].lower() for each in requirements}


def test_the_extras_are_those_of_the_project_and_nothing_of_them_is_in_the_base():
    base, extras = packages(PROJECT["dependencies"]), PROJECT["optional-dependencies"]
    for module, extra in EXTRAS.items():
        name = PACKAGES.get(module, module).lower()
        assert any(each.startswith(name) for each in packages(extras[extra])), module
        assert not any(each.startswith(name) for each in base), module
    for extra in set(EXTRAS.values()) - {"cuda"}:
        assert set(extras[extra]) <= set(extras["all"]), extra
        assert set(extras[extra]) <= set(NEEDED.read_text().splitlines()), extra


def test_what_is_missing_names_the_extra_and_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(MissingExtraError) as told:
        need("photo", "sklearn", "PIL")
    assert told.value.extra == "data"
    assert str(told.value) == (
        "photo: Pillow is not installed; need the extra data: pip install 'theorylab[data]'"
    )


def test_a_package_that_lacks_another_one_is_not_called_missing(monkeypatch, tmp_path):
    (tmp_path / "clarabel.py").write_text("import nowhere")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "clarabel", raising=False)
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        need("here", "clarabel")


def test_every_module_but_those_of_torch_is_imported_without_an_extra():
    failed = in_base("""
        import theorylab
        failed = []
        for found in pkgutil.walk_packages(theorylab.__path__, "theorylab."):
            try:
                if not found.name.endswith("__main__"):
                    importlib.import_module(found.name)
            except ModuleNotFoundError as error:
                failed.append(found.name)
        print(json.dumps(failed))
    """)
    assert set(failed) == OF_TORCH


THEOREM = """
from theorylab.statements import Check, Source, Statement, Version
from theorylab.symbols import T

RUN = {"topology": {"name": "complete"}, "clients": 2, "rounds": 2, "algorithm": {"eta": .1}}
CHECKS = [
    Check(name, {**RUN, "problem": {"name": name, **options}})
    for name, options in {"logistic": {}, "quadratic": {"dim": 2}, "mlp": {}}.items()
]
STATEMENT = Statement(
    id="mine.thm1",
    source=Source("mine", "Theorem 1", "nothing grows beyond a million"),
    algorithm="sgp",
    quantity="mean_squared_gradient",
    versions={"printed": Version(terms={"all": 10**6 / T}, checks=tuple(CHECKS))},
)
"""


@pytest.fixture
def theorem(tmp_path):
    """A theorem with three checks, of which a base install can judge the second."""
    (tmp_path / "mine.py").write_text(THEOREM)
    return str(tmp_path / "mine.py")


def test_a_check_that_needs_an_extra_is_not_run_and_the_others_are(theorem, tmp_path):
    folder = str(tmp_path / "out")
    code, out, err, remade = in_base(f"""
        done = run("verify", {theorem!r}, "--out", {folder!r})
        print(json.dumps([*done, run("report", {folder!r})[0]]))
    """)
    told = "2 not run (need pip install 'theorylab[data,torch]')"
    assert (code, remade) == (0, 0), err
    assert out.rstrip().endswith(
        f"3 checks: 1 as expected, {told}. Exit code 0: every verdict is the expected one."
    )
    assert out.count("not run: needs extra data") == 1
    assert out.count("not run: needs extra torch") == 1
    page = (tmp_path / "out" / "index.html").read_text()
    assert told in page.replace("&#39;", "'")
    report = json.loads((tmp_path / "out" / "results.json").read_text())
    assert [each["check"] for each in report["results"]] == ["quadratic"]
    assert [each["extra"] for each in report["not_run"]] == ["data", "torch"]


def test_what_was_not_run_is_run_once_the_extra_is_there(theorem, tmp_path):
    words = ["verify", theorem, "--check", "logistic", "--out", str(tmp_path / "out")]
    code, out, err = in_base(f"print(json.dumps(run(*{words!r})))")
    assert (code, out) == (2, "")
    assert "digits: scikit-learn is not installed" in err
    assert cli.run(words) == 0


def test_a_test_of_a_check_that_needs_an_extra_is_skipped(theorem, tmp_path):
    code = in_base(f"""
        import pytest
        with contextlib.redirect_stdout(io.StringIO()):
            pytest.main([
                *("-p", "theorylab.pytest_plugin", "-p", "no:cacheprovider", "-c", "/dev/null"),
                *("--theorylab", "--junitxml", {str(tmp_path / "junit.xml")!r}, {theorem!r}),
            ])
        print(0)
    """)
    (suite,) = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert (code, suite.get("tests"), suite.get("skipped")) == (0, "3", "2")
    assert {suite.get("failures"), suite.get("errors")} == {"0"}
    reasons = {case.get("message") for case in suite.iter("skipped")}
    assert any("pip install 'theorylab[torch]'" in reason for reason in reasons)


PLACE = "--topology ring --clients 4 --rounds 2"
REFUSED = {
    "run sgp --set eta=.1 --problem mlp PLACE": "mlp: torch",
    "run sgp --set eta=.1 --problem logistic PLACE": "digits: scikit-learn",
    "compare sgp:eta=.1 local:eta=.1 --problem softmax PLACE": "digits: scikit-learn",
    "run pdbo --problem pdbo-mtl --topology sto-d --clients 4 --rounds 2": "digits: scikit-learn",
    "verify dfedsgpsm.lem1 --problem mlp": "verify: mlp: torch",
}


def test_a_command_that_needs_an_extra_is_refused_in_one_line():
    words = [each.replace("PLACE", PLACE).split() for each in REFUSED]
    ended = in_base(f"print(json.dumps([run(*each) for each in {words!r}]))")
    for (code, out, err), line in zip(ended, REFUSED.values(), strict=True):
        assert (code, out) == (2, ""), err
        last = err.splitlines()[-1]
        need = r"is not installed; need the extra \w+: pip install 'theorylab\[\w+\]'"
        assert re.search(f"^theorylab: {line} {need}", last), err
