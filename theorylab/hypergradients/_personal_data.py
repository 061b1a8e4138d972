"""Each client's own training, validation and test samples (pdbo, Section 6.1 and Appendix D).

The paper splits a pool of labelled samples over the clients, so that each has a label distribution
of its own, and then each client's samples, at random, into the three parts. "We randomly selected
20% of the obtained dataset to make a validation dataset" (Appendix D) leaves open of what the 20%
are; here both shares are of all samples of the client, and the rest trains: .6, .2, .2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from theorylab.data import Labelled, load, natural, split
from theorylab.hypergradients._bilevel import Floats
from theorylab.kernels import Stream
from theorylab.problems._network_data import Part
from theorylab.problems._options import count, number

PARTS = ("train", "validation", "test")
_LEAST = 3  # samples of a client: one for each part
# Step numbers of the partition stream that theorylab.data does not use.
_ORDER, _CHOSEN, _NAMES, _WRONG, _OTHER, _RUN = range(11, 17)


@dataclass(frozen=True)
class PersonalData:
    """parts: what each client trains on, validates on, is tested on; see ``Part``.

    described: the options that build it again, JSON-able; None for data that came as an object.
    """

    source: Labelled
    parts: dict[str, Part]
    described: dict[str, Any] | None

    def labelled(self, held: str) -> Labelled:
        """The training part, with the part ``held`` as test data, and clients as owners.

        With partition "natural" a problem of ``theorylab.problems`` trains every client on its own
        samples, and is tested on that part. Raises ValueError on another part.
        """
        if held not in PARTS[1:]:
            raise ValueError(f"labelled: held is {held!r}; need {' or '.join(PARTS[1:])}")
        train, test = self.parts["train"], self.parts[held]
        return Labelled(
            self.source.name, train.inputs, train.labels, test.inputs, test.labels,
            classes=self.source.classes, scale=self.source.scale, owners=train.owners(),
            owners_test=test.owners(),
        )  # fmt: skip


def personal_data(
    where: str,
    clients: int,
    *,
    data: Any = "digits",
    root: str | None = None,
    partition: str | None = None,
    alpha: float | None = None,
    classes_per_client: int | None = None,
    fraction: float = 1.0,
    validation: float = 0.2,
    test: float = 0.2,
    concepts: int = 1,
    wrong: float = 0.0,
    seed: int = 0,
) -> PersonalData:
    """Training and test files pooled, split over the clients, and each client's samples in three.

    Args:
        data: a name that ``theorylab.data.load`` knows (with ``root``, its folder), or a
            ``Labelled``.
        partition: "dirichlet" (alpha, default .4 as in the paper), "classes"
            (classes_per_client), "iid", "pachinko", or "natural": the data's own clients, the
            default where it has any.
        fraction: of the pool that is used, chosen at random (the paper: .1 of EMNIST).
        validation, test: shares of every client's samples, in (0, 1), below 1 together, rounded
            down; every part keeps at least one sample.
        concepts: how many ways there are to name the classes. Client i uses way i mod concepts in
            all of its parts: way 0 is the data's own, each other a permutation that is drawn.
        wrong: the chance in [0, 1) that a training label is replaced by one of the other classes,
            each as likely. Validation and test labels stay.
        seed: of all that is drawn.

    A client left with fewer than 3 samples, the lowest first, takes the last ones (by index) of
    the client that holds the most.

    Raises:
        ValueError or TypeError, one line: options that contradict each other or the data; fewer
        than 3 samples a client; a class that no client trains on.
    """
    clients, seed = count(where, "clients", clients), count(where, "seed", seed, 0)
    shares = {"validation": validation, "test": test}
    for name, value in {**shares, "fraction": fraction}.items():
        number(where, name, value, above=0)
    if not (validation + test < 1 and fraction <= 1):
        raise ValueError(
            f"{where}: validation is {validation!r}, test {test!r}, fraction {fraction!r}; "
            "need validation + test < 1, fraction <= 1"
        )
    concepts = count(where, "concepts", concepts)
    if concepts > clients:
        raise ValueError(f"{where}: concepts is {concepts}; need at most {clients}, one a client")
    if not number(where, "wrong", wrong, at_least=0) < 1:
        raise ValueError(f"{where}: wrong is {wrong!r}; need a chance in [0, 1)")
    described: dict[str, Any] | None = None
    if isinstance(data, str):
        source = load(data, root)
        described = {"data": data} | ({} if root is None else {"root": str(root)})
    elif not isinstance(data, Labelled) or root is not None:
        raise TypeError(
            f"{where}: data is {type(data).__name__}, root {root!r}; need the name of a data set "
            "and its root, or a theorylab.data.Labelled alone"
        )
    else:
        source = data
    if source.vocabulary:
        raise ValueError(f"{where}: {source.name} holds sequences of tokens; need images")
    if partition is None:
        partition = "dirichlet" if source.owners is None else "natural"
    options: dict[str, Any] = {"alpha": alpha, "classes_per_client": classes_per_client}
    options = {name: value for name, value in options.items() if value is not None}
    if partition == "natural":
        if options:
            raise ValueError(f"{where}: {', '.join(options)} came with partition 'natural'")
        source = natural(source, clients)
    elif partition == "dirichlet":
        options.setdefault("alpha", 0.4)
    inputs = np.concatenate([source.x, source.x_test])
    labels = np.concatenate([source.y, source.y_test])
    chosen = _drawn(len(labels), seed, _CHOSEN)[: int(fraction * len(labels))]
    chosen.sort()
    if len(chosen) < _LEAST * clients:
        raise ValueError(
            f"{where}: {len(chosen)} samples for {clients} clients; need {_LEAST} or more for each"
        )
    own = _owners(source, labels, chosen, clients, partition, seed, options)
    _fill(where, own, clients, partition)
    parts = _parts(inputs[chosen], labels[chosen], own, clients, shares, seed)
    parts = _renamed(parts, source.classes, concepts, wrong, seed)
    missing = np.setdiff1d(np.arange(source.classes), parts["train"].labels)
    if missing.size:
        raise ValueError(
            f"{where}: no client trains on a sample of class {missing[0]}; need more data, or "
            "another seed"
        )
    if described is not None:
        kept = {"partition": partition, **options, "fraction": fraction, **shares, "seed": seed}
        described |= kept
        described |= {"concepts": concepts} if concepts > 1 else {}
        described |= {"wrong": wrong} if wrong else {}
    return PersonalData(source, parts, described)


def seed_of_run(seed: int, run: int) -> int:
    """The seed of the data of a run, of splits that are drawn with the run."""
    u = Stream(seed, "partition").uniform(np.array([run]), 1, 0, _RUN, 1)
    return int(u.item() * 2**53)


def _drawn(samples: int, seed: int, step: int) -> NDArray[np.int64]:
    keys = Stream(seed, "partition").uniform(1, 1, 0, step, samples)[0, 0]
    return np.argsort(keys, kind="stable")


def _owners(
    source: Labelled,
    labels: NDArray[np.int64],
    chosen: NDArray[np.int64],
    clients: int,
    partition: str,
    seed: int,
    options: dict[str, Any],
) -> NDArray[np.int64]:
    if partition == "natural":
        own: Any = np.concatenate([source.owners, source.owners_test])  # natural() saw to both
        return np.asarray(own[chosen], np.int64)
    if partition == "pachinko" and source.coarse is not None and source.coarse_test is not None:
        options = {**options, "coarse": np.concatenate([source.coarse, source.coarse_test])[chosen]}
    here = labels[chosen]
    return split(here, here[:0], clients, partition=partition, seed=seed, **options)[0]


def _fill(where: str, owners: NDArray[np.int64], clients: int, partition: str) -> None:
    """Give every client _LEAST samples, in place."""
    sizes = np.bincount(owners, minlength=clients)
    if partition == "natural" and sizes.min() < _LEAST:
        raise ValueError(
            f"{where}: client {int(sizes.argmin())} of {clients} has {sizes.min()} samples of its "
            f"own; need {_LEAST} or more, fewer clients"
        )
    for client in np.flatnonzero(sizes < _LEAST).tolist():
        while sizes[client] < _LEAST:
            rich = int(sizes.argmax())
            owners[np.flatnonzero(owners == rich)[-1]] = client
            sizes[[rich, client]] += [-1, 1]


def _parts(
    inputs: NDArray[Any],
    labels: NDArray[np.int64],
    owners: NDArray[np.int64],
    clients: int,
    shares: dict[str, float],
    seed: int,
) -> dict[str, Part]:
    order = _drawn(len(labels), seed, _ORDER)
    order = order[np.argsort(owners[order], kind="stable")]  # by client, shuffled within
    sizes = np.bincount(owners, minlength=clients)
    place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    tested = np.clip((sizes * shares["test"]).astype(np.int64), 1, sizes - 2)
    validated = np.clip((sizes * shares["validation"]).astype(np.int64), 1, sizes - tested - 1)
    ends = {"test": tested, "validation": tested + validated, "train": sizes}
    low, made = np.zeros(clients, np.int64), {}
    for name, end in ends.items():
        rows = order[(place >= np.repeat(low, sizes)) & (place < np.repeat(end, sizes))]
        held = end - low
        made[name] = Part(inputs[rows], labels[rows], held, np.cumsum(held) - held)
        low = end
    return {name: made[name] for name in PARTS}


def _renamed(
    parts: dict[str, Part], classes: int, concepts: int, wrong: float, seed: int
) -> dict[str, Part]:
    """The labels as each client names them, and some training labels wrong."""
    draws = Stream(seed, "partition")
    keys = draws.uniform(1, concepts, 0, _NAMES, classes)[0]
    names = np.argsort(keys, axis=1, kind="stable")
    names[0] = np.arange(classes)
    made = {
        name: part._replace(labels=names[part.owners() % concepts, part.labels])
        for name, part in parts.items()
    }
    if wrong and classes > 1:
        labels = made["train"].labels
        hit, way = (draws.uniform(1, 1, 0, step, len(labels))[0, 0] for step in (_WRONG, _OTHER))
        shift = 1 + np.floor(way * (classes - 1)).astype(np.int64)
        labels = np.where(hit < wrong, (labels + shift) % classes, labels)
        made["train"] = made["train"]._replace(labels=labels)
    return made


class Held(NamedTuple):
    """features (n, M, p), 0 past a client's last row; labels (n, M), -1 past it; sizes (n,)."""

    features: Floats
    labels: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def inside(self) -> NDArray[np.bool_]:
        """(n, M): the rows that are samples."""
        return self.labels >= 0

    def shares(self) -> Floats:
        """(n, M): 1 / m_i at each sample, 0 past the last. Needs m_i > 0."""
        return np.asarray(self.inside() / self.sizes[:, None])

    def one_hot(self, classes: int) -> Floats:
        """(n, M, C), 0 past a client's last row."""
        return np.equal(self.labels[..., None], np.arange(classes)).astype(np.float64)

    def tables(self, classes: int) -> tuple[Floats, Floats, Floats]:
        """Features (n, M, p), one-hot labels (n, M, C), shares (n, M)."""
        return self.features, self.one_hot(classes), self.shares()

    def right(self, scores: Floats) -> Floats:
        """Share of each client's samples whose highest score is its label's. Needs m_i > 0.

        scores (R, n, M, C) -> (R, n). Of equal scores the lowest class counts.
        """
        count = np.equal(scores.argmax(axis=-1), self.labels).sum(axis=-1)  # no class is -1
        return np.asarray(count / self.sizes)


