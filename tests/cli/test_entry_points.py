"""Entry points: what installed packages bring is known to every command."""

import json
import os
import pathlib
import subprocess
import sys
import textwrap

THEOREM = (pathlib.Path(__file__).parents[1] / "verdicts" / "user_theorem.py").read_text()
MINE = """
from theorylab.algorithms import SGP
from theorylab.topologies import Ring

class Mine(SGP, name="test-packed"):
    pass

class Wheel(Ring, name="test-wheel"):
    pass
"""
RUN = ("--problem", "log-cosh", "--topology", "test-wheel", "--clients", 3, "--rounds", 4)
RUN += ("--eta", 0.1)


def installed(tmp_path, **modules):
    """An installed package whose entry points name these modules; how another process sees it."""
    entries = "".join(f"{name} = {name}\n" for name in modules)
    info = tmp_path / "site" / "test_pack-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: test-pack\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[theorylab]\n{entries}")
    for name, text in modules.items():
        if text is not None:
            (tmp_path / "site" / f"{name}.py").write_text(text)
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(tmp_path / "site")])}


def program(environment, *words):
    code = "import sys; from theorylab.cli import main; main()"
    given = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(given, env=environment, capture_output=True, text=True, check=False)


def test_an_entry_point_is_imported_and_one_that_fails_is_one_line(tmp_path):
    broken = textwrap.dedent("""
        from theorylab.topologies import Ring
        class Half(Ring, name="test-half"): pass
        raise KeyError("mine")
    """)
    environment = installed(
        tmp_path, pack_mine=MINE, pack_out="raise SystemExit(0)\n", pack_bad=broken, pack_gone=None
    )
    done = program(environment, "run", "test-packed", *RUN, "--json", "-")
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stderr.splitlines() if "entry point" in line]
    for name, what in (
        ("pack_bad", "pack_bad.py, line 4: KeyError: 'mine'"),
        ("pack_gone", "ModuleNotFoundError: No module named 'pack_gone'"),
        ("pack_out", "pack_out.py, line 1: SystemExit: 0"),
    ):
        line = f"theorylab: entry point '{name}' of test-pack is left out: {what}"
        assert line in told
    assert len(told) == 3
    (code,) = json.loads(done.stdout)["imports"]
    assert code["file"] == "pack_mine"
    half = program(environment, "constants", "test-half", "--clients", 3)
    assert (half.returncode, "no 'test-half'" in half.stderr) == (2, True)


def test_the_statement_of_an_entry_point_is_in_the_catalogue_of_workers_too(tmp_path):
    check = 'checks=(Check("one-quadratic", RUN, "HOLDS"),)'
    text = THEOREM.replace(check, check.replace('HOLDS"),', 'HOLDS"), Check("two", RUN, "HOLDS"),'))
    done = program(installed(tmp_path, pack_theorem=text), "verify", "textbook.*", "--jobs", 2)
    assert done.returncode == 0, done.stderr
    assert "2 checks: 2 as expected" in done.stdout
