"""The bench of what a command costs before it works."""

from theorylab.bench import BENCHES
from theorylab.bench._checkout import beside
from theorylab.cli import run

start = beside("start")


def test_every_command_is_one_that_works(monkeypatch):
    monkeypatch.setattr(start, "COMMANDS", {"python": ("-c", "pass")})
    record = BENCHES["start"](quick=True)
    assert [case["name"] for case in record["cases"]] == ["python"]
    assert 0 < record["cases"][0]["least"] <= record["cases"][0]["seconds"] < 60
    assert start.render(record).row_count == 1


def test_the_mistyped_id_is_one():
    words = start.COMMANDS["a mistyped id"]
    assert run(list(words[2:])) == 2
