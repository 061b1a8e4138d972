"""The data of a network in a study: the first samples of a data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from theorylab.data import load


def with_data(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a problem that takes ``data`` and ``root``, its data loaded and cut.

    samples: the first so many training samples in the order of the files; None: all.

    Raises MissingDataError, one line with folder and package, where the data are not there.
    """
    given = dict(options)
    samples, data = given.pop("samples", None), given.get("data", "digits")
    if isinstance(data, str):
        data = load(data, given.pop("root", None))
    if samples is not None:
        most = len(data.x)
        if isinstance(samples, bool) or not isinstance(samples, int) or not 1 <= samples <= most:
            raise ValueError(f"speedup: samples is {samples!r}; need 1 to {most} of {data.name}")
        part = {
            name: None if getattr(data, name) is None else getattr(data, name)[:samples]
            for name in ("x", "y", "owners", "coarse")
        }
        data = replace(data, **part)
    return {**given, "data": data}
