"""What is public: the `__all__` of every package, what docs/api.md says, and that they agree."""

import ast
import importlib
import pathlib
import re

import pytest

import theorylab

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGES = sorted(path.parent.name for path in (ROOT / "theorylab").glob("*/__init__.py"))
PAGE = (ROOT / "docs/api.md").read_text()
ROWS = {
    package: re.findall(r"`(\w+)`", names)
    for package, names in re.findall(r"^\| (\w+) \| .* \| (`.*`) \|$", PAGE, re.MULTILINE)
}


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


def test_the_page_names_what_is_there_beside_the_packages():
    assert set(ROWS) <= set(PACKAGES)
    for module in ("symbols", "known", "tables"):
        assert f"`theorylab.{module}`" in PAGE
        importlib.import_module(f"theorylab.{module}")
    for name in theorylab.__all__:
        assert f"`{name}`" in PAGE
        assert hasattr(theorylab, name)
