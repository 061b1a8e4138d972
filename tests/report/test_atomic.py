import os

import pytest

from theorylab.report import atomic


def test_the_new_content_replaces_the_old(tmp_path):
    path = tmp_path / "a.json"
    atomic.write_atomic(path, "old ü")
    atomic.write_atomic(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a.json"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_a_failure_in_the_middle_leaves_the_old_file_and_nothing_else(
    tmp_path, monkeypatch, step, error
):
    path = tmp_path / "a.json"
    path.write_text("old")

    def fail(*_):
        raise error

    monkeypatch.setattr(atomic.os, step, fail)
    with pytest.raises(type(error)):
        atomic.write_atomic(path, "new" * 1000)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_reader_never_sees_a_part(tmp_path, monkeypatch):
    # at the moment of the rename the temporary file must hold everything
    path = tmp_path / "a.json"
    content = "x" * 1000  # less than a buffer
    seen = []
    replace = os.replace

    def look(source, target):
        seen.append(os.path.getsize(source))
        assert os.path.dirname(source) == os.path.dirname(target)  # a rename, not a copy
        replace(source, target)

    monkeypatch.setattr(atomic.os, "fsync", lambda fd: seen.append(os.fstat(fd).st_size))
    monkeypatch.setattr(atomic.os, "replace", look)
    atomic.write_atomic(path, content)
    assert seen == [len(content)] * 2  # on the disk first, then renamed


def test_a_place_that_cannot_be_written_is_known_before_the_work(tmp_path):
    (tmp_path / "file").write_text("")
    atomic.check_writable(tmp_path / "new.json")
    assert os.listdir(tmp_path) == ["file"]
    for wrong in (tmp_path / "file" / "x.json", tmp_path / "none" / "x.json", tmp_path):
        with pytest.raises(OSError):  # noqa: PT011  any errno will do
            atomic.check_writable(wrong)