def held(features: Floats, labels: NDArray[np.int64], sizes: NDArray[np.int64]) -> Held:
    """From rows sorted by client: features (m, ...), labels (m,), sizes (n,)."""
    inside = np.arange(sizes.max()) < sizes[:, None]
    starts = np.cumsum(sizes) - sizes
    rows = np.where(inside, starts[:, None] + np.arange(inside.shape[1]), 0)
    kept = inside.reshape(*inside.shape, *(1 for _ in features.shape[1:]))
    return Held(features[rows] * kept, np.where(inside, labels[rows], -1), sizes)


@dataclass(frozen=True)
class PersonalOptions:
    """Checked when made; ValueError or TypeError, one line.

    mixed: lambda_i holds the ensemble's K numbers. weighted: it holds the labels' C numbers; at
    least one of the two. components: K. reg: l2 weight >= 0 of the inner loss; > 0 where the rest
    of it is convex. batch: samples a minibatch, with replacement; None: the full batch.
    component_reg, label_reg: l2 weights >= 0 of lambda_i in F_i. outer: the part F_i averages over.
    """

    where: str
    mixed: bool
    weighted: bool
    components: int = 1
    reg: float = 1e-3
    batch: int | None = None
    component_reg: float = 0.0
    label_reg: float = 0.0
    outer: str = "train"

    def __post_init__(self) -> None:
        count(self.where, "components", self.components)
        for name in ("reg", "component_reg", "label_reg"):
            number(self.where, name, getattr(self, name), at_least=0)
        if self.batch is not None:
            count(self.where, "batch", self.batch)
        if self.outer not in PARTS[:2]:
            raise ValueError(
                f"{self.where}: outer is {self.outer!r}; need {' or '.join(PARTS[:2])}"
            )

    def groups(self, classes: int) -> dict[str, slice]:
        """Where lambda_i holds what: "components", then "labels"."""
        made, end = {}, 0
        for name, there, size in (
            ("components", self.mixed, self.components),
            ("labels", self.weighted, classes),
        ):
            if there:
                made[name] = slice(end, end + size)
                end += size
        return made

    def rates(self, groups: Mapping[str, slice]) -> Floats:
        """The l2 weight of each number of lambda_i, (dlam,)."""
        made = np.zeros(max(each.stop for each in groups.values()))
        for name, rate in (("components", self.component_reg), ("labels", self.label_reg)):
            if name in groups:
                made[groups[name]] = rate
        return made
