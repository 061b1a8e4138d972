import io
import pathlib
import shutil
import sys

import numpy as np
import pytest
from PIL import Image

from theorylab.data import tiny_imagenet

WNIDS = ["n02", "n01", "n03"]  # not sorted: the labels are the lines of wnids.txt
COLOURS = {"n02": (200, 0, 0), "n01": (0, 200, 0), "n03": (0, 0, 200)}


def jpeg(colour, size=(64, 64), mode="RGB"):
    buffer = io.BytesIO()
    Image.new(mode, size, colour).save(buffer, "JPEG", quality=95)
    return buffer.getvalue()


def write(root):
    (root / "wnids.txt").write_text("\n".join(WNIDS) + "\n")
    for k, wnid in enumerate(WNIDS):
        folder = root / "train" / wnid / "images"
        folder.mkdir(parents=True)
        for j in range(2 + k):
            (folder / f"{wnid}_{j}.JPEG").write_bytes(jpeg(COLOURS[wnid]))
        (root / "train" / wnid / f"{wnid}_boxes.txt").write_text("")
    images = root / "val" / "images"
    images.mkdir(parents=True)
    lines = []
    for j, wnid in enumerate(["n03", "n02", "n02", "n01"]):
        (images / f"val_{j}.JPEG").write_bytes(jpeg(COLOURS[wnid]))
        lines.append(f"val_{j}.JPEG\t{wnid}\t0\t32\t44\t62\n")
    (root / "val" / "val_annotations.txt").write_text("".join(lines))
    return root


def near(images, colour):
    # a uniform block is its DC coefficient: the quantiser (1 at quality 95: steps of at most
    # 2 / 8) and the rounding of the two colour transforms stay below 4 grey values
    wanted = np.array(colour, int)[:, None, None]
    return np.abs(images.astype(int) - wanted).max() < 4


def test_images_and_labels_come_back_class_by_class(tmp_path):
    data = tiny_imagenet(write(tmp_path))
    assert data.x.shape == (2 + 3 + 4, 3, 64, 64)
    assert data.x.dtype == data.x_test.dtype == np.uint8
    assert data.y.tolist() == [0, 0, 1, 1, 1, 2, 2, 2, 2]
    assert data.y_test.tolist() == [2, 0, 0, 1]
    for x, y in ((data.x, data.y), (data.x_test, data.y_test)):
        for image, label in zip(x, y, strict=True):
            assert near(image, COLOURS[WNIDS[label]])
    assert (data.name, data.classes, data.scale) == ("tiny-imagenet", 3, 1 / 255)


def test_rows_are_rows_and_grey_images_get_three_equal_channels(tmp_path):
    write(tmp_path)
    ramp = np.repeat(np.arange(64, dtype=np.uint8)[:, None] * 4, 64, axis=1)  # brighter downwards
    path = tmp_path / "train/n01/images/n01_0.JPEG"
    Image.fromarray(ramp).save(path, "JPEG", quality=100)
    image = tiny_imagenet(tmp_path).x[2].astype(int)
    assert np.array_equal(image[0], image[1])
    assert np.array_equal(image[0], image[2])
    # quality 100: quantisation steps of 1, 64 coefficients with factors of at most 1/4 each
    assert np.abs(image[0] - ramp).max() <= 8


def test_images_are_in_the_order_of_their_names_not_of_the_disk(tmp_path, monkeypatch):
    write(tmp_path)
    folder = tmp_path / "train/n02/images"
    (folder / "a.JPEG").write_bytes(jpeg((90, 90, 90)))
    listed = pathlib.Path.glob
    for order in (sorted, lambda names: sorted(names)[::-1]):

        def glob(self, pattern, order=order):
            return iter(order(listed(self, pattern)))

        monkeypatch.setattr(pathlib.Path, "glob", glob)
        assert near(tiny_imagenet(tmp_path).x[0], (90, 90, 90))


