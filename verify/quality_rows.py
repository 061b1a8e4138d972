"""The rows of ``verify/stripped.json``: a false claim beside one benign check, and its witness.

A row is plain data. ``kind``: "stripped", a version that is false as it stands, or "planted", a
slip in a true one (``quality_slips`` finds ``change`` again). ``benign``: the one
instance that a search is given, on which the claim holds. ``witness``: an instance that refutes
it, which no search sees. ``parts``: what differs between both (``quality_distance``).
"""

from __future__ import annotations

import functools
import hashlib
import json
import pathlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from quality_slips import slip

from theorylab.known import How, Known
from theorylab.report.atomic import write_named
from theorylab.statements import BUILT_IN, Check, Statement, Version
from theorylab.verdicts.catalogue import loaded
from theorylab.verdicts.evidence import constant_name
from theorylab.verdicts.instance import given_constants

ROOT = pathlib.Path(__file__).resolve().parents[1]
DATA = pathlib.Path(__file__).with_name("stripped.json")
GALLERY = "docs/gallery"
Row = dict[str, Any]


def name_of(row: Mapping[str, Any]) -> str:
    """What tells a row from all others, and what is drawn by."""
    change = f" {row['change']}" if row["change"] else ""
    return f"{row['id']} [{row['version']}]{change}"


def held_out(row: Mapping[str, Any]) -> bool:
    """Half of all rows are kept from whoever tunes the search; a hash of the name says which."""
    return int(hashed(name_of(row))[0], 16) % 2 == 1


def hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def distance(row: Mapping[str, Any]) -> int:
    return len(row["parts"])


@functools.cache
def gallery() -> dict[str, Statement]:
    """The statements of docs/gallery; each file is run once, as it brings an algorithm."""
    found: dict[str, Statement] = {}
    for path in sorted((ROOT / GALLERY).glob("*.py")):
        found |= loaded(str(path))
    return found


def statement_of(name: str) -> Statement:
    return gallery()[name] if name.startswith("gallery.") else BUILT_IN[name]


def claim_of(row: Mapping[str, Any]) -> Statement:
    """The statement whose version is the false claim of the row, with its own checks."""
    statement = statement_of(row["id"])
    if not row["change"]:
        return statement
    return slip(statement, row["version"], row["change"]).statement


def beside_one(row: Mapping[str, Any]) -> Statement:
    """The false claim alone, with the benign check alone."""
    return alone(claim_of(row), row["version"], row["benign"])


def alone(statement: Statement, version: str, instance: Mapping[str, Any]) -> Statement:
    """One version, and one instance as its only check.

    Constants of a paper's own are of every instance; what a statement that is not built in has
    with its instance is of that one alone. So they become the version's.
    """
    content = statement.versions[version]
    rest = {key: value for key, value in instance.items() if key != "constants"}
    given = given_constants(statement.id, instance.get("constants") or {})
    constants = dict(content.constants)
    for symbol in content.free:
        called = constant_name(content, symbol)
        if called in given:
            constants[symbol] = _always(given[called])
    used = {k for k in given if any(constant_name(content, s) == k for s in content.free)}
    if used != set(given):  # an option of the metric, and no symbol of the claim: it stays
        rest, constants = dict(instance), dict(content.constants)
    allowed = content.order is not None and content.order.allowed  # an order's slack is its terms
    made = replace(
        content,
        terms={} if allowed else content.terms,
        checks=(Check("benign", rest),),
        constants=constants,
    )
    return replace(statement, versions={version: made})


def _always(known: Known) -> Callable[[Any], Known]:
    def given(_: Any) -> Known:
        return Known(known.value, How(known.how), known.source)

    return given


def is_growth(version: Version, *instances: Mapping[str, Any]) -> bool:
    """A claim about how something grows is searched along sweeps, and counted apart."""
    return version.order is not None or any("sweep" in instance for instance in instances)


def read(path: pathlib.Path = DATA) -> dict[str, Any]:
    """{"versions": {"ID [VERSION]": why it has as many rows}, "rows": [...]}."""
    if not path.exists():
        return {"versions": {}, "rows": []}
    data = json.loads(path.read_text())
    if not (isinstance(data, dict) and {"versions", "rows"} <= set(data)):
        raise ValueError(f"{path} holds no rows; need a file that --witnesses wrote")
    return dict(data)


def write(data: Mapping[str, Any], path: pathlib.Path = DATA) -> None:
    """One row a line, in order, so that a change of one is a change of one line."""
    rows = ",\n".join(json.dumps(row, sort_keys=True) for row in sorted(data["rows"], key=name_of))
    told = json.dumps(dict(sorted(data["versions"].items())), indent=0)
    write_named(path, f'{{"versions": {told},\n"rows": [\n{rows}\n]}}\n')


def drawn(rows: Sequence[Row], count: int, seed: int) -> list[Row]:
    """``count`` of the rows, drawn by a hash of their names and the seed, in their own order."""
    order = sorted(rows, key=lambda row: hashed(f"{seed} {name_of(row)}"))
    chosen = {name_of(row) for row in order[:count]}
    return [row for row in rows if name_of(row) in chosen]


def checks_of(statement: Statement, version: str) -> Iterator[tuple[str, Check]]:
    """Every check that is no control, the version's own first; plain data."""
    order = [version, *(name for name in statement.versions if name != version)]
    for name in order:
        for check in statement.versions[name].checks:
            if not check.control:
                yield name, replace(check, instance=json.loads(json.dumps(check.instance)))
