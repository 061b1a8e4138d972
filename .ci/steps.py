"""Everything a change must pass, in a clean copy of HEAD with an environment of its own.

README's two commands run as they stand there, the second with the full tier. What can fail soon
comes first. What is drawn (slow tests, hostile calls, fuzz, false claims) is drawn by the tree, so
that other trees meet other ones. Sanitizers, clang and emulated devices run where the change
touches what they look at.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from types import ModuleType

from gate import Gate, Step, listed

TYPES = "../lint/bin/mypy --python-executable .venv/bin/python"
ROOT = pathlib.Path(__file__).resolve().parents[1]
CSRC = ("csrc/", "setup.py", "theorylab/kernels/", "theorylab/runs/", "theorylab/bench/")


def readme_commands(tree: pathlib.Path) -> list[str]:
    """The two commands of README's first block of a shell, one a line."""
    found = re.search(r"^```sh\n(.*?)^```", (tree / "README.md").read_text(), re.S | re.M)
    lines = found.group(1).splitlines() if found else []
    if len(lines) != 2:
        raise ValueError("README.md: need a block of sh with two commands first")
    return lines


def before(near: Sequence[str]) -> list[Step]:
    """What stands on the first command and fails within a minute or two; near: files of tests."""
    tests = " ".join(map(shlex.quote, ["tests/test_layout.py", "tests/test_verify_counts.py"]))
    steps = [Step("layout and counts", [f".venv/bin/pytest -q {tests}"])]
    if near:
        names = " ".join(map(shlex.quote, near))
        line = f".venv/bin/pytest -q -n 2 --tier daily {names}"
        line += " || { code=$?; [ $code -eq 5 ] || exit $code; }"  # 5: all of them are slow
        steps.append(Step("tests named like the change", [line]))
    return steps


def after(files: Sequence[str] | None, draw: str) -> list[list[Step]]:
    """What does not need both cores, in two lanes."""
    seed = int(draw[:7], 16)
    sanitized = [
        "THEORYLAB_SANITIZE=address,undefined THEORYLAB_CUDA=0 .venv/bin/python setup.py -q"
        " build_ext --build-lib sanitized",
        # Python itself leaks on purpose, and an allocation that fails is a case of the fuzz.
        'LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)"'
        " ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1"
        " UBSAN_OPTIONS=halt_on_error=1"
        f" .venv/bin/python verify/fuzz.py --core sanitized --seconds 60 --seed {seed}",
    ]
    clang = [
        # Where it cannot be installed the step fails: what nobody tried is not supported.
        "echo '#include <omp.h>' | clang++ -fopenmp -E -x c++ - >/dev/null"
        " || { apt-get -qq update; apt-get -qq -y install clang libomp-dev; }",
        "mkdir clang",
        "cp -r csrc theorylab tests verify setup.py pyproject.toml README.md LICENSE clang/",
        "rm clang/theorylab/*.so",
        "cd clang",
        "export CC=clang CXX=clang++ THEORYLAB_CUDA=0 PYTHONPATH=$PWD",
        "../.venv/bin/python setup.py -q build_ext --inplace",
        "../.venv/bin/python verify/bits.py >bits",
        "../.venv/bin/pytest -q tests/kernels/test_*_bits.py tests/kernels/test_emulator.py",
        "cd ..",
        ".venv/bin/python verify/bits.py | diff - clang/bits",
    ]
    first = [
        Step("the docs build", [".venv/bin/sphinx-build -q -W docs site"]),
        Step("fuzz", [f".venv/bin/python verify/fuzz.py --seconds 30 --seed {seed}"]),
        Step("hostile calls", [f".venv/bin/python verify/hostile.py --calls 60 --seed {seed}"]),
        Step(
            "slow tests",
            [f".venv/bin/pytest -q --tier slow --sample 60 --draw {draw}"],
        ),
    ]
    second = [
        Step(
            "false claims, each beside one benign check",
            [
                ".venv/bin/python verify/quality.py --stripped --sample 8 --least .5 --budget 30"
                f" --seed {seed}"
            ],
        )
    ]
    if files is None or any(file.startswith(CSRC) for file in files):
        first.append(Step("kernels under ASan and UBSan, on every instruction set", sanitized))
        second.append(Step("kernels built by clang have the bits of those built by g++", clang))
    return [first, second]


