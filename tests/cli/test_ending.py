"""How a command line ends when what is around it is at fault: pipes, devices, names, memory."""

import json
import os
import pathlib
import stat
import subprocess
import sys

import pytest

from theorylab import bench, cli
from theorylab.bench import __main__ as bench_program

START = (sys.executable, "-P", "-c", "from theorylab.cli import main; main()")
RUN = ("run", "sgp", "--problem", "quadratic", "--topology", "ring", "--clients", "3",
       "--rounds", "2", "--set", "eta=0.1")  # fmt: skip


def program(*arguments, **options):
    return subprocess.run([*START, *arguments], stderr=subprocess.PIPE, check=False, **options)


@pytest.mark.parametrize(
    "arguments", [("list",), ("list", "--json", "-"), ("--help",), RUN, ("doctor",)]
)
def test_a_reader_that_closes_the_pipe_ends_it_quietly_with_141(arguments):
    read, write = os.pipe()
    os.close(read)
    done = program(*arguments, stdout=write)
    os.close(write)
    lines = [line for line in done.stderr.splitlines() if not line.startswith(b"sgp on")]
    assert (done.returncode, lines) == (141, [])


@pytest.mark.parametrize("closed", [(1,), (2,), (1, 2)])
@pytest.mark.parametrize(("arguments", "code"), [(("list",), 0), (("verify", "no.thm1"), 2)])
def test_a_closed_stream_is_told_nothing_and_the_answer_stays(closed, arguments, code):
    shut = f"import os; {'; '.join(f'os.close({each})' for each in closed)}"
    line = [sys.executable, "-P", *START[2:], *arguments]
    start = f"{shut}; os.execv({line[0]!r}, {line!r})"
    done = subprocess.run([sys.executable, "-c", start], capture_output=True, check=False)
    assert done.returncode == code
    assert b"fault of theorylab" not in done.stderr


def full_device(folder):
    """A node of the test's own that has no room, as /dev/full has none."""
    path = folder / "full"
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
        with open(path, "wb"):
            return path
    except PermissionError:
        pytest.skip("only root makes device nodes, and not on every file system")


