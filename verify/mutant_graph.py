"""Who imports whom in a tree, as its text says: which modules a mutant cannot change, and which
files of tests are nearest to it.
"""

from __future__ import annotations

import ast
import functools
import pathlib
from collections.abc import Collection, Iterable, Iterator, Mapping

_STATED = "statements"
_FAR = 99  # steps of import: of a file that imports no module of these


def preloadable(tree: pathlib.Path, loaded: Iterable[str], targets: Collection[str]) -> list[str]:
    """Of the modules ``loaded``, in their order: those from elsewhere than the tree, and those of
    the tree that import none of ``targets`` (paths), however far away.

    An import inside a function counts: the module may have run it.
    """
    tops = {pathlib.Path(target).parts[0] for target in targets}
    paths = _modules(tree, tops)
    needs = {name: _imported(name, path) & set(paths) for name, path in paths.items()}
    tainted = {_name(pathlib.Path(target)) for target in targets}
    while grown := {name for name in paths if needs[name] & tainted} - tainted:
        tainted |= grown
    kept = []
    for name in loaded:
        own = name.split(".")[0] in tops
        test = name.split(".")[0] in ("tests", "__main__") or name.startswith("_mutants")
        if not test and (name in set(paths) - tainted if own else True):
            kept.append(name)
    return kept


def nearest(
    tree: pathlib.Path, targets: Collection[str], tests: Iterable[pathlib.Path]
) -> dict[str, list[str]]:
    """For every target, the files of tests that import it, the nearest first; all as paths.

    First those that are named like it, then those that import it themselves, and so on. What a
    package imports from its modules counts as imported from there. A ``conftest.py`` of a folder
    is imported by the files in it; not the one of all tests, which imports the product for them.
    Of a module of ``statements`` the ids of the statements that import it are among them: pytest
    judges their checks.
    """
    paths = _modules(tree, {pathlib.Path(target).parts[0] for target in targets})
    homes = {name: _homes(path) for name, path in paths.items() if path.stem == "__init__"}
    used = {name: _used(path, paths, homes) for name, path in paths.items()}
    users: dict[str, set[str]] = {}
    for name, others in used.items():
        for other in others:
            users.setdefault(other, set()).add(name)
    asked: dict[str, set[str]] = {}
    for path in tests:
        parts = path.relative_to(tree).parts
        above = [tree.joinpath(*parts[:k], "conftest.py") for k in range(2, len(parts))]
        seen = set().union(*(_used(p, paths, homes) for p in (path, *above) if p.exists()))
        asked[str(path.relative_to(tree))] = seen
    ids = {_id(name): {name} for name, path in paths.items() if _is_statement(name, path)}
    return {
        target: _ordered(pathlib.Path(target), users, asked | ids if _STATED in target else asked)
        for target in targets
    }


def _is_statement(name: str, path: pathlib.Path) -> bool:
    inside = path.parent.parent.name == _STATED and not path.stem.startswith("_")
    return inside and "\nSTATEMENT = " in path.read_text()


def _id(name: str) -> str:
    return ".".join(name.split(".")[-2:])


def _ordered(
    target: pathlib.Path, users: Mapping[str, set[str]], asked: Mapping[str, set[str]]
) -> list[str]:
    steps = {_name(target): 1}
    edge = set(steps)
    while edge:
        edge = {user for name in edge for user in users.get(name, ())} - set(steps)
        steps |= dict.fromkeys(edge, 1 + max(steps.values()))
    rows = []
    folder, own = target.parent.parts[1:], target.stem.strip("_")
    for path, names in asked.items():
        away = min((steps[name] for name in names if name in steps), default=_FAR)
        stem = pathlib.Path(path).stem.removeprefix("test_")
        named = stem.startswith((own, "_".join((*folder[-1:], own))))
        beside = pathlib.Path(path).parent.parts[1:] == folder
        if away < _FAR or (named and beside):
            rows.append((0 if named and beside else away, not beside, not named, path))
    return [row[-1] for row in sorted(rows)]


def _modules(tree: pathlib.Path, tops: Iterable[str]) -> dict[str, pathlib.Path]:
    files = [path for top in tops for path in (tree / top).rglob("*.py")]
    return {_name(path.relative_to(tree)): path for path in files}


def _homes(package: pathlib.Path) -> dict[str, str]:
    """Which module each public name of a package comes from."""
    lines = [node for node in ast.walk(_parsed(package)) if isinstance(node, ast.ImportFrom)]
    return {
        alias.asname or alias.name: node.module
        for node in lines
        for alias in node.names
        if node.module and not node.level
    }


def _used(
    path: pathlib.Path, paths: Mapping[str, object], homes: Mapping[str, Mapping[str, str]]
) -> set[str]:
    """The modules whose names a file asks for."""
    found: set[str] = set()
    for base, name in _asked(path):
        if f"{base}.{name}" in paths:
            found.add(f"{base}.{name}")
        elif home := homes.get(base, {}).get(name):
            found.add(home)
        elif base in paths:
            found.add(base)
    return found


def _asked(path: pathlib.Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(_parsed(path)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node.module, alias.name) for alias in node.names)


def _parsed(path: pathlib.Path) -> ast.Module:
    return _tree(path.read_text())


@functools.cache  # packages and conftests are looked at again and again
def _tree(text: str) -> ast.Module:
    return ast.parse(text)


def _name(path: pathlib.Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(name: str, path: pathlib.Path) -> set[str]:
    """Names that may be modules, with the packages around them and around the module itself."""
    found = {name.rpartition(".")[0]}
    for node in ast.walk(_parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:  # relative: from the package that holds the module
                package = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
                base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [base])])
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    for one in list(found):
        parts = one.split(".")
        found |= {".".join(parts[:k]) for k in range(1, len(parts))}
    return found - {name, ""}
