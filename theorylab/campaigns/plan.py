"""A plan: what a cell is, the axes that its options move along, and which cells there are."""

from __future__ import annotations

import ast
import contextlib
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError, field_validator

from theorylab.campaigns.axes import Axis, Points, Sample
from theorylab.campaigns.text import check_plain
from theorylab.registry import near
from theorylab.runs.configuration import first_fault
from theorylab.runs.trace import COLUMNS
from theorylab.verdicts import Job

HEAD = ("claim", "version", "check", "metric", "seeds", "seed", "budget")  # of a cell, by an axis
_HEADS = {"claim": (*HEAD[:3], *HEAD[4:]), "metric": HEAD[3:6], "run": ()}
OVER = ("last", "average", "max", "run best")
_MOST_BYTES = 8 << 20  # of a plan's file


class Plan(BaseModel):
    """What a campaign computes, as plain data.

    A cell judges a ``claim`` on an instance, measures a ``metric``, or records ``columns`` of a
    run. Its instance is that of the claim's ``check`` (if it is not said, the first that is meant
    to hold), or ``instance``, changed by ``set``, the axes and ``expressions``, in this order.

    Args:
        name: of the campaign.
        claim: id of a statement. version: of it; "printed" where there is one.
        metric: name of a registered metric. columns: of a run; ``over`` says what of each.
        seeds: most runs a cell. seed: what randomness derives from. budget: gradients that the
            runs of a cell may compute; a dearer one is INCONCLUSIVE on every machine.
        instance: for a claim as ``verify --instance`` takes it, else as ``run --config`` does.
        set: path of an option -> value. expressions: path -> arithmetic in axes and numbers of the
            instance.
        axes: name -> values, or a range. An axis sets the option that its name, or its ``path``,
            says; one that no option has may serve expressions.
        cells: points one by one, in place of a grid. sample: points drawn, in place of a grid.
        where: conditions on axes; a cell that breaks one is left out.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    name: str = ""
    claim: str = ""
    version: str = ""
    check: str = ""
    metric: str = ""
    columns: list[str] = []
    over: str = "last"
    seeds: StrictInt = Field(default=Job.seeds, ge=1)
    seed: StrictInt = Field(default=0, ge=0, lt=2**64)
    budget: float = Field(default=Job.budget, gt=0)
    instance: dict[str, Any] = {}
    set: dict[str, Any] = {}
    expressions: dict[str, str] = {}
    axes: dict[str, Axis] = {}
    cells: list[dict[str, Any]] | None = Field(default=None, min_length=1)
    sample: Sample | None = None
    where: list[str] = []

    @field_validator("where", mode="before")
    @classmethod
    def _several(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @property
    def kind(self) -> str:
        if self.claim or "claim" in self.names:
            return "claim"
        return "metric" if self.metric or "metric" in self.names else "run"

    @property
    def heads(self) -> tuple[str, ...]:
        """What of ``HEAD`` its cells have."""
        return _HEADS[self.kind]

    @property
    def names(self) -> list[str]:
        """Of the axes."""
        listed = dict.fromkeys(name for row in self.cells or [] for name in row)
        return [*dict.fromkeys([*self.axes, *listed])]

    def path_of(self, name: str) -> str:
        """The option that an axis sets."""
        return (self.axes[name].path if name in self.axes else "") or name

    def points(self) -> Points:
        """The points. Raises ValueError, one line, where there are too many."""
        return Points(self.axes, self.cells, self.sample, self.where)

    def used_in_expressions(self) -> frozenset[str]:
        """Every name that an expression has, a path with dots whole."""
        found = {""}
        for text in self.expressions.values():
            try:
                tree = ast.parse(text.strip(), mode="eval")
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue  # evaluating it says what is wrong
            nodes = (n for n in ast.walk(tree) if isinstance(n, ast.Name | ast.Attribute))
            found |= {ast.unparse(node) for node in nodes}
        return frozenset(found)

    @property
    def document(self) -> dict[str, Any]:
        """It as plain JSON values, without what was left out."""
        return self.model_dump(mode="json", exclude_defaults=True)


def plan(document: Any) -> Plan:
    """The document, checked. Raises ValueError: one line naming the first thing wrong with it."""
    with _of("plan"):
        made = _validated(document)
    _check(made)
    return made


def _check(made: Plan) -> None:
    kinds = [k for k in ("claim", "metric") if getattr(made, k) or k in made.names]
    kinds += ["columns"] if made.columns else []
    if len(kinds) != 1:
        came = " and ".join(kinds) or "none"
        raise ValueError(f"plan: {came} came; need one of claim, metric, columns")
    if made.claim.endswith(".py"):
        raise ValueError(
            f"plan: claim is {made.claim!r}, and data runs no code; need the statement's id, and "
            "--import FILE.py"
        )
    for column in made.columns:
        if column not in COLUMNS:
            raise ValueError(
                f"plan: columns: no column {column!r}; need some of {near(column, COLUMNS)}"
            )
    own = {*made.heads, *(("columns", "over") if made.kind == "run" else ())}
    for name in sorted(made.model_fields_set & {*HEAD, "over"} - own):
        if getattr(made, name) != Plan.model_fields[name].default:
            raise ValueError(
                f"plan: {name} came, and no cell of a {made.kind} has it; need it left out"
            )
    if made.over not in OVER:
        raise ValueError(f"plan: over is {made.over!r}; need one of {', '.join(OVER)}")
    if made.cells is not None and (made.axes or made.sample):
        raise ValueError("plan: cells came with axes or sample; need one of them")
    if made.cells is not None and any(set(row) != set(made.names) for row in made.cells):
        raise ValueError(f"plan: cells have different keys; need {', '.join(made.names)} in each")
    if not made.names:
        raise ValueError("plan: there are no axes; need axes, or cells")
    paths = [*made.set, *made.expressions, *(made.path_of(name) for name in made.names)]
    for path in (*paths, *made.names):
        if paths.count(path) > 1:
            raise ValueError(f"plan: {path} is set twice; need it once")
        words = path.split(".")
        if not all(word.isidentifier() or word.isdecimal() for word in words):
            raise ValueError(f"plan: {path!r} is no path; need one such as algorithm.eta")
    for name in made.names:
        if (path := made.path_of(name)) in made.heads:
            for value in _some(made, name):
                with _of(f"plan: axis {name!r}"):
                    _validated({path: value})
    for name, value in {"instance": made.instance, **made.set}.items():
        with _of(f"plan: {name}"):
            check_plain(value)
    for row in made.cells or ():
        with _of("plan: cells"):
            check_plain(row)


def _some(made: Plan, name: str) -> list[Any]:
    """All values of an axis, or the ends of its range."""
    if made.cells is not None:
        return [row[name] for row in made.cells]
    axis = made.axes[name]
    return [axis.at(0), axis.at(1)] if axis.values is None else axis.values


@contextlib.contextmanager
def _of(name: str) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _validated(document: Any) -> Plan:
    try:
        return Plan.model_validate(document)
    except ValidationError as error:
        line = first_fault(error).replace("Configuration", "plan")
        if "no key" in line:
            place = error.errors()[0]["loc"]
            known = Axis if place[0] == "axes" else Plan
            line = f"no key {str(place[-1])!r}; need {near(str(place[-1]), known.model_fields)}"
        raise ValueError(line) from None


def read_plan(path: Path) -> dict[str, Any]:
    """The document in a TOML file. Raises ValueError, one line, or OSError."""
    with path.open("rb") as file:
        text = file.read(_MOST_BYTES + 1)
    if len(text) > _MOST_BYTES:
        raise ValueError(f"{path}: more than {_MOST_BYTES} bytes came; need a plan in TOML")
    try:
        return tomllib.loads(text.decode())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: {error}; need a plan in TOML") from None
