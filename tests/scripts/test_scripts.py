"""Every script prints both sides of its result, without theorylab, on at most 47 short lines."""

import pathlib
import re
import subprocess
import sys

import pytest

from theorylab.falsify.recheck import recheck
from theorylab.scripts import LONGEST, WIDEST, UnscriptedError, script
from theorylab.scripts.__main__ import main, tallied, violated
from theorylab.scripts._agreement import differences
from theorylab.scripts.base import LONGEST_OWN
from theorylab.statements import BUILT_IN
from theorylab.verdicts import judge_check

HERE = (
    *("momentum-sums", "network-matrices", "drawn-points", "noise-split", "printed-rates"),
    *("lemma3-rates", "printed-table"),
)
# of pdbo's experiments another file tells
CHECKS = [each for each in violated() if not each[0].experiment or each[0].experiment in HERE]


def label(each):
    statement, version, check = each
    return f"{statement.id} [{version}] {check.name}"


def kind(each):
    statement, version, _ = each
    content = statement.versions[version]
    column = statement.quantity_of(content).column
    order = content.order is not None
    return statement.experiment, column, order


def cost(each):
    """Gradients, roughly, of all values of a sweep."""
    instance = each[2].instance
    steps = max((v for v in instance.get("algorithm", {}).values() if type(v) is int), default=1)
    values = len(instance.get("sweep", {"values": [0]})["values"])
    rounds = min(instance.get("rounds", 1), 10_000)
    if "rounds" in instance.get("sweep", {}).get("set", {}):
        rounds = 10_000
    return rounds * steps * values * instance.get("clients", 1)


def sample():
    """The cheapest check of every left side."""
    found = {}
    for each in CHECKS:
        if each[2].quick:
            found.setdefault(kind(each), []).append(each)
    least = [min(every, key=cost) if len(every) > 1 else every[0] for every in found.values()]
    return [each for each in least if "clients" not in each[2].instance or cost(each) < 2000]


SAMPLE = sample()
REST = [each for each in CHECKS if each not in SAMPLE]


def agrees(each):
    found = tallied(*each)
    assert found.text, found.why
    lines = found.text.splitlines()
    played = "class Net:" in lines  # what has no shorter form is played on a stub
    assert len(lines) <= (LONGEST_OWN if played else LONGEST)
    assert max(map(len, lines)) <= WIDEST
    assert "theorylab" not in found.text
    assert differences(found.text, found.result) == []
    again = recheck(found.statement, found.version, found.result)
    # of sampled runs, which are those of the seed, the mean may have no enclosure
    if found.result.runs > 1 and again.holds is None:
        assert "sampled" in again.how
        return
    assert again.holds is True, again.how  # its lines in balls, and the engine's number is met


@pytest.mark.parametrize("each", SAMPLE, ids=label)
def test_a_script_prints_both_sides(each):
    agrees(each)


def test_the_samples_of_several_clients_and_steps_are_all_listed():
    (each,) = (e for e in CHECKS if label(e) == "dfedsgpsm.lem2 [printed] two-on-pinwheels")
    agrees(each)


@pytest.mark.slow
@pytest.mark.parametrize("each", REST, ids=label)
def test_every_other_script_prints_both_sides(each):
    agrees(each)


def result_of(name, version="printed", check=0):
    statement = BUILT_IN[name]
    return statement, judge_check(statement, version, statement.versions[version].checks[check])


def test_it_runs_alone_and_says_what_it_found(tmp_path):
    statement, result = result_of("dfedsgpsm.lem4")
    path = tmp_path / "script.py"
    path.write_text(script(statement, result))
    (tmp_path / "theorylab.py").write_text("raise ImportError('not here')\n")
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import runpy; runpy.run_path({str(path)!r})"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    measured, bound = (float(x) for x in re.findall(r"(?:measured|bound) (\S+)", done.stdout)[:2])
    assert measured == pytest.approx(result.measured, rel=1e-9)
    assert bound == pytest.approx(result.bound, rel=1e-9)
    assert "ratio" in done.stdout


