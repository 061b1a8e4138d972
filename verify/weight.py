"""How heavy the tree is, and how it hangs together: lines, tokens, circles of imports.

    python verify/weight.py [--since COMMIT] [--root FOLDER]

It prints a row of lines and tokens of Python for every room of theorylab/ (a room is a folder or a
file at the top), for the whole package, for the package without `worst`, for tests/ and verify/.
Below it prints the lines of TOML in theorylab/, how often `fmt: skip` is written, how many files
name each word of a verdict, and every circle of imports. Tokens are those of Python's `tokenize`
without comments and line ends, which do not depend on how a line is broken.

With --since COMMIT each number has its difference to that commit beside it, and the lines that went
from theorylab/ into verify/ since then are counted: files that git finds again there.

An import inside a function, or for types alone, counts like any other. An import of a name from a
package leads to the module that the package takes the name from.

Exit code 0, and 2 on bad input.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import tokenize
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import networkx

from theorylab.words import ORDER as WORDS

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "theorylab"
UNITS = ("lines", "tokens")
_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
Graph = dict[str, set[str]]  # module -> modules that it imports


def size(paths: Iterable[Path]) -> Counter[str]:
    """Lines and tokens of Python files, and how often `fmt: skip` is a comment."""
    total: Counter[str] = Counter(lines=0, tokens=0, skips=0)
    for path in paths:
        text = path.read_text(encoding="utf-8")
        total["lines"] += len(text.splitlines())
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            total["tokens"] += token.type not in _LAYOUT
            total["skips"] += token.type == tokenize.COMMENT and "fmt: skip" in token.string
    return total


def modules(package: Path) -> dict[str, Path]:
    """Every module of a package by its dotted name."""
    names = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


def parsed(path: Path) -> ast.Module:
    """The syntax of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(package: Path, parse: Callable[[Path], ast.Module] = parsed) -> Graph:
    """Which module imports which. A package's own `__init__` stands for no module: its names do."""
    paths = modules(package)
    trees = {name: parse(path) for name, path in paths.items()}
    homes = {
        name: {shown: home for home, given, shown in _taken(trees[name]) if given == shown}
        for name, path in paths.items()
        if path.name == "__init__.py"
    }
    graph: Graph = {name: set() for name in paths if name not in homes}
    for name in graph:
        for home, given, _ in _taken(trees[name]):
            target = f"{home}.{given}" if f"{home}.{given}" in paths else home
            for _ in paths:  # a package may take the name from a package
                if target not in homes or given not in homes[target]:
                    break
                target = homes[target][given]
            if target in graph and target != name:
                graph[name].add(target)
    return graph


