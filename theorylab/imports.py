"""Code of others that a command knows: installed packages, the project's own files, ``--import``.

These three are the only ways in. No configuration, record, result or counterexample makes a file be
imported: where one names what it was made with, that is compared and never run.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import pathlib
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType

from pydantic import BaseModel, ConfigDict

from theorylab import registry
from theorylab.user_file import UserFaultError, count_as_theirs, fingerprint, guarded, load

GROUP = "theorylab"  # of entry points, and the name of the table in pyproject.toml
PROJECT = "pyproject.toml"
_MOST_BYTES = 1 << 20  # of a pyproject.toml


class Code(BaseModel):
    """An imported file in a record: by its name, with the SHA-256 of it and of what it imports.

    ``modules``: the local modules beside it, or the files of its package.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str
    sha256: str
    modules: dict[str, str] = {}


@dataclass(frozen=True)
class Imported:
    """``source``: what imports it in another process, a path or the name of a module."""

    source: str
    path: pathlib.Path
    module: ModuleType
    code: Code


Source = tuple[str, Code]
_IMPORTED: dict[str, Imported] = {}  # by source, in the order of their import
_INSTALLED: list[str] | None = None  # what is wrong with the entry points, once they are imported


@contextlib.contextmanager
def scope() -> Iterator[None]:
    """What is imported inside is known inside; installed packages stay."""
    before = dict(_IMPORTED)
    try:
        with registry.restored():
            yield
    finally:
        _IMPORTED.clear()
        _IMPORTED.update(before)


def imported() -> list[Imported]:
    """Everything that is imported, in order."""
    return list(_IMPORTED.values())


def codes() -> list[Code]:
    """What a record says of everything that is imported."""
    return [each.code for each in _IMPORTED.values()]


def import_file(path: str | pathlib.Path) -> Imported:
    """Run the file, once, and know what it registers and states.

    Raises:
        UserFaultError: (a ValueError) whatever it raises, with its line.
        ValueError: where there is no such file.
    """
    shown, path = str(path), pathlib.Path(path)
    try:
        there = path.suffix == ".py" and path.is_file()
        source = str(path.resolve())
        if not there:
            raise ValueError(f"--import {shown}: no such file; need a Python file, FILE.py")
        if source not in _IMPORTED:
            module = load(path)
            (name, own), *others = fingerprint(path).items()
            made = Code(file=name, sha256=own, modules=dict(others))
            _IMPORTED[source] = Imported(source, pathlib.Path(source), module, made)
    except OSError as error:
        raise ValueError(f"--import {shown}: {error.strerror}; need a Python file") from None
    return _IMPORTED[source]


def import_installed() -> list[str]:
    """Import what installed packages name, once a process; a line for each that fails.

    An entry point of the group ``theorylab`` names a module.
    """
    global _INSTALLED
    if _INSTALLED is None:
        from importlib.metadata import entry_points  # slow to import

        _INSTALLED = []
        for entry in sorted(entry_points(group=GROUP)):
            package = "" if entry.dist is None else f" of {entry.dist.name}"
            try:
                _import_module(entry.module)
            except (Exception, SystemExit) as error:
                what = str(error) if isinstance(error, UserFaultError) else _named(error)
                _INSTALLED.append(f"entry point {entry.name!r}{package} is left out: {what}")
    return _INSTALLED


def import_project(folder: pathlib.Path) -> None:
    """Import the files that ``[tool.theorylab] import`` of the folder's pyproject.toml lists.

    They lie in the folder. Raises as ``import_file``, and ValueError where the list is none.
    """
    try:
        with (folder / PROJECT).open("rb") as file:
            text = file.read(_MOST_BYTES)
    except OSError:
        return
    if f"tool.{GROUP}".encode() not in text:
        return
    try:
        table = tomllib.loads(text.decode()).get("tool", {}).get(GROUP, {})
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{PROJECT}: {error}; need TOML") from None
    files = table.get("import", []) if isinstance(table, dict) else table
    if not isinstance(files, list) or not all(isinstance(file, str) for file in files):
        raise ValueError(f'{PROJECT}: [tool.{GROUP}] import is {files!r}; need ["FILE.py", ...]')
    for name in files:
        if not (folder / name).resolve().is_relative_to(folder.resolve()):
            raise ValueError(f"{PROJECT}: {name} lies elsewhere; need a file of this folder")
        try:
            import_file(folder / name)
        except UserFaultError:
            raise
        except ValueError as error:
            raise ValueError(f"{PROJECT}: {str(error).removeprefix('--import ')}") from None


def sources() -> list[Source]:
    """What ``import_again`` needs in another process."""
    return [(each.source, each.code) for each in _IMPORTED.values()]


def import_again(wanted: Sequence[Source]) -> None:
    """Import in this process what another one has. Raises ValueError where a file has changed."""
    for source, code in wanted:
        if source not in _IMPORTED:
            import_file(source) if source.endswith(".py") else _import_module(source)
        if _IMPORTED[source].code != code:
            raise UserFaultError(f"{code.file}: changed while the command ran; need it unchanged")


def difference(old: Sequence[Code], new: Sequence[Code]) -> str | None:
    """In one sentence, what was imported then and is not now, or the reverse; None if nothing."""
    for code in old:
        if code in new:
            continue
        same = [each for each in new if each.file == code.file]
        if not same:
            need = (
                f"--import {code.file}" if code.file.endswith(".py") else "the package that has it"
            )
            return f"{code.file} was imported, and now is not; need {need}"
        others = {*code.modules.items()} ^ {*same[0].modules.items()}
        if same[0].sha256 == code.sha256 and others:
            return f"{min(others)[0]}, which {code.file} imports, has changed; need it as it was"
        return (
            f"{code.file} has changed: its SHA-256 was {code.sha256[:16]}..., and is "
            f"{same[0].sha256[:16]}...; need it as it was"
        )
    fresh = [code.file for code in new if code not in old]
    return f"{fresh[0]} is imported, and was not then; need the same imports" if fresh else None


def _import_module(name: str) -> Imported:
    if name in _IMPORTED:
        return _IMPORTED[name]
    found = importlib.util.find_spec(name.partition(".")[0])
    places = [] if found is None else [*(found.submodule_search_locations or ())]
    roots = [pathlib.Path(place).resolve() for place in places]
    files = {
        file: str(file.relative_to(root.parent)) for root in roots for file in root.rglob("*.py")
    }
    if found is not None and found.origin is not None and not roots:
        files[pathlib.Path(found.origin).resolve()] = f"{name}.py"
    count_as_theirs(files)
    with registry.restored(after=False), guarded():
        module = importlib.import_module(name)
    path = pathlib.Path(module.__file__ or "").resolve()
    sums = {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    others = {files[file]: total for file, total in sums.items() if file != path}
    code = Code(file=name, sha256=sums.get(path, ""), modules=dict(sorted(others.items())))
    _IMPORTED[name] = Imported(name, path, module, code)
    return _IMPORTED[name]


def _named(error: BaseException) -> str:
    text = str(error).splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
