"""The command that weighs the tree, on small trees whose figures are counted by hand."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "verify"))
import weight  # noqa: E402


@pytest.fixture
def tree(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    write("theorylab/a/__init__.py", "from theorylab.a.one import One as One\n")
    write("theorylab/a/one.py", "class One:\n    def two(self):\n        import theorylab.b\n")
    write("theorylab/b.py", "from theorylab.a import One  # fmt: skip\nx = [\n    1,\n    2,\n]\n")
    write("theorylab/worst/c.py", 'from theorylab import b\nif b.x == "HOLDS":\n    ERROR = 1\n')
    write("theorylab/worst/d.toml", "a = 1\nb = 2\n")
    write("tests/test_a.py", "pass\n")
    write("verify/e.py", "pass\npass\n")
    return tmp_path


def test_lines_and_tokens_are_counted_by_room(tree):
    found = weight.sizes(tree)
    # from theorylab.a import One: 6 tokens; x = [1, 2,]: 8; the end of the file: 1
    assert found["theorylab/b"] == {"lines": 5, "tokens": 15, "skips": 1}
    assert found["theorylab/a"]["lines"] == 4
    assert found["theorylab"]["lines"] == 4 + 5 + 3
    assert found["theorylab without worst"]["lines"] == 4 + 5
    assert (found["tests"]["lines"], found["verify"]["lines"]) == (1, 2)


def test_tokens_do_not_depend_on_how_a_line_is_broken(tmp_path):
    long, short = tmp_path / "long.py", tmp_path / "short.py"
    long.write_text("f(\n    1,  # a reason\n    2\n)\n")
    short.write_text("f(1, 2)\n")
    assert weight.size([long])["tokens"] == weight.size([short])["tokens"]


def test_a_circle_through_a_package_and_a_function_is_found(tree):
    assert weight.circles(weight.imports(tree / "theorylab")) == [
        ["theorylab.a.one", "theorylab.b"]
    ]
    (tree / "theorylab/a/one.py").write_text("class One: ...\n")
    assert weight.circles(weight.imports(tree / "theorylab")) == []


def test_two_circles_that_share_no_module_are_two_and_the_larger_is_first():
    graph = {"a": {"b"}, "b": {"a", "c"}, "c": {"d"}, "d": {"e"}, "e": {"c"}, "f": {"a"}}
    assert weight.circles(graph) == [["c", "d", "e"], ["a", "b"]]


def test_files_that_name_a_word_are_counted_and_statements_are_not(tree):
    (tree / "theorylab/statements").mkdir()
    (tree / "theorylab/statements/s.py").write_text('expect = "VIOLATED"\n')
    found = weight.counts(tree, 1)
    assert found["files that name HOLDS"] == found["files that name ERROR"] == 1
    assert found["files that name VIOLATED"] == 0
    assert found["files that name a verdict"] == 1
    assert (found["lines of TOML"], found["fmt: skip"]) == (2, 1)


def test_differences_are_to_a_commit_and_lines_that_moved_are_counted(tree, capsys):
    def git(*words):
        own = ("-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", tree, *own, *words], check=True, capture_output=True)

    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    git("mv", "theorylab/b.py", "verify/b.py")
    assert weight.main(["--root", str(tree), "--since", "HEAD"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert next(each for each in told if each.startswith("theorylab ")).split()[1:3] == ["7", "-5"]
    assert next(each for each in told if each.startswith("theorylab/b")).split()[1:3] == ["0", "-5"]
    assert next(each for each in told if "moved" in each).split()[-1] == "5"


@pytest.mark.parametrize("words", [["--since", "nothing"], ["--root", "nowhere"]])
def test_bad_input_gets_one_line(tree, capsys, words):
    subprocess.run(["git", "-C", tree, "init"], check=True, capture_output=True)
    assert weight.main(["--root", str(tree), *words]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
