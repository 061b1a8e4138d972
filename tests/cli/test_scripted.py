"""``--script FILE``: one line says what was written, and a file that exists is kept."""

import pytest

from theorylab.commands import scripted
from theorylab.commands.explain import work as explain

ONE = ("dfedsgpsm.lem4", "--version", "printed/sgp", "--check", "one-away")  # milliseconds
NAMED = "# dfedsgpsm.lem4 printed/sgp VIOLATED"


@pytest.fixture
def line(monkeypatch):
    """The script is a line that names the result and the seed; no re-check is played."""

    def made(statement, result, seed=0, long=False):
        return f"# {result.id} {result.version} {result.verdict} {seed}\n"

    monkeypatch.setattr("theorylab.scripts.script", made)
    monkeypatch.setattr(explain, "rechecked", lambda *_: None)


def test_verify_writes_the_first_that_is_violated(run, line, judged, make, tmp_path):
    file = tmp_path / "both.py"
    judged([make(check="a", verdict="HOLDS"), make(check="b"), make(check="c", version="other")])
    done = run("verify", "dfedsgpsm.thm1", "--jobs", 1, "--script", file, "--seed", 3)
    assert file.read_text() == "# dfedsgpsm.thm1 printed VIOLATED 3\n"
    (said,) = (each for each in done.out.splitlines() if str(file) in each)
    assert f"{file}: both sides in NumPy, without theorylab. It is of dfedsgpsm.thm1" in said


def test_a_script_may_be_all_of_stdout(run, line, judged, make):
    judged([make()])
    done = run("verify", "dfedsgpsm.thm1", "--jobs", 1, "--script", "-")
    assert done.out == "# dfedsgpsm.thm1 printed VIOLATED 0\n"
    done = run("explain", *ONE, "--script", "-")
    assert done.out == f"{NAMED} 0\n"
    assert done.err.splitlines()[-1] == "-: both sides in NumPy, without theorylab."


def test_explain_writes_it_in_place_of_showing_it(run, line, tmp_path):
    file = tmp_path / "both.py"
    done = run("explain", *ONE, "--script", file)
    assert done.code == 0
    assert "A script that needs NumPy alone" not in done.out
    assert f"{file}: both sides in NumPy, without theorylab." in done.out


def test_explain_shows_the_script_of_its_own_seed(run, line):
    done = run("explain", *ONE, "--seed", 3)
    assert f"prints both sides:\n\n{NAMED} 3\n" in done.out


@pytest.mark.parametrize("command", ["verify", "explain", "falsify"])
def test_a_file_that_exists_is_kept(run, line, judged, make, tmp_path, command):
    file = tmp_path / "mine.py"
    file.write_text("my work\n")
    done = run(command, "dfedsgpsm.lem4", "--script", file)
    assert done.code == 2
    (said,) = done.err.splitlines()
    assert said.endswith(f"--script {file}: the file exists; need another name, or --force")
    assert file.read_text() == "my work\n"
    if command == "verify":
        judged([make()])
        run(command, "dfedsgpsm.thm1", "--script", file, "--force", "--jobs", 1)
        assert file.read_text().startswith("# dfedsgpsm.thm1")
    if command == "explain":
        run(command, *ONE, "--script", file, "--force")
        assert file.read_text().startswith(NAMED)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["verify", "dfedsgpsm.lem4", "--force"], "--force: there is no --script; need one"),
        (["replay", "no.json", "--force"], "--force: there is no --script; need one"),
        (["verify", "--script", "-", "--json", "-"], "--script: - came with --json -; need a file"),
        (
            ["explain", "dfedsgpsm", "--script", "new.py"],
            "dfedsgpsm is a paper; need one statement",
        ),
        (["verify", "--script", "no/such/new.py"], "no/such is no directory; need one that exists"),
    ],
)
def test_what_cannot_be_written_is_one_line_before_any_work(run, words, said):
    done = run(*words)
    assert done.code == 2
    (line,) = done.err.splitlines()
    assert said in line


def test_of_several_results_the_first_violated_one_is_chosen(make):
    held, broken = make(verdict="HOLDS"), make(verdict="VIOLATED")
    assert scripted.chosen([held, broken, broken]) is broken
    assert scripted.chosen([held, held]) is held