def _taken(tree: ast.Module) -> list[tuple[str, str, str]]:
    """Module, name and the name here, of everything that is imported."""
    taken = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            taken += [(node.module, each.name, each.asname or each.name) for each in node.names]
        elif isinstance(node, ast.Import):
            taken += [(each.name, "", "") for each in node.names]
    return taken


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Modules that import each other, directly or by way of others: the largest circle first."""
    found = networkx.strongly_connected_components(networkx.DiGraph(graph))
    return sorted((sorted(each) for each in found if len(each) > 1), key=lambda c: (-len(c), c))


def naming(package: Path) -> dict[str, set[Path]]:
    """The files that name each word of a verdict in their code; statements, which are data, not.

    A word is named as an attribute, a name, or a text that is the word alone."""
    files: dict[str, set[Path]] = {word: set() for word in WORDS}
    for path in package.rglob("*.py"):
        if path.relative_to(package).parts[0] == "statements":
            continue
        for node in ast.walk(parsed(path)):
            match node:
                case ast.Attribute(attr=str(word)) | ast.Name(id=str(word)):
                    pass
                case ast.Constant(value=str(word)):
                    pass
                case _:
                    continue
            if word in files:
                files[word].add(path)
    return files


def sizes(root: Path) -> dict[str, Counter[str]]:
    """Lines, tokens and skips of each room and folder of a tree, and of the package as a whole."""
    package = root / PACKAGE
    rooms: dict[str, list[Path]] = {}
    for path in sorted(package.rglob("*.py")):
        rooms.setdefault(path.relative_to(package).parts[0].removesuffix(".py"), []).append(path)
    found = {f"{PACKAGE}/{room}": size(paths) for room, paths in sorted(rooms.items())}
    whole = Counter[str]()
    for each in found.values():
        whole.update(each)
    without = Counter(whole)
    without.subtract(found.get(f"{PACKAGE}/worst", {}))
    found |= {PACKAGE: whole, f"{PACKAGE} without worst": without}
    return found | {each: size((root / each).rglob("*.py")) for each in ("tests", "verify")}


def counts(root: Path, skips: int) -> dict[str, int]:
    """What is counted besides lines and tokens, by its name."""
    package = root / PACKAGE
    toml = [path.read_text(encoding="utf-8") for path in package.rglob("*.toml")]
    found, named = circles(imports(package)), naming(package)
    return {
        "lines of TOML": sum(len(text.splitlines()) for text in toml),
        "fmt: skip": skips,
        **{f"files that name {word}": len(files) for word, files in named.items()},
        "files that name a verdict": len(set().union(*named.values())),
        "circles of imports": len(found),
        "modules in a circle": sum(map(len, found)),
    }


def moved(root: Path, since: str) -> int:
    """Lines in files of verify/ that were files of theorylab/ at the commit ``since``."""
    told = _git(root, "diff", "-M40%", "--diff-filter=R", "--name-status", since)
    pairs = re.findall(rf"^R\d+\t({PACKAGE}/\S+\.py)\t(verify/\S+\.py)$", told.decode(), re.M)
    return size(root / new for _, new in pairs)["lines"]


def _git(root: Path, *words: str) -> bytes:
    """What git prints. Raises ValueError in one line where it refuses."""
    done = subprocess.run(["git", "-C", str(root), *words], capture_output=True)
    if done.returncode:
        raise ValueError(" ".join(done.stderr.decode(errors="replace").split()))
    return done.stdout


def figures(root: Path) -> tuple[dict[str, Counter[str]], dict[str, int]]:
    """``sizes`` and ``counts`` of a tree."""
    found = sizes(root)
    return found, counts(root, found[PACKAGE]["skips"])


def before(root: Path, since: str) -> tuple[dict[str, Counter[str]], dict[str, int]]:
    """The figures of the tree at a commit. Raises ValueError where git does not know it."""
    content = _git(root, "archive", f"{since}^{{commit}}", PACKAGE, "tests", "verify")
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(content)) as files:
            files.extractall(folder, filter="data")
        return figures(Path(folder))


def rows(root: Path, since: str | None) -> list[str]:
    """The lines that are printed. Raises ValueError where git does not know the commit."""
    now_sizes, now_counts = figures(root)
    old_sizes, old_counts = (now_sizes, now_counts) if since is None else before(root, since)

    def row(name: str, *pairs: tuple[int, int]) -> str:
        cells = [
            f"{now:>11,}" + ("" if since is None else f"{now - old:>+11,}") for now, old in pairs
        ]
        return f"{name:<34}{''.join(cells)}"

    none = Counter[str]()
    heads = [f"{unit:>11}" + ("" if since is None else f"{'since':>11}") for unit in UNITS]
    shown = [f"{'':<34}{''.join(heads)}"]
    for name in dict.fromkeys([*now_sizes, *old_sizes]):
        now, old = now_sizes.get(name, none), old_sizes.get(name, none)
        shown.append(row(name, *((now[unit], old[unit]) for unit in UNITS)))
    shown += [row(name, (count, old_counts[name])) for name, count in now_counts.items()]
    if since is not None:
        shown.append(f"{'lines moved from theorylab/ to verify/':<34}{moved(root, since):>7,}")
    found = circles(imports(root / PACKAGE))
    return shown + [f"circle of {len(each)}: {', '.join(each)}" for each in found]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--since", metavar="COMMIT", help="also the difference to this commit")
    parser.add_argument("--root", type=Path, default=ROOT, metavar="FOLDER", help="another tree")
    given = parser.parse_args(arguments)
    if not (given.root / PACKAGE).is_dir():
        print(f"weight: {given.root} has no folder {PACKAGE}; need a tree of it", file=sys.stderr)
        return 2
    try:
        print(*rows(given.root, given.since), sep="\n")
    except ValueError as error:
        print(f"weight: --since {given.since}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
