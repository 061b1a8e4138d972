"""False claims beside one benign check: the rows are what they say, and the table counts them."""

import concurrent.futures
import importlib
import json
import pathlib
from collections import Counter

import pytest
from quality_distance import parts

from theorylab import symbols

VERIFY = pathlib.Path(__file__).resolve().parents[2] / "verify"
PAPERS = {"dfedsgpsm", "dfedpgp", "dfedalt", "dfedsalt", "deprl", "pdbo"}


@pytest.fixture
def scripts(monkeypatch):
    """The scripts of ``verify`` by name, and the registries as they were afterwards."""
    monkeypatch.syspath_prepend(str(VERIFY))
    return importlib.import_module


def rows_there():
    return json.loads((VERIFY / "stripped.json").read_text())["rows"]


ROWS = rows_there()


def small(row):
    """Cheap to judge: no sampling, few rounds."""
    witness = row["witness"]
    return (
        not row["growth"]
        and not row["id"].startswith("gallery")
        and isinstance(witness.get("rounds"), int)
        and witness["rounds"] <= 100
        and "random" not in json.dumps(witness)
    )


def test_the_rows_are_many_and_none_comes_twice(scripts):
    name_of = scripts("quality_rows").name_of
    planted = [row for row in ROWS if row["kind"] == "planted"]
    assert len(planted) >= 60
    assert {row["id"].split(".")[0] for row in planted} == PAPERS
    assert len({name_of(row) for row in ROWS}) == len(ROWS)
    halves = Counter(scripts("quality_rows").held_out(row) for row in ROWS)
    assert min(halves.values()) > len(ROWS) / 3


def test_a_version_called_false_as_it_stands_has_a_check_that_says_so(scripts):
    statement_of = scripts("quality_rows").statement_of
    for row in [row for row in ROWS if row["kind"] == "stripped"]:
        checks = statement_of(row["id"]).versions[row["version"]].checks
        assert any(c.expect == "VIOLATED" and not c.control for c in checks), row["id"]


def test_a_distance_is_that_of_its_instances_and_both_make_the_same_claim():
    for row in ROWS:
        assert list(parts(row["benign"], row["witness"])) == row["parts"] != []
        assert row["benign"].get("constants") == row["witness"].get("constants"), row["id"]


@pytest.mark.usefixtures("registries")
def test_a_search_sees_one_version_and_one_check_and_no_witness(scripts):
    beside_one = scripts("quality_rows").beside_one
    for row in [row for row in ROWS if not row["id"].startswith("gallery")][::20]:
        alone = beside_one(row)
        assert list(alone.versions) == [row["version"]]
        (check,) = alone.versions[row["version"]].checks
        assert check.instance != row["witness"]
        kept = {key: value for key, value in row["benign"].items() if key != "constants"}
        assert {key: check.instance[key] for key in kept} == kept
        assert check.expect == "HOLDS"


@pytest.mark.parametrize(
    "row", [row for row in ROWS if small(row)][::23][:3], ids=lambda r: r["id"]
)
def test_a_witness_refutes_the_false_claim_and_not_the_true_one(scripts, row):
    pool, rows = scripts("quality_pool"), scripts("quality_rows")
    judged = pool.verdict
    assert judged(rows.claim_of(row), row["version"], row["witness"], sure=True) == "VIOLATED"
    alone = rows.beside_one(row)
    benign = alone.versions[row["version"]].checks[0].instance
    assert judged(alone, row["version"], benign, sure=False) in pool.GOOD
    if row["change"]:
        true = rows.statement_of(row["id"])
        assert judged(true, row["version"], row["witness"], sure=True) != "VIOLATED"


@pytest.mark.slow
@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize(
    "row", ROWS, ids=lambda row: f"{row['id']} {row['version']} {row['change']}"
)
def test_every_witness_refutes_its_claim(scripts, row):
    pool, rows = scripts("quality_pool"), scripts("quality_rows")
    assert pool.verdict(rows.claim_of(row), row["version"], row["witness"], sure=True) == "VIOLATED"


def test_the_constants_of_a_paper_are_those_of_every_instance(scripts):
    rows = scripts("quality_rows")
    row = next(row for row in ROWS if row["benign"].get("constants") == {"dfedalt_unit": 1})
    content = rows.beside_one(row).versions[row["version"]]
    (check,) = content.checks
    assert "constants" not in check.instance  # else nothing of it could be moved
    given = {symbols.name_of(s): made for s, made in content.constants.items()}
    assert given["dfedalt_unit"](None).value == 1


def made(name, kind, moves, **more):
    row = {"name": name, "paper": name.split(".")[0], "planted": True, "growth": False}
    row |= {"distance": moves, "held out": False, "kind": kind, "beside all": None}
    return row | {"seconds": 1.0, "tried": 5} | more


def test_the_table_counts_by_distance_kind_and_half(scripts):
    table = scripts("quality_stripped").table
    told = table(
        [
            made("deprl.a", "refuted", 1),
            made("deprl.b", "missed", 1, **{"held out": True}),
            made("pdbo.c", "refuted", 2),
            made("pdbo.d", "itself", 2),
            made("pdbo.e", "needs", 5),
            made("pdbo.f", "refuted", 5, planted=False, **{"beside all": True}),
            made("pdbo.g", "missed", 1, growth=True, **{"beside all": False}),
        ]
    )
    by_name = {line[:22].strip(): line[22:].split() for line in told}
    assert by_name["one move"] == ["1/2", "50.0%", "1/1", "100.0%", "0/1", "0.0%", "97%"]
    assert by_name["two moves"] == ["1/1", "100.0%", "1/1", "100.0%", "-", "60%"]
    assert by_name["stripped"][:2] == ["1/1", "100.0%"]
    assert by_name["claims about growth"][:2] == ["0/1", "0.0%"]
    assert by_name["beside all checks"] == ["1/2", "50.0%", "99%"]
    assert "of a seed" not in "".join(told)
    assert by_name["pdbo"][:2] == ["2/4", "50.0%"]
    assert "true versions broken by what was found: 1 pdbo.d" in told
    assert "told as what the claim needs, and not counted: 1 pdbo.e" in told


