import json
import os

import pytest

from theorylab.commands.refusal import Refused
from theorylab.commands.run.folder import RunFolder
from theorylab.report import folder
from theorylab.report.folder import load, prepare, write
from theorylab.verdicts.result import Report


def files(root):
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


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
