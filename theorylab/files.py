"""The files that an instance names, by their content: what is kept of one is of these bytes alone.

An edge list or a folder of data may change while its path stays, so that whatever keeps a result
has the SHA-256 of every such file in its key.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from typing import Any

from theorylab.registry import table
from theorylab.user_file import guarded

KINDS = ("algorithm", "experiment", "metric", "problem", "topology")
# Options whose text is a folder, too; any other text counts where it is a file, or has a slash.
_FOLDERS = {"directory", "file", "folder", "path", "root"}
_LONGEST = 4096  # characters of a path
_MOST = 1_000_000  # files of a folder
_SMALL = 1 << 20  # bytes that are read at every look
_SETTLED = 2.0  # seconds after which the system's times of a file tell one content from the next
_BLOCK = 1 << 20
Stamp = tuple[int, int, int, int, int]
_SEEN: dict[str, tuple[Stamp, str]] = {}  # of large files
_MOST_SEEN = 1 << 18


def named_files(instance: Any, names: Mapping[str, str] | None = None) -> str:
    """Every file and folder that an instance names, with the SHA-256 of its content.

    A text counts where it is the path of a file; of an option called path, file, folder, directory
    or root, and where it has a slash, also where it is a folder. A data set that comes with the
    system counts, too. A class of any kind that reads a file which no option names says so in a
    class method ``files_read(options)``, which gives their paths.

    Args:
        instance: plain data, such as a check's instance or a configuration.
        names: of parts that the instance does not name: {"algorithm": "sgp"}.

    Returns:
        JSON, {path: digest}, sorted; "" where there is none. What is no regular file has a digest
        that never comes again.

    Raises:
        ValueError: one line, on a folder of more than a million files, and on what a class's own
            ``files_read`` raises.

    >>> named_files({"topology": {"name": "ring"}, "clients": 3})
    ''
    """
    found = {path: digest(path) for path in dict.fromkeys(_paths(instance, "", names or {}))}
    return json.dumps(found, sort_keys=True) if found else ""


def joined(*texts: str) -> str:
    """What several calls of ``named_files`` gave, as one."""
    found: dict[str, str] = {}
    for text in filter(None, texts):
        found |= json.loads(text)
    return json.dumps(found, sort_keys=True) if found else ""


def changed(text: str) -> str | None:
    """The first file of what ``named_files`` gave whose content is another one now."""
    named: dict[str, str] = json.loads(text) if text else {}
    return next((path for path, known in named.items() if digest(path) != known), None)


def _paths(data: Any, key: str, names: Mapping[str, str]) -> Iterator[str]:
    if isinstance(data, str):
        if key != "name" and _names_file(data, key):
            yield data
    elif isinstance(data, Mapping):
        if "data" in data and data.get("root") is None:
            from theorylab.data.load import PACKAGED  # slow to import

            yield from PACKAGED.get(str(data["data"]), ())[:1]
        if key in KINDS:
            yield from _declared(key, data.get("name", names.get(key)), data)
        for name, value in data.items():
            yield from _paths(value, str(name), names)
        if not key:  # an experiment's options stand at the top
            for kind, name in names.items():
                if not isinstance(data.get(kind), Mapping):
                    yield from _declared(kind, name, data)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from _paths(value, key, names)


def _names_file(text: str, key: str) -> bool:
    if not 0 < len(text) <= _LONGEST or "\0" in text:
        return False
    if text == "/" or (key not in _FOLDERS and not text.strip("/.")):
        return False  # a sign, as of a line or of a quotient: all files of a machine
    try:
        return os.path.exists(text) if key in _FOLDERS or "/" in text else os.path.isfile(text)
    except (OSError, ValueError):  # a text that the system takes for no path
        return False


def _declared(kind: str, name: object, options: Mapping[str, Any]) -> Iterator[str]:
    """What the class of a part says that it reads."""
    known = table(kind)
    if not isinstance(name, str) or name not in known:
        return
    reads = getattr(known[name], "files_read", None)
    if callable(reads):
        given = {key: value for key, value in options.items() if key != "name"}
        with guarded():
            yield from [os.fspath(path) for path in reads(given)]


def digest(path: str) -> str:
    """SHA-256 of a file, or of all files below a folder and their names."""
    try:
        if not os.path.isdir(path):
            return _of_file(path)
        total = hashlib.sha256()
        for count, file in enumerate(_below(path, set())):
            if count == _MOST:
                raise ValueError(f"{path}: more than {_MOST} files came; need a folder of data")
            name = os.path.relpath(file, path).encode("utf-8", "surrogateescape")
            total.update(name + b"\0" + _of_file(file).encode() + b"\n")
        return total.hexdigest()
    except OSError as error:
        return "absent" if isinstance(error, FileNotFoundError) else "unreadable"


def _below(folder: str, above: set[str]) -> Iterator[str]:
    """Its regular files, sorted; a link leads on, but not to a folder above itself."""
    real = os.path.realpath(folder)
    if real in above:
        return
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _below(entry.path, above | {real})
        elif entry.is_file():
            yield entry.path


def _of_file(path: str) -> str:
    if os.path.exists(path) and not os.path.isfile(path):
        return secrets.token_hex(16)  # a device, or what a shell made of a command: it is read once
    with open(path, "rb") as file:
        at = os.fstat(file.fileno())
        stamp = (at.st_dev, at.st_ino, at.st_size, at.st_mtime_ns, at.st_ctime_ns)
        known = _SEEN.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        began, total = time.time(), hashlib.sha256()
        while block := file.read(_BLOCK):
            total.update(block)
    made = total.hexdigest()
    # Two contents of the same moment have the same times; what has rested for a while has not.
    if at.st_size > _SMALL and began - max(at.st_mtime, at.st_ctime) > _SETTLED:
        if len(_SEEN) >= _MOST_SEEN:
            _SEEN.clear()
        _SEEN[path] = stamp, made
    return made
