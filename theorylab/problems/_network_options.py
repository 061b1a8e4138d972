"""The options that every network takes, and checks of those that some take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from theorylab.problems._network_data import Part
from theorylab.problems._options import count


class Options(TypedDict, total=False):
    """The options that every network takes; ``Network`` says what they are."""

    data: Any
    root: str | None
    partition: str | None
    alpha: float | None
    classes_per_client: int | None
    seed: int
    batch: int | None
    reg: float
    head_layers: int
    device: str
    dtype: str
    memory: int
    tf32: bool


def widths(where: str, name: str, value: Any, length: int | None = None) -> list[int]:
    """Sizes of layers, checked: a sequence of integers >= 1, not empty (or of this length)."""
    need = "one or more integers >= 1" if length is None else f"{length} integers >= 1"
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise TypeError(f"{where}: {name} is {value!r}; need {need}")
    if not value or (length is not None and len(value) != length):
        raise ValueError(f"{where}: {name} has {len(value)} entries; need {need}")
    return [count(where, name, each) for each in value]


def image_shape(where: str, source: Any, train: Part) -> tuple[int, int, int]:
    """(channels, height, width) of the images; ValueError where the samples are none."""
    shape = train.inputs.shape[1:]
    if len(shape) != 3:
        raise ValueError(
            f"{where}: {source.name} holds samples of shape {shape}; need images (c, h, w)"
        )
    return int(shape[0]), int(shape[1]), int(shape[2])
