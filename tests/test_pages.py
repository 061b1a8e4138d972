"""What the pages in docs/ show is what happens."""

import pathlib
import re
import shlex

pytest_plugins = ["pytester"]

ROOT = pathlib.Path(__file__).resolve().parents[1]
PLUGIN = "theorylab.pytest_plugin"


def block(page, marker):
    text = (ROOT / "docs" / page).read_text()
    return re.search(rf"<!-- {re.escape(marker)} -->\n```\w*\n(.*?)```", text, re.DOTALL).group(1)


def test_a_suite_shows_what_the_page_on_pytest_shows(pytester):
    pytester.makepyfile(my_theorem=block("pytest.md", "my_theorem.py"))
    program, *words = shlex.split(block("pytest.md", "command"))
    result = pytester.runpytest_inprocess("-p", PLUGIN, *words)
    assert program == "pytest"
    lines = [re.sub(r" +\[ *\d+%\]$", "", line) for line in result.outlines]
    for line in block("pytest.md", "output").splitlines():
        assert line in lines


def test_the_ini_file_of_the_page_on_pytest_is_understood(pytester):
    pytester.makepyprojecttoml(block("pytest.md", "ini"))
    pytester.makepyfile(**{"theorems/first": block("pytest.md", "my_theorem.py")})
    result = pytester.runpytest_inprocess("-p", PLUGIN, "-v", "--theorylab", "-k", "lem1 or small")
    passed = [line.split()[0] for line in result.outlines if " PASSED" in line]
    assert len(passed) == 4
    assert passed[0] == "theorems/first.py::mine.thm1::printed/small::quadratic"
