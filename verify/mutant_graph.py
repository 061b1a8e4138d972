"""Which modules a mutant cannot change: they are imported once, for all mutants."""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Collection, Iterable


def preloadable(tree: pathlib.Path, loaded: Iterable[str], targets: Collection[str]) -> list[str]:
    """Of the modules ``loaded``, in their order: those from elsewhere than the tree, and those of
    the tree that import none of ``targets`` (paths), however far away.

    An import inside a function counts: the module may have run it.
    """
    tops = {pathlib.Path(target).parts[0] for target in targets}
    files = [path for top in tops for path in (tree / top).rglob("*.py")]
    paths = {_name(path.relative_to(tree)): path for path in files}
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


def _name(path: pathlib.Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(name: str, path: pathlib.Path) -> set[str]:
    """Names that may be modules, with the packages around them and around the module itself."""
    found = {name.rpartition(".")[0]}
    for node in ast.walk(ast.parse(path.read_text())):
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
