"""``--import FILE.py``: what it brings is known to the command, and to nothing that data says."""

import json
import pathlib

import pytest

from theorylab import imports, registry
from theorylab.cli import COMMANDS

THEOREM = (pathlib.Path(__file__).parents[1] / "verdicts" / "user_theorem.py").read_text()
MINE = """
from dataclasses import replace
from theorylab.algorithms import Algorithm
from theorylab.problems import Quadratic
from theorylab.topologies import Ring

class Mine(Algorithm, name="test-descent"):
    def __init__(self, *, eta):
        self.eta = eta

    def step(self, state, net):
        x = state.x - self.eta * net.problem.gradient(state.x)
        return replace(state, t=state.t + 1, x=x, z=x)

class Wheel(Ring, name="test-wheel"):
    pass

class Bowl(Quadratic, name="test-bowl"):
    pass
"""
RUN = ("--problem", "test-bowl", "--topology", "test-wheel", "--clients", 3, "--rounds", 4)
RUN += ("--eta", 0.1)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, registries):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("mine.py").write_text(MINE)
    pathlib.Path("theorem.py").write_text(THEOREM)
    return tmp_path


@pytest.mark.parametrize("before", [True, False])
def test_a_run_knows_what_is_imported_wherever_the_flag_stands(run, refused, before):
    flag, words = ("--import", "mine.py"), ("run", "test-descent", *RUN)
    done = run(*flag, *words) if before else run(*words, *flag)
    assert done.code == 0
    assert "test-descent on test-bowl, test-wheel of 3" in done.out
    assert "test-wheel" not in registry.table("topology")  # that command's alone
    assert imports.imported() == []
    assert "algorithm: no 'test-descent'" in refused(*words)


@pytest.mark.parametrize(
    "words",
    [
        ("constants", "test-wheel", "--clients", 3),
        ("compare", "sgp", "test-descent", *RUN),
        ("list", "textbook.*"),
        ("verify", "textbook.thm1"),
        ("verify", "textbook.thm1", "theorem.py"),
        ("verify", "textbook.thm1", "--set", "problem.name=test-bowl"),
        ("verify", "dfedsgpsm.lem1", "--topology", "test-wheel", "--clients", 3),
        ("falsify", "textbook.thm1", "--budget", 100),
    ],
)
@pytest.mark.usefixtures("counted")
def test_every_command_knows_it(run, refused, words):
    files = ("--import", "mine.py", "--import", "theorem.py")
    # a search may find that a theorem on one client is false on three
    assert run(*words, *files).code in ((0, 1) if words[0] == "falsify" else (0,))
    if "theorem.py" not in words:
        assert "no " in refused(*words)


def test_the_flag_is_in_the_help_of_every_command(run):
    parts = ("run", "status", "show", "export", "diff", "merge", "replay")
    for words in ((), *((name,) for name in COMMANDS), *(("sweep", part) for part in parts)):
        assert "--import" in run(*words, "--help").out, words


def test_workers_know_it(run):
    check = 'checks=(Check("one-quadratic", RUN, "HOLDS"),)'
    two = check.replace('HOLDS"),', 'HOLDS"), Check("two", RUN, "HOLDS"),')
    text = THEOREM.replace(check, two).replace('"quadratic"', '"test-bowl"')
    pathlib.Path("theorem.py").write_text(text)
    done = run("verify", "textbook.*", "--jobs", 2, "--import", "mine.py", "--import", "theorem.py")
    assert done.code == 0, done.err
    assert "2 checks: 2 as expected" in done.out


@pytest.mark.parametrize("edited", ["mine.py", "beside.py"])
def test_a_kept_verdict_is_used_while_what_is_imported_is_the_same(run, edited):
    pathlib.Path("beside.py").write_text("A = 1\n")
    pathlib.Path("mine.py").write_text("import beside\n" + MINE)
    words = ("verify", "textbook.thm1", "--import", "theorem.py", "--import", "mine.py")
    words += ("--out", "kept", "--long")
    kept = []
    for _ in range(2):
        kept.append("stored" in run(*words).err)
    with pathlib.Path(edited).open("a") as file:
        file.write("# an edit\n")
    kept.append("stored" in run(*words).err)
    assert kept == [False, True, False]


def test_a_run_s_record_names_file_and_sha_and_a_resume_needs_the_same(run, refused):
    words = ("run", "test-descent", *RUN, "--out", "out")
    assert run(*words, "--import", "mine.py").code == 0
    record = json.loads(pathlib.Path("out/run.json").read_text())
    (code,) = record["imports"]
    assert (code["file"], len(code["sha256"]), code["modules"]) == ("mine.py", 64, {})
    again = ("run", "--resume", "--out", "out")
    assert run(*again, "--import", "mine.py").code == 0
    assert "mine.py was imported, and now is not; need --import mine.py" in refused(*again)
    assert "theorem.py is imported, and was not" in refused(
        *again, "--import", "mine.py", "--import", "theorem.py"
    )
    with pathlib.Path("mine.py").open("a") as file:
        file.write("# an edit\n")
    assert "mine.py has changed: its SHA-256 was" in refused(*again, "--import", "mine.py")
    assert "the run was made with mine.py" in refused("compare", "out", "out")


