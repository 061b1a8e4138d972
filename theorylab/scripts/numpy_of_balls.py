"""NumPy's functions, as scripts use them, of balls: ``NUMPY``.

An array of floats becomes one of balls. What moves, adds or multiplies entries NumPy does itself;
what divides, compares or takes roots is written here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from flint import arb, fmpq

from theorylab.scripts.arrays_of_balls import (
    Balls,
    ball,
    each,
    kept,
    made,
    reduced,
)
from theorylab.scripts.balls import (
    CALLED,
    Ball,
    UnenclosedError,
    Work,
    called,
    fitting,
    larger_of,
    root,
    smaller_of,
)
from theorylab.scripts.linalg_of_balls import LINALG
from theorylab.scripts.orders_of_balls import argmax, argsort, floor, median, rint, sort

PASSED = (  # NumPy's own: these divide nothing, and compare nothing
    *("abs", "append", "column_stack", "concatenate", "cumsum", "delete", "diag"),
    *("expand_dims", "hstack", "kron", "moveaxis", "ndindex", "outer", "pad", "prod", "ravel"),
    *("repeat", "reshape", "resize", "roll", "squeeze", "stack", "sum", "swapaxes"),
    *("take_along_axis", "tile", "trace", "transpose", "tril", "triu", "triu_indices", "vstack"),
)
ASKED = ("all", "any", "argwhere", "flatnonzero", "nonzero")  # of a ball: whether it is 0
MAPPED = ("sqrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh")
_ARCS = {"arctan": "atan", "arcsin": "asin", "arccos": "acos"}


def _bare(given: Any) -> Any:
    """What NumPy's own functions are given."""
    if type(given) is Balls:
        return given.raw
    if isinstance(given, list | tuple):
        return type(given)(map(_bare, given))
    object_array = isinstance(given, np.ndarray) and given.dtype == object
    return ball(given).raw if object_array else given.x if isinstance(given, Ball) else given


def _passed(name: str) -> Callable[..., Any]:
    plain, long = getattr(np, name), _LONGER.get(name)

    def passed(*args: Any, **keep: Any) -> Any:
        if long:
            Work.fits(*long(*args, **keep))
        return kept(plain(*map(_bare, args), **keep))

    return passed


_LONGER: dict[str, Callable[..., tuple[int, ...]]] = {  # than what they are given
    "kron": lambda a, b: (np.size(a), np.size(b)),
    "outer": lambda a, b: (np.size(a), np.size(b)),
    "pad": lambda a, width, *args, **keep: tuple(n + 2 * np.max(width) for n in np.shape(a)),
    "repeat": lambda a, repeats, axis=None: (np.size(a), int(np.max(repeats))),
    "resize": lambda a, shape: tuple(np.atleast_1d(shape).tolist()),
    "tile": lambda a, reps: (np.size(a), *np.atleast_1d(reps).tolist()),
}


def _einsum(letters: str, *arrays: Any, **keep: Any) -> Any:
    """np.einsum, which takes as many steps as all letters together have values."""
    parts = [*zip(letters.partition("->")[0].replace(" ", "").split(","), arrays, strict=True)]
    size = {a: n for of, x in parts if "." not in of for a, n in zip(of, np.shape(x), strict=True)}
    steps = math.prod(size.values())
    Work.priced(steps)
    Work.done(steps)
    return _passed("einsum")(letters, *arrays, **keep)


def _asked(name: str) -> Callable[..., Any]:
    plain = getattr(np, name)
    return lambda x, *args, **keep: plain(_whether(x), *args, **keep)


def _whether(x: Any) -> Any:
    """Truth values; of numbers whether they are 0."""
    plain = x if isinstance(x, np.ndarray | Balls | Ball) else np.asarray(x)
    known = isinstance(plain, np.ndarray) and plain.dtype != object
    return plain if known else ball(plain) != 0


def _mapped(name: str) -> Callable[..., Any]:
    of = root if name == "sqrt" else called(name)

    def mapped(x: Any) -> Any:
        raw = _bare(ball(x))
        Work.done(CALLED * np.size(raw))
        return made(each(of, raw))

    return mapped