@pytest.mark.parametrize(
    ("name", "version"),
    [("dfedsgpsm.lem4", "printed"), ("dfedalt.lem3", "printed"), ("deprl.thm1", "printed/graph")],
)
def test_another_constant_is_noticed(name, version):
    statement, result = result_of(name, version)
    text = script(statement, result)
    assert differences(text, result) == []
    numbers = list(re.finditer(r"^(\w+) = ([\d.e-]+)  #", text, re.MULTILINE))
    noticed = 0
    for match in numbers:
        value = float(match.group(2))
        other = f"{match.group(1)} = {value * 1.01 + 0.01!r}  #"
        noticed += bool(differences(text.replace(match.group(0), other, 1), result))
    assert noticed >= len(numbers) / 2 > 0  # some do not matter at 0


def test_another_step_size_is_noticed():
    statement, result = result_of("dfedalt.eq9")
    text = script(statement, result)
    assert text.count(", 200\n") == 1  # K_u
    wrong = text.replace(", 200\n", ", 199\n")
    assert differences(wrong, result)


def test_sampled_runs_have_no_script():
    statement, result = result_of("dfedalt.lem3")
    with pytest.raises(UnscriptedError, match="sampled"):
        script(statement, result.model_copy(update={"runs": 64}))


def test_what_was_not_measured_has_no_script():
    statement, result = result_of("dfedsgpsm.lem4")
    with pytest.raises(UnscriptedError, match="nothing was measured"):
        script(statement, result.model_copy(update={"measured": None}))
    with pytest.raises(UnscriptedError, match="no version"):
        script(statement, result.model_copy(update={"version": "other"}))


@pytest.mark.parametrize("text", ["a\nimport os; os.abort()", "'''\n", "\\\n1/0", "\r1/0", "\x0c"])
def test_hostile_texts_stay_in_comments(text):
    statement, result = result_of("dfedsgpsm.lem4")
    plain = script(statement, result)
    constants = {
        name: {**known, "source": text + known["source"]}
        for name, known in result.constants.items()
    }
    update = {"constants": constants, "reason": text, "check": text, "interval": text}
    made = script(statement, result.model_copy(update=update))

    def code(whole):
        return [line.partition("  # ")[0] for line in whole.splitlines() if line[:1] != "#"]

    assert code(made) == code(plain)
    assert differences(made, result) == []


def test_a_hostile_table_is_no_code():
    statement, result = result_of("dfedsgpsm.tab2")
    table = {row: dict(cells) for row, cells in result.instance["table"].items()}
    for row in table.values():
        for column in row:
            row[column] = '1"); import os; ("'
    instance = {**result.instance, "table": table}
    with pytest.raises(UnscriptedError, match="need digits"):
        script(statement, result.model_copy(update={"instance": instance}))


def test_a_hostile_option_is_one_line_and_no_code():
    statement, result = result_of("dfedsgpsm.lem4")
    instance = {**result.instance, "topology": {"name": "complete\nimport os"}}
    with pytest.raises(ValueError, match="import os") as caught:
        script(statement, result.model_copy(update={"instance": instance}))
    assert len(str(caught.value).splitlines()) == 1


def test_the_package_never_reads_the_name_of_a_check():
    folder = pathlib.Path(__file__).resolve().parents[2] / "theorylab/scripts"
    names = {check.name for _, _, check in violated() if len(check.name) > 8}
    text = "".join(path.read_text() for path in folder.glob("*.py"))
    assert not [name for name in names if f'"{name}"' in text]


def test_the_page_shows_a_script_as_it_is_written():
    page = (pathlib.Path(__file__).resolve().parents[2] / "docs/verdicts.md").read_text()
    (shown,) = re.findall(r"<!-- script -->\n```text\n(.*?)```", page, re.DOTALL)
    statement, result = result_of("dfedsgpsm.thm1", check=1)
    assert result.check == "worked-example"
    assert shown == script(statement, result)
    assert differences(shown, result) == []


def test_the_list_says_how_long_a_script_is_or_why_there_is_none(capsys):
    main(["dfedsgpsm.lem4_update"])
    *rows, last = capsys.readouterr().out.splitlines()
    checks = ("two-with-signs", "signs", "two-on-pinwheels", "pinwheel")
    versions = ("printed", "printed", "printed/mean-square", "printed/mean-square")
    for row, version, check in zip(rows, versions, checks, strict=True):
        assert re.fullmatch(rf"dfedsgpsm.lem4_update \[{version}\] {check}: \d\d lines", row)
    assert last == "4 of 4 checks, 1 of 1 statements have a script"
