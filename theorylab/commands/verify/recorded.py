"""``theorylab verify --record``: the jobs of a run from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from theorylab.commands.refusal import Refused, refusing
from theorylab.commands.request import named_values, one_statement
from theorylab.commands.verify import Verify
from theorylab.commands.verify.own_instance import NAME, Asked
from theorylab.records import joined, read
from theorylab.statements import Check, Statement
from theorylab.verdicts import Job
from theorylab.verdicts.case import Case
from theorylab.verdicts.catalogue import files_of
from theorylab.verdicts.recording import check_given


def record_jobs(asked: Verify) -> Asked:
    """The versions of one statement on the runs of the records that are named.

    What is given is NAME=VALUE, several with commas, or an assumption that the user says holds.
    Raises Refused: one line.
    """
    selection, versions = asked.selection, asked.version
    with refusing("verify"):
        statement, file = one_statement(selection, "--record was given for")
        names = [name for name in statement.versions if not versions or name in versions]
        values, assumed = _told(statement, names, asked.given)
        record = joined([read(path) for path in asked.record])
        paths = [str(path) for path in asked.record]
        instance = {"record": paths[0] if len(paths) == 1 else paths, "given": values}
        instance |= {"assumed": assumed} if assumed else {}
        check_given(values, assumed, [_case(statement, name, instance) for name in names])
        files = files_of(statement, instance)
    made = tuple(
        Job(
            *(statement.id, name, NAME, file, asked.seeds, asked.seed, asked.budget),
            instance=json.dumps(instance),
            rows=True,
            files=files,
        )
        for name in names
    )
    count = f"{record.runs} run{'s' * (record.runs != 1)}"
    return Asked(made, f"the record {record.name}, {count} of {record.rounds} rounds, "
                       f"{record.network}")  # fmt: skip


def _told(
    statement: Statement, names: Sequence[str], given: Sequence[str]
) -> tuple[dict[str, Any], list[str]]:
    """The constants, and the assumptions that are said to hold."""
    asks = {a.name for name in names for a in statement.versions[name].assumes}
    pairs: list[str] = []
    assumed: list[str] = []
    for text in given:
        if text in asks or "=" not in text:
            assumed.append(text)
        else:
            pairs += [part.strip() for part in text.split(",") if part.strip()]
    values = named_values("verify: --given", pairs, exact=True)
    for name, value in values.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number and not (isinstance(value, str) and "/" in value):
            raise Refused(f"verify: --given: {name} is {value!r}; need a number")
    return values, assumed


def _case(statement: Statement, name: str, instance: dict[str, Any]) -> Case:
    version = statement.versions[name]
    quantity = statement.quantity_of(version)
    return Case(statement, name, version, Check(NAME, instance), quantity)
