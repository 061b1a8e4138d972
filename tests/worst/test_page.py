"""docs/worst.md: its lines are those that come, and its Python runs."""

import importlib.util
import pathlib
import re

import pytest

from theorylab import cli
from theorylab.worst.check_certificate import METRICS, STARTS
from theorylab.worst.outcome import Outcome

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "worst.md").read_text()


def test_the_command_of_the_page_prints_its_lines(tmp_path, monkeypatch, capsys):
    console = re.search(
        r"<!-- worst -->\n```console\n\$ theorylab (.*?)\n(.*?)```", PAGE, re.DOTALL
    )
    file = re.search(
        r"<!-- my_algorithm\.py -->\n```python\n(.*?)```",
        (DOCS / "own-algorithm.md").read_text(),
        re.DOTALL,
    )
    (tmp_path / "my_algorithm.py").write_text(file[1])
    monkeypatch.chdir(tmp_path)
    assert cli.run(console[1].split()) == 0
    # the last digits, and the rank of what the solver found, are the machine's
    digits = re.compile(r"at most [0-9.]+|of \d+ (characters|coordinates)")
    assert digits.sub("", capsys.readouterr().out) == digits.sub("", console[2])


def test_the_command_for_all_rounds_prints_its_lines(tmp_path, monkeypatch, capsys):
    console = re.search(
        r"<!-- worst-forever -->\n```console\n\$ theorylab (.*?)\n(.*?)```", PAGE, re.DOTALL
    )
    monkeypatch.chdir(tmp_path)
    assert cli.run(console[1].split()) == 0
    digits = re.compile(r"(\.\d{3})\d+")  # the last ones are the machine's
    assert digits.sub(r"\1", capsys.readouterr().out) == digits.sub(r"\1", console[2])


@pytest.mark.parametrize("mark", ["worst-sequences", "worst-spectra"])
def test_the_commands_for_classes_of_networks_print_their_lines(
    mark, tmp_path, monkeypatch, capsys
):
    pattern = rf"<!-- {mark} -->\n```console\n\$ theorylab (.*?)\n(.*?)```"
    console = re.search(pattern, PAGE, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    assert cli.run(console[1].split()) == 0
    digits = re.compile(r"(\.\d{3})\d+")  # the last ones are the machine's
    assert digits.sub(r"\1", capsys.readouterr().out) == digits.sub(r"\1", console[2])


def test_the_python_of_the_page_runs(tmp_path, monkeypatch, capsys):
    (code,) = re.findall(r"```python\n(import .*?|from .*?)```", PAGE, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "page.py", "exec"), {"__name__": "page"})
    value, outcome, claim = capsys.readouterr().out.split()
    assert (round(float(value), 6), outcome) == (0.658916, "PROVED")
    top, below = claim.split("/")
    assert float(value) < int(top) / int(below) < float(value) * (1 + 1e-6)
    assert (tmp_path / "check_certificate.py").exists()
    assert importlib.util.find_spec("theorylab.worst") is not None


def test_the_page_has_every_metric_start_and_outcome():
    for name in (*METRICS, *STARTS):
        assert f"`{name}`" in PAGE
    for outcome in Outcome:
        if outcome is not Outcome.ESTIMATE:
            assert re.search(rf"`{outcome.told}` \| {outcome.value.exit} \|", PAGE), outcome
