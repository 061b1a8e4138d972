"""What ``theorylab bench`` has where there is no checkout around the package."""

import json
import pathlib
import shutil
import subprocess
import sys

import pytest

import theorylab
from theorylab.bench import _checkout

PACKAGE = pathlib.Path(theorylab.__file__).parent
CODE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from theorylab import bench
from theorylab.bench import _checkout, rounds
print(json.dumps([_checkout.__file__, sorted(bench.BENCHES), sorted(rounds.LIBRARIES)]))
"""


def test_a_wheel_has_the_benches_of_kernels_and_a_checkout_those_of_the_program(tmp_path):
    """In a wheel's place the package alone; a stranger's folder beside it is none of ours."""
    (tmp_path / "theorylab").mkdir()
    for part in PACKAGE.iterdir():
        if part.name not in ("bench", "__pycache__"):
            (tmp_path / "theorylab" / part.name).symlink_to(part)
    shutil.copytree(PACKAGE / "bench", tmp_path / "theorylab/bench")
    for name in ("__init__.py", "_core.pyi"):
        (tmp_path / "theorylab" / name).unlink()
    shutil.copy(PACKAGE / "__init__.py", tmp_path / "theorylab")
    (tmp_path / "verify/peers").mkdir(parents=True)
    (tmp_path / "verify/peers/judge.py").write_text("raise SystemExit('a stranger ran')")
    command = [sys.executable, "-P", "-c", CODE, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    file, benches, libraries = json.loads(done.stdout)
    assert pathlib.Path(file).is_relative_to(tmp_path)
    assert benches == ["engine", "glm_hvp", "push_mix", "rounds"]
    assert libraries == []


def test_a_checkout_has_all_of_them():
    from theorylab.bench import BENCHES

    assert [*BENCHES] == ["engine", "glm_hvp", "judge", "networks", "push_mix", "rounds", "start"]
    assert _checkout.beside("no_such_peer") is None


@pytest.mark.parametrize("name", ["mix", "hvp", "steps", "rounds_torch", "gpu_push_mix"])
def test_a_peer_is_loaded_once(name):
    assert _checkout.beside(name) is _checkout.beside(name)
