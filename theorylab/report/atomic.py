"""A file is there whole or not at all, whatever happens while it is written."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def write_atomic(path: Path, content: str | bytes) -> None:
    """Replace ``path`` by ``content`` (text as UTF-8) in one step.

    The bytes go to a new file in the same directory, reach the disk, and only then take the name;
    a reader sees the old file or the new one. Raises OSError, with nothing left behind.
    """
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
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory")
    probe = path.with_name(f".{secrets.token_hex(8)}.tmp")
    with open(probe, "xb"):
        pass
    os.unlink(probe)
