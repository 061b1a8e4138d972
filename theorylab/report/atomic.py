"""A file is there whole or not at all, whatever happens while it is written.

Only a regular file is ever replaced. In a folder, which may be a stranger's, a link, a FIFO or a
device in a file's place is refused; a target that the user names may be one (``write_named``).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

_STREAMS = (stat.S_ISCHR, stat.S_ISFIFO)  # what can be written through: a device, a pipe


def write_atomic(path: Path, content: str | bytes) -> None:
    """Replace ``path`` by ``content`` (text as UTF-8) in one step.

    The bytes go to a new file in the same directory, reach the disk, and only then take the name;
    a reader sees the old file or the new one. Raises OSError, with nothing left behind, also where
    ``path`` is there and no regular file.
    """
    check_regular(path)
    data = content.encode("utf-8") if isinstance(content, str) else content
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:  # the umask decides the mode, as for any new file
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def check_writable(path: Path) -> None:
    """Raise OSError unless ``write_atomic(path, ...)`` can work: asked before hours of work."""
    check_regular(path)
    probe = path.with_name(f".{secrets.token_hex(8)}.tmp")
    with open(probe, "xb"):
        pass
    os.unlink(probe)


def check_regular(path: Path) -> None:
    """Raise OSError if there is something at ``path`` that is no regular file, a link included."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(f"{path} is a directory")
    if not stat.S_ISREG(mode):
        raise OSError(f"{path} is {_kind(mode)}; need a regular file, or none")


def write_named(path: Path, content: str | bytes) -> None:
    """As ``write_atomic``, for a path that the user named: a link is followed and stays, and a
    character device or a FIFO is written through. Raises OSError."""
    if not _is_stream(path):
        write_atomic(_followed(path), content)
        return
    data = content.encode("utf-8") if isinstance(content, str) else content
    with open(os.open(path, os.O_WRONLY), "wb") as stream:  # no O_CREAT: it is there
        stream.write(data)


def check_named(path: Path) -> None:
    """Raise OSError unless ``write_named(path, ...)`` can work, as far as can be known before."""
    if not _is_stream(path):
        check_writable(_followed(path))
    elif not os.access(path, os.W_OK):
        raise PermissionError(f"{path} cannot be written")


def _is_stream(path: Path) -> bool:
    """Whether ``path``, its links followed, is written through."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:  # also a link to nothing: what it names is made
        return False
    return any(kind(mode) for kind in _STREAMS)


def _followed(path: Path) -> Path:
    return path.resolve() if path.is_symlink() else path


def _kind(mode: int) -> str:
    kinds = {
        stat.S_IFLNK: "a link",
        stat.S_IFIFO: "a FIFO",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
        stat.S_IFSOCK: "a socket",
    }
    return kinds.get(stat.S_IFMT(mode), "no regular file")
