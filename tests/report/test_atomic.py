import os
import socket
import stat
import threading

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


@pytest.fixture(params=["FIFO", "device", "link", "link to nothing"])
def other(request, tmp_path):
    """Something in a file's place that is no regular file, and what it is called."""
    path = tmp_path / "results.json"
    if request.param == "FIFO":
        os.mkfifo(path)
    elif request.param == "device":
        node(path)
    else:
        target = tmp_path / "target"
        if request.param == "link":
            target.write_text("old")
        path.symlink_to(target)
    return path


def node(path):
    """A device that swallows everything, as /dev/null does; never the machine's own."""
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        path.write_text("")
    except PermissionError:
        pytest.skip("only root makes device nodes, and not on every file system")


def test_in_a_folder_nothing_but_a_regular_file_is_replaced(other):
    before = os.lstat(other)
    for call in (atomic.check_writable, lambda path: atomic.write_atomic(path, "new")):
        with pytest.raises(OSError, match="need a regular file, or none"):
            call(other)
    after = os.lstat(other)
    assert (before.st_ino, before.st_mode) == (after.st_ino, after.st_mode)
    if other.is_symlink() and other.exists():
        assert other.read_text() == "old"


def test_a_device_that_is_named_is_written_through(tmp_path):
    path = tmp_path / "null"
    node(path)
    atomic.check_named(path)
    atomic.write_named(path, "text")
    assert stat.S_ISCHR(os.lstat(path).st_mode)
    assert os.listdir(tmp_path) == ["null"]


def test_what_reads_a_fifo_gets_the_text_and_the_fifo_stays(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read = []
    reader = threading.Thread(target=lambda: read.append(path.read_text()), daemon=True)
    reader.start()
    atomic.check_named(path)
    atomic.write_named(path, "text" * 50_000)  # more than a pipe holds
    reader.join(20)
    assert read == ["text" * 50_000]
    assert stat.S_ISFIFO(os.lstat(path).st_mode)


@pytest.mark.parametrize("there", [True, False])
def test_a_link_that_is_named_stays_and_its_target_is_replaced_whole(tmp_path, there):
    target, middle, link = (tmp_path / name for name in ("target", "middle", "link"))
    if there:
        target.write_text("old")
    middle.symlink_to("target")
    link.symlink_to(middle)
    before = set(os.listdir(tmp_path)) | {"target"}
    atomic.check_named(link)
    atomic.write_named(link, "new")
    assert link.is_symlink()
    assert middle.is_symlink()
    assert target.read_text() == "new"
    assert set(os.listdir(tmp_path)) == before


def test_a_link_to_itself_and_a_socket_are_refused(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    ear = tmp_path / "ear"
    with socket.socket(socket.AF_UNIX) as heard:
        heard.bind(str(ear))
        for path in (loop, ear):
            for call in (atomic.check_named, lambda path: atomic.write_named(path, "new")):
                with pytest.raises(OSError, match=r"Too many|a socket"):
                    call(path)
    assert loop.is_symlink()
    assert stat.S_ISSOCK(os.lstat(ear).st_mode)
