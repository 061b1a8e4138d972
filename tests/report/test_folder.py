import fcntl
import json
import os
import threading

import pytest

from theorylab.commands.refusal import Refused
from theorylab.commands.run.folder import RunFolder
from theorylab.report import folder
from theorylab.report.figure import svg
from theorylab.report.folder import Pages, load, prepare, write
from theorylab.verdicts.result import Report


def files(root):
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def written(root, results):
    """The files of a folder of its own."""
    prepare(root, [result.id for result in results])
    write(root, results)
    return files(root)


def test_a_folder_holds_results_pages_tables_and_a_figure_a_version(tmp_path, results, make):
    write(tmp_path, [*results, make(id="mine.thm1")])
    figures = {
        f"figures/{stem}.svg"
        for stem in (
            "dfedsgpsm.thm1--printed--worked-example",
            "dfedsgpsm.thm1--printed-sgp--worked-example",
            "dfedsgpsm.thm1--corrected--sam-momentum-noise",
            "dfedsgpsm.lem1--printed--momentum",
            "mine.thm1--printed--worked-example",
        )
    }
    pages = {"index.html", "dfedsgpsm.html", "mine.html"}
    assert set(files(tmp_path)) == {"results.json", "tables.tex"} | pages | figures
    assert load(tmp_path / "results.json").results == [*results, make(id="mine.thm1")]


def test_every_file_that_a_page_names_is_there_and_every_figure_is_shown(tmp_path, results, read):
    write(tmp_path, results)
    shown = set()
    for page in tmp_path.glob("*.html"):
        reader = read(page.read_text())
        for target in reader.targets:
            file = target.partition("#")[0]
            assert not file or (tmp_path / file).is_file(), target
            shown.add(file)
    assert {f"figures/{path.name}" for path in (tmp_path / "figures").iterdir()} <= shown


def test_writing_twice_gives_the_same_bytes(tmp_path, results):
    write(tmp_path, results[:2])
    first = files(tmp_path)
    write(tmp_path, load(tmp_path / "results.json").results)
    assert files(tmp_path) == first


def test_what_an_earlier_report_left_goes_and_other_files_stay(tmp_path, results, make):
    write(tmp_path, [*results[:3], make(id="gone.thm1")])
    (tmp_path / "figures" / "my own.svg").write_bytes(b"mine")
    (tmp_path / "mine.html").write_text("<!doctype html><title>mine</title>")
    write(tmp_path, results[:1])
    assert sorted(os.listdir(tmp_path / "figures")) == [
        "dfedsgpsm.thm1--printed--worked-example.svg",
        "my own.svg",
    ]
    assert sorted(p.name for p in tmp_path.glob("*.html")) == [
        "dfedsgpsm.html", "index.html", "mine.html",
    ]  # fmt: skip


def test_a_page_is_written_when_its_paper_is_complete_and_is_not_written_again(
    tmp_path, results, make, monkeypatch
):
    mine = make(id="mine.thm1")
    whole = written(tmp_path / "whole", [*results, mine])
    prepare(tmp_path / "now", [result.id for result in [*results, mine]])
    pages = Pages(tmp_path / "now", [result.id for result in [*results, mine]])
    pages.add(results)
    early = files(tmp_path / "now")
    assert {name for name in early if "html" in name} == {"dfedsgpsm.html"}
    drawn = []
    monkeypatch.setattr(folder, "svg", lambda result: drawn.append(result.id) or svg(result))
    told = []
    pages.finish([*results, mine], told=lambda done, total: told.append((done, total)))
    assert drawn == ["mine.thm1"]
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert files(tmp_path / "now") == whole


@pytest.mark.parametrize("count", [2, 3])
def test_a_page_whose_links_or_results_are_others_at_the_end_is_written_again(
    tmp_path, results, count
):
    """A check that was not run after all, or an interrupt: the report has other papers."""
    prepare(tmp_path / "now", ["dfedsgpsm.thm1", "gone.thm1"])
    pages = Pages(tmp_path / "now", ["dfedsgpsm.thm1", "gone.thm1"])
    pages.add(results[:2])
    pages.finish(results[:count])
    assert files(tmp_path / "now") == written(tmp_path / "whole", results[:count])


