"""The page on claims: every block is a whole file with the verdicts that it expects."""

import pathlib
import re

import pytest

from theorylab import cli
from theorylab.verdicts import jobs, judge

PAGE = (pathlib.Path(__file__).resolve().parents[1] / "docs/claims.md").read_text()
BLOCKS = dict(re.findall(r"<!-- (\w+\.py) -->\n```python\n(.*?)```", PAGE, re.DOTALL))
MIXED = "the term 'one' has the units 1, suboptimality has f"


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_is_a_short_file_whose_checks_come_out_as_expected(name, tmp_path):
    assert len(BLOCKS[name].splitlines()) < 40
    (tmp_path / name).write_text(BLOCKS[name])
    found = [judge(job) for job in jobs([str(tmp_path / name)])]
    assert [(r.version, r.check, r.verdict) for r in found] == [
        (r.version, r.check, r.expected) for r in found
    ]
    verdicts = {r.verdict for r in found}
    assert {"HOLDS", "VIOLATED"} <= verdicts
    assert all(MIXED in r.reason for r in found) == (name == "units.py")


def test_all_blocks_are_judged_by_one_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("bound.py", "places.py", "units.py"):
        pathlib.Path(name).write_text(BLOCKS[name])
    assert cli.run(["verify", "bound.py", "places.py", "units.py"]) == 0
    assert "10 checks: 10 as expected" in capsys.readouterr().out


REFUSED = [row for row in PAGE.split("## What is refused")[1].splitlines() if row.startswith("| `")]


@pytest.mark.parametrize("row", REFUSED)
def test_what_the_page_says_is_refused_is_refused_so(row, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text, line = re.findall(r"`([^`]*)`", row)
    use = BLOCKS["units.py"] + "from theorylab.statements import Assumption, Quantity\n"
    use += "from theorylab.symbols import symbol\nfrom dataclasses import replace\n"
    use += f"made = {text}\n"
    if text.startswith("Quantity"):
        use += "STATEMENT = replace(STATEMENT, quantity=made)\n"
    if text.startswith("Assumption"):
        use += (
            'one = replace(STATEMENT.versions["printed"], assumes=(made,))\n'
            'STATEMENT = replace(STATEMENT, versions={"printed": one})\n'
        )
    pathlib.Path("own.py").write_text(use)
    assert cli.run(["verify", "own.py"]) == 2
    (told,) = capsys.readouterr().err.strip().splitlines()
    assert re.search(r"own\.py, line \d+: ", told)
    at = -1
    for part in line.split("..."):
        at = told.find(part.strip(), at + 1)
        assert at >= 0, told
