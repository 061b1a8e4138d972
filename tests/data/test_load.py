import re
import sys

import numpy as np
import pytest

from theorylab.data import load
from theorylab.data.load import NAMES, PACKAGED
from theorylab.extras import MissingDataError

there = sys.modules["theorylab.data.load"]

NEEDS_ROOT = [name for name in NAMES if name != "digits"]


def test_digits_are_the_images_of_scikit_learn_and_every_fifth_of_a_class_is_test():
    from sklearn.datasets import load_digits

    raw, data = load_digits(), load("digits")
    rank = [int(np.sum(raw.target[:j] == raw.target[j])) for j in range(len(raw.target))]
    test = [j for j in range(len(rank)) if rank[j] % 5 == 4]
    train = [j for j in range(len(rank)) if rank[j] % 5 != 4]
    assert (len(train), len(test)) == (1442, 355)
    for x, y, chosen in ((data.x, data.y, train), (data.x_test, data.y_test, test)):
        assert x.dtype == np.uint8
        assert y.dtype == np.int64
        assert x.shape == (len(chosen), 1, 8, 8)
        assert np.array_equal(x[:, 0], raw.images[chosen])
        assert np.array_equal(y, raw.target[chosen])
        assert x.flags.writeable  # a copy: what the cache shares cannot be written to
        assert y.flags.writeable
    assert (data.name, data.classes, data.scale) == ("digits", 10, 1 / 16)
    assert data.owners is data.coarse is None


def test_digits_are_split_by_class():
    data = load("digits")
    for label in range(10):
        train, test = np.sum(data.y == label), np.sum(data.y_test == label)
        assert test == (train + test) // 5


def test_the_names_are_those_of_the_issue():
    first = ("cifar10", "cifar100", "digits", "emnist")
    assert (*first, "fashion-mnist", "leaf", "mnist", "tiny-imagenet") == NAMES


FILE = {
    "cifar10": "data_batch_1.bin",
    "cifar100": "train.bin",
    "emnist": "emnist-SPLIT-{train,test}-{images-idx3,labels-idx1}-ubyte",
    "fashion-mnist": "{train,t10k}-images-idx3-ubyte",
    "leaf": "train/*.json and test/*.json",
    "mnist": "{train,t10k}-labels-idx1-ubyte",
    "tiny-imagenet": "wnids.txt",
}


@pytest.mark.parametrize("name", NEEDS_ROOT)
def test_without_root_the_message_says_which_files_are_looked_for(name, tmp_path, monkeypatch):
    monkeypatch.setattr(there, "PACKAGED", {})
    with pytest.raises(
        ValueError,
        match=rf"^load: {name} came without root; need a folder with "
        rf".*{re.escape(FILE[name])}",
    ):
        load(name)
    nowhere = tmp_path / "nowhere"
    for root in (nowhere, str(nowhere)):
        with pytest.raises(
            ValueError, match=f"^{name}: .*nowhere is no folder; need one with "
        ) as e:
            load(name, root)
        assert FILE[name] in str(e.value)
    with pytest.raises(TypeError, match=f"^{name}: root is int; need a folder with "):
        load(name, 3)


def test_a_packaged_data_set_is_looked_for_where_the_package_puts_it(tmp_path, monkeypatch):
    monkeypatch.setitem(PACKAGED, "fashion-mnist", (str(tmp_path), "dataset-fashion-mnist"))
    with pytest.raises(ValueError, match="no file train-images-idx3-ubyte") as broken:
        load("fashion-mnist")  # the package is there, and a file of it is not
    assert not isinstance(broken.value, MissingDataError)
    away = str(tmp_path / "away")
    monkeypatch.setitem(PACKAGED, "fashion-mnist", (away, "dataset-fashion-mnist"))
    with pytest.raises(MissingDataError, match=r"^load: fashion-mnist is not in .*away; need the"):
        load("fashion-mnist")


@pytest.mark.parametrize("name", NEEDS_ROOT)
def test_an_empty_folder_is_one_line(name, tmp_path):
    with pytest.raises(ValueError, match="; need ") as caught:
        load(name, tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_options_reach_the_loader(tmp_path):
    with pytest.raises(ValueError, match="no file emnist-letters-train-images-idx3-ubyte; need"):
        load("emnist", tmp_path, split="letters")
    (tmp_path / "train").mkdir()
    (tmp_path / "test").mkdir()
    content = '{"users": ["a"], "num_samples": [1], "user_data": {"a": {"x": [[1]], "y": [0]}}}'
    for part in ("train", "test"):
        (tmp_path / part / "a.json").write_text(content)
    assert load("leaf", tmp_path, classes=5).classes == 5


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: load("imagenet"), ValueError, "name is 'imagenet'; need one of cifar10, cifar100"),
        (
            lambda: load(["digits"]),
            TypeError,
            "name is list; need one of cifar10, cifar100, digits",
        ),
        (
            lambda: load("digits", "."),
            ValueError,
            "digits came with root '.'; need none, it is off",
        ),
        (lambda: load("digits", split="x"), TypeError, "no option 'split'; need none$"),
        (lambda: load("mnist", ".", split="x"), TypeError, "no option 'split'; need none$"),
        (
            lambda: load("emnist", ".", part="x"),
            TypeError,
            "no option 'part'; need none but split$",
        ),
    ],
)
def test_bad_input_is_named_in_one_line(call, error, message):
    with pytest.raises(error, match=f"^load: .*{message}") as caught:
        call()
    assert "\n" not in str(caught.value)
