"""The page on claims: every block is a whole file with the verdicts that it expects."""

import pathlib
import re
from dataclasses import replace

import pytest

from theorylab import cli
from theorylab.falsify.scope import Scope
from theorylab.verdicts import jobs, judge, selected

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


CHANGES = {
    "`rounds` = 60": {"rounds": 60},
    "`clients` = 3": {"clients": 3},
    "a `log-cosh` loss": {"problem": {"name": "log-cosh"}},
    "a `huber` loss": {"problem": {"name": "huber"}},
    "Gaussian noise of size 1": {"problem": {"name": "noisy", "base": {"name": "log-cosh"}}},
}
MOVED = re.search(r"<!-- scope -->\n\|.*\n\|.*\n((?:\|.*\n)+)", PAGE)[1].splitlines()


@pytest.mark.parametrize("row", MOVED)
def test_what_the_page_says_of_a_scope_is_what_a_search_says(row, tmp_path):
    (tmp_path / "scope.py").write_text(BLOCKS["scope.py"])
    ((statement, _),) = selected([str(tmp_path / "scope.py")]).values()
    change, *told = (cell.strip() for cell in row.strip("|").split("|"))
    claim = statement.versions["claim"]
    instance = {**claim.checks[0].instance, **CHANGES[change]}
    for words, scope in zip(told, (claim.scope, {}), strict=True):
        one = replace(statement, versions={"claim": replace(claim, scope=scope)})
        needs = Scope(one, "claim").needs(instance)
        assert words == (f"needs {', '.join(needs)}" if needs else "`VIOLATED`")


def test_the_page_says_of_each_change_what_becomes_of_it():
    assert len(MOVED) == len(CHANGES)


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
