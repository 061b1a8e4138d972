"""Which faults ``verify/mutants.py`` draws, which of them are texts, and which tests are near."""

import ast
import importlib
import pathlib

import pytest

VERIFY = pathlib.Path(__file__).resolve().parents[1] / "verify"


@pytest.fixture
def mutants(monkeypatch):
    monkeypatch.syspath_prepend(str(VERIFY))
    return importlib.import_module("mutants")


def test_rooms_take_turns_whatever_their_size(mutants):
    large = "\n".join(f"x{k} = a{k} < {k}" for k in range(50))
    sources = {
        "p/one/a.py": "x = 1\ny = 2 < x\n", "p/two/b.py": large, "p/two/c/d.py": large,
        "p/three/e.py": large,
    }  # fmt: skip
    rooms = [mutants.room_of(module) for module, _ in mutants.drawn(sources, 12, 4)]
    assert rooms == ["one", "two", "three"] * 4
    found = [mutants.room_of(module) for module, _ in mutants.drawn(sources, 60, 4)]
    assert found.count("one") == 8  # all that it has
    assert abs(found.count("two") - found.count("three")) <= 1


@pytest.mark.parametrize(
    ("source", "node", "text"),
    [
        ("def f(n) -> str:\n    return f'{n} runs' if n > 1 else 'one run'", "n > 1", True),
        ("def f(n) -> str:\n    return f'{n} runs' if n > 1 else ''", "n > 1", False),
        ("def f(n) -> str:\n    return f'{n}.{n + 1}' if n > 1 else 'one'", "n > 1", False),
        ("def f(n) -> str:\n    m = n + 1\n    return f'of {m} runs'", "n + 1", True),
        ("def f(n) -> str:\n    g(n)\n    return f'of {n} runs'", "n", False),
        ("def f(n) -> str:\n    if n < 1:\n        raise E\n    return f'of {n}'", "n < 1", False),
        ("def f(n) -> int:\n    m = n + 1\n    return m", "n + 1", False),
        ("def __repr__(self):\n    return self.a + 1", "self.a + 1", True),
        ("x = Known(1.0, LOWER, 'nothing says that')", "1.0", False),
        ("print(a + 1, 'rows')", "a + 1", True),
        ("x = name.ljust(40)", "40", True),
        ("x = 'a b' if n else 'c d'", "n", True),
        ("x = 'a b' if n else ''", "n", False),
        ("x = f(reason='' if n else 'a b')", "n", False),
    ],
)
def test_only_what_nothing_but_a_reader_sees_is_a_text(mutants, source, node, text):
    tree = ast.parse(source)
    found = importlib.import_module("mutant_texts").texts(tree)
    own = [each for each in ast.walk(tree) if isinstance(each, ast.expr)]
    chosen = [each for each in own if ast.unparse(each) == node]
    assert chosen
    assert {each in found for each in chosen} == {text}


def test_tests_that_import_a_module_come_by_nearness_and_others_not_at_all(mutants, tmp_path):
    for name, text in (
        *(("p/__init__.py", "from p.a.low import low as low\n"), ("p/a/low.py", "low = 1\n")),
        *(("p/a/high.py", "from p import low\n"), ("p/other.py", "x = 1\n")),
        *(("tests/test_other.py", "import p.other\n"), ("tests/b/test_x.py", "from p import low")),
        *(("tests/b/test_y.py", "def f():\n    from p.a import high\n"),),
        *(("tests/a/test_low.py", "import p.a.high\n"), ("tests/c/test_z.py", "import p\n")),
        *(("tests/c/conftest.py", "import p.a.low\n"), ("tests/conftest.py", "import p.a.low\n")),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    tests = sorted((tmp_path / "tests").rglob("test_*.py"))
    near = importlib.import_module("mutant_graph").nearest(tmp_path, ["p/a/low.py"], tests)
    files = ["a/test_low.py", "b/test_x.py", "c/test_z.py", "b/test_y.py"]
    assert near["p/a/low.py"] == [f"tests/{file}" for file in files]


def test_the_checks_of_a_statement_are_among_its_tests(mutants, tmp_path):
    for name, text in (
        *(("p/statements/paper/one.py", "import p.statements.paper._two\nx = 1\nSTATEMENT = x\n"),),
        *(("p/statements/paper/_two.py", "x = 1\n"), ("p/statements/paper/__init__.py", "")),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    nearest = importlib.import_module("mutant_graph").nearest
    targets = ["p/statements/paper/one.py", "p/statements/paper/_two.py"]
    assert nearest(tmp_path, targets, []) == {each: ["paper.one"] for each in targets}
