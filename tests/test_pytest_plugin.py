"""The plugin in suites of its own: what is collected, what passes, and what a failure says."""

import pathlib
import re
import sys
import tomllib

import pytest

pytest_plugins = ["pytester"]

ROOT = pathlib.Path(__file__).resolve().parents[1]
PLUGIN = "theorylab.pytest_plugin"
FILE = """
from theorylab.statements import Check, Source, Statement, Version
from theorylab.symbols import T, eta, f0, f_star

RUN = {
    "problem": {"name": "quadratic", "dim": 3, "mu": 0.1, "L": 2.0, "seed": 0},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 200,
    "algorithm": {"eta": 0.25},
    "x0": 1.0,
}
NOISY = {**RUN, "problem": {"name": "logistic", "batch": 2, "alpha": 0.5, "seed": 3}, "clients": 2}
TERM = (f0 - f_star) / (T * eta)


def version(term, *checks):
    return Version(terms={"optimisation": term}, assumes=(), checks=checks)


STATEMENT = Statement(
    id="mine.thm1",
    source=Source("mine", "Theorem 1", "mean squared gradient of gradient descent"),
    algorithm="sgp",
    quantity="mean_squared_gradient",
    versions={
        "printed": version(2 * TERM, Check("right", RUN), Check("long", RUN, quick=False)),
        "printed/small": version(
            1e-3 * TERM, Check("found-out", RUN, "VIOLATED"), Check("believed", RUN)
        ),
    },
)
"""


@pytest.fixture
def suite(pytester):
    """A folder with a theorem file and an ordinary test."""
    pytester.makepyfile(my_theorem=FILE, test_ordinary="def test_ordinary(): pass")
    return pytester


def passed(result):
    """The names of the tests that passed, in order."""
    return [line.split()[0] for line in result.outlines if " PASSED" in line]


def test_every_check_is_a_test_and_an_expected_violation_passes(suite):
    result = suite.runpytest_inprocess("-p", PLUGIN, "-v", "--theorylab", "my_theorem.py")
    assert result.parseoutcomes() == {"passed": 2, "failed": 1, "deselected": 1}
    assert passed(result) == [
        "my_theorem.py::mine.thm1::printed::right",
        "my_theorem.py::mine.thm1::printed/small::found-out",
    ]


def test_a_failure_is_the_verdict_and_its_reason_without_a_traceback(suite):
    result = suite.runpytest_inprocess("-p", PLUGIN, "--theorylab", "my_theorem.py", "-vv")
    text = result.stdout.str()
    told = "VIOLATED, but HOLDS is expected: the lower limit 0.0975361 exceeds the bound 7.4707"
    assert f"FAILED my_theorem.py::mine.thm1::printed/small::believed - {told}" in text
    body = text.split(" FAILURES ")[1].split(" short test summary ")[0].splitlines()
    assert len(body) == 7  # two rules, the check, the reason, and what shows it
    assert body[2].startswith(told)
    assert body[3].startswith("instance: f_i(x) = ")
    assert body[4].startswith("the left side is 0.09754 and the bound 7.47")
    command = "theorylab verify my_theorem.py --version printed/small --check believed --script -"
    assert body[5].endswith(command.partition(" my_theorem.py")[2])


def test_what_is_undecided_fails_and_says_what_would_decide(suite):
    # minibatches of two: the limits of 64 runs are wide
    near = FILE.replace('Check("believed", RUN)', 'Check("undecided", NOISY)')
    suite.makepyfile(my_theorem=near.replace("1e-3 * TERM", "2.0 * TERM"))
    result = suite.runpytest_inprocess(
        "-p", PLUGIN, "--theorylab", "my_theorem.py", "-k", "undecided", "-vv"
    )
    assert result.parseoutcomes() == {"failed": 1, "deselected": 3}
    assert re.search(r"INCONCLUSIVE, but HOLDS is expected: .*more runs", result.stdout.str())


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["-k", "right"], ["right"]),
        (["-k", "printed and not small and not long"], ["right"]),
        (["-k", "mine.thm1 and long", "--theorylab-full"], ["long"]),
        (["-m", "theorylab_slow"], ["long"]),
        (["-m", "theorylab and not theorylab_slow", "-k", "found-out"], ["found-out"]),
    ],
    ids=" ".join,
)
def test_checks_are_chosen_by_name_and_marker(suite, options, names):
    result = suite.runpytest_inprocess(
        "-p", PLUGIN, "-v", "--strict-markers", "--theorylab", "my_theorem.py", *options
    )
    assert [name.split("::")[-1] for name in passed(result)] == names


