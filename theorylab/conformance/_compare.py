"""Arrays side by side, options to build with, and building again from a description."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import numbers
from theorylab.conformance._sheet import Sheet, said
from theorylab.known import EPS
from theorylab.registry import options_of

Floats = NDArray[Any]
_STEP, _COUNT = 0.05, 2  # of an option without a default
_MOST_ALTERED = 12


def same(a: Any, b: Any) -> bool:
    """Whether two arrays have the same shape and bits; None is the same as None."""
    if a is None or b is None:
        return a is b
    a, b = numbers(a), numbers(b)
    fits = a.shape == b.shape and a.dtype == b.dtype
    return bool(fits and np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))


def gap(a: Any, b: Any) -> tuple[float, float]:
    """(the largest difference, the largest size) of two arrays; inf where shapes differ."""
    a, b = numbers(a), numbers(b)
    if a.shape != b.shape:
        return float("inf"), 1.0
    if a.dtype.kind not in "fiu":
        return (0.0 if np.array_equal(a, b) else float("inf")), 1.0
    a, b = a.astype(np.float64), b.astype(np.float64)
    if np.array_equal(a, b, equal_nan=True):
        return 0.0, 1.0
    off = np.abs(a - b).max(initial=0.0)
    size = max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0))
    return (float("inf"), 1.0) if np.isnan(off) else (float(off), float(size))


def precision(a: Any) -> float:
    """The spacing of floats at 1, of an array's kind."""
    dtype = numbers(a).dtype
    return float(np.finfo(dtype).eps) if dtype.kind == "f" else EPS


def roughness(values: Floats) -> Floats:
    """What rounding, or a kink, does to values at nine equal steps along a line, (9, ...).

    The largest residual of the cubic through them: a smooth function has next to none on a short
    segment, whatever cancels inside of it.
    """
    places = np.vander(np.linspace(-1, 1, 9), 4)
    flat = values.reshape(9, -1)
    fitted = places @ np.linalg.lstsq(places, flat, rcond=None)[0]
    return np.asarray(np.abs(flat - fitted).max(axis=0).reshape(values.shape[1:]))


def along(x: Floats, step: Any, v: Any) -> list[Floats]:
    """Nine points from x - step v to x + step v."""
    return [(x + k * step * v).astype(x.dtype) for k in np.linspace(-1, 1, 9)]


def given_to(made: Any, given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str], list[str]]:
    """(options to build with, those that were chosen here as "eta=0.05", those that are missing).

    ``given`` comes first. An option without a default is small where its annotation says a number.
    """
    chosen, guesses, missing = {}, [], []
    for name, parameter in options_of(made).items():
        if name in given:
            chosen[name] = given[name]
        elif parameter.default is inspect.Parameter.empty:
            value = _small(name, str(parameter.annotation))
            if value is None:
                missing.append(name)
                continue
            chosen[name] = value
            guesses.append(f"{name}={value!r}")
    return chosen, guesses, missing


def _small(name: str, annotation: str) -> Any:
    if "float" in annotation or "StepSize" in annotation or name.startswith(("eta", "lr", "step_")):
        return _STEP
    if "bool" in annotation:
        return False
    return _COUNT if "int" in annotation else None


def altered(made: Any, options: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(an option, the options with that one changed), for every number and flag among them."""
    count = 0
    for name, parameter in options_of(made).items():
        value = options.get(name, parameter.default)
        if isinstance(value, bool):
            fresh: Any = not value
        elif isinstance(value, int):
            fresh = value + 1
        elif isinstance(value, float):
            fresh = 1.25 * value if value else 0.25
        else:
            continue
        count += 1
        if count > _MOST_ALTERED:
            return
        yield name, {**options, name: fresh}


def rebuilt(
    sheet: Sheet,
    word: str,
    options: Mapping[str, Any],
    made: Any,
    build: Callable[[Mapping[str, Any]], Any],
    describe: Callable[[Any], Any],
    again: Callable[[Any], Any],
    look: Callable[[Any], Sequence[Any]],
) -> None:
    """Check that what a thing says of itself, as JSON, builds what does the same.

    Every option is changed by itself, too: one that is lost is not seen at its default.
    """
    lost, looked, why = [], 0, ""
    try:
        first = build(options)
        text = json.dumps(describe(first))
        other = again(json.loads(text))
        if json.dumps(describe(other)) != text:
            why = "the second one describes itself in another way"
        elif not _alike(look(first), look(other)):
            why = "the second one does something else"
    except Exception as error:
        why = said(error)
    for name, changed in altered(made, options) if not why else ():
        try:
            one = build(changed)
            seen = look(one)
        except Exception:  # a value that it does not take
            continue
        looked += 1
        try:
            if not _alike(seen, look(again(json.loads(json.dumps(describe(one)))))):
                lost.append(name)
        except Exception as error:
            lost.append(f"{name} ({said(error)})")
    if lost:
        why = f"it loses {', '.join(lost)}"
    how = f"built again from {word}, also with each of {looked} options changed"
    sheet.judge(word, how, not why, why)


def _alike(a: Sequence[Any], b: Sequence[Any]) -> bool:
    return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
