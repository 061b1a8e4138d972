"""What of an instance says which claim is judged, and what else an instance can have."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from theorylab.experiments import EXPERIMENTS, experiment
from theorylab.statements import BUILT_IN, Statement
from theorylab.user_file import guarded
from theorylab.verdicts.instance import Instance
from theorylab.verdicts.sweep import KEY as SWEEP

Document = dict[str, Any]


def held(statement: Statement) -> tuple[str, ...]:
    """Options that say what is claimed: no part of an instance, so never moved."""
    kind = EXPERIMENTS.get(statement.experiment)
    swept = any(version.order is not None for version in statement.versions.values())
    return (*(() if kind is None else kind.claim_options), *((SWEEP,) if swept else ()))


def as_claimed(statement: Statement, version: str, instance: Document) -> Document:
    """The instance with the options that say what ``version`` claims, as its own checks have them.

    A reading of an estimator, the sweep of an order, and a paper's own constant are no part of an
    instance: with those of another version, the claim would be one that nobody made.
    """
    keys = _claim_keys(statement)
    part = _part(instance, keys)
    own = list(_claims(statement, [version], keys)) or [part]
    if part in own:
        return instance
    claim = next((each for each in own if _agree(part, each)), None)
    if claim is None:
        known = list(_claims(statement, statement.versions, keys))
        if not any(_agree(part, each) for each in known):
            wrong = next((k for k, v in part.items() if all(c.get(k) != v for c in known)), keys[0])
            values = dict.fromkeys(json.dumps(c[wrong]) for c in known if wrong in c)
            raise ValueError(
                f"{wrong} says what {statement.id} claims, and not on which instance; need "
                f"{' or '.join(list(values)[:4]) or 'an instance without it'}, as its checks have"
            )
        claim = own[0]
    return without_claims(statement, instance) | claim


def without_claims(statement: Statement, instance: Document) -> Document:
    """What of an instance is one, and no claim."""
    return {key: v for key, v in instance.items() if key not in _claim_keys(statement)}


def _claim_keys(statement: Statement) -> list[str]:
    own = BUILT_IN.get(statement.id) is not statement
    return [*held(statement), *([] if own else ["constants"])]


def _agree(part: Document, claim: Document) -> bool:
    return all(claim.get(key) == value for key, value in part.items())


def _claims(
    statement: Statement, versions: Iterable[str], keys: Sequence[str]
) -> Iterator[Document]:
    """What the versions' checks claim; controls lie outside, and count where that is all."""
    for version in versions:
        checks = statement.versions[version].checks
        for check in [check for check in checks if not check.control] or checks:
            yield _part(plain_data(check.instance), keys)


def _part(instance: Document, keys: Sequence[str]) -> Document:
    """What an instance says of ``keys``; nothing of one is as good as an empty one."""
    return {key: instance[key] for key in keys if instance.get(key) not in (None, {}, [])}


def options_of(statement: Statement) -> list[str] | None:
    """What an instance of the statement can have at its top; None where anything goes."""
    if not statement.experiment:
        return [*Instance.model_fields, SWEEP]
    given = inspect.signature(EXPERIMENTS[statement.experiment]).parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in given):
        return None
    return [*(each.name for each in given), "constants", SWEEP]


def default_of(statement: Statement, instance: Document, option: str) -> Document:
    """What the experiment takes where the instance does not say it."""
    if not statement.experiment:
        return {}
    given = {key: instance[key] for key in instance if key not in ("constants", SWEEP)}
    with guarded():
        described = experiment(statement.experiment, **given).describe()
    return {option: plain_data(described[option])} if described.get(option) is not None else {}


def plain_data(data: Any) -> Any:
    """Mappings and sequences of any kind as JSON has them."""
    if isinstance(data, dict) or hasattr(data, "items"):
        return {str(key): plain_data(value) for key, value in data.items()}
    return [plain_data(each) for each in data] if isinstance(data, list | tuple) else data
