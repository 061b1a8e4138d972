"""The tutorial's file has one check of each verdict, and its table is what is printed."""

import pathlib
import re

from theorylab import cli
from theorylab.verdicts import Verdict, jobs, judge

PAGE = (pathlib.Path(__file__).resolve().parents[1] / "docs/tutorial.md").read_text()
FILE = re.search(r"<!-- sgd.py -->\n```python\n(.*?)```", PAGE, re.DOTALL).group(1)
TABLE = re.search(r"<!-- sgd-out -->\n```\n(.*?)```", PAGE, re.DOTALL).group(1)


def test_its_file_has_every_verdict_once_and_each_is_expected(tmp_path):
    (tmp_path / "sgd.py").write_text(FILE)
    found = [judge(job) for job in jobs([str(tmp_path / "sgd.py")])]
    assert all(result.as_expected for result in found)
    told = {*Verdict.__members__} - {"ERROR", "PROVED"}  # what no check expects
    assert sorted(result.verdict for result in found) == sorted(told)


def test_its_table_and_its_commands_are_what_is_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    pathlib.Path("sgd.py").write_text(FILE)
    assert cli.run(["verify", "sgd.py"]) == 0
    out = [line.rstrip() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert out == TABLE.splitlines()
    own = re.search(r"^theorylab (verify .*--set.*)$", PAGE, re.MULTILINE).group(1).split()
    assert cli.run(own) == 1  # constant-lost is false there, too
    assert "VIOLATED" in capsys.readouterr().out
