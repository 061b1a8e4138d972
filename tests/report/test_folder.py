import json
import os

import pytest

from theorylab.report import folder
from theorylab.report.folder import figure_names, load, write
from theorylab.verdicts.result import Report


def files(root):
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def test_a_folder_holds_results_figures_and_a_page(tmp_path, results):
    write(tmp_path, results)
    stems = [n for n, r in zip(figure_names(results), results, strict=True) if r.curve]
    figures = {f"figures/{stem}.{kind}" for stem in stems for kind in ("svg", "png")}
    assert set(files(tmp_path)) == {"results.json", "index.html"} | figures
    assert "figures/dfedsgpsm.thm1--printed-sgp--worked-example.svg" in figures
    assert load(tmp_path / "results.json").results == results


def test_writing_twice_gives_the_same_bytes(tmp_path, results):
    write(tmp_path, results[:2])
    first = files(tmp_path)
    write(tmp_path, load(tmp_path / "results.json").results)
    assert files(tmp_path) == first


def test_figures_of_results_that_are_gone_go_too_and_other_files_stay(tmp_path, results):
    write(tmp_path, results[:3])
    (tmp_path / "figures" / "my own.png").write_bytes(b"mine")
    write(tmp_path, results[:1])
    assert sorted(os.listdir(tmp_path / "figures")) == [
        "dfedsgpsm.thm1--printed--worked-example.png",
        "dfedsgpsm.thm1--printed--worked-example.svg",
        "my own.png",
    ]


def test_names_of_figures_stay_inside_the_folder_and_apart(make):
    odd = ["../../etc/x", "a/b", "a b", "A b", "", "." * 9, "y" * 400, "y" * 401, "ü\n\x00"]
    names = figure_names([make(check=check) for check in odd])
    assert len({name.lower() for name in names}) == len(odd)
    for name in names:
        assert os.sep not in name
        assert ".." not in name
        assert len(name) < 200
        assert name.isascii()


@pytest.mark.parametrize("stops_at", ["svg", "page"])
def test_a_failure_in_the_middle_leaves_whole_files_only(tmp_path, results, monkeypatch, stops_at):
    write(tmp_path, results[:1])
    before = files(tmp_path)

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(folder, stops_at, fail)
    with pytest.raises(OSError, match="disk full"):
        write(tmp_path, results[:3])
    after = files(tmp_path)
    assert after["index.html"] == before["index.html"]
    assert not [name for name in after if name.endswith(".tmp")]
    Report.model_validate_json(after["results.json"])


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
