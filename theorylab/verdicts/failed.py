"""What becomes of a check that could not be judged: a row that says why, and whose fault it was."""

from __future__ import annotations

import json
from typing import Any, Literal

from theorylab.user_file import UserFaultError
from theorylab.verdicts.catalogue import Job, statement_of
from theorylab.verdicts.result import Result, Verdict

# No refusal of ours, but brought about by a user's numbers, files and sizes.
_SIZES = (OverflowError, MemoryError, RecursionError, OSError)
# What an option that nobody has looked at yet runs into, of an instance that a user made.
_OPTIONS = (ArithmeticError, AttributeError, LookupError, TimeoutError)


def failed(job: Job, error: Exception) -> Result:
    """The ERROR row of a job whose judging raised ``error``.

    ``judge`` raises for one check. Whoever judges many makes a row of it, and goes on. The fault is
    theorylab's own where the exception is no refusal, and comes of no user's code, numbers or
    sizes. The row is for people, and is kept in no store.

    >>> job = Job("dfedsgpsm.lem1", "printed", "momentum", None)
    >>> failed(job, ValueError("dfedsgpsm.lem1 [printed] momentum: a reason")).reason
    'a reason'
    """
    shown: dict[str, Any] = {"quantity": "", "formula": "", "source": "", "instance": {}}
    expected, control = "", job.control
    try:
        statement = statement_of(job.id, job.source_file)
        version = statement.versions[job.version]
        shown["source"] = (
            f"{statement.source.paper}, {statement.source.locator}: {statement.source.text}"
        )
        shown["paper"] = statement.source.paper
        shown["quantity"], shown["formula"] = statement.quantity_of(version).text, version.formula
        shown["relation"] = version.relation
        check = next((each for each in version.checks if each.name == job.check), None)
        if check is not None and not job.instance:
            expected, control = check.expect, check.control
        instance = json.loads(job.instance) if job.instance or check is None else check.instance
        shown["instance"] = json.loads(json.dumps(instance, default=str))
    except Exception:  # nosec: what cannot be told of the check is left out: its reason is told
        pass
    fault = _fault(job, error)
    return Result(
        id=job.id,
        version=job.version,
        check=job.check,
        verdict=Verdict.ERROR.name,
        expected=expected,
        measured=None,
        ci=(None, None),
        bound=None,
        log10_bound=None,
        ratio=None,
        terms={},
        assumptions=[],
        constants={},
        interval="",
        reason=_reason(job, error, fault),
        runs=0,
        places=0,
        control=control,
        fault=fault,
        curve=None,
        seconds=0.0,
        **shown,
    )


def _fault(job: Job, error: Exception) -> Literal["input", "theorylab"]:
    if isinstance(error, (UserFaultError, *_SIZES)) or str(error).startswith(job.id):
        return "input"
    theirs = job.instance and isinstance(error, (ValueError, TypeError, *_OPTIONS))
    return "input" if theirs else "theorylab"


def _reason(job: Job, error: Exception, fault: str) -> str:
    """One line; the row names the check already."""
    text = " ".join(str(error).split())
    name = type(error).__name__
    if fault == "theorylab":
        return f"internal: {name}: {text}; this is a fault of theorylab"
    if isinstance(error, MemoryError):
        return f"out of memory{': ' * bool(text)}{text}; need smaller sizes"
    if isinstance(error, _OPTIONS) and not isinstance(error, (ValueError, TypeError)):
        return f"no such instance ({name}: {text}); need other options"
    return text.removeprefix(f"{job.id} [{job.version}] {job.check}: ")