@pytest.mark.parametrize("arguments", [("list",), ("list", "--json", "-"), RUN])
def test_a_full_device_is_one_line_with_exit_code_2(tmp_path, arguments):
    path = full_device(tmp_path)
    with open(path, "wb") as full:
        done = program(*arguments, stdout=full)
    lines = [line for line in done.stderr.splitlines() if not line.startswith(b"sgp on")]
    assert done.returncode == 2
    assert [line.startswith(b"theorylab: No space left on device") for line in lines] == [True]
    done = program("list", "deprl.*", "--json", str(path), stdout=subprocess.DEVNULL)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ("constants", "n" * 5000),
        ("verify", "n" * 5000 + ".py"),
        ("replay", "n" * 300),
        ("report", "n" * 300),
        ("verify", "--out", "n" * 300),
        ("doctor", "--json", "n" * 300),
        (*RUN, "--out", "n" * 300),
        (*RUN, "--topology", "n" * 5000),
        (*RUN, "--config", "n" * 300),
        ("compare", "n" * 300),
        ("run", "--out", "a\udcff"),
        ("list", "\udcff"),
        (*RUN, "--x0", "1" * 5000),
        (*RUN, "--set", "rho=" + "1" * 5000),
        (*RUN, "--set", "rho=" + "1" * 4000),
        (*RUN, "--clients", "1" * 5000),
        (*RUN, "--seeds", "1" * 4000),
        (*RUN, "--set", "rho=" + "[" * 100_000),
        ("constants", "ring", "--clients", "3", "--option", "weights=" + "1" * 5000),
        ("falsify", "dfedsgpsm.thm1", "--budget", "inf"),
        ("falsify", "dfedsgpsm.thm1", "--budget", "nan"),
        ("verify", "dfedsgpsm.lem1", "--seeds", "1" + "0" * 22),
    ],
    ids=lambda arguments: " ".join(map(str, arguments))[-40:].encode("ascii", "replace").decode(),
)
def test_a_name_or_a_number_without_end_is_one_line(refused, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    assert len(refused(*arguments)) < 2500
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("part", ["algorithm", "problem", "topology", "faults"])
@pytest.mark.parametrize("value", [3, [1], "nothing", {"name": 4}, {"name": "ring", "x": None}])
def test_a_malformed_part_of_a_configuration_is_one_line(refused, tmp_path, part, value):
    path = tmp_path / "c.json"
    content = {"algorithm": {"name": "sgp", "eta": 0.1}, "problem": "quadratic",
               "topology": "ring", "clients": 3, "rounds": 2}  # fmt: skip
    path.write_text(json.dumps(content | {part: value}))
    refused("run", "--config", path, "--loss", "0.1")


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The text of a finished run's run.json, and its folder."""
    folder = tmp_path_factory.mktemp("kept") / "run"
    assert program(*RUN, "--out", str(folder), stdout=subprocess.DEVNULL).returncode == 0
    return folder, (folder / "run.json").read_bytes()


@pytest.mark.parametrize("size", [0, 1, 2, 30, 100, 300, -2])
def test_a_truncated_run_json_is_one_line(refused, kept, size):
    folder, whole = kept
    (folder / "run.json").write_bytes(whole[:size])
    refused("run", "--out", folder, "--resume")
    refused("compare", folder, "sgp")


def test_a_flipped_run_json_is_one_line_or_as_good_as_whole(run, kept):
    folder, whole = kept
    for bit in range(5, 8 * len(whole), 8 * len(whole) // 60):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        (folder / "run.json").write_bytes(flipped)
        done = run("run", "--out", folder, "--resume")
        assert done.code in (0, 2), (bit, done.err)
        assert done.code == 0 or done.err.count("\n") == 1


@pytest.mark.parametrize("error", [MemoryError(), MemoryError("Unable to allocate 8 EiB")])
def test_too_little_memory_is_one_line_with_exit_code_2(refused, judged, make, monkeypatch, error):
    judged([make()])

    def judge(job, progress=None):
        raise error

    monkeypatch.setattr("theorylab.commands.verify.judging.judge", judge)
    line = refused("verify")
    assert line.startswith("theorylab: dfedsgpsm.thm1 [printed] worked-example: out of memory")


def test_a_run_that_grows_without_end_says_so(run, tmp_path):
    grown = run(*RUN[:-2], "--set", "eta=3", "--rounds", 100, "--out", tmp_path / "out")
    assert grown.code == 1
    assert "loss grew from" in grown.err
    assert json.loads((tmp_path / "out" / "run.json").read_text())["status"] == "diverged"
    calm = run(*RUN, "--rounds", 100)
    assert (calm.code, "grew" in calm.err) == (0, False)


TEXT = (pathlib.Path(__file__).parents[1] / "verdicts" / "user_theorem.py").read_text()
DYING = """import os
from theorylab.problems import Quadratic


class Dying(Quadratic, name="test-dying"):
    def gradient(self, x):
        END


"""


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_a_user_s_file_that_ends_a_worker_decides_no_exit_code(tmp_path, end):
    check = 'Check("one-quadratic", RUN, "HOLDS"),'
    text = DYING.replace("END", end) + TEXT.replace('"quadratic"', '"test-dying"')
    text = text.replace(check, check + check.replace("one-quadratic", "another"))
    path = tmp_path / "my.py"
    path.write_text(text)
    done = program("verify", str(path), "--jobs", "2", stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert done.stderr.startswith(b"theorylab: my.py: a process that judged its checks has ended")


@pytest.mark.parametrize(
    ("name", "value", "need"),
    [
        ("THEORYLAB_ISA", "sse9", "need one of baseline"),
        ("THEORYLAB_THREADS", "0", "need 1 to 64"),
        ("THEORYLAB_THREADS", "abc", "need 1 to 64"),
        ("THEORYLAB_REUSE", "2", "need 0 or 1"),
    ],
)
def test_a_forced_machine_that_is_not_there_is_one_line_with_exit_code_2(name, value, need):
    done = program("bench", "glm_hvp", "--quick", env={**os.environ, name: value})
    line, *rest = done.stderr.decode().splitlines()
    assert (done.returncode, rest) == (2, [])
    assert line.startswith(f"theorylab: {name}: '{value}' came; {need}")


@pytest.mark.parametrize("value", ["0", "abc"])
def test_what_openmp_cannot_read_is_one_line_and_changes_nothing(value):
    arguments = ("constants", "ring", "--clients", "3", "--json", "-")
    plain = program(*arguments, stdout=subprocess.PIPE)
    done = program(*arguments, stdout=subprocess.PIPE, env={**os.environ, "OMP_NUM_THREADS": value})
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout)
    assert len(done.stderr.strip().splitlines()) == 1  # OpenMP's own


def test_an_interrupted_bench_ends_with_one_line_and_130(monkeypatch, capsys):
    def stopped(**_):
        raise KeyboardInterrupt

    monkeypatch.setitem(bench.BENCHES, "rounds", stopped)
    assert cli.run(["bench", "rounds"]) == 130
    line = "interrupted; a table that was printed is complete\n"
    assert capsys.readouterr() == ("", f"theorylab: {line}")
    monkeypatch.setattr(sys, "argv", ["python -m theorylab.bench", "rounds"])
    assert bench_program.program() == 130
    assert capsys.readouterr() == ("", f"bench: {line}")