def wheel(tree: pathlib.Path) -> Step:
    """It is built of the objects that the first command made, and tried outside the tree."""
    look = (
        "import pathlib, theorylab; where = pathlib.Path(theorylab.__file__).parent; "
        "assert where.parent.name == 'site-packages', where; "
        "assert list((where / '_csrc').rglob('*.cuh')), 'the wheel lacks the kernel headers'; "
        "lists = (where / 'members.json', where / 'statements/listing.json'); "
        "assert all(each.is_file() for each in lists), 'the wheel lacks a list'; "
        "assert not list(where.glob('_emulated*.so')), 'the wheel has a tool of the tests'"
    )
    bin_ = shlex.quote(str(tree / ".venv" / "bin"))
    return Step(
        "the wheel installs and runs outside the tree",
        [
            ".venv/bin/pip wheel --no-deps --no-build-isolation -w dist .",
            ".venv/bin/pip uninstall -y theorylab",
            ".venv/bin/pip install --no-deps dist/*.whl",
            "cd /",
            f"{bin_}/python -c {shlex.quote(look)}",
            f"{bin_}/python -m theorylab.verify bits | tail -n 1",
            f"{bin_}/theorylab verify dfedsgpsm.lem1",
        ],
    )


def listed_in(path: str, pip: str) -> str:
    """Installs what pyproject.toml lists there, without building everything once more."""
    script = (
        "import functools, tomllib; project = tomllib.load(open('pyproject.toml', 'rb')); "
        f"print(*functools.reduce(dict.get, {path.split('.')!r}, project), sep='\\n')"
    )
    return f"python3 -c {shlex.quote(script)} | xargs -d '\\n' {pip} install"


def through(gate: Gate, files: list[str] | None, draw: str, near: Sequence[str]) -> None:
    """All steps, in their order; where theorylab cannot be installed those that need none of it."""
    install, tests = readme_commands(gate.tree)
    lint = [
        "python3 -m venv ../lint",
        listed_in("project.optional-dependencies.lint", "../lint/bin/pip"),
        "../lint/bin/ruff check .",
        "../lint/bin/ruff format --check .",
        "find csrc -name '*.c*' -o -name '*.h*' | xargs ../lint/bin/clang-format --dry-run -Werror",
    ]
    gate.step(Step("lint", lint))
    if not gate.step(Step("README, command 1", [install])):
        return
    needed, _, suite = tests.rpartition("&&")
    if not gate.step(Step("README, command 2, what it installs", [needed or "true"])):
        return
    gate.together([before(near), [Step("types", [TYPES])]])
    costs = gate.tree / "build" / "costs.json"  # of what this change does not run, as it was
    costs.parent.mkdir(exist_ok=True)
    if (gate.tree / "tests" / "costs.json").exists():
        shutil.copy(gate.tree / "tests" / "costs.json", costs)
    # With "=": pytest takes a path that is there for one of tests before it knows the option.
    options = {"PYTEST_ADDOPTS": f"--tier=full --costs={costs}"}
    gate.step(Step("README, command 2, its tests", [suite.strip()], options))
    more = ("project.optional-dependencies.docs", "build-system.requires")
    gate.step(Step("tools", [listed_in(path, ".venv/bin/pip") for path in more]))
    gate.together(after(files, draw))
    gate.step(wheel(gate.tree))


def copied(tree: pathlib.Path) -> None:
    """HEAD, and nothing else, in ``tree``."""
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True)
    subprocess.run(["tar", "-x", "-C", str(tree)], input=archive.stdout, check=True)


def module_of_trees(tree: pathlib.Path) -> ModuleType:
    """What the suite knows of trees and changes."""
    spec = importlib.util.spec_from_file_location("tree", tree / "tests" / "suite" / "tree.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> int:
    os.environ.update(
        THEORYLAB_CUDA="1", THEORYLAB_WERROR="1", PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_QUIET="2"
    )
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # every process of a test compiles all it reads
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gate-"))
    try:
        tree = folder / "tree"  # beside it the tools of lint, which are not looked at
        tree.mkdir()
        copied(tree)
        trees = module_of_trees(tree)
        draw, files = trees.tree_id(tree), trees.changed(ROOT, head="HEAD")
        if files is not None:
            os.environ["CI_CHANGED"] = "\n".join(files)
            if not any(file.startswith(CSRC) for file in files):
                os.environ["THEORYLAB_CUDA_ARCHS"] = "90"  # it compiles, as it did before
        gate = Gate(tree, lambda text: print(text, flush=True))
        gate.say(f"tree {draw}; {'?' if files is None else len(files)} files changed")
        try:
            listed(tree)
            through(gate, files, draw, trees.near(files or [], tree))
        except Exception:
            gate.broke(traceback.format_exc())
        made = tree / "build" / "costs.json"
        if made.exists():
            (ROOT / "build").mkdir(exist_ok=True)
            shutil.copy(made, ROOT / "build" / "costs.json")
        return gate.ended()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
