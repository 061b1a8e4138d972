"""A user's file: its text and that of the modules beside it, loading it, and whose fault it was.

A theorem file is code, and is run. Whatever it raises, where it is loaded or where its code is
called, becomes one line that names it: no exception of its own, and no exit code, gets further.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import importlib
import importlib.machinery
import importlib.util
import os
import pathlib
import signal
import site
import sys
import sysconfig
import threading
import traceback
from collections.abc import Iterable, Iterator
from types import CodeType, ModuleType
from typing import Any

import theorylab
from theorylab import misnamed, registry, symbols

_OWN = pathlib.Path(theorylab.__file__).resolve().parent
_INSTALLED = tuple(
    pathlib.Path(text).resolve()
    for text in {
        *(sysconfig.get_path(key) for key in ("stdlib", "platstdlib", "purelib", "platlib")),
        *site.getsitepackages(),
        site.getusersitepackages(),
    }
)
_THEIRS: set[str] = set()  # the files of users that were loaded, and the local modules they import
_BEYOND: dict[str, list[pathlib.Path]] = {}  # of each loaded file: modules only its load told
_RESOLVED: dict[str, pathlib.Path] = {}  # of what modules were read from: thousands, at each load


class UserFaultError(ValueError):
    """A user's file did what it must not; the line names the file and the line."""


def load(path: pathlib.Path) -> ModuleType:
    """Run the file, its folder last on the import path, and return the module that it makes.

    Nothing that it imports from outside the installed packages stays imported, so that a file is
    never given the module of the same name that stands beside another one. What it registered when
    it was loaded before is let go of; of one that fails, nothing is registered.

    Raises:
        UserFaultError: whatever it raises, ``SystemExit`` included.
    """
    path = path.resolve()
    importlib.invalidate_caches()  # a module beside it may be newer than the last look
    name = "theorylab_user_" + hashlib.sha256(str(path).encode()).hexdigest()[:12]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    known = local_files(path)
    _THEIRS.update(map(str, known))
    for each in known:
        symbols.forget(str(each))
    _forget(known, path.parent)
    before, writes = set(sys.modules), sys.dont_write_bytecode
    sys.modules[name] = module  # dataclasses in the file look themselves up there
    sys.path.append(str(path.parent))  # last: a file beside it must not replace an installed module
    sys.dont_write_bytecode = True  # bytecode is as new as its second: an edit would be missed
    try:
        code = _compiled(path)
        with registry.restored(after=False), guarded():
            registry.forget(file for file in known if file.is_relative_to(path.parent))
            exec(code, module.__dict__)
    finally:
        sys.dont_write_bytecode = writes
        with contextlib.suppress(ValueError):
            sys.path.remove(str(path.parent))
        more = {file for key in set(sys.modules) - before if (file := _file(key)) is not None}
        fresh = sorted(file for file in more - set(known) if not _installed(file, path.parent))
        _BEYOND[str(path)] = fresh
        _THEIRS.update(map(str, fresh))
        _forget([*known[1:], *fresh], path.parent)
    return module