def test_of_two_reports_into_one_folder_the_last_one_stands_whole(tmp_path, results, make):
    first, second = results[:2], [*results[1:], make(id="mine.thm1")]
    both = tmp_path / "both"
    prepare(both, [result.id for result in [*first, *second]])
    one, other = (Pages(both, [result.id for result in each]) for each in (first, second))
    one.add(first)
    other.add(second)  # replaces pages of the first, which is not finished
    one.finish(first)
    assert files(both) == written(tmp_path / "one", first)
    other.finish(second)  # whose pages the first one has replaced or removed
    assert files(both) == written(tmp_path / "other", second)


def test_nobody_finishes_a_report_while_another_process_does(tmp_path, results):
    """A lock of another open file is what a lock of another process is."""
    other = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    waiting = threading.Thread(target=write, args=(tmp_path, results[:1]), daemon=True)
    waiting.start()
    waiting.join(0.3)
    assert files(tmp_path) == {}
    os.close(other)
    waiting.join(60)
    assert "index.html" in files(tmp_path)


@pytest.mark.parametrize("stops_at", ["svg", "paper_page", "tables", "overview"])
def test_a_failure_in_the_middle_leaves_whole_files_only(
    tmp_path, results, make, monkeypatch, stops_at
):
    write(tmp_path, [make(id="gone.thm1"), *results[:1]])
    before = files(tmp_path)

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(folder, stops_at, fail)
    with pytest.raises(OSError, match="disk full"):
        write(tmp_path, results[:3])
    after = files(tmp_path)
    assert after["index.html"] == before["index.html"]
    assert set(after) >= set(before)  # what the old overview links to is still there
    assert not [name for name in after if name.endswith(".tmp")]
    assert all(content.endswith(b"</html>") for name, content in after.items() if "html" in name)
    Report.model_validate_json(after["results.json"])


@pytest.mark.parametrize("taken", ["results.json", "index.html", "deprl.html", "tables.tex"])
def test_a_name_that_is_taken_by_a_directory_is_seen_before_the_work(tmp_path, taken):
    (tmp_path / taken).mkdir()
    with pytest.raises(IsADirectoryError, match=taken):
        prepare(tmp_path, ["dfedsgpsm.thm1", "deprl.thm1"])
    (tmp_path / taken).rmdir()
    prepare(tmp_path / "new" / "folder", ["deprl.thm1"])
    assert os.listdir(tmp_path / "new" / "folder") == ["figures"]


GOOD = {"schema": 1, "results": []}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file"),
        (b"", "Invalid JSON"),
        (b'{"schema": 1, "results": [', "Invalid JSON"),
        (b"\xff\xfe", "cannot be read"),
        (b"[]", "need results of schema 1"),
        (json.dumps({**GOOD, "schema": 2}).encode(), "schema 2; need 1"),
        (json.dumps({**GOOD, "extra": 0}).encode(), "extra: Extra inputs"),
        (json.dumps({"schema": 1}).encode(), "results: Field required"),
        (json.dumps({**GOOD, "results": [{"id": 1}]}).encode(), "results.0.id: Input should be"),
    ],
)
def test_a_file_that_holds_no_report_is_refused_in_one_line(tmp_path, content, message):
    path = tmp_path / "results.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_a_curve_with_columns_of_different_length_is_refused(tmp_path, make):
    path = tmp_path / "results.json"
    data = json.loads(Report(schema=1, results=[make(), make()]).to_json())
    data["results"][1]["curve"]["bound"] = [1.0]
    path.write_text(json.dumps(data))
    with pytest.raises(ValueError, match=r"results\.1\.curve: .*lengths \[1, 9\]"):
        load(path)


def test_a_file_without_end_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr("theorylab.kernels._limits.MOST_TEXT", 100)
    for name in ("results.json", "run.json"):
        (tmp_path / name).write_text(" " * 101)
    with pytest.raises(ValueError, match="more than 100 bytes"):
        load(tmp_path / "results.json")
    with pytest.raises(Refused, match="more than 100 bytes"):
        RunFolder(tmp_path).record()
