"""What the files of a campaign, a study of speedup and results may hold, whoever wrote them.

A digest finds damage, and proves nothing about who wrote a file. Every text that is read back goes
through here first: it is finite JSON of a few levels, and has the fields that its readers use.
"""

from __future__ import annotations

import functools
import json
import math
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from theorylab.campaigns.text import Document
from theorylab.verdicts.result import Result

CAMPAIGN, SPEEDUP, RESULTS = "campaign", "speedup", "results"  # what rows are of
MOST_TEXT = 1 << 28  # characters of a plan, and of a text that many rows share
_MOST_ROW = 1 << 24  # of a row, and of its point
_DEEPEST, _DIGITS = 48, 300  # levels of lists and objects; digits of an integer
Number = int | float | None
Name = Annotated[str, Field(max_length=1000)]
Words = Annotated[str, Field(max_length=100_000)]


class _Read(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True, strict=True)


class _Axis(_Read):
    values: list[Any] | None = None


class _Plan(_Read):
    """Of a stored plan what reading its rows needs; ``plan`` checks all of it."""

    claim: Words = ""
    columns: list[Name] = []
    axes: dict[Name, _Axis] = {}
    cells: list[dict[Name, Any]] | None = None
    seeds: Number = None
    seed: Number = None
    budget: Number = None


class _Version(_Read):
    schema_number: int = Field(alias="schema", ge=1)


class _Page(_Read):
    schema_number: Literal[1] = Field(alias="schema")
    kind: Literal["campaign", "speedup"] | None = None  # None: written before there was a kind
    plan: dict[Name, Any]
    cells: int = Field(ge=0)


class _Era(_Read):
    plan: _Plan
    code: list[Any]
    cells: int = Field(ge=0)
    files: dict[str, str] = {}


class _Point(_Read):
    at: dict[Name, Any]
    set: dict[Name, Any] = {}
    from_: Name = Field("", alias="from")


class _Row(_Read):
    """A row of a campaign; what is not listed is most often a number of a run's column."""

    __pydantic_extra__: dict[Name, Number | Words] = Field(init=False)
    status: Words
    measured: Number = None
    low: Number = None
    high: Number = None
    bound: Number = None
    log10_bound: Number = None
    ratio: Number = None
    relative_error: Number = None
    runs: Number = None
    places: Number = None
    verdict: Words = ""
    severity: Words = ""
    rests_on: Words = ""
    reason: Words = ""
    place: Words = ""
    relation: Words = ""
    known: Name = ""
    terms: dict[Name, Number] = {}
    constants: dict[Name, Number] = {}
    fails: list[Words] = []


class _Errors(_Read):
    """A row of a study of speedup: (R, S) errors, (R, 2) both ends, and what rounding can do."""

    values: list[list[float]] = Field(min_length=1)
    room: list[float]
    ends: list[list[float]] = Field(min_length=1)
    ends_room: list[float]
    exact: bool


class _Head(_Read):
    claim: Words = ""
    version: Words = ""
    check: Words = ""
    own: bool = False


class _Template(_Read):
    head: _Head
    instance: dict[Name, Any]


_ROWS: dict[str, type[BaseModel]] = {CAMPAIGN: _Row, SPEEDUP: _Errors, RESULTS: Result}


def page(text: str) -> Document:
    """What campaign.json says. Raises ValueError: one line."""
    return _fitting(text, _Page, MOST_TEXT)


def version(text: str) -> int | None:
    """Which format a campaign.json says that its folder has; None where it says none."""
    try:
        return int(_fitting(text, _Version, MOST_TEXT)["schema"])
    except ValueError:
        return None


def era(text: str) -> Document:
    """A stored plan, with the code and the number of its cells. Raises ValueError: one line."""
    return _fitting(text, _Era, MOST_TEXT)


def point(text: str) -> Document:
    """Where a row is. Raises ValueError: one line."""
    return _fitting(text, _Point, _MOST_ROW)


def row(text: str, kind: str = CAMPAIGN) -> Document:
    """What a row says. Raises ValueError: one line."""
    return _fitting(text, _ROWS[kind], _MOST_ROW)


def template(text: str) -> Document:
    """What the cells of a claim have in common. Raises ValueError: one line."""
    return _fitting(text, _Template, MOST_TEXT)


def kind_of(document: Document) -> str:
    """Of which kind a page, or a stored plan, is."""
    named = document.get("kind") or (SPEEDUP if SPEEDUP in document["plan"] else CAMPAIGN)
    return str(named)


@functools.cache
def _adapter(model: type[BaseModel]) -> TypeAdapter[BaseModel]:
    return TypeAdapter(model)


def _fitting(text: str, model: type[BaseModel], most: int) -> Document:
    if len(text) > most:
        raise ValueError(f"has {len(text)} characters; need at most {most}")
    try:
        made = json.loads(text, parse_constant=_none, parse_int=_integer, parse_float=_number)
        _check_plain(made, _DEEPEST)
        _adapter(model).validate_python(made)
    except RecursionError:
        raise ValueError(f"is nested too deep; need at most {_DEEPEST} levels") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))[:200] or "it"
        raise ValueError(f"{where}: {first['msg'].lower()}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is no JSON ({error.msg})") from None
    return made  # type: ignore[no-any-return]


def _check_plain(data: Any, levels: int) -> None:
    if isinstance(data, str):
        if not data.isascii():
            data.encode()  # half of a pair would break the first file that it comes into
    elif isinstance(data, dict | list):
        if not levels:
            raise RecursionError
        for each in data if isinstance(data, list) else (*data, *data.values()):
            _check_plain(each, levels - 1)


def _none(text: str) -> Any:
    raise ValueError(f"holds {text}; need finite numbers")


def _integer(text: str) -> int:
    if len(text) > _DIGITS:
        raise ValueError(f"holds an integer of {len(text)} digits; need at most {_DIGITS}")
    return int(text)


def _number(text: str) -> float:
    made = float(text)
    if not math.isfinite(made):
        raise ValueError(f"holds {text[:20]}; need finite numbers")
    return made