def test_a_check_is_chosen_by_its_node_id(suite):
    for name in ("my_theorem.py::mine.thm1::printed/small::found-out", "dfedsgpsm.lem1::printed"):
        result = suite.runpytest_inprocess("-p", PLUGIN, "-v", "--theorylab", name)
        assert result.parseoutcomes() == {"passed": 1}
        assert passed(result)[0].startswith(name)


def test_the_ini_file_names_files_and_ids(suite):
    suite.makeini("[pytest]\ntheorylab_claims = my_*.py dfedsgpsm.lem1\n")
    every = suite.runpytest_inprocess("-p", PLUGIN, "-v", "-k", "not believed")
    assert passed(every) == [
        "my_theorem.py::mine.thm1::printed::right",
        "my_theorem.py::mine.thm1::printed/small::found-out",
        "test_ordinary.py::test_ordinary",
        "dfedsgpsm.lem1::printed::sam-momentum",
        "dfedsgpsm.lem1::corrected::sam-momentum",
        "dfedsgpsm.lem1::corrected::momentum",
    ]
    named = suite.runpytest_inprocess("-p", PLUGIN, "-v", "test_ordinary.py")
    assert passed(named) == ["test_ordinary.py::test_ordinary"]
    alone = suite.runpytest_inprocess("-p", PLUGIN, "-v", "--theorylab", "-k", "not believed")
    assert passed(alone) == [name for name in passed(every) if "test_" not in name]


def test_files_outside_the_test_paths_are_met_all_the_same(suite):
    suite.makepyfile(**{"checked/test_more": "def test_more(): pass"})
    suite.makeini("[pytest]\ntestpaths = checked\ntheorylab_claims = my_theorem.py\n")
    result = suite.runpytest_inprocess("-p", PLUGIN, "-v", "-k", "right or more")
    assert [name.split("::")[-1] for name in passed(result)] == ["test_more", "right"]


