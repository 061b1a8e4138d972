"""The largest sizes that are taken. What is refused here would only end for want of memory or time.

A size below its limit may still be too large for a machine: MemoryError, in one line.
"""

from __future__ import annotations

import contextlib
import errno
import os
import pathlib

MOST_BATCH = 2**24  # rows of one minibatch: their numbers take 128 MiB a thread
MOST_CLIENTS = 2**24
MOST_DIM = 2**31  # coordinates of one model
MOST_STEPS = 2**32 - 1  # local steps of a round: a word of Philox's counter
MOST_RUNS = 2**32  # the number of a run is a word of Philox's counter
LONGEST_RUN = 2**32  # rounds: so is that of a round
MOST_TEXT = 2**28  # bytes of a document

_MEMORY = pathlib.Path("/proc/meminfo")


def check_room(where: str, numbers: int, what: str) -> None:
    """Refuse arrays of so many float64 numbers that this machine has no room for them now.

    An allocation alone would succeed, and the process be killed when it writes. Where the system
    does not tell what is free, nothing is refused.

    Raises:
        ValueError: one line; ``what`` says what takes the room, and ``where`` who asks.
    """
    free = _free()
    if free is not None and 8 * numbers > free:
        raise ValueError(
            f"{where}: {what} take {8 * numbers:.1e} bytes, and {free:.1e} are free; need fewer"
        )


def read_text(path: str | os.PathLike[str]) -> str:
    """A UTF-8 document from a path that a stranger's file may name: a device need not end.

    Raises:
        OSError: it cannot be read, or is longer than ``MOST_TEXT``.
        UnicodeDecodeError: it is no UTF-8.
    """
    with open(path, "rb") as file:
        text = file.read(MOST_TEXT + 1)
    if len(text) > MOST_TEXT:
        raise OSError(errno.EFBIG, f"more than {MOST_TEXT} bytes", os.fspath(path))
    return text.decode("utf-8")


def _free() -> int | None:
    """Bytes that can be had without swapping, or None."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in _MEMORY.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    return None
