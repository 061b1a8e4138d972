import gzip
import struct

import numpy as np
import pytest

from theorylab.data import emnist, fashion_mnist, mnist

SIZES = {"train": 7, "t10k": 3, "test": 3}


def images_of(count):
    """Every pixel its own value, up to 251: a mix-up of samples, rows or columns shows."""
    return np.arange(count * 784).reshape(count, 28, 28) % 251


def packed(axes, values, kind=8, lengths=None):
    """An IDX file, byte by byte."""
    values = np.asarray(values)
    lengths = values.shape if lengths is None else lengths
    head = bytes([0, 0, kind, axes]) + b"".join(struct.pack(">I", n) for n in lengths)
    return head + bytes(values.ravel().tolist())


def write(folder, prefix="", test="t10k", first=0, zipped=False, mark="-"):
    for part in ("train", test):
        count = SIZES[part]
        labels = np.arange(count) % 10 + first
        for what, axes, values in (("images", 3, images_of(count)), ("labels", 1, labels)):
            content = packed(axes, values)
            path = folder / f"{prefix}{part}-{what}{mark}idx{axes}-ubyte"
            if zipped:
                path.with_name(path.name + ".gz").write_bytes(gzip.compress(content))
            else:
                path.write_bytes(content)
    return folder


@pytest.mark.parametrize("read", [mnist, fashion_mnist])
@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("mark", ["-", "."])
def test_images_and_labels_come_back_as_written(tmp_path, read, zipped, mark):
    data = read(write(tmp_path, zipped=zipped, mark=mark))
    for x, y, count in ((data.x, data.y, 7), (data.x_test, data.y_test, 3)):
        assert x.dtype == np.uint8
        assert x.flags.c_contiguous
        assert x.flags.writeable  # torch warns of arrays that are not
        assert x.shape == (count, 1, 28, 28)
        assert np.array_equal(x[:, 0], images_of(count))
        assert y.dtype == np.int64
        assert y.tolist() == [j % 10 for j in range(count)]
    assert data.name == read.__name__.replace("_", "-")
    assert (data.classes, data.scale, data.owners, data.coarse) == (10, 1 / 255, None, None)


@pytest.mark.parametrize(
    ("split", "classes"),
    # Cohen et al. 2017, Table II
    [
        ("byclass", 62),
        ("bymerge", 47),
        ("balanced", 47),
        ("letters", 26),
        ("digits", 10),
        ("mnist", 10),
    ],
)
def test_emnist_images_are_turned_and_letters_start_at_0(tmp_path, split, classes):
    write(tmp_path, f"emnist-{split}-", "test", first=int(split == "letters"), zipped=True)
    data = emnist(tmp_path, split)
    for x, count in ((data.x, 7), (data.x_test, 3)):
        assert x.flags.c_contiguous
        for j in range(count):
            for row in range(28):
                assert x[j, 0, row].tolist() == images_of(count)[j, :, row].tolist()
    assert data.y.tolist() == list(range(7))
    assert data.classes == classes
    assert data.name == f"emnist-{split}"


def test_every_block_of_emnist_is_turned(tmp_path):
    # more images than one block of the transposition in place
    count = 2500
    images = (np.arange(count)[:, None, None] + 3 * np.arange(28)[:, None] + np.arange(28)) % 256
    for part in ("train", "test"):
        name = f"emnist-digits-{part}"
        (tmp_path / f"{name}-images-idx3-ubyte").write_bytes(packed(3, images))
        (tmp_path / f"{name}-labels-idx1-ubyte").write_bytes(packed(1, [0] * count))
    assert np.array_equal(emnist(tmp_path, "digits").x[:, 0], images.transpose(0, 2, 1))


