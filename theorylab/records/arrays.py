"""The arrays of a record: an NPZ file, or lines of JSON. Nothing is unpickled."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import numpy as np

MOST_BYTES = 1 << 30  # of all arrays of a file


def arrays(data: bytes) -> dict[str, Any]:
    """Of an NPZ file, packed or not; ValueError, one line, where it is none."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            size = sum(part.file_size for part in parts.infolist())
        if size > MOST_BYTES:
            raise MemoryError
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            names = list(file.files)
            return {name: _array(file, name) for name in names}
    except MemoryError:
        raise ValueError(f"unpacks to more than {MOST_BYTES} bytes; need less") from None
    except _ObjectError as error:
        raise ValueError(str(error)) from None
    except Exception:  # a changed byte can make any part of the reader fail
        raise ValueError("is no readable NPZ file; need what numpy.savez writes") from None


class _ObjectError(Exception):
    """An array that only unpickling would read."""


def _array(file: Any, name: str) -> Any:
    try:
        return file[name]
    except ValueError as error:
        if "pickle" in str(error):
            raise _ObjectError(
                f"{name} is an array of objects, and nothing is unpickled; need numbers"
            ) from None
        raise


def lines(data: bytes) -> dict[str, Any]:
    """Of JSON lines: a line with "round" is a state, one with "edge_round" an edge, any other has
    numbers of the whole record."""
    found: dict[str, Any] = {}
    kinds: dict[str, list[dict[str, Any]]] = {"round": [], "edge_round": []}
    for number, text in enumerate(data.split(b"\n"), 1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError(f"line {number} is no JSON; need an object a line") from None
        if not isinstance(line, dict) or not all(_number(value) for value in line.values()):
            raise ValueError(f"line {number} is no object of numbers; need {{name: number}}")
        kind = next((key for key in kinds if key in line), None)
        if kind is None:
            found |= {key: np.asarray(value) for key, value in line.items()}
        elif kinds[kind] and kinds[kind][0].keys() != line.keys():
            raise ValueError(f"line {number} has other names than a line before; need the same")
        else:
            kinds[kind].append(line)
    for rows in filter(None, kinds.values()):
        found |= {key: np.array([row[key] for row in rows]) for key in rows[0]}
    return found


def _number(value: Any) -> bool:
    return (isinstance(value, int | float) and abs(value) < 2**63) or value != value
