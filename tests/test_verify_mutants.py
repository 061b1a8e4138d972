"""Planted faults: where a test looks they are killed, where none does they survive."""

import ast
import importlib
import json
import pathlib
import subprocess
import sys

import pytest

VERIFY = pathlib.Path(__file__).resolve().parents[1] / "verify"
MODULE = '''"""Limits."""

from small.base import ONE

ROOM = 0.5


def above(x: float, limit: float = 2.0) -> bool:
    """Whether x is above the limit by more than the room."""
    if x < 0:
        raise ValueError(f"x is {x - 1}; need x >= {0}")
    return x > limit + ROOM * ONE


def unseen(x):
    return x + 1


def forever(n):
    while n > 0:
        n -= 1
    return n
'''
TESTS = """import pytest

from small import above, forever


def test_the_limit_is_kept():
    assert above(2.75)
    assert not above(2.5)
    assert not above(2.25)
    assert above(7.0, 6.0)
    assert not above(0.0)


def test_what_is_negative_is_refused():
    with pytest.raises(ValueError, match="x is"):
        above(-1.0)


def test_it_ends():
    assert forever(3) == 0
"""


@pytest.fixture
def operators(monkeypatch):
    monkeypatch.syspath_prepend(str(VERIFY))
    return importlib.import_module("mutant_operators")


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    for name, text in (
        ("small/__init__.py", "from small.limits import above as above, forever as forever\n"),
        ("small/base.py", "ONE = 1.0\n"),
        ("small/limits.py", MODULE),
        ("tests/test_limits.py", TESTS),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '--import-mode=importlib'\n"),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def command(tree, *arguments):
    done = subprocess.run(
        [sys.executable, str(VERIFY / "mutants.py"), "--tree", str(tree), "--modules",
         "small/limits.py", "--tests", "tests", "--grace", "2", *arguments],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_what_a_test_sees_is_killed_and_the_rest_is_told(tree, tmp_path):
    file = tmp_path / "mutants.json"
    before = {path: path.read_bytes() for path in tree.rglob("*.py")}
    code, out, err = command(tree, "--count", "1000", "--seed", "3", "--json", str(file))
    assert {path: path.read_bytes() for path in tree.rglob("*.py")} == before  # only read
    content = json.loads(file.read_text())
    fate = {row["change"]: row["outcome"] for row in content["mutants"]}
    assert code == (0 if content["share"] >= 0.9 else 1), err
    for line in (
        "return x > limit + ROOM * ONE\n+ return x >= limit + ROOM * ONE",
        "return x > limit + ROOM * ONE\n+ return x > limit - ROOM * ONE",
        "return x > limit + ROOM * ONE\n+ return None",
        "ROOM = 0.5\n+ ROOM = 5.0",
        "ROOM = 0.5\n+ ROOM = 0.05",
        "def above(x: float, limit: float=2.0) -> bool:\n+ def above(x: float, limit: float=3.0) "
        "-> bool:",
        "raise ValueError(f'x is {x - 1}; need x >= {0}')\n+ pass",
        "if x < 0:\n+ if not x < 0:",
        "if x < 0:\n+ if x <= 0:",
    ):
        assert fate.pop(f"- {line}") == "killed"
    assert fate["- n -= 1\n+ pass"] == "timeout"
    survived = {change for change, outcome in fate.items() if outcome == "survived"}
    # ONE is 1; and nothing tests ``unseen``
    equivalent = "- return x > limit + ROOM * ONE\n+ return x > limit + ROOM / ONE"
    assert {equivalent, "- return x + 1\n+ return x - 1"} <= survived
    assert all(change in out for change in survived)
    assert f"seed 3; {len(content['mutants'])} mutants run, 0 not for time" in out


def test_the_same_seed_plants_the_same_mutants_and_a_count_is_the_start_of_a_larger_one(operators):
    drawn = importlib.import_module("mutants").drawn
    sources = {"small/limits.py": MODULE, "other.py": "x = 1\ny = x < 2\n"}
    ten, same, more = drawn(sources, 10, 5), drawn(sources, 10, 5), drawn(sources, 15, 5)
    assert ten == same == more[:10]
    assert ten != drawn(sources, 10, 6)
    assert len({mutant.source for _, mutant in more}) == 15
    every = drawn(sources, 10**6, 0)
    assert len(every) == sum(len(operators.sites(source)) for source in sources.values())


def changes(operators, source):
    found = [operators.planted(source, site) for site in operators.sites(source)]
    for mutant in found:
        assert ast.dump(ast.parse(mutant.source)) != ast.dump(ast.parse(source))
    return {mutant.change.splitlines()[1].removeprefix("+ ") for mutant in found}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a <= b", {"a < b", "a > b"}),
        ("a == b", {"a != b"}),
        ("a is b", {"a is not b"}),
        ("a in b", {"a not in b"}),
        ("f(a, 3.0)", {"pass", "f(a, 30.0)", "f(a, 0.3)", "f(a, 4.0)"}),
        ("g[1]", {"g[10]", "g[0]", "g[2]"}),
        ("t = True", {"t = False"}),
        ("c = a * b", {"c = a / b"}),
        ("c = a ** b - d", {"c = a * b - d", "c = a ** b + d"}),
        ("c = not a", {"c = a"}),
        ("c = a and b", {"c = a or b"}),
        ("c = min(a, b)", {"c = max(a, b)"}),
        ("c = np.maximum(a, b)", {"c = np.minimum(a, b)"}),
        ("c = a if b else d", {"c = a if not b else d"}),
        ("c = [a for a in b if d]", {"c = [a for a in b if not d]"}),
        ("c.d = a", {"pass"}),
        ("c = f'{a + 1}' + 'text'", set()),
        ("raise ValueError(a + 1, b < 2)", {"pass"}),
        ("c: f[1] = a", set()),
        ("assert a < 1", set()),
        ("'text'", set()),
    ],
)
def test_every_operator_changes_what_it_says_and_text_stays(operators, line, expected):
    # an expression alone would be dropped, too: it is no call but a statement
    found = changes(operators, line)
    assert found - ({"pass"} - expected) == expected


