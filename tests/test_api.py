"""What is public: the `__all__` of every package, what docs/api.md says, and that they agree."""

import ast
import importlib
import pathlib
import re
import sys

import pytest

import theorylab

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "verify"))
import stability  # noqa: E402

PACKAGES = sorted(path.parent.name for path in (ROOT / "theorylab").glob("*/__init__.py"))
PAGE = (ROOT / "docs/api.md").read_text()
STABLE = stability.stable(PAGE)


def defined(package):
    """The names that the package's file makes public: imported as themselves, or its own."""
    found = set()
    body = ast.parse((ROOT / "theorylab" / package / "__init__.py").read_text()).body
    checked = [each for node in body if isinstance(node, ast.If) for each in node.body]
    for node in [*body, *checked]:  # what type checkers alone read is imported when asked for
        if isinstance(node, ast.ImportFrom):
            found |= {each.asname for each in node.names if each.asname == each.name}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {each.id for each in targets if isinstance(each, ast.Name)}
    return {name for name in found if not name.startswith("_")}


@pytest.mark.parametrize("package", PACKAGES)
def test_all_names_what_the_package_makes_public_and_it_is_there(package):
    module = importlib.import_module(f"theorylab.{package}")
    told = module.__all__
    assert set(told) == defined(package), f"theorylab/{package}/__init__.py: need them in __all__"
    assert len(set(told)) == len(told)
    assert [name for name in told if not hasattr(module, name)] == []


def test_every_stable_name_is_there_and_is_public():
    public = {**stability.public(), "theorylab": theorylab.__all__}
    for package, names in STABLE.items():
        module = importlib.import_module(stability.module_of(package))
        assert len({*names}) == len(names)
        assert [name for name in names if not hasattr(module, name)] == []
        assert {*names} <= {*public.get(package, names)}, package
    assert all(f"`theorylab.{name}" in PAGE or f"`{name}`" in PAGE for name in theorylab.__all__)


def test_pages_and_gallery_import_stable_names_alone():
    """A reader copies what the pages show, so that it has to stay."""
    packages, members = {"theorylab", *stability.public()}, stability.by_name()
    others = set()
    for place, code in stability.shown():
        for package, name in stability.imported(code):
            classes = {each.__name__ for each in members.get(package, {}).values()}
            known = {*STABLE.get(package, ()), *classes}
            if package == "theorylab":
                known |= {*theorylab.__all__}
            if package in packages and name not in known:
                others.add(f"{place}: {package}.{name}")
    assert others == set()


def test_what_a_file_imports_is_read_in_every_spelling():
    code = (
        "import theorylab\nfrom theorylab import runs as r, sweep\n"
        "from theorylab.runs import simulate as s\nfrom theorylab.runs.trace import Trace\n"
        "theorylab.worst\nr.Row\ntheorylab.problems.problem\nother.Row\n"
    )
    assert {*stability.imported(code)} == {
        ("theorylab", "runs"), ("theorylab", "sweep"), ("runs", "simulate"),
        ("theorylab", "worst"), ("runs", "Row"), ("theorylab", "problems"),
        ("problems", "problem"),
    }  # fmt: skip
    page = "```python\n>>> import a\n1\n```\n```\n$ not python\n```\n```python\nb\n```\n"
    assert [*stability.blocks(page)] == ["import a", "b"]


def test_the_command_tells_who_uses_a_name(capsys):
    assert stability.main(["falsify"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    told = {name: (kept, " ".join(who)) for _, name, kept, *who in rows}
    assert {*told} == {*importlib.import_module("theorylab.falsify").__all__}
    assert told["falsify"][0] == "stable"
    assert re.search(r"tests \d+", told["falsify"][1])
    assert stability.main(["nosuch"]) == 2
    assert capsys.readouterr().err.startswith("stability: got nosuch; need one of algorithms")
