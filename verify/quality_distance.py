"""How far two instances of one statement are apart, in structural moves.

A move changes one part: the loss, the network, the number of clients, what their losses have
unlike, the noise, the start, one count, or one number by more than a factor of ten. The distance
is the number of parts that differ, so it says nothing of how hard a change is to find.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

FAR = 10.0  # a smaller factor between two numbers is no move
NUMBERS = "numbers"  # the part of instances that differ in numbers by smaller factors alone
_NETWORKS = ("topology", "network")
_NOISE = ("sigma", "noise", "field", "phases", "base", "batch", "population", "law")
_STARTS = ("x0", "u0", "v0", "y0", "z0", "omega0")
_ANY = ("rounds", "at")  # counts that a factor of ten changes, as it does a real number
_ABSENT: Any = object()


def parts(one: Mapping[str, Any], two: Mapping[str, Any]) -> tuple[str, ...]:
    """The parts in which two instances differ, sorted; none where they are equal.

    >>> far = {"clients": 4, "rounds": 500, "algorithm": {"eta": 0.1}}
    >>> parts({"clients": 1, "rounds": 40, "algorithm": {"eta": 0.2}}, far)
    ('clients', 'rounds')
    """
    found = set(_differing(one, two, ()))
    if not found and one != two:
        found = {NUMBERS}
    return tuple(sorted(found))


def _differing(
    one: Mapping[str, Any], two: Mapping[str, Any], at: tuple[str, ...]
) -> Iterator[str]:
    for key in sorted({*one, *two}):
        a, b, path = one.get(key, _ABSENT), two.get(key, _ABSENT), (*at, key)
        if key == "seed" or _same(a, b):
            continue
        named = isinstance(a, Mapping) and isinstance(b, Mapping)
        other = named and a.get("name") != b.get("name")
        if key in _NETWORKS and (other or not named):
            yield "network"
        elif key == "problem" and other:
            yield "loss"
            noise = [{k: v for k, v in x.items() if _is_noise(k)} for x in (a, b)]
            yield from _differing(noise[0], noise[1], path)
        elif named:
            yield from _differing(a, b, path)
        elif _moved(key, a, b):
            yield _part(path, a, b)


def _same(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and a == b)


def _is_noise(key: str) -> bool:
    return key.startswith(_NOISE)


def _part(path: tuple[str, ...], a: Any, b: Any) -> str:
    """The name of the part that the option at ``path`` belongs to."""
    key = path[-1]
    if path[0] in _NETWORKS:
        return "network"
    if key in _STARTS:
        return "start"
    if _is_noise(key):
        return "noise"
    if path[0] == "problem" and (isinstance(a, list) or isinstance(b, list)):
        return "clients' losses"
    return ".".join(path)


def _moved(key: str, a: Any, b: Any) -> bool:
    """Whether a value that is no mapping differs by a move; an absent one is as good as 0."""
    a, b = (0 if x is _ABSENT or x is None else x for x in (a, b))
    if isinstance(a, bool | str | Mapping) or isinstance(b, bool | str | Mapping):
        return bool(a != b) and not (a in (0, False) and b in (0, False))
    if isinstance(a, list) or isinstance(b, list):
        return _lists_moved(a, b)
    if isinstance(a, int) and isinstance(b, int) and key not in _ANY:
        return a != b
    return far(float(a), float(b))


def _lists_moved(a: Any, b: Any) -> bool:
    """Lists follow the number of clients, so what counts is their size and whether they differ."""
    try:
        both = [np.atleast_1d(np.asarray(x, dtype=float)) for x in (a, b)]
    except (ValueError, TypeError):
        return bool(a != b)
    unlike = [bool((x != x[:1]).any()) if x.size else False for x in both]
    sizes = [float(np.abs(x).max(initial=0.0)) for x in both]
    return unlike[0] != unlike[1] or far(*sizes)


def far(a: float, b: float) -> bool:
    """Whether two numbers differ by more than a factor of ten, in sign, or in what is left to 1.

    >>> far(0.9, 0.999), far(2.0, 3.0), far(0.0, 1e-9)
    (True, False, True)
    """
    if a == b:
        return False
    if a * b <= 0:
        return True
    low, high = sorted((abs(a), abs(b)))
    if high > FAR * low:
        return True
    return high < 1 and (1 - low) > FAR * (1 - high)
