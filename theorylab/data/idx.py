"""MNIST, Fashion-MNIST and EMNIST from their IDX files, plain or gzip.

An IDX file: two zero bytes, one that names the type (8: unsigned bytes), one that counts the axes,
then every axis's length as a big-endian 32-bit integer, then the values, last axis fastest.
Sources: LeCun, Cortes, Burges, "The MNIST database of handwritten digits" (format and names);
Xiao, Rasul, Vollgraf, "Fashion-MNIST", 2017; Cohen, Afshar, Tapson, van Schaik, "EMNIST: extending
MNIST to handwritten letters", IJCNN 2017.
"""

from __future__ import annotations

import gzip
import io
import math
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from theorylab.data._files import Bytes, fill, folder, unreadable
from theorylab.data.labelled import Labelled

EMNIST_CLASSES = {
    "byclass": 62,
    "bymerge": 47,
    "balanced": 47,
    "letters": 26,
    "digits": 10,
    "mnist": 10,
}
SIDE = 28
_UNSIGNED = 8
_DEFLATE_MOST = 1032  # no deflate stream grows by a larger factor (zlib's technical notes)
_DEBIAN = "Debian's package dataset-fashion-mnist has them in /usr/share/datasets/fashion-mnist"
MNIST_FILES = "{train,t10k}-images-idx3-ubyte and {train,t10k}-labels-idx1-ubyte, plain or .gz"
FASHION_FILES = f"{MNIST_FILES}; {_DEBIAN}"
EMNIST_FILES = "emnist-SPLIT-{train,test}-{images-idx3,labels-idx1}-ubyte, plain or .gz"


def mnist(root: Any) -> Labelled:
    """MNIST: images (m, 1, 28, 28) uint8, 10 classes, scale 1/255.

    root: a folder with MNIST_FILES (also under the name train-images.idx3-ubyte and so on).
    Raises ValueError, one line with the file and what is needed, on any file that is missing,
    truncated, too long, broken, or of another kind, shape or label range.
    """
    return _pair(folder("mnist", root, MNIST_FILES), "mnist", "", "t10k", 10)


def fashion_mnist(root: Any) -> Labelled:
    """Fashion-MNIST: files, arrays and errors as for MNIST; Debian packages the files."""
    path = folder("fashion-mnist", root, FASHION_FILES)
    return _pair(path, "fashion-mnist", "", "t10k", 10, more=f" ({_DEBIAN})")


def emnist(root: Any, split: str = "balanced") -> Labelled:
    """One split of EMNIST: arrays and errors as for MNIST; see EMNIST_CLASSES for the splits.

    The files store every image transposed (they were written column by column; the catalogue of
    TensorFlow Datasets warns of it): here rows are rows again, as in MNIST. In "letters" the
    files count a/A as 1 .. z/Z as 26 (Cohen et al., EMNIST Letters): here 0 .. 25.

    root: a folder with EMNIST_FILES. Raises ValueError as ``mnist``, and on an unknown split.
    """
    if split not in EMNIST_CLASSES:
        raise ValueError(f"emnist: split is {split!r}; need one of {', '.join(EMNIST_CLASSES)}")
    path = folder("emnist", root, EMNIST_FILES)
    first = int(split == "letters")
    name, classes = f"emnist-{split}", EMNIST_CLASSES[split]
    data = _pair(path, name, f"{name}-", "test", classes, first)
    for images in (data.x, data.x_test):
        for start in range(0, len(images), 1024):  # in place, in blocks: no second copy of it all
            block = images[start : start + 1024]
            block[...] = block.swapaxes(2, 3)  # NumPy buffers what overlaps
    return data


def _pair(
    path: Path, name: str, prefix: str, test: str, classes: int, first: int = 0, more: str = ""
) -> Labelled:
    parts: list[npt.NDArray[Any]] = []
    for part in ("train", test):
        image_path = _find(path, f"{prefix}{part}-images", 3, more)
        label_path = _find(path, f"{prefix}{part}-labels", 1, more)
        images, labels = _read(image_path, 3, "images"), _read(label_path, 1, "labels")
        if len(images) != len(labels):
            raise ValueError(
                f"{label_path}: {len(labels)} labels, but {image_path.name} has {len(images)} "
                "images; need one label for each"
            )
        wrong = np.flatnonzero((labels < first) | (labels >= first + classes))
        if wrong.size:
            raise ValueError(
                f"{label_path}: label {labels[wrong[0]]} of sample {wrong[0]}; "
                f"need {first}..{first + classes - 1}"
            )
        parts += [images[:, None], labels.astype(np.int64) - first]
    x, y, x_test, y_test = parts
    return Labelled(name, x, y, x_test, y_test, classes, 1 / 255)


def _find(path: Path, stem: str, axes: int, more: str) -> Path:
    names = [f"{stem}{mark}idx{axes}-ubyte{end}" for mark in "-." for end in ("", ".gz")]
    for name in names:
        if (path / name).is_file():
            return path / name
    raise ValueError(f"{path}: no file {names[0]}; need it, plain or .gz{more}")


def _read(path: Path, axes: int, what: str) -> Bytes:
    """The unsigned bytes of an IDX file of ``axes`` axes."""
    try:
        packed = path.stat().st_size
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as opened:
            return _parse(path, opened, axes, what, packed)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path}: broken gzip ({error}); need the whole file") from None
    except OSError as error:
        raise unreadable(path, error, f"the {what} as IDX") from None


def _parse(path: Path, file: io.BufferedIOBase, axes: int, what: str, packed: int) -> Bytes:
    magic = bytes([0, 0, _UNSIGNED, axes])
    head = file.read(4 + 4 * axes)
    if head[:4] != magic:
        raise ValueError(
            f"{path}: starts with 0x{head[:4].hex()}; need 0x{magic.hex()}, unsigned bytes with "
            f"{axes} {'axis' if axes == 1 else 'axes'} ({what})"
        )
    if len(head) < 4 + 4 * axes:
        raise ValueError(f"{path}: ends after {len(head)} bytes, in its header; need all of it")
    shape = tuple(int(length) for length in np.frombuffer(head, ">u4", offset=4))
    if axes == 3 and shape[1:] != (SIDE, SIDE):
        raise ValueError(f"{path}: images of {shape[1]} x {shape[2]}; need {SIDE} x {SIDE}")
    if not shape[0]:
        raise ValueError(f"{path}: holds no {what}; need at least one")
    need = math.prod(shape)
    # A damaged length must not become an allocation: no file of this size holds more than this.
    most = packed * (_DEFLATE_MOST if path.suffix == ".gz" else 1)
    values = np.empty(min(need, most), np.uint8)
    came = fill(file, values)
    if came < need or file.read(1):
        much = f"{came}" if came < need else f"more than {need}"
        raise ValueError(
            f"{path}: {much} bytes after a header that promises {' x '.join(map(str, shape))}; "
            f"need exactly {need}"
        )
    return values.reshape(shape)
