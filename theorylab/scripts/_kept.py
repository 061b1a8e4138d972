"""What a script without classes keeps: the lines and functions that something reads, in order."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from theorylab.scripts._syntax import lines_of, names_in, ordered, pairs_of, pruned, renamed, stored
from theorylab.scripts.text import wrapped

_SHAPES = "Models are (R, n, d): R runs, n clients, d coordinates."


@dataclass
class Program:
    """source, module: the texts of a script with classes, and these read. lines: the lines that
    ``out`` comes from, for their comments; functions, numbers: what ``out`` may ask for."""

    source: list[str]
    module: ast.Module
    lines: list[str]
    out: list[ast.stmt]
    functions: Mapping[str, ast.FunctionDef]
    numbers: Mapping[str, str]


def kept_lines(program: Program) -> tuple[list[str], list[str]]:
    """(texts, lines) of what is read on the way to ``measured``."""
    pieces: dict[str, ast.stmt] = {}
    for each in program.module.body:
        if isinstance(each, ast.ClassDef | ast.FunctionDef):
            pieces[each.name] = each
        elif isinstance(each, ast.Assign):
            pieces |= dict.fromkeys(stored(each), each)
    used = _read(program, pieces)
    _without_x0(program)
    functions = {name: each for name, each in program.functions.items() if name in used}
    files = [line for line in program.source if line.startswith("# From ")]
    texts = [*_imports(program, used), "", *(f"{line} {_SHAPES}" for line in files or ["#"])]
    for each in program.module.body:
        if any(piece is each and name in used for name, piece in pieces.items()):
            above = [each.lineno, *(d.lineno for d in getattr(each, "decorator_list", []))]
            texts += program.source[min(above) - 1 : each.end_lineno]
            texts += [] if isinstance(each, ast.Assign) else [""]
    texts += [""] if texts[-1] and not texts[-1].startswith("#") else []
    for name in ordered(functions):
        texts += [*(part for line in lines_of(functions[name]) for part in wrapped(line)), ""]
    numbers = {name: text for name, text in program.numbers.items() if name in used}
    short = [name for name, text in numbers.items() if "(" not in text]
    lines = [f"{', '.join(short)} = {', '.join(map(numbers.__getitem__, short))}"] if short else []
    lines += [f"{name} = {text}" for name, text in numbers.items() if name not in short]
    for each in program.out:
        lines += [*_comments(program, each), *lines_of(each)]
    return texts, lines


def _read(program: Program, pieces: Mapping[str, ast.stmt]) -> set[str]:
    """The names that are used, once what nobody reads is gone."""
    while True:
        used, before = names_in(program.out), set[str]()
        while used != before:
            before = set(used)
            for named in (program.functions, pieces):
                used |= names_in(each for name, each in named.items() if name in used)
        every = [*program.out, *(f for name, f in program.functions.items() if name in used)]
        read = {n.id for s in every for n in ast.walk(s) if isinstance(n, ast.Name)
                and isinstance(n.ctx, ast.Load)} | {"measured"}  # fmt: skip
        kept = [found for s in program.out if (found := pruned(s, read)) is not None]
        if [*map(id, kept)] == [*map(id, program.out)]:
            return used
        program.out = kept


def _imports(program: Program, used: set[str]) -> list[str]:
    found = []
    for each in program.module.body:
        if isinstance(each, ast.Import | ast.ImportFrom):
            each.names = [a for a in each.names if (a.asname or a.name) in used]
            found += [ast.unparse(each)] if each.names else []
    return found


def _without_x0(program: Program) -> None:
    """One name for the start where nothing else reads the other."""
    every = [*program.out, *program.functions.values()]
    reads = [n for s in every for n in ast.walk(s) if isinstance(n, ast.Name)
             and n.id == "x0" and isinstance(n.ctx, ast.Load)]  # fmt: skip
    for each in program.out:
        pairs = pairs_of(each)
        if len(reads) == len(pairs) == 1 and pairs[0][1] is reads[0]:
            starts = [s for s in program.out if "x0" in stored(s)]
            renamed(ast.Module(starts, []), {"x0": pairs[0][0]})
            program.out.remove(each)
            return


def _comments(program: Program, each: ast.stmt) -> list[str]:
    """The comment over a line, where it has one."""
    at, found = getattr(each, "place", 0) - 1, list[str]()
    while at > 0 and program.lines[at - 1].startswith("#"):
        at -= 1
        found.insert(0, program.lines[at])
    return found
