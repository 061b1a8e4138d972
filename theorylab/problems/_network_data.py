"""Which samples each client of a network trains and is tested on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from theorylab.data import Labelled, load, natural, split
from theorylab.problems._options import Array, count


class Part(NamedTuple):
    """Samples sorted by client: client i holds rows ``starts[i] : starts[i] + sizes[i]``.

    inputs (m, ...), as stored; labels (m,), sizes (n,), starts (n,): int64.
    """

    inputs: Array
    labels: Array
    sizes: Array
    starts: Array

    def blocks(self, width: int) -> Iterator[tuple[Array, Array, Array]]:
        """Every client's samples, at most ``width`` of each client at a time.

        Yields (clients (a,) that still have samples, their rows (a, w), weights 1/m_i (a, w)).
        Rows beyond a client's last have weight 0, so no client is padded to more than ``width``.
        """
        for low in range(0, int(self.sizes.max()), width):
            clients = np.flatnonzero(self.sizes > low)
            left = self.sizes[clients, None] - low
            place = np.arange(min(width, int(left.max())))
            inside = place < left
            rows = self.starts[clients, None] + np.where(inside, low + place, 0)
            yield clients, rows, inside / self.sizes[clients, None]

    def weights(self) -> Array:
        """(m,): 1 / (n m_i), the weight of a row in f."""
        return np.repeat(1 / (self.sizes * len(self.sizes)), self.sizes)

    def owners(self) -> Array:
        """(m,): the client of every row."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


class Local(NamedTuple):
    """The data set, its parts by client, and the options that rebuild them (None: none would)."""

    source: Labelled
    train: Part
    test: Part
    described: dict[str, Any] | None


def local(
    where: str,
    clients: int,
    *,
    data: Any,
    root: Any,
    partition: str | None,
    alpha: float | None,
    classes_per_client: int | None,
    seed: int,
) -> Local:
    """Load ``data`` (a name, or an object like ``theorylab.data.Labelled``) and split it.

    A ``Local`` is what it is: its parts are the clients' own.

    Raises ValueError or TypeError, one line, where options contradict each other or the data.
    """
    if isinstance(data, Local):
        return data
    described: dict[str, Any] | None = None
    if isinstance(data, str):
        source = load(data, root)
        described = {"data": data} | ({} if root is None else {"root": str(root)})
    elif root is not None:
        raise ValueError(f"{where}: root came along with data that is loaded; need one of them")
    else:
        source = _labelled(where, data)
    options: dict[str, Any] = {"alpha": alpha, "classes_per_client": classes_per_client}
    options = {name: value for name, value in options.items() if value is not None}
    seed = count(where, "seed", seed, at_least=0)
    if partition is None:
        partition = "dirichlet" if source.owners is None else "natural"
    if partition == "natural":
        if options:
            raise ValueError(
                f"{where}: {', '.join(options)} came with partition 'natural'; need another one"
            )
        source = natural(source, clients)
        owners, owners_test = source.owners, source.owners_test
    else:
        if partition == "pachinko":
            options["coarse"] = source.coarse
        owners, owners_test = split(
            source.y, source.y_test, clients, partition=partition, seed=seed, **options
        )
        options.pop("coarse", None)
    if described is not None:
        described |= {"partition": partition, "seed": seed, **options}
    train = _sorted(source.x, source.y, owners, clients)
    test = _sorted(source.x_test, source.y_test, owners_test, clients)
    if not train.sizes.all():
        raise ValueError(
            f"{where}: client {int(train.sizes.argmin())} of {clients} has no training sample; "
            "need fewer clients"
        )
    return Local(source, train, test, described)


def _sorted(inputs: Array, labels: Array, owners: Any, clients: int) -> Part:
    order = np.argsort(owners, kind="stable")
    sizes = np.bincount(owners, minlength=clients)
    return Part(inputs[order], labels[order], sizes, np.cumsum(sizes) - sizes)


def _labelled(where: str, data: Any) -> Labelled:
    """``data`` as a ``Labelled``, which checks that its arrays agree."""
    if isinstance(data, Labelled):
        return data
    try:
        return Labelled(**{each.name: getattr(data, each.name) for each in fields(Labelled)})
    except AttributeError:
        raise TypeError(
            f"{where}: data is {type(data).__name__}; need the name of a data set, or an object "
            "with the attributes of theorylab.data.Labelled"
        ) from None