IMAGES, LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"
WHOLE = packed(3, images_of(7))
DAMAGE = {
    "missing": (IMAGES, None, f"no file {IMAGES}; need it, plain or .gz"),
    "labels missing": (LABELS, None, f"no file {LABELS}; need it"),
    "empty": (IMAGES, b"", r"starts with 0x; need 0x00000803, unsigned bytes with 3 axes"),
    "header cut": (IMAGES, WHOLE[:9], "ends after 9 bytes, in its header; need all of it"),
    "truncated": (IMAGES, WHOLE[:-1], "5487 bytes after a header that promises 7 x 28 x 28; need"),
    "too long": (IMAGES, WHOLE + b"\0", "more than 5488 bytes after .*; need exactly 5488"),
    "labels in place of images": (IMAGES, packed(1, [0] * 7), "starts with 0x00000801; need 0x0"),
    "images in place of labels": (LABELS, WHOLE, r"0x00000803; need 0x00000801, .* with 1 axis"),
    "signed bytes": (IMAGES, packed(3, images_of(7) // 2, kind=9), "0x00000903; need 0x00000803"),
    "not IDX": (IMAGES, b"<html>", "starts with 0x3c68746d; need 0x00000803"),
    "other size": (IMAGES, packed(3, np.zeros((7, 8, 9), int)), "images of 8 x 9; need 28 x 28"),
    "no images": (IMAGES, packed(3, np.zeros((0, 28, 28), int)), "no images; need at least one"),
    "no labels": (LABELS, packed(1, []), "holds no labels; need at least one"),
    "huge": (IMAGES, packed(3, [], lengths=(2**32 - 1, 28, 28)), "0 bytes after .* 4294967295 x"),
    "counts": (LABELS, packed(1, [0] * 6), f"6 labels, but {IMAGES}.* has 7 images; need one"),
    "label": (LABELS, packed(1, [0, 1, 2, 10, 4, 5, 6]), r"label 10 of sample 3; need 0\.\.9"),
}


@pytest.mark.parametrize(("name", "content", "message"), DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("zipped", [False, True])
def test_a_damaged_file_is_named_in_one_line(tmp_path, name, content, message, zipped):
    write(tmp_path, zipped=zipped)
    path = tmp_path / (name + ".gz" * zipped)
    path.unlink()
    if content is not None:
        path.write_bytes(gzip.compress(content) if zipped else content)
    with pytest.raises(ValueError, match=message) as caught:
        mnist(tmp_path)
    assert str(path if content is not None else tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("damage", ["cut", "flipped", "no gzip", "checksum"])
def test_a_broken_gzip_is_named_in_one_line(tmp_path, damage):
    write(tmp_path, zipped=True)
    path = tmp_path / f"{IMAGES}.gz"
    whole = path.read_bytes()
    path.write_bytes(
        {
            "cut": whole[:-9],
            "flipped": whole[:20] + bytes(255 - b for b in whole[20:60]) + whole[60:],
            "no gzip": WHOLE,
            "checksum": whole[:-8] + bytes([whole[-8] ^ 1]) + whole[-7:],
        }[damage]
    )
    with pytest.raises(
        ValueError, match=r"ubyte\.gz: broken gzip \(.*\); need the whole"
    ) as caught:
        mnist(tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("label", [0, 27])
def test_letters_are_1_to_26_in_the_file(tmp_path, label):
    write(tmp_path, "emnist-letters-", "test", first=1)
    path = tmp_path / f"emnist-letters-{LABELS}"
    path.write_bytes(packed(1, [label, *range(1, 7)]))
    with pytest.raises(ValueError, match=rf"label {label} of sample 0; need 1\.\.26"):
        emnist(tmp_path, "letters")


def test_a_label_of_the_test_set_is_checked_too(tmp_path):
    write(tmp_path)
    (tmp_path / "t10k-labels-idx1-ubyte").write_bytes(packed(1, [0, 200, 2]))
    with pytest.raises(ValueError, match=r"t10k-labels-idx1-ubyte: label 200 of sample 1; need"):
        mnist(tmp_path)


def test_an_unknown_split_lists_the_splits(tmp_path):
    with pytest.raises(ValueError, match="split is 'all'; need one of byclass, bymerge, balanced"):
        emnist(tmp_path, "all")


def test_the_images_are_held_once(tmp_path, most_held):
    count = 4000
    for part in ("train", "t10k"):
        (tmp_path / f"{part}-labels-idx1-ubyte").write_bytes(packed(1, [0] * count))
        images = np.zeros((count, 28, 28), int)
        name = tmp_path / f"{part}-images-idx3-ubyte.gz"
        name.write_bytes(gzip.compress(packed(3, images), 1))
    # both image arrays, and less than half of one besides: labels and the reader's buffers
    assert most_held(lambda: mnist(tmp_path)) < 2.5 * count * 784
