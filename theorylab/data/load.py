"""Data sets by name, from a local folder: nothing is ever downloaded."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from theorylab.data.cifar import CIFAR100_FILES, CIFAR_FILES, cifar10, cifar100
from theorylab.data.digits import digits
from theorylab.data.idx import (
    EMNIST_FILES,
    FASHION_FILES,
    MNIST_FILES,
    emnist,
    fashion_mnist,
    mnist,
)
from theorylab.data.labelled import Labelled
from theorylab.data.leaf import LEAF_FILES, leaf
from theorylab.data.tiny_imagenet import TINY_FILES, tiny_imagenet
from theorylab.extras import MissingDataError


def labelled_digits() -> Labelled:
    """The 1797 digits of scikit-learn: images (m, 1, 8, 8) uint8 of 0..16, scale 1/16.

    Every fifth sample of each class (its 5th, 10th, ... in the file's order) is a test sample: 1442
    train, 355 test. The split is a function of the data alone.
    Raises ImportError, one line, where scikit-learn is not installed.
    """
    features, labels = digits()
    images = (features[:, :64] * 16).astype(np.uint8).reshape(-1, 1, 8, 8)  # exact: k/16
    test = np.zeros(len(labels), bool)
    for label in range(10):
        test[np.flatnonzero(labels == label)[4::5]] = True
    return Labelled(
        "digits", images[~test], labels[~test], images[test], labels[test], classes=10, scale=1 / 16
    )


class _Source(NamedTuple):
    read: Callable[..., Labelled]
    files: str  # what is looked for in root; empty: no root is needed


_SOURCES = {
    "cifar10": _Source(cifar10, CIFAR_FILES),
    "cifar100": _Source(cifar100, CIFAR100_FILES),
    "digits": _Source(labelled_digits, ""),
    "emnist": _Source(emnist, EMNIST_FILES),
    "fashion-mnist": _Source(fashion_mnist, FASHION_FILES),
    "leaf": _Source(leaf, LEAF_FILES),
    "mnist": _Source(mnist, MNIST_FILES),
    "tiny-imagenet": _Source(tiny_imagenet, TINY_FILES),
}
NAMES = tuple(_SOURCES)
# Where Debian puts a data set, and which package does.
PACKAGED = {"fashion-mnist": ("/usr/share/datasets/fashion-mnist", "dataset-fashion-mnist")}


def load(name: str, root: Any = None, **options: Any) -> Labelled:
    """The data set ``name`` from the folder ``root``.

    Args:
        name: one of NAMES. "digits" is offline and takes no root.
        root: the folder that holds the files, as they come from their archive; None: where
            Debian's package puts them, of a name in PACKAGED.
        options: of the loader: split for emnist, classes for leaf.

    Raises:
        ValueError: an unknown name (the known ones are listed), no root (the files are listed), or
            anything wrong with a file, which is named. TypeError: an unknown option.
        MissingDataError: no root came, and the package is not installed.
        ImportError: a package of the ``data`` extra is needed and missing.
    """
    if not isinstance(name, str):
        raise TypeError(f"load: name is {type(name).__name__}; need one of {', '.join(NAMES)}")
    if name not in _SOURCES:
        raise ValueError(f"load: name is {name!r}; need one of {', '.join(NAMES)}")
    read, files = _SOURCES[name]
    known = [option for option in inspect.signature(read).parameters if option != "root"]
    for option in options:
        if option not in known:
            need = f"none but {', '.join(known)}" if known else "none"
            raise TypeError(f"load: {name} has no option {option!r}; need {need}")
    if not files:
        if root is not None:
            raise ValueError(f"load: {name} came with root {str(root)!r}; need none, it is offline")
        return read(**options)
    if root is None and name in PACKAGED:
        root, package = PACKAGED[name]
        if not Path(root).is_dir():
            raise MissingDataError(
                f"load: {name} is not in {root}; need the Debian package {package}, or a root",
                package,
            )
    if root is None:
        raise ValueError(f"load: {name} came without root; need a folder with {files}")
    return read(root, **options)
