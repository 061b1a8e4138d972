"""No text of a stranger reaches a terminal with what the terminal would obey."""

import ast
import hashlib
import io
import json
import pathlib
import shutil
import sqlite3
import unicodedata

import pytest

from theorylab import cli
from theorylab.characters import json_printable, printable
from theorylab.commands.refusal import write_target
from theorylab.runs.configuration import configuration
from theorylab.runs.record import Record

COMMANDS = pathlib.Path(cli.__file__).parent / "commands"
# C0 and C1, marks of direction, of a line's and a paragraph's end, half a pair, a tag.
MARKS = [0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069, 0x200E, 0x200F]
OBEYED = [*map(chr, [*range(10), *range(11, 32), *range(127, 160), 0x61C, 0x2028, 0x2029, *MARKS])]
OBEYED += ["\ud800", "\U000e0001"]
EVIL = "\x1b]0;owned\x07\x1b[2J\u202e\u2066\x9b31m"
PLAN = """columns = ["loss"]
axes = {clients = [2, 3]}
[instance]
algorithm = {name = "sgp", eta = 0.1}
problem = {name = "quadratic"}
topology = {name = "ring"}
rounds = 1
"""


def harmless(text):
    kinds = {unicodedata.category(c) for c in text if c != "\n"}
    return not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}


def test_what_a_terminal_obeys_is_shown():
    for character in OBEYED:
        assert harmless(printable(f"a{character}b"))
        assert harmless(json_printable(f"a{character}b"))
        assert printable(f"a{character}b") != "ab"  # it is seen that something was there
    assert printable("two\nlines, Löwe, ∇f, 模型") == "two\nlines, Löwe, ∇f, 模型"


def test_json_with_escapes_says_the_same():
    for character in OBEYED:
        text = json.dumps({character: [f"a{character}"]}, ensure_ascii=False, indent=1)
        assert json.loads(json_printable(text)) == json.loads(text)
    given = {"algorithm": {"name": "sgp"}, "problem": {"name": "quadratic"}}
    given |= {"topology": {"name": "ring"}, "clients": 2, "rounds": 1}
    made = Record(theorylab=EVIL, status="running", configuration=configuration(given))
    assert harmless(made.to_json())
    assert Record.model_validate_json(made.to_json()) == made


@pytest.fixture
def campaign(tmp_path, monkeypatch, capsys):
    """A folder with a name, a row, axes and a text that a terminal would obey; its name."""
    monkeypatch.chdir(tmp_path)
    pathlib.Path("plan.toml").write_text(PLAN)
    assert cli.run(["sweep", "plan.toml", "--out", "one"]) == 0
    data = sqlite3.connect("one/cells.sqlite")
    with data:
        ((era,),) = data.execute("SELECT text FROM eras").fetchall()
        text = json.dumps(json.loads(era) | {"plan": {"axes": {EVIL: {"values": [EVIL]}}}})
        sha = hashlib.sha256(text.encode()).digest()
        data.execute("UPDATE eras SET text = ?, sha256 = ?", (text, sha))
        key = data.execute("SELECT key FROM cells").fetchone()[0]
        point = json.dumps({"at": {EVIL: EVIL}, "set": {}, "from": ""})
        row = json.dumps({"status": EVIL, "reason": EVIL, "verdict": EVIL, EVIL: 1})
        sha = hashlib.sha256(f"{key.hex()}\0{point}\0{row}".encode()).digest()
        change = "UPDATE cells SET point = ?, row = ?, sha256 = ? WHERE key = ?"
        data.execute(change, (point, row, sha, key))
    data.close()
    shutil.copytree("one", EVIL)
    capsys.readouterr()
    return EVIL


def test_a_strangers_campaign_moves_no_cursor(campaign, capsys):
    for words in (
        *(["show", campaign], ["show", campaign, "--columns", "all"], ["status", campaign]),
        *(["show", campaign, "--columns", f"status,reason,{campaign}"], ["show", f"{campaign}x"]),
        *(["diff", campaign, f"{campaign}x"], ["merge", campaign, "--out", f"{campaign}y"]),
        *(["replay", f"{campaign}x", "00000000"], ["export", campaign, "--out", f"{campaign}z"]),
        ["plan.toml", "--out", f"{campaign}/new"],
    ):
        assert cli.run(["sweep", *words]) in (0, 2)
        told = capsys.readouterr()
        assert harmless(told.out + told.err), words
        assert "owned" in told.out + told.err, words


@pytest.mark.parametrize("colour", ["", "1"])
def test_a_name_in_a_users_file_moves_no_cursor(tmp_path, monkeypatch, capsys, colour):
    if colour:
        monkeypatch.setenv("COLUMNS", "60")  # as rich draws it
    path = tmp_path / "mine.py"
    path.write_text(f"raise ValueError({EVIL!r})\n")
    assert cli.run(["verify", str(path)]) == 2
    told = capsys.readouterr()
    assert harmless(told.out + told.err)
    assert cli.run(["sweep", f"{EVIL}.toml"]) == cli.run(["list", EVIL]) == 2
    told = capsys.readouterr()
    assert harmless(told.out + told.err)


def test_what_goes_to_stdout_for_programs_is_theirs_but_on_a_terminal(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for stream, text in ((io.StringIO(), f"a,{EVIL}\r\n"), (Terminal(), printable(f"a,{EVIL}\n"))):
        monkeypatch.setattr("sys.stdout", stream)
        write_target("--csv", "-", f"a,{EVIL}\r\n")
        assert stream.getvalue() == text
        stream.truncate(0)
        stream.seek(0)
        write_target("--json", "-", '"\u202e"\n')
        assert stream.getvalue() == '"\\u202e"\n'


def test_every_command_says_what_it_says_by_one_function():
    for path in [*COMMANDS.glob("*.py"), COMMANDS.parent / "cli.py"]:
        tree = ast.parse(path.read_text())
        own = path.name == "refusal.py"
        named = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        assert sum(node.id == "print" for node in named) == (2 if own else 0), path
