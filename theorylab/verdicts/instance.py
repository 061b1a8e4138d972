"""An instance: plain data that names a problem, a topology, an algorithm and their options."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import replace
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, Literal, TypeVar

from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from theorylab import symbols
from theorylab.algorithms import Algorithm, algorithm
from theorylab.exact import Span, floated, fraction_in, nearest, span
from theorylab.files import named_files
from theorylab.kept import kept
from theorylab.kernels import LONGEST_RUN
from theorylab.known import How, Known
from theorylab.own import is_own
from theorylab.problems import Problem, exact_batches, problem
from theorylab.runs import Setting, initial_models
from theorylab.statements import Version
from theorylab.topologies import TOPOLOGIES, Topology, topology

Model = TypeVar("Model", bound=BaseModel)
Part = TypeVar("Part", Problem, Topology)
_MOST_SHARED = 128
_SHARED: ContextVar[dict[str, Any] | None] = ContextVar("shared parts", default=None)


class Instance(BaseModel):
    """What a check runs. ``algorithm`` holds options only: the statement names the algorithm.

    ``law`` and ``at`` are of a metric's rows: how expectations are known, and the rounds that are
    looked at (if empty all, or the last); see ``theorylab.metrics.measured``. ``x0``: where runs
    start; None: where the problem says, as of ``theorylab.runs.simulate``. ``constants`` gives
    values to a user's own symbols: a number (taken as exact) or
    ``{"value": v, "how": "upper", "source": "why"}``. Where a number stands, "p/q" may: a run takes
    the nearest float64, and assumptions the rational.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    problem: dict[str, Any]
    topology: dict[str, Any]
    clients: int = Field(ge=1)
    rounds: int = Field(ge=1, le=10**12)
    algorithm: dict[str, Any]
    x0: float | list[float] | list[list[float]] | None = None
    law: Literal["auto", "exact", "moments", "enumerated", "sampled"] = "auto"
    at: list[int] = []
    constants: dict[str, Any] = {}

    @field_validator("x0", mode="before")
    @classmethod
    def _float64(cls, value: Any) -> Any:
        return floated(value)[0]

    def shown(self) -> dict[str, Any]:
        """As JSON-able data; ``law`` and ``at`` only where they were given."""
        ordinary = {"law"} if self.law == "auto" else set()
        return self.model_dump(exclude=ordinary if self.at else ordinary | {"at"})


def parsed(where: str, data: Any) -> Instance:
    """The instance in ``data``; ValueError with one line naming the first field that is wrong."""
    instance = validated(where, Instance, data)
    if instance.rounds > LONGEST_RUN and instance.law != "moments":
        raise ValueError(
            f"{where}: rounds is {instance.rounds}; need at most {LONGEST_RUN}, or law 'moments', "
            "which plays none"
        )
    return instance


def validated(where: str, model: type[Model], data: Any) -> Model:
    """``data`` as a ``model``; ValueError with one line naming the first field that is wrong."""
    try:
        return model.model_validate(dict(data) if isinstance(data, Mapping) else data)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        came = "" if first["type"] == "missing" else f" (came {first['input']!r})"
        raise ValueError(f"{where}: {field}: {first['msg'].lower()}{came}") from None


def built(where: str, instance: Instance, algorithm_name: str) -> Setting:
    """Build the instance's objects; every error becomes one line that starts with ``where``."""
    parts: list[Any] = []
    for kind, make, options in (
        ("problem", _problem, instance.problem),
        ("topology", _topology, instance.topology),
    ):
        options = _numbers(f"{where}: {kind}", options)
        name = options.pop("name", None)
        if name is None:
            raise ValueError(f"{where}: {kind} has no name; need {{'name': ...}}")
        parts.append(_made(f"{where}: {kind}", make, name, instance.clients, **options))
    own = _numbers(f"{where}: algorithm", instance.algorithm)
    run = _made(f"{where}: algorithm", algorithm, algorithm_name, **own)
    start = _made(where, initial_models, parts[0], 1, instance.x0)[0]
    given = given_constants(where, instance.constants)
    return Setting(parts[0], parts[1], run, given, instance.rounds, start)


def started(instance: Instance, setting: Setting) -> Instance:
    """The instance with its start written out, as short as it can be: results say it, too."""
    if instance.x0 is not None:
        return instance
    start = setting.start
    x0: Any = start.tolist()
    if (start == start[:1]).all():
        x0 = float(start[0, 0]) if (start == start[0, 0]).all() else x0[0]
    return instance.model_copy(update={"x0": x0})


def moved(
    instance: Instance, setting: Setting, x0: NDArray[Any], factor: float
) -> tuple[Instance, Setting]:
    """Both from other models x^0 (n, d), with every step size times ``factor``."""
    method, steps = setting.algorithm, dict[str, Any]()
    if factor != 1:
        method, steps = _with_steps(method, factor)
    options = {**instance.algorithm, **steps}
    other = instance.model_copy(update={"x0": x0.tolist(), "algorithm": options})
    return other, replace(setting, start=x0, algorithm=method)


