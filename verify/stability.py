"""The table of what is stable, read from docs/api.md, and who uses each public name.

    python verify/stability.py [PACKAGE ...]

It prints a line a public name: the package, whether the name is stable, and in how many files the
pages, the gallery, the tests, verify/ and other packages of theorylab import it. Names that nobody
imports end with "nobody".

docs/api.md is the one place that says which names are stable. ``verify/counts.py`` keeps its second
table, docs/conf.py makes a page of each stable name, and the tests hold both to it.

Exit code 0; 2 on a package that there is none of.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = "docs/api.md"
_ROW = re.compile(r"^\| (\w+) \| [^|\n]* \| ([^|\n]*) \|$", re.MULTILINE)
_BLOCK = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
NOT_PROMISED = "\n## Not promised\n"  # the heading between both tables
Names = dict[str, tuple[str, ...]]  # package, or "theorylab" itself -> names


def stable(text: str) -> Names:
    """Package -> its stable names, of the page's text; ``theorylab`` is the package itself."""
    return {
        package: tuple(re.findall(r"`(\w+)`", names))
        for package, names in _ROW.findall(text.partition(NOT_PROMISED)[0])
        if package != "package"
    }


def module_of(package: str) -> str:
    """The module from which a row's names are imported."""
    return package if package == "theorylab" else f"theorylab.{package}"


def public(root: Path = ROOT) -> Names:
    """Package -> its ``__all__``, of every package of theorylab that has public names."""
    files = sorted((root / "theorylab").glob("*/__init__.py"))
    packages = [file.parent.name for file in files]
    modules = {name: importlib.import_module(f"theorylab.{name}") for name in packages}
    return {name: tuple(module.__all__) for name, module in modules.items() if module.__all__}


def by_name() -> dict[str, dict[str, type]]:
    """Package -> registered name -> class, of the kinds whose names and options are stable.

    A file that was imported before may have registered others.
    """
    from theorylab.algorithms import ALGORITHMS
    from theorylab.problems import PROBLEMS
    from theorylab.topologies import TOPOLOGIES

    kinds = {"algorithms": ALGORITHMS, "problems": PROBLEMS, "topologies": TOPOLOGIES}
    return {
        package: {n: kind for n, kind in table.items() if kind.__module__.startswith("theorylab.")}
        for package, table in kinds.items()
    }


def members() -> dict[str, set[str]]:
    """Package -> the classes that are found by name, whether or not these names are stable."""
    from theorylab.experiments import EXPERIMENTS
    from theorylab.metrics import METRICS

    classes = {package: {*table.values()} for package, table in by_name().items()}
    classes |= {"experiments": {*EXPERIMENTS.values()}, "metrics": {*METRICS.values()}}
    return {package: {each.__name__ for each in those} for package, those in classes.items()}


def imported(code: str) -> Iterator[tuple[str, str]]:
    """The (package, name) pairs that a file of Python takes from packages of theorylab."""
    tree = ast.parse(code)
    packages: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("theorylab"):
            parts = (node.module or "").split(".")
            for each in node.names:
                if len(parts) == 1:
                    packages[each.asname or each.name] = each.name
                    yield "theorylab", each.name
                elif len(parts) == 2:
                    yield parts[1], each.name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            match node.value:
                case ast.Name(id="theorylab"):
                    yield "theorylab", node.attr
                case ast.Name(id=name) if name in packages:
                    yield packages[name], node.attr
                case ast.Attribute(value=ast.Name(id="theorylab"), attr=package):
                    yield package, node.attr


def blocks(page: str) -> Iterator[str]:
    """The blocks of Python in a page, prompts taken off."""
    for block in _BLOCK.findall(page):
        lines = textwrap.dedent(block).splitlines()
        if any(line.startswith(">>> ") for line in lines):
            lines = [line[4:] for line in lines if line.startswith((">>> ", "... "))]
        code = "\n".join(lines)
        try:
            ast.parse(code)
        except SyntaxError:
            continue  # a command line, or what one prints
        yield code


def shown(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """(file, code) of all that a reader of the pages and of the gallery sees."""
    for page in (root / "README.md", *sorted((root / "docs").rglob("*.md"))):
        for code in blocks(page.read_text(encoding="utf-8")):
            yield str(page.relative_to(root)), code
    for file in sorted((root / "docs/gallery").glob("*.py")):
        yield str(file.relative_to(root)), file.read_text(encoding="utf-8")


def uses(root: Path = ROOT) -> dict[tuple[str, str], Counter[str]]:
    """(package, name) -> how many files of each kind import it."""
    files = []
    for page, code in shown(root):
        files.append(("gallery" if page.endswith(".py") else "pages", page, code))
    for folder in ("tests", "verify", "theorylab"):
        for file in sorted((root / folder).rglob("*.py")):
            files.append((folder, str(file.relative_to(root)), file.read_text(encoding="utf-8")))
    counted: dict[tuple[str, str], Counter[str]] = {}
    for kind, place, code in files:
        for package, name in {*imported(code)}:
            if kind != "theorylab" or not place.startswith(f"theorylab/{package}/"):
                counted.setdefault((package, name), Counter())[kind] += 1
    return counted


def main(packages: Sequence[str]) -> int:
    """Print the table; the exit code."""
    if {"-h", "--help"} & {*packages}:
        print(__doc__)
        return 0
    every, promised = public(), stable((ROOT / PAGE).read_text(encoding="utf-8"))
    for package in packages:
        if package not in every:
            print(f"stability: got {package}; need one of {', '.join(every)}", file=sys.stderr)
            return 2
    counted, classes = uses(), members()
    for package in packages or every:
        for name in sorted(every[package], key=str.lower):
            count = counted.get((package, name), Counter())
            told = ", ".join(f"{kind} {number}" for kind, number in count.items()) or "nobody"
            kept = "-"
            if name in promised.get(package, ()):
                kept = "stable"
            elif name in classes.get(package, ()):
                kept = "by name"
            print(f"{package:15} {name:30} {kept:7} {told}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
