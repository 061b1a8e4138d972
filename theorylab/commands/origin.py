"""Where a page comes from: the command, the code, the machine and the day."""

from __future__ import annotations

import datetime
import functools
import importlib.metadata
import os
import pathlib
import platform
import shlex
import subprocess
import sys

import theorylab

_PACKAGES = ("numpy", "scipy", "sympy", "mpmath", "python-flint")
_LONGEST = 300  # characters of the command


def provenance(seed: int | None = None) -> dict[str, str]:
    """What stands under every page, name by name. The date is in UTC, to the minute.

    seed: of a command that has one for all that it writes.
    """
    from theorylab.campaigns import stamp

    now = datetime.datetime.now(datetime.UTC)
    packages = [f"{name} {importlib.metadata.version(name)}" for name in _PACKAGES]
    return {
        "command": shlex.join(["theorylab", *sys.argv[1:]])[:_LONGEST],
        **({} if seed is None else {"seed": str(seed)}),
        "code": stamp(),
        **({"commit": commit} if (commit := _commit()) else {}),
        "packages": ", ".join([f"Python {platform.python_version()}", *packages]),
        "CPU": _processor(),
        "date": now.strftime("%Y-%m-%d %H:%M UTC"),
    }


@functools.cache
def _commit() -> str:
    """The commit of the checkout that runs, marked where its files were changed; "" of a wheel, and
    where there is no git."""
    own = pathlib.Path(theorylab.__file__).resolve()
    root = own.parents[1]
    if not (root / ".git").exists():  # a wheel may lie within another project's checkout
        return ""
    plain = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    plain["GIT_CEILING_DIRECTORIES"] = str(root.parent)  # no checkout around this one is asked
    git = ["git", "-C", str(root), "-c", "core.fsmonitor=false"]  # it would be a program to start
    named = ["describe", "--always", "--exclude=*", "--abbrev=12", "--dirty"]
    try:  # a wheel that was put into a stranger's checkout is no file of that checkout
        for words in (["ls-files", "--error-unmatch", "--", str(own)], named):
            done = subprocess.run(
                [*git, *words], capture_output=True, text=True, check=True, timeout=10, env=plain
            )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def _processor() -> str:
    """The processor's name; the architecture where the system does not tell it."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(iter(names), "") or platform.processor() or platform.machine()
