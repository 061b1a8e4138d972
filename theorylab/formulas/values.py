"""Terms computed: on arrays with runs and clients in front, in NumPy, torch, CuPy or other numbers.

A number is computed by the functions of a namespace, under NumPy's names. Inputs have axes in
front of their shape, as many as they like; these are spread over each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from theorylab.formulas.slope import ordered
from theorylab.formulas.term import ELEMENTWISE, Shape, Term

_FAR = 355.0  # cosh of it squared still fits into a float64


class Arrays:
    """NumPy's functions of arrays; a subclass says where another library differs."""

    plain: Any = np

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)

    def number(self, value: Fraction) -> Any:
        return float(value)

    def bell(self, y: Any) -> Any:
        """1 / cosh(y)^2, and 0 where that is less than a float64 can hold."""
        return 1 / self.cosh(self.clip(y, -_FAR, _FAR)) ** 2

    def zeros(self, shape: Shape, like: Any) -> Any:
        return np.zeros(shape, like.dtype)


class Tensors(Arrays):
    """torch's functions, on the device of the points."""

    def __init__(self, like: Any) -> None:
        import torch

        self.plain, self.like = torch, like

    def __getattr__(self, name: str) -> Any:
        """torch's function, which takes no numbers of Python's in the place of a tensor."""
        like, whole = self.like, getattr(self.plain, name)
        return lambda *v: whole(*(like.new_tensor(a) if type(a) is float else a for a in v))

    def zeros(self, shape: Shape, like: Any) -> Any:
        return like.new_zeros(shape)

    def power(self, a: Any, b: Any) -> Any:
        return a**b

    def concatenate(self, parts: Any, axis: int) -> Any:
        return self.plain.cat(parts, axis)


def namespace_of(x: Any) -> Arrays:
    """The functions for points such as ``x``: NumPy's serve CuPy's arrays, too."""
    return Tensors(x) if hasattr(x, "detach") else Arrays()


def computed(
    outputs: Sequence[Term],
    given: Mapping[str, Any],
    library: Any,
    nodes: Sequence[Term] | None = None,
) -> list[Any]:
    """The values of the outputs, where the inputs have those of ``given``; nodes: their order,
    where it is known."""
    done: dict[int, Any] = {}
    for node in ordered(*outputs) if nodes is None else nodes:
        done[id(node)] = _value(node, [done[id(a)] for a in node.args], given, library)
    return [done[id(each)] for each in outputs]


def _value(node: Term, values: list[Any], given: Mapping[str, Any], library: Any) -> Any:
    if node.op == "const":
        return library.number(node.option)
    if node.op == "input":
        return given[node.option]
    if node.op in ELEMENTWISE:
        rank = len(node.shape)
        return getattr(library, node.op)(
            *(_padded(v, a, rank) for v, a in zip(values, node.args, strict=True))
        )
    (first, *rest), shapes = values, [a.shape for a in node.args]
    if node.op == "sum":
        return first.sum(node.option)
    if node.op == "index" and not hasattr(first, "shape"):
        return first  # a number that None spread
    if node.op == "index":
        return first[(..., *node.option)]
    if node.op == "full":
        return _padded(first, node.args[0], len(node.shape)) + library.zeros(node.shape, first)
    if node.op == "transpose":
        return first.swapaxes(-1, -2)
    if node.op == "matmul":
        return _product(first, rest[0], shapes)
    assert node.op == "concatenate", node.op
    return _joined(values, [shape[-1] for shape in shapes], library)


def _padded(value: Any, a: Term, rank: int) -> Any:
    """With axes of length 1 in front of the shape of one client, as many as it lacks."""
    lacks = rank - len(a.shape)
    if lacks and a.op != "const" and hasattr(value, "shape"):
        return value[(..., *(None for _ in range(lacks)), *(slice(None) for _ in a.shape))]
    return value


def _product(a: Any, b: Any, shapes: list[Shape]) -> Any:
    if len(shapes[1]) == 1:
        return (a @ b[..., None])[..., 0]
    if len(shapes[0]) == 1:
        return (a[..., None, :] @ b)[..., 0, :]
    return a @ b


def _joined(values: list[Any], sizes: list[int], library: Any) -> Any:
    arrays = [v for v in values if hasattr(v, "shape")]
    if not arrays:
        return np.concatenate([np.array([v] * k) for k, v in zip(sizes, values, strict=True)])
    front = np.broadcast_shapes(*(v.shape[:-1] for v in arrays))
    like = arrays[0]
    whole = [
        library.zeros((*front, k), like) + v
        if not hasattr(v, "shape") or tuple(v.shape) != (*front, k)
        else v
        for k, v in zip(sizes, values, strict=True)
    ]
    return library.concatenate(whole, -1)
