"""With which seeds generators are made while something is played: runs that make theirs with the
same seeds draw the same."""

from __future__ import annotations

import contextlib
import random
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from theorylab.own import is_own

_KINDS = ("RandomState", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")


@contextlib.contextmanager
def seedings(kind: type, found: list[Any]) -> Iterator[None]:
    """Note the first state of every generator of NumPy or ``random`` that is made inside.

    kind: the stranger's class whose methods are called; the names of its files are looked at, too.
    """
    made = np.random.default_rng

    def begin(whole: Any, one: Any, *given: Any, **options: Any) -> None:
        whole.__init__(one, *given, **options)
        found.append(_first(one))

    def default_rng(seed: Any = None) -> Any:
        one = made(seed)
        if one is not seed:
            found.append(_first(one.bit_generator))
        return one

    kinds = [random.Random, *(getattr(np.random, name) for name in ("SeedSequence", *_KINDS))]
    with replaced(kind, {made: default_rng, **{each: _begun(each, begin) for each in kinds}}):
        yield


@contextlib.contextmanager
def keyed(kind: type, found: list[Any]) -> Iterator[None]:
    """Forget what is noted in ``found`` while a legacy generator is made of a seed, or a Philox of
    a key: NumPy asks for entropy first, and makes nothing of it."""

    def begin(whole: Any, one: Any, *given: Any, **options: Any) -> None:
        before = len(found)
        whole.__init__(one, *given, **options)
        if any(each is not None for each in (*given, options.get("seed"), options.get("key"))):
            del found[before:]

    kinds = [np.random.RandomState, np.random.Philox]
    with replaced(kind, {each: _begun(each, begin) for each in kinds}):
        yield


@contextlib.contextmanager
def replaced(kind: type, others: dict[Any, Any]) -> Iterator[None]:
    """Generators of ``random``, NumPy and the files of ``kind``, each with another in its place."""
    by = {id(whole): other for whole, other in others.items()}
    places = [
        (table, name, by[id(value)])
        for table in (vars(np.random), vars(random), *_scopes(kind))
        for name, value in tuple(table.items())
        if id(value) in by
    ]
    before = [(table, name, table[name]) for table, name, _ in places]
    try:
        for table, name, other in places:
            table[name] = other
        yield
    finally:
        for table, name, whole in before:
            table[name] = whole


def _begun(whole: Any, begin: Callable[..., None]) -> Any:
    """A subclass of a class of generators, each of which begins by ``begin(whole, itself, ...)``;
    all of the class are told to be of it."""

    def init(self: Any, *given: Any, **options: Any) -> None:
        begin(whole, self, *given, **options)

    return _Kind(whole.__name__, (whole,), {"__init__": init})


class _Kind(type):
    def __instancecheck__(cls, one: object) -> bool:
        return isinstance(one, cls.__base__ or object)


def _first(one: Any) -> Any:
    if isinstance(one, random.Random):
        return one.getstate()
    if isinstance(one, np.random.SeedSequence):
        return _fixed([one.entropy, one.spawn_key])
    return _fixed(one.get_state() if isinstance(one, np.random.RandomState) else one.state)


def _fixed(state: Any) -> Any:
    """A generator's state as something that can be compared."""
    if isinstance(state, dict):
        return tuple((key, _fixed(value)) for key, value in sorted(state.items()))
    if isinstance(state, np.ndarray):
        return state.tobytes()
    return tuple(map(_fixed, state)) if isinstance(state, list | tuple) else state


def _scopes(kind: type) -> list[dict[str, Any]]:
    """The names of the files that hold the class, its stranger's bases, and what they import."""
    bases = [each for each in kind.__mro__[:-1] if not is_own(each)]
    found = [vars(sys.modules[each.__module__]) for each in bases if each.__module__ in sys.modules]
    for each in bases:
        found += [f.__globals__ for f in vars(each).values() if isinstance(f, types.FunctionType)]
    for scope in tuple({id(scope): scope for scope in found}.values()):
        for value in scope.values():
            if isinstance(value, types.FunctionType):
                found.append(value.__globals__)
            elif isinstance(value, types.ModuleType):
                found.append(vars(value))
    theirs = {id(scope): scope for scope in found if not _ours(scope)}
    return list(theirs.values())


def _ours(scope: dict[str, Any]) -> bool:
    root = str(scope.get("__name__", "")).partition(".")[0]
    return root in ("theorylab", "numpy", "random")
