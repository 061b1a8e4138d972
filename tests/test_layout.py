"""The rules of the tree, checked: who may import whom, what is listed and tested, how long."""

import ast
import functools
import pathlib
import re
import sys

import pytest

from theorylab import lazy
from theorylab.statements import BUILT_IN

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "verify"))
import weight  # noqa: E402

PACKAGE = ROOT / "theorylab"
_ROW = re.compile(r"^\| (\w+) \| ([\w, -]+) \| .+ \|$", re.MULTILINE)
MAY_IMPORT = {  # docs/ARCHITECTURE.md says why
    room: set() if imports == "-" else set(imports.split(", "))
    for room, imports in _ROW.findall((ROOT / "docs/ARCHITECTURE.md").read_text())
    if room != "room"
}
LISTED = (
    *("algorithms", "bench", "constants", "experiments", "hypergradients", "kernels"),
    *("metrics", "problems", "topologies"),
)
# Statements of pdbo without a file: test_unbiased.py has the first four, test_asm8.py Assumption 9,
# and the contract of every check is all that the others have.
NO_FILE = {"eq10", "eq12", "eq13", "appb"} | {"asm9", "alg3", "alg4", "eq41", "eq42"}
NO_FILE |= {"itd_backward", "thm11_gap", "thm8_azuma"}
LONGEST, LONGEST_TEST = 300, 250
# shipped beside a certificate, so it stays one file
ALONE = {"check_certificate.py": 935}
# One thought each, which a cut would divide, so each may have 450 lines.
WHOLE = {
    "algorithms/_base.py": "what a step is given, a state and a round, with their pages",
    "constants/consensus.py": "pairs (C, q) of every norm and lag, of every kind of network",
    "constants/topology_constants.py": "all constants of a network, and what is shared of them",
    "hypergradients/torch_model.py": "a bilevel problem of torch functions, whole",
    "problems/_network.py": "copies of a network, with all the options that networks share",
    "runs/row.py": "one place of a left side, and what reduces its runs",
    "statements/_base.py": "a claim, its readings and its source, each with its page",
    "verdicts/judge.py": "one check, from its instance to its result",
    "verdicts/result.py": "what a check gave, and the file of all results",
    "formulas/term.py": "what a term is, and how it answers NumPy's calls",
    "experiments/pdbo/blocks.py": "HGP's matrices edge by edge, both sides of every line of C.2",
    "experiments/pdbo/error.py": "the error of an estimate and all constants that bounds on it ask",
    "experiments/pdbo/stationary.py": "the point of Eq. (6), beside every other point",
    "experiments/pdbo/unbiased.py": "means of the estimators, each with its lines of NumPy",
    "hypergradients/_personal_data.py": "the samples of each client, from a data set to arrays",
    "hypergradients/edge_law.py": "the law of one round's edges, of every network that has one",
    "hypergradients/moments.py": "mean and covariance of an estimate, and the weights that it asks",
    "hypergradients/pdbo.py": "Algorithm 1 with all that it leaves open, Adam among it",
    "hypergradients/reliability.py": "what is known of one estimate, its mean after M terms first",
    "hypergradients/stationary.py": "the point of Eq. (6), and the hypergradient there",
    "hypergradients/table_rows.py": "the rows of two tables, and the rule by which each chooses",
    "formulas/formula.py": "the function of one client, and all that follows from it",
    "problems/formula.py": "a problem that is one function, of every round, and its constants",
    "scripts/_columns.py": "the left side of a run, from a metric's text or a column's",
    "scripts/_functions.py": "methods of few objects as functions of arrays",
    "scripts/_round.py": "one round of a built-in method as lines",
    "scripts/_states.py": "a round's state and draws as arrays with names",
    "scripts/_user_script.py": "a script of what a user's file brings",
    "scripts/exactly.py": "which numbers a script's floats stand for, and which side is larger",
    "scripts/text.py": "lines of Python from values",
}
SOURCES = sorted(p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py")


@functools.cache
def parsed(path):
    return ast.parse(path.read_text())


@functools.cache
def imported(path):
    """Parts of theorylab that ``path`` imports, however the import is spelled."""
    parts = set()
    for node in ast.walk(parsed(path)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write the import in full: from theorylab.x import y"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if name.startswith("theorylab."):
                parts.add(name.split(".")[1])
    return parts


def test_imports_point_one_way():
    for path in SOURCES:
        here = path.relative_to(PACKAGE).with_suffix("").parts[0]
        wrong = imported(path) - MAY_IMPORT[here] - {here, "_core", "_cuda", "__version__"}
        assert not wrong, (
            f"{path.relative_to(ROOT)} must not import {sorted(wrong)}; {here} may import "
            f"{sorted(MAY_IMPORT[here])}"
        )


def test_every_granted_arrow_is_used():
    used = {room: set() for room in MAY_IMPORT}
    for path in SOURCES:
        here = path.relative_to(PACKAGE).with_suffix("").parts[0]
        used[here] |= imported(path) - {here, "_core", "_cuda", "__version__"}
    assert used == MAY_IMPORT


def test_no_modules_import_each_other_in_a_circle():
    """A new circle is broken by a protocol, or by moving what both need below both."""
    assert weight.circles(weight.imports(PACKAGE, parsed)) == []


@pytest.mark.parametrize("kind", LISTED)
def test_every_member_is_listed_and_tested(kind):
    def names(folder, pattern):
        paths = (path.relative_to(folder) for path in folder.rglob(pattern))
        return {".".join((*p.parent.parts, p.stem.removeprefix("test_"))) for p in paths}

    members = names(PACKAGE / kind, "[!_]*.py")
    init = (PACKAGE / kind / "__init__.py").read_text()
    listed = {
        node.module.removeprefix(f"theorylab.{kind}.")
        for node in ast.walk(ast.parse(init))
        if isinstance(node, ast.ImportFrom) and node.module.startswith(f"theorylab.{kind}.")
    }
    by_name = {module for each in lazy.kept().values() for module in each.values()}
    listed |= {each for each in members if f"theorylab.{kind}.{each}" in by_name}
    tested = names(ROOT / "tests" / kind, "test_*.py")
    assert members <= listed, f"{kind}/__init__.py does not list {sorted(members - listed)}"
    assert members <= tested, f"tests/{kind} lacks {sorted(members - tested)}"


def test_every_statement_file_is_listed_and_tested():
    for folder in sorted(p for p in (PACKAGE / "statements").iterdir() if p.is_dir()):
        members = {p.stem for p in folder.glob("[!_]*.py")}
        if not members:
            continue
        tests = ROOT / "tests/statements" / folder.name
        tested = {p.stem.removeprefix("test_") for p in tests.glob("test_*.py")}
        for member in members:
            assert f"{folder.name}.{member}" in BUILT_IN, member
        known = NO_FILE if folder.name == "pdbo" else set()
        assert members - tested == known, f"{tests} lacks {sorted(members - tested - known)}"


def test_every_kernel_has_a_header_and_a_wrapper():
    headers = {p.stem for p in (ROOT / "csrc/kernels").glob("*.cuh")}
    wrappers = {p.stem for p in (PACKAGE / "kernels").glob("[!_]*.py")}
    assert headers <= wrappers, f"no wrapper for {sorted(headers - wrappers)}"


def _in_room(path):
    return path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else ""


def long_files():
    for folder, cap in (("theorylab", LONGEST), ("csrc", LONGEST), ("verify", LONGEST)):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".py", ".cpp", ".hpp", ".cuh", ".cu", ".j2", ".pyi"}:
                yield path, ALONE.get(path.name, 450 if _in_room(path) in WHOLE else cap)
    for path in (ROOT / "tests").rglob("*.py"):
        yield path, LONGEST_TEST


def test_no_file_passes_its_size_cap():
    too_long = {
        str(path.relative_to(ROOT)): lines
        for path, cap in long_files()
        if (lines := len(path.read_text().splitlines())) > cap
    }
    assert not too_long
    assert all(len((PACKAGE / name).read_text().splitlines()) > LONGEST for name in WHOLE)


def test_nothing_names_a_machine():
    # the project's text speaks of the project alone: no path of a machine, no registry host
    forbidden = ("/work/", "/root/", "/home/", "pythonhosted", "pypi.org")
    for folder in ("theorylab", "csrc", "verify", "tests", ".ci"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".py", ".cpp", ".hpp", ".cuh", ".cu", ".j2", ""} and path.is_file():
                if path == pathlib.Path(__file__).resolve():
                    continue
                found = [word for word in forbidden if word in path.read_text(errors="ignore")]
                assert not found, f"{path.relative_to(ROOT)} names {found}"


def test_roundoff_has_one_definition():
    for path in SOURCES:
        if path.name != "known.py":
            text = path.read_text()
            assert not re.search(r"^_?(EPS|UNIT) = [0-9fF]", text, re.MULTILINE), path
