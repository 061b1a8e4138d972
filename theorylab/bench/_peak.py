"""How much memory this process has held at most: what a fresh process of a bench measures."""

from __future__ import annotations

import pathlib
import resource


def peak_kib() -> int:
    """In KiB; where there is no /proc, at least what the process held that started this one."""
    status = pathlib.Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(status.read_text().partition("VmHWM:")[2].split()[0])