def test_a_file_is_run_as_a_theorem_alone_and_other_files_are_left_to_pytest(suite):
    suite.makepyfile(my_theorem=FILE + "\nprint('ran', __name__)\n")
    result = suite.runpytest_inprocess(
        "-p", PLUGIN, "-s", "--theorylab", "my_theorem.py", "test_ordinary.py", "-k", "ordinary"
    )
    assert result.parseoutcomes() == {"passed": 1, "deselected": 4}
    assert result.stdout.str().count("ran ") == 1
    assert suite.runpytest_inprocess("-p", PLUGIN, "my_theorem.py").ret == 5  # no test is in it


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = (", r"my_theorem.py, line 1: SyntaxError: .*"),
        ("STATEMENT = 1 / 0", r"my_theorem.py, line 1: ZeroDivisionError: division by zero"),
        ("raise SystemExit(0)", r"my_theorem.py, line 1: SystemExit: 0"),
        ("x = 1", r"my_theorem.py: defines no STATEMENT; need STATEMENT = Statement\(\.\.\.\)"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_one_line_and_the_rest_is_collected(suite, text, line):
    suite.makepyfile(my_theorem=text)
    result = suite.runpytest_inprocess(
        "-p", PLUGIN, "--theorylab", "my_theorem.py", "test_ordinary.py"
    )
    assert (result.ret, result.parseoutcomes()) == (2, {"errors": 1})
    body = result.stdout.str().split(" ERRORS ")[1].split(" short test summary ")[0].splitlines()
    assert len(body) == 4
    assert re.fullmatch(line, body[2])


def test_an_instance_that_is_wrong_is_one_line(suite):
    suite.makepyfile(my_theorem=FILE.replace('"rounds": 200', '"rounds": 0'))
    result = suite.runpytest_inprocess(
        "-p", PLUGIN, "--theorylab", "my_theorem.py", "-k", "right", "-vv"
    )
    body = result.stdout.str().split(" FAILURES ")[1].split(" short test summary ")[0].splitlines()
    assert len(body) == 4
    assert "mine.thm1 [printed] right: " in body[2]
    assert "rounds" in body[2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--theorylab"], "--theorylab: no theorem is named; need a FILE.py, an id, or"),
        (["--theorylab", "dfedsgpsm.thm9"], "theorylab: no statement 'dfedsgpsm.thm9'; did you"),
        (["--theorylab", "dfedsgpsm.lem1::x"], "theorylab: no check is called dfedsgpsm.lem1::x"),
        (["-o", "theorylab_claims=nix.py"], "theorylab_claims: nix.py: no such file in"),
    ],
)
def test_what_is_not_there_is_one_line(suite, words, said):
    result = suite.runpytest_inprocess("-p", PLUGIN, *words)
    assert result.ret == 4
    assert any(line.startswith(f"ERROR: {said}") for line in result.errlines)


def test_a_suite_may_hand_in_results_that_it_keeps(suite):
    suite.makeconftest(
        "def pytest_theorylab_judge(job):\n"
        "    from theorylab.verdicts import judge\n"
        "    return judge(job).model_copy(update={'reason': 'kept', 'verdict': 'VACUOUS'})\n"
    )
    result = suite.runpytest_inprocess("-p", PLUGIN, "--theorylab", "my_theorem.py", "-k", "right")
    assert "VACUOUS, but HOLDS is expected: kept" in result.stdout.str()


def test_data_that_a_suite_looked_for_in_vain_skip_its_check(suite):
    suite.makeconftest(
        "from theorylab.extras import MissingDataError\n"
        "def pytest_theorylab_judge(job):\n"
        "    raise MissingDataError('no data here')\n"
    )
    result = suite.runpytest_inprocess("-p", PLUGIN, "--theorylab", "my_theorem.py", "-k", "right")
    assert result.parseoutcomes() == {"skipped": 1, "deselected": 3}


def test_all_processes_of_xdist_collect_the_same(suite):
    result = suite.runpytest_subprocess(
        "-p", PLUGIN, "-n", "2", "--theorylab", "my_theorem.py", "dfedsgpsm.lem1"
    )  # xdist itself ends a session whose processes collect different tests
    assert result.parseoutcomes() == {"passed": 5, "failed": 1}
    assert "VIOLATED, but HOLDS is expected: the lower limit" in result.stdout.str()


def test_the_installed_plugin_costs_a_run_without_theorems_no_import(suite, monkeypatch):
    entry = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    told = suite.mkdir("installed") / "theorylab_of_this_tree-0.dist-info"
    told.mkdir()
    lines = ["[pytest11]", *(f"{name} = {part}" for name, part in entry["pytest11"].items())]
    (told / "entry_points.txt").write_text("\n".join(lines))
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: theorylab-of-this-tree\n")
    monkeypatch.setenv("PYTHONPATH", f"{told.parent}:{ROOT}")
    suite.makepyfile(
        test_ordinary="import sys\n"
        "def test_it(pytestconfig):\n"
        f"    assert pytestconfig.pluginmanager.has_plugin({PLUGIN!r})\n"
        "    mine = {name for name in sys.modules if name.startswith('theorylab')}\n"
        f"    assert mine == {{'theorylab', {PLUGIN!r}}}\n"
        "    assert not {'numpy', 'sympy', 'torch'} & set(sys.modules)\n"
    )
    assert suite.run(sys.executable, "-m", "pytest", "-q").ret == 0
    both = suite.run(
        sys.executable, "-m", "pytest", "-q", "-p", PLUGIN, "--theorylab", "dfedsgpsm.lem1"
    )
    assert both.parseoutcomes() == {"passed": 3}
