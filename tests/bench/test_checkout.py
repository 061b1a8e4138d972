"""Started inside a checkout that was never built, the installed package runs."""

import importlib.machinery
import os
import pathlib
import subprocess
import sys

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "theorylab"
BUILT = tuple(importlib.machinery.EXTENSION_SUFFIXES)


@pytest.fixture
def checkout(tmp_path):
    """A folder with the sources and without what is compiled from them."""
    made = tmp_path / "checkout" / "theorylab"
    made.mkdir(parents=True)
    for part in PACKAGE.iterdir():
        if not part.name.endswith(BUILT) and part.name != "__pycache__":
            (made / part.name).symlink_to(part)
    # a link's own folder is looked for the kernels, not its target's
    (made / "__init__.py").unlink()
    (made / "__init__.py").write_text((PACKAGE / "__init__.py").read_text())
    return made.parent


def started(folder, installed, *command):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, installed))}
    environment.pop("PYTHONWARNINGS", None)
    return subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True
    )


def test_the_bench_starts_inside_a_checkout_that_is_not_built(checkout):
    asked = "import theorylab.bench.gpu as g, theorylab._core as c; print(g.__file__, c.__file__)"
    done = started(checkout, [PACKAGE.parent], "-c", asked)
    assert done.returncode == 0, done.stderr
    own, core = map(pathlib.Path, done.stdout.split())
    assert (own, core.parent) == (PACKAGE / "bench/gpu.py", PACKAGE)
    assert f"is not built; {PACKAGE} is used instead" in done.stderr
    done = started(checkout, [PACKAGE.parent], "-m", "theorylab.bench", "--gpu", "nothing")
    assert (done.returncode, done.stdout) == (2, "")
    assert "bench: no kernel 'nothing'; need one of push_mix" in done.stderr


def test_without_any_built_package_one_line_says_what_to_do(checkout, tmp_path):
    done = started(checkout, [tmp_path], "-S", "-m", "theorylab.bench")
    assert done.returncode == 1
    (line,) = [text for text in done.stderr.splitlines() if text.startswith("ImportError: ")]
    assert f"the kernels of {checkout / 'theorylab'} are not built" in line
    assert line.endswith("or pip install . and another folder")


def test_a_package_that_is_built_is_its_own():
    done = started("/", [PACKAGE.parent], "-c", "import theorylab; print(list(theorylab.__path__))")
    assert done.stdout.strip() == str([str(PACKAGE)])
    assert done.stderr == ""
