"""Split labelled samples over clients: every sample to exactly one, no client left empty.

A split is the array of owners, shape (m,): ``owners[j]`` is the client that holds sample j. It is
a function of (labels, options, seed): every draw comes from ``Stream(seed, "partition")``.
"""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import gamma

from theorylab.kernels import Stream

IntArray = npt.NDArray[np.int64]
# One stream, one step number per use: no two uses read the same draws.
_GAMMA, _POWER, _SHUFFLE, _CLASSES = range(4)


def iid(labels: Any, clients: int, seed: int = 0) -> IntArray:
    """Shuffle, then deal out evenly: sizes differ by at most one. The labels do not matter.

    Raises ValueError if there are fewer samples than clients, TypeError on a wrong kind.
    """
    labels = _checked("iid", labels, clients, seed)
    owners = np.empty(len(labels), np.int64)
    owners[_shuffled(len(labels), seed)] = np.arange(len(labels)) % clients
    return owners


def dirichlet(labels: Any, clients: int, alpha: float, seed: int = 0) -> IntArray:
    """Each class is cut into shares drawn from Dirichlet(alpha, ..., alpha) over the clients.

    Small alpha: each class sits with few clients. Large alpha: as iid. Source: Hsu, Qi, Brown,
    "Measuring the effects of non-identical data distribution", 2019, in its usual per-class form.
    Repair: a client left empty, the lowest first, takes the last sample (by index) of the
    client that holds the most (the lowest of those).

    Raises ValueError unless alpha > 0 and there are as many samples as clients.
    """
    labels = _checked("dirichlet", labels, clients, seed)
    if isinstance(alpha, bool) or not isinstance(alpha, numbers.Real):
        raise TypeError(f"dirichlet: alpha is {type(alpha).__name__}; need a number > 0")
    if not 0 < float(alpha) < math.inf:
        raise ValueError(f"dirichlet: alpha is {alpha!r}; need a finite number > 0")
    draws, order = Stream(seed, "partition"), _shuffled(len(labels), seed)
    owners = np.empty(len(labels), np.int64)
    for number, label in enumerate(np.unique(labels)):
        # Gamma(alpha) = Gamma(alpha + 1) U^(1/alpha) in the log domain: for small alpha every
        # gamma variate underflows, and their shares would be 0/0. 1 - u lies in (0, 1].
        body = 1 - draws.uniform(1, clients, number, _GAMMA, 1)[0, :, 0]
        power = 1 - draws.uniform(1, clients, number, _POWER, 1)[0, :, 0]
        logs = np.log(gamma.isf(body, alpha + 1)) + np.log(power) / alpha
        shares = np.exp(logs - logs.max())
        mine = order[labels[order] == label]
        cuts = np.floor(np.cumsum(shares)[:-1] / shares.sum() * len(mine)).astype(np.int64)
        owners[mine] = np.searchsorted(cuts, np.arange(len(mine)), side="right")
    sizes = np.bincount(owners, minlength=clients)
    for client in np.flatnonzero(sizes == 0):
        richest = int(sizes.argmax())
        owners[np.flatnonzero(owners == richest)[-1]] = client
        sizes[[richest, client]] += [-1, 1]
    return owners


def by_classes(labels: Any, clients: int, classes_per_client: int, seed: int = 0) -> IntArray:
    """Each client holds samples of at most ``classes_per_client`` classes.

    The classes, shuffled, are dealt out in turn, so every class has an owner; a class is then
    split evenly over its owners.

    Raises ValueError if some class would have no owner, some client no sample, or there are
    fewer classes than ``classes_per_client``.
    """
    labels = _checked("by_classes", labels, clients, seed)
    per = _integer("by_classes", "classes_per_client", classes_per_client, 1)
    classes = np.unique(labels)
    if not len(classes) <= clients * per or per > len(classes):
        raise ValueError(
            f"by_classes: classes_per_client is {per} with {clients} clients and {len(classes)} "
            f"classes; need {-(-len(classes) // clients)}..{len(classes)}"
        )
    keys = Stream(seed, "partition").uniform(1, 1, 0, _CLASSES, len(classes))[0, 0]
    dealt = np.argsort(keys, kind="stable")[np.arange(clients * per) % len(classes)]
    order, owners = _shuffled(len(labels), seed), np.empty(len(labels), np.int64)
    for number, label in enumerate(classes):
        holders = np.flatnonzero(dealt == number) // per
        mine = order[labels[order] == label]
        owners[mine] = holders[np.arange(len(mine)) % len(holders)]
    sizes = np.bincount(owners, minlength=clients)
    if not sizes.all():
        raise ValueError(
            f"by_classes: client {int(sizes.argmin())} of {clients} is left without a sample; "
            "need fewer clients, or more samples of every class"
        )
    return owners


def _shuffled(samples: int, seed: int) -> IntArray:
    keys = Stream(seed, "partition").uniform(1, 1, 0, _SHUFFLE, samples)[0, 0]
    return np.argsort(keys, kind="stable")


def _integer(where: str, name: str, value: Any, at_least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{where}: {name} is {type(value).__name__}; need an integer")
    if value < at_least:
        raise ValueError(f"{where}: {name} is {value}; need an integer >= {at_least}")
    return int(value)


def _checked(where: str, labels: Any, clients: int, seed: int) -> IntArray:
    made = np.asarray(labels)
    if made.dtype.kind not in "iu":
        raise TypeError(f"{where}: labels have dtype {made.dtype}; need integers")
    if made.ndim != 1:
        raise ValueError(f"{where}: labels have shape {made.shape}; need (m,)")
    _integer(where, "seed", seed, 0)
    if len(made) < _integer(where, "clients", clients, 1):
        raise ValueError(
            f"{where}: {len(made)} samples for {clients} clients; need at least one for each"
        )
    return made.astype(np.int64)