def _of_two(of: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda a, b: made(each(of, _bare(ball(a)), _bare(ball(b))))


def _array(given: Any, dtype: Any = None) -> Any:
    """Whole numbers stay what they are, unless the script says float."""
    if isinstance(given, Balls) and _kind(dtype) is None:
        return Balls(given.raw.copy())
    plain = np.array(given)
    if plain.dtype.kind in "biU" and _kind(dtype) is dtype:
        return plain if dtype is None else plain.astype(dtype)
    return ball(given) if _kind(dtype) is None else ball(given).astype(dtype)


def _asarray(given: Any, dtype: Any = None) -> Any:
    """The array itself where it is one: what is written to either is in both."""
    same = isinstance(given, Balls) or (isinstance(given, np.ndarray) and dtype is None)
    return given if same and _kind(dtype) is None else _array(given, dtype)


def _kind(dtype: Any) -> Any:
    """int or bool where the script asks for these; None of real numbers, with no other rounding."""
    if dtype not in (None, int, bool, float, ball):
        raise UnenclosedError(f"numbers of the kind {dtype} have no balls")
    return dtype if dtype in (int, bool) else None


def _arange(*ends: Any) -> Any:
    turns = range(*map(int, ends))
    Work.fits(len(turns))
    return np.arange(turns.start, turns.stop, turns.step)


def _eye(*shape: Any, dtype: Any = None) -> Any:
    Work.fits(shape[0], shape[-1])
    plain = np.eye(*shape).astype(bool if dtype is bool else int)
    return plain if _kind(dtype) else ball(plain)


def _constant(number: int) -> Callable[..., Any]:
    def of(shape: Any, dtype: Any = None) -> Any:
        Work.fits(*np.atleast_1d(shape).tolist())
        whole = np.full(shape, number)
        return whole.astype(dtype) if _kind(dtype) else ball(whole)

    return of


def _like(number: int) -> Callable[..., Any]:
    def of(x: Any) -> Any:
        whole = isinstance(x, np.ndarray) and x.dtype != object
        return np.full_like(x, number) if whole else _constant(number)(np.shape(x))

    return of


def _full(shape: Any, value: Any) -> Any:
    Work.fits(*np.atleast_1d(shape).tolist())
    whole = isinstance(value, int | np.integer)
    return np.full(shape, value) if whole else made(np.full(shape, _bare(ball(value)), object))


def _where(x: Any, *parts: Any) -> Any:
    arrays = [_whether(x), *(_bare(ball(part)) for part in parts)]
    fitting(*arrays)
    return kept(np.where(*arrays))


def _put_along_axis(array: Balls, places: Any, values: Any, axis: Any) -> None:
    np.put_along_axis(array.raw, places, _bare(ball(values)), axis)


def _linspace(first: Any, last: Any, count: int = 50) -> Any:
    return ball(first) + (ball(last) - first) * ball(_arange(count)) / (count - 1)


def _mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return ball(x).mean(axis=axis, keepdims=keepdims) if np.ndim(x) else ball(x)


def _clip(x: Any, min: Any = None, max: Any = None) -> Any:
    raised = x if min is None else _of_two(larger_of)(x, min)
    return raised if max is None else _of_two(smaller_of)(raised, max)


setattr(Balls, "clip", _clip)  # noqa: B010  (a class of another file, which mypy knows)


def _sign(x: Any) -> Any:
    number = Ball(x)
    return fmpq(int(number > 0) - int(number < 0))


def _rounded(of: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda x: made(each(of, _bare(ball(x))))


def _added(x: Any, y: Any) -> Any:
    return (arb(x).exp() + arb(y).exp()).log()


class _Adding:
    """np.logaddexp."""

    def __call__(self, a: Any, b: Any) -> Any:
        return _of_two(_added)(a, b)

    def reduce(self, x: Any, axis: Any = 0, keepdims: bool = False) -> Any:
        return reduced(_added, x, axis, keepdims=keepdims)


def _line(x: Any, y: Any, degree: int) -> list[Any]:
    """np.polyfit of degree 1."""
    if degree != 1:
        raise UnenclosedError(f"a fit of degree {degree} has no balls")
    x, y = ball(x), ball(y)
    away = x - x.mean()
    slope = (away * y).sum() / (away * away).sum()
    return [slope, y.mean() - slope * x.mean()]


class _Joined:
    """np.r_ and np.c_."""

    def __init__(self, plain: Any) -> None:
        self.plain = plain

    def __getitem__(self, parts: Any) -> Any:
        return kept(self.plain[tuple(np.asarray(_bare(part), object) for part in parts)])


def _plain(x: Any) -> Any:
    if isinstance(x, Balls) or np.asarray(x).dtype == object:
        raise UnenclosedError("numbers that are counted once have no balls")
    return x


NUMPY = SimpleNamespace(
    **{name: _passed(name) for name in PASSED},
    **{name: _asked(name) for name in ASKED},
    **{name: _mapped(name) for name in MAPPED},
    **{name: _mapped(other) for name, other in _ARCS.items()},
    einsum=_einsum,
    array=_array,
    asarray=_asarray,
    arange=_arange,
    where=_where,
    sign=_rounded(_sign),
    floor=_rounded(floor),
    ceil=lambda x: -_rounded(floor)(-ball(x)),
    rint=_rounded(rint),
    round=_rounded(rint),
    square=lambda x: ball(x) ** 2,
    zeros=_constant(0),
    ones=_constant(1),
    eye=_eye,
    identity=_eye,
    full=_full,
    zeros_like=_like(0),
    ones_like=_like(1),
    linspace=_linspace,
    put_along_axis=_put_along_axis,
    unique=lambda x, **keep: np.unique(_plain(x), **keep),
    maximum=_of_two(larger_of),
    minimum=_of_two(smaller_of),
    max=lambda x, axis=None, keepdims=False: reduced(larger_of, x, axis, keepdims=keepdims),
    min=lambda x, axis=None, keepdims=False: reduced(smaller_of, x, axis, keepdims=keepdims),
    sort=sort,
    argsort=argsort,
    argmax=argmax,
    argmin=lambda x, axis=None: argmax(-ball(x), axis),
    median=median,
    clip=_clip,
    mean=_mean,
    dot=lambda a, b: ball(a) @ b,
    matmul=lambda a, b: ball(a) @ b,
    log10=lambda x: _mapped("log")(x) / ball(10).log(),
    log2=lambda x: _mapped("log")(x) / ball(2).log(),
    logaddexp=_Adding(),
    polyfit=_line,
    r_=_Joined(np.r_),
    c_=_Joined(np.c_),
    inf=Ball(arb.pos_inf()),
    newaxis=None,
    linalg=LINALG,
)