def test_a_decorator_an_annotation_and_a_docstring_stay(operators):
    source = (
        '@kept(1)\ndef f(a: g[1], *, b: int = 7) -> h[2]:\n    """Text 3."""\n    return None\n'
    )
    assert {line.split("int=")[1] for line in changes(operators, source)} == {
        f"{b}) -> h[2]:" for b in (70, 0, 8)
    }


def test_modules_that_import_a_mutated_one_are_never_shared(tree, monkeypatch):
    monkeypatch.syspath_prepend(str(VERIFY))
    preloadable = importlib.import_module("mutant_graph").preloadable
    (tree / "small/later.py").write_text("def f():\n    from small import above\n")
    (tree / "small/sub").mkdir()
    (tree / "small/sub/__init__.py").write_text("from ..limits import above\n")
    loaded = ["json", "small.base", "small.limits", "small", "small.later", "small.sub", "tests.x"]
    assert preloadable(tree, loaded, ["small/limits.py"]) == ["json"]
    (tree / "small/__init__.py").write_text("")
    kept = preloadable(tree, loaded, ["small/limits.py"])
    assert kept == ["json", "small.base", "small", "small.later"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--count", "0"], "need --count, --workers and --files >= 1"),
        (["--modules", "none/*.py"], "nothing to change in none/*.py"),
        (["--tests", "none"], "no tests 'none'"),
    ],
)
def test_bad_input_is_one_line(tree, arguments, line):
    code, out, err = command(tree, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("mutants: ")
    assert line in err
    assert err.count("\n") == 1


def test_a_test_that_fails_without_a_mutant_is_named(tree):
    (tree / "tests/test_broken.py").write_text("def test_it():\n    assert False\n")
    code, out, err = command(tree, "--count", "1")
    assert (code, out) == (2, "")
    assert "tests/test_broken.py::test_it fails without a mutant; need tests that pass" in err