def _compiled(path: pathlib.Path) -> CodeType:
    text = path.read_bytes()
    try:
        return compile(text, str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UserFaultError(_line(str(path), getattr(error, "lineno", None), error)) from None


def count_as_theirs(files: Iterable[pathlib.Path]) -> None:
    """What is raised in these files is a user's fault, although they are installed."""
    _THEIRS.update(str(file.resolve()) for file in files)


def texts(path: str | pathlib.Path) -> dict[str, bytes]:
    """The file and every local module that its text imports, itself first. Nothing is run.

    Each by its path as seen from the file's folder.
    """
    path = pathlib.Path(path).resolve()
    return _read(path, local_files(path))


def fingerprint(path: str | pathlib.Path) -> dict[str, str]:
    """SHA-256 of ``texts``, and of what the last load imported that no text tells."""
    path = pathlib.Path(path).resolve()
    content = texts(path) | _read(path, _BEYOND.get(str(path), []))
    return {name: hashlib.sha256(text).hexdigest() for name, text in content.items()}


def _read(path: pathlib.Path, files: list[pathlib.Path]) -> dict[str, bytes]:
    return {os.path.relpath(file, path.parent): file.read_bytes() for file in files}


def local_files(path: pathlib.Path) -> list[pathlib.Path]:
    """The file and every local module that its text imports, and theirs: itself first.

    Local is what is neither of Python nor below a folder of packages. Of a package it is every
    file.
    """
    found, left = [path], [path]
    where = [*sys.path, str(path.parent)]
    while left:
        for file in _imported(left.pop(), where, path.parent):
            if file not in found:
                found.append(file)
                left.append(file)
    return [path, *sorted(found[1:])]


def _imported(path: pathlib.Path, where: list[str], home: pathlib.Path) -> Iterator[pathlib.Path]:
    if path.suffix != ".py":
        return
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return  # loading it says what is wrong
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    for name in sorted(names - sys.stdlib_module_names - {"theorylab"}):
        spec = importlib.machinery.PathFinder.find_spec(name, where)
        if spec is None:
            continue
        folders = [pathlib.Path(text).resolve() for text in spec.submodule_search_locations or ()]
        for folder in folders:
            if not _installed(folder, home):
                yield from sorted(folder.rglob("*.py"))
        if spec.origin is not None:
            file = pathlib.Path(spec.origin).resolve()
            if not _installed(file, home):
                yield file


def _installed(path: pathlib.Path, home: pathlib.Path) -> bool:
    """Whether the file is Python's, theorylab's or a package's; ``home``: of the user's file."""
    if any(path.is_relative_to(root) for root in (_OWN, *_INSTALLED)):
        return True
    # Packages may also lie where a .pth file points to: below another environment's folder. One
    # that holds the user's file is the user's own, whatever was installed beside it.
    folders = filter(None, map(_of_packages, sys.path))
    return any(path.is_relative_to(f) and not home.is_relative_to(f) for f in folders)


@functools.cache
def _of_packages(text: str) -> pathlib.Path | None:
    """The folder, where an installer puts packages: by its name, or by what it wrote beside one."""
    folder = pathlib.Path(text).resolve()
    named = folder.name in ("site-packages", "dist-packages")
    return folder if text and (named or any(folder.glob("*.dist-info"))) else None


def _file(name: str) -> pathlib.Path | None:
    """The file of an imported module that was read from one."""
    text = getattr(sys.modules[name], "__file__", None)
    if not isinstance(text, str):
        return None
    if text not in _RESOLVED:
        if not os.path.isfile(text):  # torch.ops has a name of no file
            return None
        _RESOLVED[text] = pathlib.Path(text).resolve()
    return _RESOLVED[text]


def _forget(files: list[pathlib.Path], folder: pathlib.Path) -> None:
    """Let the modules among ``files`` that stand below ``folder`` be imported anew."""
    below = {file for file in files if file.is_relative_to(folder)}
    for name in list(sys.modules):
        if not name.startswith("theorylab_user_") and _file(name) in below:
            del sys.modules[name]


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Turn what a user's file raises inside into ``UserFaultError``; all else passes.

    A Ctrl-C is the user's at the keyboard, and passes; one that the file raises is the file's.
    """
    heard: list[int] = []
    main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT) if main else signal.SIG_IGN
    ours = handler is signal.default_int_handler

    def hear(number: int, frame: Any) -> None:
        heard.append(number)
        signal.default_int_handler(number, frame)

    if ours:
        signal.signal(signal.SIGINT, hear)
    try:
        yield
    except UserFaultError:
        raise
    except BaseException as error:
        if heard:
            raise KeyboardInterrupt from error
        if isinstance(error, KeyboardInterrupt) and not (ours or handler is signal.SIG_IGN):
            raise
        line = blamed(error)
        if line is None:
            raise
        raise UserFaultError(line) from error
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


@contextlib.contextmanager
def told(path: str | None) -> Iterator[None]:
    """Put a user's file, and the line of its statements, before what is refused of them."""
    try:
        yield
    except ValueError as error:
        if path is None or isinstance(error, UserFaultError):
            raise
        at = [
            node.lineno
            for node in ast.parse(texts(path)[pathlib.Path(path).name]).body
            if isinstance(node, ast.Assign | ast.AnnAssign)
            for name in ast.walk(node)
            if isinstance(name, ast.Name) and name.id in ("STATEMENT", "STATEMENTS")
        ]
        where = f"{pathlib.Path(path).name}, line {at[-1] if at else 1}"
        raise UserFaultError(f"{where}: {error}") from None


def blamed(error: BaseException) -> str | None:
    """ "FILE.py, line 3: what", where the error is that of a loaded file; None where it is not.

    The innermost frame that is no library's decides. What theorylab refuses (a ValueError, a
    TypeError) counts as a library's: who called it gave it what it refuses. Where it only words an
    error anew, the frames are those of the error before.
    """
    before: BaseException | None = error
    while _THEIRS and before is not None:
        if isinstance(before, SyntaxError) and (before.filename or "") in _THEIRS:
            return _line(str(before.filename), before.lineno, before)
        refusal = isinstance(before, (ValueError, TypeError))
        for frame, line in reversed(list(traceback.walk_tb(before.__traceback__))):
            file, own = _place(os.path.join(os.getcwd(), frame.f_code.co_filename))
            if file in _THEIRS:
                return _line(file, line, error)
            if not refusal and own:
                return None
        before = before.__context__
    return None


@functools.lru_cache(maxsize=1 << 12)  # a search refuses thousands of instances
def _place(file: str) -> tuple[str, bool]:
    """The file of a frame, links resolved, and whether it is theorylab's own."""
    path = pathlib.Path(file).resolve()
    return str(path), path.is_relative_to(_OWN)


def _line(file: str, line: int | None, error: BaseException) -> str:
    try:
        text = (error.msg if isinstance(error, SyntaxError) else str(error)).splitlines()
    except BaseException:  # a __str__ of the file's own
        text = []
    what = f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
    if isinstance(error, (ImportError, TypeError)):
        what = misnamed.meant(error) or what
    at = "" if line is None else f", line {line}"
    return f"{pathlib.Path(file).name}{at}: {what}"
