"""Processes that theorylab starts run nothing of the current folder, and nobody waits in vain."""

import inspect
import os
import pathlib
import subprocess
import sys
import warnings

from joblib.externals.loky import process_executor

from theorylab.processes import STOPPED, apart, as_given

ROOT = pathlib.Path(__file__).resolve().parents[1]
# What Python itself, the pools, their resource trackers and theorylab import as they start.
SHADOWS = ("joblib", "json", "numpy", "pickle", "queue", "random", "signal", "theorylab", "typing")
SHADOW = "import os\nopen(os.environ['RAN'], 'a').write(__name__ + '\\n')\nraise SystemExit(7)\n"
PLAN = """columns = ["loss"]
[instance]
algorithm = {name = "sgp", eta = 0.1}
problem = {name = "quadratic", dim = 2}
topology = {name = "ring"}
clients = 3
rounds = 2
[axes]
"algorithm.eta" = [0.2]
"""
# As the installed program, the import path has no current folder; -P would hand itself on.
PROGRAM = """import sys
sys.path.remove("")
from theorylab import cli
verify = ["verify", "dfedsgpsm.lem1", "dfedsgpsm.lem4_weight", "--quick", "--jobs", "2", "-q"]
sys.exit(cli.run(verify) or cli.run(["sweep", "plan.toml", "--jobs", "2", "--out", "out"]))
"""


def test_no_process_runs_a_module_of_the_current_folder(tmp_path):
    for name in SHADOWS:
        (tmp_path / f"{name}.py").write_text(SHADOW)
    (tmp_path / "plan.toml").write_text(PLAN)
    given = {name: text for name, text in os.environ.items() if name != "PYTHONSAFEPATH"}
    given |= {"PYTHONPATH": str(ROOT), "RAN": str(tmp_path / "ran"), "THEORYLAB_KEPT": ""}
    words = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=given)
    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()
    assert done.returncode == 0, done.stderr
    assert "out: 1 cells" in done.stdout


def test_python_m_runs_no_module_of_the_current_folder(tmp_path):
    for name in SHADOWS:
        if name != "theorylab":  # that is what was asked for
            (tmp_path / f"{name}.py").write_text(SHADOW)
    given = {name: text for name, text in os.environ.items() if name != "PYTHONSAFEPATH"}
    given |= {"PYTHONPATH": str(ROOT), "RAN": str(tmp_path / "ran")}
    words = [sys.executable, "-m", "theorylab", "list", "dfedsgpsm.lem1"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=given)
    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()
    assert done.returncode == 0, done.stderr


def test_the_environment_is_the_users_own_outside_and_for_what_a_process_starts(monkeypatch):
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    before = dict(os.environ)
    with apart():
        assert os.environ["PYTHONSAFEPATH"] == "1"
        inside = dict(os.environ)
    assert dict(os.environ) == before
    for name, value in inside.items():  # as a process has it that was started inside
        monkeypatch.setenv(name, value)
    as_given()
    assert dict(os.environ) == before


def test_a_replaced_process_is_no_error_in_the_thread_that_replaces_it():
    """Where warnings are errors, that thread would end, and its pool would never answer."""
    assert STOPPED in inspect.getsource(process_executor)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with apart():
            pass
        warnings.warn(f"{STOPPED} to the executor.", UserWarning, stacklevel=1)