def test_a_share_over_several_seeds_comes_with_the_least_and_the_largest(scripts):
    kinds = {0: ("refuted", "refuted"), 1: ("refuted", "missed"), 2: ("missed", "missed")}
    rows = [
        made(f"deprl.{k}", kind, 1, seed=s)
        for s, two in kinds.items()
        for k, kind in enumerate(two)
    ]
    told = next(line for line in scripts("quality_stripped").table(rows) if "one move" in line)
    assert told.split()[2:4] == ["3/6", "50.0%"]
    assert told.endswith("97%  0.0% .. 100.0% of a seed")


def test_halves_are_apart_and_a_draw_is_a_function_of_its_seed(scripts):
    chosen = scripts("quality_stripped").chosen
    both = [chosen(ROWS, half, "*", 0, 0) for half in ("dev", "held-out")]
    assert len(both[0]) + len(both[1]) == len(ROWS)
    names = [{scripts("quality_rows").name_of(row) for row in half} for half in both]
    assert not names[0] & names[1]
    one, two = (chosen(ROWS, "all", "*", 12, seed) for seed in (1, 2))
    assert chosen(ROWS, "all", "*", 12, 1) == one != two
    assert len(one) == 12


def test_a_run_is_resumed_and_what_is_kept_is_not_searched_again(
    scripts, monkeypatch, tmp_path, capsys
):
    main = scripts("quality_stripped")
    monkeypatch.setattr(main, "started", concurrent.futures.ThreadPoolExecutor)
    file, name_of = tmp_path / "rows.json", scripts("quality_rows").name_of
    words = ["--budget", "0.05", "--only", "d*", "--sample", "2", "--json", str(file)]
    rows = main.chosen([row for row in ROWS if small(row)], "all", "d*", 2, 20)
    monkeypatch.setattr(main, "read", lambda: {"rows": rows})
    assert main.main(words) == 0
    kept = json.loads(file.read_text())
    assert {row["name"] for row in kept["rows"]} == {name_of(row) for row in rows}
    assert {row["kind"] for row in kept["rows"]} <= {"refuted", "missed", "itself"}
    del kept["rows"][1]
    kept["rows"][0] |= {"kind": "missed", "seconds": 77.0}
    file.write_text(json.dumps(kept))
    capsys.readouterr()
    assert main.main([*words, "--resume"]) == 0
    again = json.loads(file.read_text())["rows"]
    assert again[0] == kept["rows"][0]
    assert len(again) == 2
    lines = capsys.readouterr().out.splitlines()
    assert sum(" moves " in line and " tried " in line for line in lines) == 1
    assert lines[0] == "half: all, 2 of them, drawn with seed 20; 0.05 s of one core a row"


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--budget", "0"], "need 0 < --budget < inf"),
        (["--budget", "inf"], "need 0 < --budget < inf"),
        (["--jobs", "0"], "--jobs and --seeds >= 1"),
        (["--seeds", "0"], "--jobs and --seeds >= 1"),
        (["--only", "none.such"], "leave no row"),
        (["--resume"], "--resume needs the file of --json"),
        (["--resume", "--json", "{}/other.json"], "was made with {'budget': 9}"),
        (["--resume", "--json", "{}/bad.json"], "holds no rows of an earlier run"),
        (["--json", "{}/none/such.json"], "No such file"),
    ],
)
def test_bad_requests_are_one_line_and_exit_2(scripts, options, line, tmp_path, capsys):
    (tmp_path / "other.json").write_text('{"options": {"budget": 9}, "rows": []}')
    (tmp_path / "bad.json").write_text("[1]")
    words = ["--stripped", *(option.replace("{}", str(tmp_path)) for option in options)]
    assert scripts("quality").main(words) == 2
    said = capsys.readouterr().err
    assert line in said
    assert said.count("\n") == 1


def test_a_table_is_written_into_its_block_and_a_page_without_one_is_refused(scripts, tmp_path):
    page, made = tmp_path / "page.md", scripts("quality_page")
    page.write_text("before\n<!-- power -->\n```text\nold\n```\nafter ```text\n```\n")
    made.fill(page, "power", ["", "a \\1 row ", "another"])
    assert page.read_text() == (
        "before\n<!-- power -->\n```text\na \\1 row\nanother\n```\nafter ```text\n```\n"
    )
    with pytest.raises(ValueError, match="has no block <!-- other -->; need one"):
        made.fill(page, "other", [])


@pytest.mark.parametrize(("name", "one"), [("stripped", "dfedpgp.eq6"), ("literature", "top1")])
def test_a_search_for_a_page_without_its_block_does_not_begin(scripts, name, one, tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("nothing\n")
    few = ["--only", one, "--budget", "0.01"]
    assert scripts(f"quality_{name}").main([*few, "--page", str(page)]) == 2
    assert f"has no block <!-- power-{name} -->" in capsys.readouterr().err
    (text,) = (VERIFY.parent / "docs/verdicts.md").read_text().split(f"<!-- power-{name} -->")[1:]
    assert text.startswith("\n```text\n")
