"""What a command writes takes the place of regular files only, and what it reads is one."""

import os
import stat

import pytest

RUN = ("run", "sgp", "--problem", "quadratic", "--topology", "ring", "--clients", 3,
       "--rounds", 2, "--set", "eta=0.1")  # fmt: skip


def test_json_to_a_device_of_the_tests_own_goes_through_it(run, tmp_path):
    path = tmp_path / "null"
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        path.write_text("")
    except PermissionError:
        pytest.skip("only root makes device nodes, and not on every file system")
    for command in (("doctor",), ("list", "dfedsgpsm.lem1"), RUN):
        assert run(*command, "--json", path).code == 0
        assert stat.S_ISCHR(os.lstat(path).st_mode)


@pytest.mark.parametrize("name", ["run.json", "trace.npz", "curves.svg", ".lock"])
@pytest.mark.parametrize("kind", ["link", "FIFO"])
def test_a_run_refuses_a_folder_that_holds_no_regular_file_in_a_file_s_place(
    refused, tmp_path, name, kind
):
    outside, folder = tmp_path / "outside", tmp_path / "out"
    outside.write_text("precious")
    folder.mkdir()
    if kind == "link":
        (folder / name).symlink_to(outside)
    else:
        os.mkfifo(folder / name)
    for more in ((), ("--resume",), ("--force",)):
        assert "need a regular file" in refused(*RUN, "--out", folder, *more)
    assert outside.read_text() == "precious"


def test_report_reads_no_fifo_and_writes_through_no_linked_folder(refused, tmp_path):
    folder, outside = tmp_path / "out", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    os.mkfifo(folder / "results.json")
    assert "a FIFO" in refused("report", folder)
    (folder / "results.json").unlink()
    (folder / "results.json").write_text('{"schema": 1, "results": []}')
    (folder / "figures").symlink_to(outside)
    assert "figures is a link" in refused("report", folder)
    assert list(outside.iterdir()) == []


def test_csv_and_json_do_not_both_go_to_stdout(run):
    for words in (["verify", "dfedsgpsm.lem1"], ["run", "sgp", "--problem", "log-cosh"]):
        done = run(*words, "--csv", "-", "--json", "-")
        assert done.code == 2
        assert done.err == "theorylab: --csv: - came with --json -; need a file for one of them\n"


def test_no_file_takes_the_place_of_another_one_of_the_same_command(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "one")
    for flags in (("--json", "one", "--csv", "./one"), ("--csv", "one", "--script", "link")):
        done = run("verify", "dfedsgpsm.lem1", *flags)
        assert done.code == 2
        assert done.err.endswith(f"{flags[0]} writes there, too; need another file\n")
    assert not (tmp_path / "one").exists()
    assert run("verify", "dfedsgpsm.lem1", "--json", os.devnull, "--csv", os.devnull).code == 0


def test_csv_on_stdout_is_alone_there(run):
    done = run("verify", "dfedsgpsm.lem1", "--csv", "-")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].startswith("id,version,check,verdict,expected,")
    assert [line.split(",")[3] for line in lines[1:]] == ["HOLDS"] * 3
    assert "Exit code 0" in done.err
