"""What is seen of a stranger's algorithm or problem, and what that does to a verdict on it.

Limits of a mean rest on runs that are independent: where they are not, nothing is decided. All else
is told and decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from theorylab.kept import kept
from theorylab.own import is_own
from theorylab.runs import Setting
from theorylab.runs.noticed import noticed
from theorylab.runs.shared import Notice
from theorylab.verdicts.decide import Decision

_MOST_KEPT = 64
_KEPT: dict[tuple[object, ...], tuple[Notice, ...]] = {}


def with_notices(subject: Any, found: Decision) -> Decision:
    """``found`` with what is noticed of what ``subject`` plays; of a sweep at its first value.
    Nothing is noticed of an experiment."""
    content = getattr(getattr(subject, "subjects", [subject])[0], "content", None)
    if not isinstance(content, Setting):
        return found
    if is_own(type(content.algorithm)) and is_own(type(content.problem)):
        return found
    seen = _once(content)
    if not seen:
        return found
    fools = [each.text for each in seen if each.fools]
    found = replace(found, noticed="; ".join(each.text for each in seen))
    if fools and found.verdict.decided:
        return found.undecided(fools[0])
    return replace(found, reason=f"{found.reason}; note: {found.noticed}")


def _once(setting: Setting) -> tuple[Notice, ...]:
    """Looked up once for the classes, their words and flags, and a kind of network: numbers move
    in a search."""
    method, network = setting.algorithm, setting.topology
    words = _words(method.options())
    if not is_own(type(setting.problem)):
        words += _words(setting.problem.describe())
    few = setting.problem.clients <= 2 or setting.start.size > 1 << 12
    key = (type(method), words, type(setting.problem), type(network), network.period, few)
    return kept(_KEPT, key, lambda: noticed(setting), _MOST_KEPT)


def _words(options: Mapping[str, Any]) -> str:
    return repr({k: v for k, v in options.items() if isinstance(v, str | bool)})