NOTES = "val/val_annotations.txt"
ONE = "train/n01/images/n01_1.JPEG"
DAMAGE = {
    "no wnids": ("wnids.txt", None, r"wnids.txt: no such file or directory; need the class names"),
    "empty wnids": ("wnids.txt", b"\n", "wnids.txt: empty, or a name twice; need distinct"),
    "wnid twice": ("wnids.txt", b"n01\nn02\nn01\n", "wnids.txt: empty, or a name twice; need"),
    "wnid leads out": ("wnids.txt", b"n01\n../n02\n", "wnids.txt: name '../n02'; need a plain"),
    "wnids binary": ("wnids.txt", b"\xff\xfe\xfa", "wnids.txt: not UTF-8 text; need the class"),
    "class missing": ("wnids.txt", b"n01\nn02\nn03\nn04\n", "n04/images: no .*JPEG there; need"),
    "notes missing": (NOTES, None, "val_annotations.txt: no such file or directory; need FILE"),
    "no tab": (NOTES, b"val_0.JPEG n03\n", "val_annotations.txt: line 1 has no tab; need FILE"),
    "strange class": (NOTES, b"val_0.JPEG\tn09\t0\n", "line 1 has class 'n09'; need FILE, a tab,"),
    "image twice": (NOTES, b"a.JPEG\tn01\na.JPEG\tn02\n", "line 2 has 'a.JPEG' again; need each"),
    "note leads out": (NOTES, b"../a.JPEG\tn01\n", r"name '\.\./a\.JPEG'; need a plain file name"),
    "image without note": ("val/images/x.JPEG", b"", "x.JPEG: no line in val_annotations.txt; n"),
    "note without image": ("val/images/val_2.JPEG", None, "val_2.JPEG: no such file; need an im"),
    "empty image": (ONE, b"", "n01_1.JPEG: cannot be decoded .*; need a JPEG"),
    "cut image": (ONE, jpeg((9, 9, 9))[:-60], "n01_1.JPEG: cannot be decoded .*; need a JPEG"),
    "text": (ONE, b"<html>not found</html>", "n01_1.JPEG: cannot be decoded .*; need a JPEG"),
    "other size": (ONE, jpeg((9, 9, 9), (64, 63)), "n01_1.JPEG: 64 x 63 pixels; need 64 x 64"),
    "cut test image": ("val/images/val_1.JPEG", jpeg(0)[:200], "val_1.JPEG: cannot be decoded"),
}


@pytest.mark.parametrize(("name", "content", "message"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_named_in_one_line(tmp_path, name, content, message):
    path = write(tmp_path) / name
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        tiny_imagenet(tmp_path)
    assert "\n" not in str(caught.value)


def test_another_format_under_the_same_name_is_refused(tmp_path):
    path = write(tmp_path) / ONE
    Image.new("RGB", (64, 64)).save(path, "PNG")
    with pytest.raises(ValueError, match=r"n01_1\.JPEG: cannot be decoded .*; need a JPEG"):
        tiny_imagenet(tmp_path)


@pytest.mark.parametrize("name", ["train/n03/images", "val/images"])
def test_a_missing_folder_is_named(tmp_path, name):
    shutil.rmtree(write(tmp_path) / name)
    with pytest.raises(ValueError, match=rf"{name}: no \*\.JPEG there; need"):
        tiny_imagenet(tmp_path)


def test_without_pillow_the_message_names_the_extra(tmp_path, monkeypatch):
    write(tmp_path)
    monkeypatch.setitem(sys.modules, "PIL", None)
    message = r"^tiny-imagenet: Pillow is not installed; .* pip install 'theorylab\[data\]'$"
    with pytest.raises(ImportError, match=message):
        tiny_imagenet(tmp_path)


def test_importing_the_loaders_does_not_import_pillow():
    import subprocess

    code = "import sys, theorylab.data; sys.exit('PIL' in sys.modules)"
    assert subprocess.run([sys.executable, "-P", "-c", code], check=False).returncode == 0
