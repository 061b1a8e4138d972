"""A checkpoint of a run: its state and its columns so far, as the bytes of an NPZ file.

Nothing is pickled. A checkpoint carries the SHA-256 of all it holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from array_api_compat import is_numpy_array

import theorylab
from theorylab.algorithms import State
from theorylab.problems import Problem
from theorylab.runs.configuration import Configuration, Document
from theorylab.runs.record import SCHEMA, Array, arrays_of, digest, npz
from theorylab.runs.simulate import Snapshot

_DIGEST, _HEADER = "sha256", "header"


def checkpoint_bytes(document: Document, snapshot: Snapshot) -> bytes:
    """A checkpoint of the run ``document`` describes, complete, with its own SHA-256."""
    state = snapshot.state
    parts = {"x": state.x, "w": state.w, "z": state.z}
    if state.v is not None:
        parts["v"] = state.v
    flight = state.flight or ()
    parts |= {f"flight.{k}": part for k, part in enumerate(flight)}
    parts |= {f"memory.{name}": part for name, part in state.memory.items()}
    torch = [name for name, part in parts.items() if not _is_numpy(name, part)]
    header = {
        "schema": SCHEMA,
        "theorylab": theorylab.__version__,
        "configuration": document,
        "t": state.t,
        "torch": torch,
        "flight": len(flight),
    }
    arrays: dict[str, Array] = {
        f"state.{name}": part.detach().cpu().numpy() if name in torch else np.asarray(part)
        for name, part in parts.items()
    }
    arrays |= {f"table.{name}": values for name, values in snapshot.table.items()}
    text = json.dumps(header, allow_nan=False).encode("utf-8")
    arrays[_HEADER] = np.frombuffer(text, dtype=np.uint8)
    mark = np.frombuffer(bytes.fromhex(digest(arrays)), dtype=np.uint8)
    return npz({**arrays, _DIGEST: mark})


def checkpoint_from(data: bytes, problem: Problem) -> tuple[Document, Snapshot]:
    """(header, snapshot) of a checkpoint; tensors go where the problem's points are.

    Raises ValueError where it is torn or changed: its arrays do not have the SHA-256 they had.
    """
    arrays = arrays_of(data)
    mark = arrays.pop(_DIGEST, None)
    if mark is None or mark.tobytes().hex() != digest(arrays):
        raise ValueError("is damaged: its arrays do not have the SHA-256 they had")
    try:
        return _restored(arrays, problem)
    except (LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
        # whoever writes the digest can write anything that fits it
        raise ValueError(f"is no checkpoint ({type(error).__name__}: {error})") from None


def _restored(arrays: dict[str, Array], problem: Problem) -> tuple[Document, Snapshot]:
    header: Document = json.loads(arrays.pop(_HEADER).tobytes())
    if not isinstance(header["configuration"], dict):
        raise TypeError("its configuration is no object")
    parts: dict[str, dict[str, Any]] = {"state": {}, "table": {}}
    for name, part in arrays.items():
        kind, _, inner = name.partition(".")
        parts[kind][inner] = part
    state, table = parts["state"], parts["table"]
    if header["torch"]:
        state |= _tensors({name: state[name] for name in header["torch"]}, problem)
    flight = tuple(state[f"flight.{k}"] for k in range(header["flight"])) or None
    memory = {
        name.removeprefix("memory."): part
        for name, part in state.items()
        if name.startswith("memory.")
    }
    restored = State(
        header["t"], state["x"], state["w"], state["z"], state.get("v"), flight, memory
    )
    return header, Snapshot(restored, table)


def check_fits(snapshot: Snapshot, given: Configuration) -> None:
    """Raise ValueError unless kinds and shapes are those of such a run: a digest proves nothing of
    a file that a stranger made."""
    state, table = snapshot.state, snapshot.table
    if type(state.t) is not int or state.t < 0:
        raise ValueError(f"is no checkpoint: its round is {state.t!r}")
    need = (given.seeds, given.clients)
    for name, axes in (("x", 3), ("w", 2), ("z", 3), ("v", 3)):
        part = getattr(state, name)
        if part is None:
            continue
        shape = tuple(part.shape)
        if shape[:2] != need or len(shape) != axes or "float" not in str(part.dtype):
            raise ValueError(
                f"is no checkpoint: {name} is {part.dtype} {shape}; need {axes} axes of floats, "
                f"{need} first"
            )
    for name in given.columns or []:
        values = table.get(name)
        if values is None or values.dtype != np.float64 or values.shape[:-1] != (given.seeds,):
            raise ValueError(f"is no checkpoint: it has no column {name} of {given.seeds} runs")


def _is_numpy(name: str, part: Any) -> bool:
    if is_numpy_array(part):
        if part.dtype.hasobject:
            raise TypeError(f"checkpoint: {name} holds Python objects; need an array of numbers")
        return True
    if not hasattr(part, "detach"):
        raise TypeError(f"checkpoint: {name} is a {type(part).__name__}; need an array")
    return False


def _tensors(parts: Mapping[str, Array], problem: Problem) -> dict[str, Any]:
    import torch

    device = problem.points(np.array([])).device
    return {name: torch.from_numpy(part).to(device) for name, part in parts.items()}