def _with_steps(method: Algorithm, factor: float) -> tuple[Algorithm, dict[str, Any]]:
    """The method with every step size times ``factor``, and the options that moved.

    A step size of theorylab's own methods is named eta, or by the class. Of a stranger's, any
    number that is no count may be one. What the class refuses, as a number at the edge of its
    range, stays.
    """
    given, own = method.options(), is_own(type(method))
    named = getattr(method, "step_sizes", ()) if own else ()
    moves = dict[str, Any]()
    for name, value in given.items():
        step = name.startswith("eta") or name.endswith("_eta") or name in named
        if isinstance(value, str) and step:
            moves[name] = f"({value}) * {factor!r}"  # a text of the round
        elif isinstance(value, bool) or not isinstance(value, Real):
            continue
        elif step or not (own or isinstance(value, Integral)):
            moves[name] = float(value) * factor
    for some in (moves, *({name: value} for name, value in moves.items())):
        try:
            other = type(method)(**{**given, **some})
        except (ValueError, TypeError):
            continue
        if some is moves:
            return other, moves
        method, given = other, {**given, **some}
    return method, {name: value for name, value in moves.items() if given[name] is value}


def _numbers(where: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of the options, with the float64 of every "p/q"."""
    try:
        made: dict[str, Any] = floated(options)[0]
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return made


@contextlib.contextmanager
def sharing_problems() -> Iterator[None]:
    """Within, instances of one problem share the object, and what it computed of itself, and so do
    those of one network: a search judges thousands of instances of few of them. Only theorylab's
    own are known to hold no state.
    """
    token = _SHARED.set({})
    try:
        yield
    finally:
        _SHARED.reset(token)


def _problem(name: str, clients: int, **options: Any) -> Problem:
    def made() -> Problem:
        return problem(name, clients, **options)

    return _shared("problem", name, clients, options, made, exact_batches)


def _topology(name: str, clients: int, **options: Any) -> Topology:
    def made() -> Topology:
        return topology(name, clients, **options)

    def stateless(network: Topology) -> bool:
        kind = type(network)
        return is_own(kind) and TOPOLOGIES.find(name) is kind and not network.networks

    return _shared("topology", name, clients, options, made, stateless)


def _shared(
    part: str,
    name: str,
    clients: int,
    options: Mapping[str, Any],
    make: Callable[[], Part],
    stateless: Callable[[Any], bool],
) -> Part:
    """What ``make`` gives, or what it gave for the same part of an instance before."""
    store = _SHARED.get()
    if store is None:
        return make()
    try:
        named = named_files({part: {**options, "name": name}})
        key = json.dumps([part, name, clients, options, named], sort_keys=True)
    except TypeError:
        return make()
    if key not in store:
        new = make()
        return kept(store, key, lambda: new, _MOST_SHARED) if stateless(new) else new
    known: Part = store[key]
    return known


def computed_constants(where: str, version: Version, subject: Any) -> dict[str, Known]:
    """What the version's own functions say of ``subject``, a ``Setting`` or an experiment."""
    made = {}
    for symbol, function in version.constants.items():
        if isinstance(function, str):
            continue
        name, value = symbols.name_of(symbol), function(subject)
        source = f"computed from the instance by {getattr(function, '__name__', 'a function')}"
        made[name] = value if isinstance(value, Known) else _number(where, name, value, source)
    return made


def _typed(number: float) -> Span | None:
    return span(number) if math.isfinite(number) else None


def _number(where: str, name: str, value: Any, source: str) -> Known:
    try:
        exact = value if isinstance(value, Fraction) else None
        known = float(value)
    except (TypeError, ValueError):
        known = float("nan")
    if known != known:
        raise ValueError(f"{where}: the function of {name} gave {value!r}; need a number")
    return Known(known, How.EXACT, source, asked=None if exact is None else (exact, exact))


def _made(where: str, make: Any, *arguments: Any, **options: Any) -> Any:
    try:
        return make(*arguments, **options)
    except (ValueError, TypeError) as error:
        raise type(error)(f"{where}: {error}") from None


def given_constants(where: str, constants: Any) -> dict[str, Known]:
    """What an instance gives under ``constants``; one line on a value that is no constant."""
    if not isinstance(constants, Mapping):
        raise ValueError(f"{where}: constants is {constants!r}; need {{name: value}}")
    given = {}
    for name, value in constants.items():
        data = value if isinstance(value, dict) else {"value": value}
        try:
            written = data["value"]
            exact = fraction_in(written)
            if exact is None and isinstance(written, int):  # all its digits
                exact = Fraction(written)
            number = float(written) if exact is None else nearest(exact)
            given[name] = Known(
                number,
                How(data.get("how", "exact")),
                str(data.get("source", "given with the instance")),
                asked=(exact, exact) if exact is not None else _typed(number),
            )
        except (KeyError, ValueError, TypeError) as error:
            raise ValueError(
                f"{where}: constants.{name} is {_shown(value)} ({error}); "
                "need a number or {value, how, source}"
            ) from None
    return given


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:  # of an integer that Python does not write
        return "too long a number"
    return text if len(text) <= 80 else f"{text[:30]}... of {len(text)} characters"
