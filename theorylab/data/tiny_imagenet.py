"""Tiny-ImageNet from its folders of JPEG files.

Source: Le, Yang, "Tiny ImageNet visual recognition challenge", Stanford CS 231N, 2015: 200 classes,
64 x 64 pixels, in train/CLASS/images and val/images; val serves as test, as usual, because the
labels of its test folder were never published.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from theorylab.data._files import folder, unreadable
from theorylab.data.labelled import Labelled
from theorylab.extras import need

SIDE = 64
TINY_FILES = "wnids.txt, train/CLASS/images/*.JPEG, val/val_annotations.txt, val/images/*.JPEG"


def tiny_imagenet(root: Any) -> Labelled:
    """Tiny-ImageNet: images (m, 3, 64, 64) uint8, scale 1/255; label k is line k of wnids.txt.

    Samples are in the order of the classes, then of the file names (test: of the annotations).
    Grey images get three equal channels. The whole set takes 1.4 GB.

    root: a folder with TINY_FILES. Raises ImportError, one line, where Pillow is not installed, and
    ValueError, one line with the file and what is needed, on a file or folder that is missing,
    empty or broken, a size other than 64 x 64, a class that wnids.txt does not list, and on
    validation images and annotations that are not the same set.
    """
    path = folder("tiny-imagenet", root, TINY_FILES)
    pillow = _pillow()  # before any file is looked at
    wnids = _lines(path / "wnids.txt", "the class names, one a line")
    if len(set(wnids)) != len(wnids) or not wnids:
        raise ValueError(f"{path / 'wnids.txt'}: empty, or a name twice; need distinct class names")
    label_of = {wnid: label for label, wnid in enumerate(wnids)}
    _plain_names(path / "wnids.txt", wnids)
    files: list[Path] = []
    labels: list[int] = []
    for wnid, label in label_of.items():
        found = _jpegs(path / "train" / wnid / "images")
        files += found
        labels += [label] * len(found)
    test_files, test_labels = _validation(path / "val", label_of)
    return Labelled(
        "tiny-imagenet",
        _decode(pillow, files),
        np.array(labels, np.int64),
        _decode(pillow, test_files),
        np.array(test_labels, np.int64),
        classes=len(wnids),
        scale=1 / 255,
    )


def _validation(path: Path, label_of: dict[str, int]) -> tuple[list[Path], list[int]]:
    notes, labels = path / "val_annotations.txt", {}
    for number, line in enumerate(_lines(notes, "FILE, CLASS and box, one image a line"), start=1):
        name, *rest = line.split("\t")
        if not rest or rest[0] not in label_of:
            came = f"class {rest[0]!r}" if rest else "no tab"
            raise ValueError(
                f"{notes}: line {number} has {came}; need FILE, a tab, and a class of wnids.txt"
            )
        if name in labels:
            raise ValueError(f"{notes}: line {number} has {name!r} again; need each image once")
        labels[name] = label_of[rest[0]]
    _plain_names(notes, list(labels))
    there = {file.name for file in _jpegs(path / "images")}
    for name in sorted(there ^ labels.keys()):
        came = "no line in val_annotations.txt" if name in there else "no such file"
        raise ValueError(f"{path / 'images' / name}: {came}; need an image and a line for each")
    return [path / "images" / name for name in labels], list(labels.values())


def _lines(path: Path, need: str) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise unreadable(path, error, need) from None
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not UTF-8 text; need {need}") from None
    return [line.strip() for line in text.splitlines() if line.strip()]


def _plain_names(path: Path, names: list[str]) -> None:
    for name in names:
        if name in {".", ".."} or set(name) & set("/\\:\0"):  # must not lead out of the folder
            raise ValueError(f"{path}: name {name!r}; need a plain file name")


def _jpegs(path: Path) -> list[Path]:
    found = sorted(path.glob("*.JPEG")) if path.is_dir() else []
    if not found:
        raise ValueError(f"{path}: no *.JPEG there; need the images of this class, or all of val")
    return found


def _pillow() -> Any:
    need("tiny-imagenet", "PIL")
    from PIL import Image  # imported here: nothing else needs it

    return Image


def _decode(pillow: Any, files: list[Path]) -> npt.NDArray[np.uint8]:
    images = np.empty((len(files), 3, SIDE, SIDE), np.uint8)
    for path, out in zip(files, images, strict=True):
        try:
            with pillow.open(path, formats=["JPEG"]) as image:
                size = image.size
                if size == (SIDE, SIDE):  # another size is refused undecoded: it may be huge
                    out[...] = np.asarray(image.convert("RGB")).transpose(2, 0, 1)
        except Exception as error:  # damaged files make the decoder raise many kinds
            reason = " ".join(str(error).split())
            raise ValueError(f"{path}: cannot be decoded ({reason}); need a JPEG") from None
        if size != (SIDE, SIDE):
            raise ValueError(f"{path}: {size[0]} x {size[1]} pixels; need {SIDE} x {SIDE}")
    return images