@pytest.mark.usefixtures("counted")
def test_a_counterexample_with_an_imported_problem_needs_it_again(run, refused):
    text = THEOREM.replace("2 * (f0 - f_star)", "(f0 - f_star) / 1000")
    pathlib.Path("theorem.py").write_text(text.replace('"quadratic"', '"test-bowl"'))
    words = ("falsify", "theorem.py", "--budget", 100, "--json", "kept.json")
    assert run(*words, "--import", "mine.py").code == 1
    replay = ("replay", "kept.json", "--source", "theorem.py")
    assert "mine.py was imported, and now is not" in refused(*replay)
    assert "every bit as in the file" in run(*replay, "--import", "mine.py").out
    imported = run("replay", "kept.json", "--import", "mine.py", "--import", "theorem.py")
    assert "every bit as in the file" in imported.out


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import sys\nsys.exit(0)\n", "bad.py, line 2: SystemExit: 0"),
        ("x = 1\nx = (\n", "bad.py, line 2: SyntaxError: '(' was never closed"),
        ("raise KeyboardInterrupt\n", "bad.py, line 1: KeyboardInterrupt"),
        ("import nowhere\n", "bad.py, line 1: ModuleNotFoundError: No module named 'nowhere'"),
        (
            "from theorylab.topologies import Ring\nclass A(Ring, name='test-wheel'): pass\n",
            "topology: the name 'test-wheel' is taken: mine.py, line 15, and bad.py, line 2",
        ),
        (
            "from theorylab.topologies import Ring\nclass A(Ring, name='a' * 10**6): pass\n",
            "bad.py, line 2: ValueError: topology: the name is 'aaa",
        ),
        (
            "from theorylab.topologies import Ring\nclass A(Ring, name='a b'): pass\n",
            "bad.py, line 2: ValueError: topology: the name is 'a b'; need 1 to 100 characters",
        ),
        (
            "from theorylab.algorithms import Algorithm\n\nclass A(Algorithm, name='sgq'): pass\n",
            "algorithm: sgq (bad.py, line 3) lacks step; need it",
        ),
        (
            MINE.replace("test-", "own-").replace("Algorithm, name=\"own-descent\"",
                                                  "Algorithm, name=\"sgq\"")
            .replace("return replace", "return state.nothing or replace"),
            "bad.py, line 13: AttributeError: 'State' object has no attribute 'nothing'",
        ),
        ("STATEMENT = 3\n", "bad.py: defines no STATEMENT"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_one_line_with_its_own(refused, text, line):
    pathlib.Path("bad.py").write_text(text)
    files = ("--import", "mine.py", "--import", "bad.py")
    if "STATEMENT" in text:
        assert line in refused("list", *files)
    else:
        assert line in refused("run", "sgq", *RUN, *files)


@pytest.mark.parametrize("name", ["nothing.py", ".", "mine.txt", "/dev/null", "", "a" * 5000])
def test_what_is_no_python_file_is_one_line(refused, name):
    pathlib.Path("mine.txt").write_text(MINE)
    assert "--import" in refused("list", "--import", name)


def test_nothing_that_data_says_is_imported(run, refused):
    assert run("run", "test-descent", *RUN, "--out", "out", "--import", "mine.py").code == 0
    pathlib.Path("mine.py").write_text("open('ran', 'w')\n")
    record = json.loads(pathlib.Path("out/run.json").read_text())
    pathlib.Path("config.json").write_text(json.dumps(record["configuration"]))
    refused("run", "--config", "config.json")
    refused("run", "--config", "out/run.json")
    refused("run", "--resume", "--out", "out")
    refused("compare", "out", "out")
    given = record["configuration"] | {"import": ["mine.py"], "imports": ["mine.py"]}
    pathlib.Path("config.json").write_text(json.dumps(given))
    refused("run", "--config", "config.json")
    assert not pathlib.Path("ran").exists()


def test_the_project_s_own_list_is_imported(run, refused):
    pathlib.Path("pyproject.toml").write_text('[tool.theorylab]\nimport = ["mine.py"]\n')
    assert run("run", "test-descent", *RUN).code == 0
    assert run("run", "test-descent", *RUN, "--import", "mine.py").code == 0  # once is enough


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[tool.theorylab]\nimport = "mine.py"\n', "pyproject.toml: [tool.theorylab] import is"),
        ("[tool.theorylab]\nimport = [3]\n", 'need ["FILE.py", ...]'),
        ('[tool.theorylab]\nimport = ["no.py"]\n', "pyproject.toml: no.py: no such file"),
        ('[tool.theorylab]\nimport = ["../up.py"]\n', "../up.py lies elsewhere"),
        ("[tool.theorylab]\nimport = [\n", "pyproject.toml: "),
        ('[tool.theorylab]\nimport = ["bad.py"]\n', "bad.py, line 1: ZeroDivisionError"),
    ],
)
def test_a_wrong_list_of_the_project_is_one_line(refused, text, line):
    pathlib.Path("bad.py").write_text("1 / 0\n")
    pathlib.Path("pyproject.toml").write_text(text)
    assert line in refused("list", "dfedsgpsm.lem1")


@pytest.mark.parametrize("text", ["[project]\nname = 'x'\n", "no toml [", "[tool.other]\na = 1\n"])
def test_a_project_that_says_nothing_to_theorylab_is_let_be(run, text):
    pathlib.Path("pyproject.toml").write_text(text)
    assert run("list", "dfedsgpsm.lem1").code == 0
