import numpy as np
import pytest

from theorylab.data import cifar10, cifar100

# The page of the data set: 10000 records a file of CIFAR-10, so exactly 30730000 bytes.
BATCH = 30_730_000
BATCHES = [f"data_batch_{k}.bin" for k in range(1, 6)]


def record(labels, seed):
    """Label bytes and 3072 pixels that tell channel, row and column apart."""
    return bytes(labels) + bytes((seed + 7 * j) % 256 for j in range(3072))


def place(path, size, records):
    """A file of ``size`` bytes: zeros (a hole on the disk) but for the records given by offset."""
    with path.open("wb") as file:
        file.truncate(size)
        for offset, content in records.items():
            file.seek(offset)
            file.write(content)


def ten(folder):
    for number, name in enumerate([*BATCHES, "test_batch.bin"], start=1):
        first, last = record([number], number), record([9], 100 + number)
        place(folder / name, BATCH, {0: first, 9999 * 3073: last, 4321 * 3073: first})
    return folder


def hundred(folder):
    for name, records in (("train.bin", 50000), ("test.bin", 10000)):
        first, last = record([3, 40], 1), record([19, 99], 2)
        place(folder / name, records * 3074, {0: first, (records - 1) * 3074: last})
    return folder


def pixels(seed):
    return [
        [[(seed + 7 * (1024 * c + 32 * row + k)) % 256 for k in range(32)] for row in range(32)]
        for c in range(3)
    ]


def test_cifar10_comes_back_record_by_record(tmp_path):
    data = cifar10(ten(tmp_path))
    assert data.x.shape == (50000, 3, 32, 32)
    assert data.x_test.shape == (10000, 3, 32, 32)
    assert data.x.dtype == data.x_test.dtype == np.uint8
    assert data.x.flags.c_contiguous
    assert data.x.flags.writeable
    for number in range(1, 6):
        start = 10000 * (number - 1)
        for place_, seed in ((0, number), (4321, number), (9999, 100 + number)):
            assert data.x[start + place_].tolist() == pixels(seed)
    assert data.x_test[9999].tolist() == pixels(106)
    counts = np.bincount(data.y, minlength=10)  # two first records and a last one a file
    assert counts.tolist() == [50000 - 15, 2, 2, 2, 2, 2, 0, 0, 0, 5]
    assert data.y[[0, 14321, 49999]].tolist() == [1, 2, 9]
    assert data.y_test[[0, 9999]].tolist() == [6, 9]
    assert (data.classes, data.scale, data.coarse, data.name) == (10, 1 / 255, None, "cifar10")


def test_cifar100_has_the_superclass_first_and_both_labels(tmp_path):
    data = cifar100(hundred(tmp_path))
    assert data.x.shape == (50000, 3, 32, 32)
    assert data.y[[0, 1, 49999]].tolist() == [40, 0, 99]
    assert data.coarse[[0, 1, 49999]].tolist() == [3, 0, 19]
    assert data.y_test[[0, 9999]].tolist() == [40, 99]
    assert data.coarse_test[[0, 9999]].tolist() == [3, 19]
    assert data.x[49999].tolist() == data.x_test[9999].tolist() == pixels(2)
    assert (data.classes, data.scale, data.name) == (100, 1 / 255, "cifar100")


DAMAGE = {
    "missing": (cifar10, "data_batch_3.bin", None, "no such file or directory; need 10000 records"),
    "truncated": (cifar10, "data_batch_5.bin", BATCH - 1, "30729999 bytes; need exactly 30730000"),
    "a record short": (cifar10, "test_batch.bin", BATCH - 3073, "30726927 bytes; need exactly"),
    "too long": (cifar10, "data_batch_1.bin", BATCH + 3073, "30733073 bytes; need exactly"),
    "empty": (cifar100, "train.bin", 0, "0 bytes; need exactly 153700000, 50000 records of 3074"),
    "cifar-10 as -100": (cifar100, "test.bin", BATCH, "30730000 bytes; need exactly 30740000"),
}


@pytest.mark.parametrize(("read", "name", "size", "message"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_named_in_one_line(tmp_path, read, name, size, message):
    (ten if read is cifar10 else hundred)(tmp_path)
    (tmp_path / name).unlink()
    if size is not None:
        place(tmp_path / name, size, {})
    with pytest.raises(ValueError, match=message) as caught:
        read(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / name}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("read", "name", "offset", "labels", "message"),
    [
        (cifar10, "data_batch_2.bin", 17 * 3073, [10], r"label 10 in record 17; need 0\.\.9"),
        (cifar10, "test_batch.bin", 0, [255], r"label 255 in record 0; need 0\.\.9"),
        (cifar100, "train.bin", 5 * 3074, [20, 99], r"coarse label 20 in record 5; need 0\.\.19"),
        (cifar100, "test.bin", 9999 * 3074, [19, 100], r"fine label 100 in record 9999; need"),
    ],
)
def test_a_label_out_of_range_is_named_with_its_record(
    tmp_path, read, name, offset, labels, message
):
    whole = (ten if read is cifar10 else hundred)(tmp_path) / name
    with whole.open("r+b") as file:
        file.seek(offset)
        file.write(bytes(labels))
    with pytest.raises(ValueError, match=message) as caught:
        read(tmp_path)
    assert str(caught.value).startswith(f"{whole}: ")


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("the pickle was opened",))


@pytest.mark.parametrize(
    ("read", "name"), [(cifar10, "data_batch_1"), (cifar10, "test_batch"), (cifar100, "train")]
)
def test_the_python_version_is_refused_unopened(tmp_path, read, name):
    import pickle

    (ten if read is cifar10 else hundred)(tmp_path)
    (tmp_path / f"{name}.bin").unlink()
    (tmp_path / name).write_bytes(pickle.dumps(Bomb()))
    message = f"{name}: .* Python version, a pickle, .* need the binary version, with {name}.bin$"
    with pytest.raises(ValueError, match=message):
        read(tmp_path)


def test_the_images_are_held_once(tmp_path, most_held):
    ten(tmp_path)
    # 60000 images, and besides less than one batch of 10000: labels and one block of records
    assert most_held(lambda: cifar10(tmp_path)) < 60000 * 3072 + BATCH
