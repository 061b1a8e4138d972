"""Generators that a step may draw from besides what it is handed: global ones, and its own."""

from __future__ import annotations

import contextlib
import os
import random
import sys
import sysconfig
import types
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from theorylab.own import is_own
from theorylab.runs.seedings import keyed, replaced

_MOST = 1 << 13  # objects that are looked at for generators
_LIBRARIES = {"numpy", "theorylab"}  # wherever they lie
_INSTALLED = tuple(sysconfig.get_path(name) + os.sep for name in ("purelib", "platlib", "stdlib"))
_GENERATORS: tuple[type, ...] = (
    np.random.Generator, np.random.BitGenerator, np.random.RandomState, random.Random,
)  # fmt: skip


@contextlib.contextmanager
def other_generators(kind: type) -> Iterator[None]:
    """Generators that are made inside have another seed than the one they are asked for."""
    made, legacy = np.random.default_rng, random.Random
    others: dict[Any, Any] = {
        made: lambda *_, **__: made(987654321),
        legacy: lambda *_, **__: legacy(987654321),
    }
    with replaced(kind, others):
        yield


@contextlib.contextmanager
def undrawn(algorithm: Any) -> Iterator[None]:
    """What is played inside draws from nothing but what it is handed, or its class says ``draws``.

    Raises ValueError, one line, at the end, where a generator that no seed of a run reaches was
    drawn from. Nothing of theorylab's own is looked at.
    """
    found: list[str] = []
    if is_own(type(algorithm)) or getattr(algorithm, "draws", False):
        yield
        return
    with global_draws(found, algorithm):
        yield
    if found:
        raise ValueError(
            f"{algorithm.name}: a round draws from {found[0]}, which no seed of a run reaches; "
            "need net.coins"
        )


@contextlib.contextmanager
def global_draws(found: list[str], algorithm: Any = None) -> Iterator[None]:
    """Note what was drawn from inside: numpy.random, random or torch, the operating system's
    entropy, or a generator that the class of ``algorithm`` reaches."""
    reached = [] if algorithm is None else _reached(algorithm)
    before, own = _generators(), [_state(each) for each in reached]
    with _entropy(found), keyed(type(algorithm), found):
        yield
    after = _generators()
    found += [name for name, state in before.items() if name in after and after[name] != state]
    if any(_state(each) != state for each, state in zip(reached, own, strict=True)):
        found.append("a generator of its own")


@contextlib.contextmanager
def _entropy(found: list[str]) -> Iterator[None]:
    """Note who asks the operating system for random bytes: secrets and NumPy's generators without a
    seed do so by way of ``random``."""
    whole, seed, text = os.urandom, random.Random.seed, "the operating system's entropy"

    def urandom(size: int) -> bytes:
        found.append(text)
        return whole(size)

    def seeded(self: random.Random, a: Any = None, version: int = 2) -> None:
        if a is None:
            found.append(text)
        seed(self, a, version)

    places: list[tuple[Any, str, Any]] = [
        (module, name, urandom)
        for module in list(sys.modules.values())
        if isinstance(module, types.ModuleType)
        for name in ("urandom", "_urandom")
        if vars(module).get(name) is whole
    ]
    places.append((random.Random, "seed", seeded))
    before = [(place, name, getattr(place, name)) for place, name, _ in places]
    try:
        for place, name, other in places:
            setattr(place, name, other)
        yield
    finally:
        for place, name, one in before:
            setattr(place, name, one)


def _reached(algorithm: Any) -> list[Any]:
    """The generators that the methods of its class reach, by any path of names, containers,
    functions and objects of the user's own."""
    waiting, top = deque[Any]([algorithm]), _top(type(algorithm))
    seen, found = set[int](), list[Any]()
    while waiting and len(seen) < _MOST:  # the nearest first
        each = waiting.popleft()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, _GENERATORS) or type(each).__module__ == "torch._C":
            found += [each] * (_state(each) is not None)
        elif isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, list | tuple | set | frozenset):
            waiting += each
        elif isinstance(each, types.MethodType):
            waiting += [each.__func__, each.__self__]
        elif isinstance(each, staticmethod | classmethod):
            waiting.append(each.__func__)
        elif isinstance(each, property):
            waiting.append(each.fget)
        elif isinstance(each, types.BuiltinMethodType):  # rng.random, where it is bound to a name
            waiting.append(each.__self__)
        elif (name := _top(each)) != top and _of_a_library(name):
            continue
        elif isinstance(each, types.FunctionType):
            cells = [cell.cell_contents for cell in each.__closure__ or () if _filled(cell)]
            waiting += [each.__globals__, each.__defaults__, each.__kwdefaults__, *cells]
        else:
            waiting.append(getattr(each, "__dict__", None))
            if isinstance(each, type):
                waiting += [*dict(vars(each)).values(), *each.__bases__]
            else:
                waiting.append(type(each))
    return found


def _top(each: Any) -> str:
    """The name of the package that defines it."""
    named = each if isinstance(each, type | types.FunctionType | types.ModuleType) else type(each)
    name = named.__name__ if isinstance(named, types.ModuleType) else named.__module__
    return str(name).partition(".")[0]


def _of_a_library(name: str) -> bool:
    """Whether that package is of the standard library, or installed."""
    if name in _LIBRARIES or name in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(name), "__file__", None) or ""
    return name != "__main__" and any(file.startswith(each) for each in _INSTALLED)


def _filled(cell: Any) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


def _state(generator: Any) -> Any:
    """What a draw moves; None of what has no state to see."""
    try:
        if isinstance(generator, random.Random):
            return generator.getstate()
        with np.printoptions(threshold=sys.maxsize):
            if isinstance(generator, np.random.RandomState):
                return repr(generator.get_state())
            if isinstance(generator, np.random.BitGenerator | np.random.Generator):
                one: Any = getattr(generator, "bit_generator", generator)
                return repr(one.state)
        return generator.get_state().numpy().tobytes()
    except (NotImplementedError, AttributeError):  # SystemRandom is seen where it asks for entropy
        return None


def _generators() -> dict[str, Any]:
    legacy: Any = np.random.get_state()  # noqa: NPY002  who draws from it is told
    kind, keys, *rest = legacy
    states: dict[str, Any] = {
        "numpy.random": (kind, np.asarray(keys).tobytes(), *rest),
        "random": random.getstate(),
    }
    if "torch" in sys.modules:
        states["torch"] = sys.modules["torch"].get_rng_state().numpy().tobytes()
    return states
