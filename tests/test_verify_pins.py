"""Pins see what a rewrite changed, and let more digits and narrower enclosures pass."""

import importlib
import json
import pathlib

import pytest

VERIFY = pathlib.Path(__file__).resolve().parents[1] / "verify"


@pytest.fixture
def pins(monkeypatch):
    monkeypatch.syspath_prepend(str(VERIFY))
    return importlib.import_module("pins")


def test_what_was_saved_is_found_again_and_a_change_is_one_line(pins, tmp_path, capsys):
    file, listed = tmp_path / "pins.json", tmp_path / "intended.txt"
    assert pins.main(["save", str(file), "dfedpgp.eq23"]) == 0
    kept = json.loads(file.read_text())
    name = next(each for each, pin in kept.items() if pin["verdict"] == "VIOLATED")
    measured = float.fromhex(kept[name]["measured"])
    assert f"measured {measured:.6f}"[:-1] in kept[name]["prints"]
    file.write_text(json.dumps({name: kept[name]}))
    capsys.readouterr()
    assert pins.main(["compare", str(file)]) == 0
    assert capsys.readouterr().out == "1 checks: 0 differ, 0 were meant to\n"

    file.write_text(json.dumps({name: dict(kept[name], measured=(99.5).hex())}))
    assert pins.main(["compare", str(file)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{name}: measured was 99.5, is {measured!r}",
        "1 checks: 1 differ, 0 were meant to",
    ]
    listed.write_text(f"{name}: another start\n")
    assert pins.main(["compare", str(file), "--intended", str(listed)]) == 0
    assert "(intended: another start)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("measured 0.111111111111111 <= 2", "measured 0.1111111 <= 2", True),
        ("measured 0.111111111111111 <= 2", "measured 0.1111112 <= 2", False),
        ("measured 1.5e-07", "measured 1.5000000002e-07", True),
        ("measured 1.5e-07", "measured 1.5e-06", False),
        ("measured 1", "bound 1", False),
    ],
)
def test_more_digits_are_the_same_number_and_another_digit_is_none(pins, old, new, same):
    assert pins.same_text(old, new) is same


def test_a_script_with_a_dataclass_is_run_like_any_other(pins):
    script = "\n".join(
        [
            "from __future__ import annotations",
            "from dataclasses import dataclass",
            "@dataclass",
            "class Net:",
            "    n: int",
            "print(Net(3).n)",
        ]
    )
    assert pins.printed(script) == "3\n"


def test_what_is_lost_is_told_and_what_is_new_is_not(pins):
    old = dict.fromkeys(("verdict", "measured", "low", "high", "bound", "place"), "")
    none = {**old, "prints": None, "unwritten": "too long", "enclosed": None, "holds": None}
    has = {**old, "prints": "1", "enclosed": [(1.0).hex(), (2.0).hex()], "holds": True}
    assert pins.differences(none, has) == []
    script, enclosure, stands = pins.differences(has, {**none, "how": "too wide"})
    assert (script, enclosure) == (
        "the script is gone: too long",
        "the enclosure is gone: too wide",
    )
    assert stands.startswith("the re-check said True, says None")
    inside = {**has, "enclosed": [(1.5).hex(), (1.6).hex()]}
    apart = {**has, "enclosed": [(2.5).hex(), (2.6).hex()]}
    assert pins.differences(has, inside) == []
    assert len(pins.differences(has, apart)) == 1


def test_statements_and_withdrawn_rows_may_differ_as_a_whole(pins, tmp_path):
    listed = tmp_path / "list.txt"
    listed.write_text("dfedsgpsm.eq2: dropped\ndfedsgpsm.thm1 [printed] one: another start\n")
    found = pins.intended(listed)
    assert pins.reason_of("dfedsgpsm.eq2 [printed] any", found) == "dropped"
    assert pins.reason_of("dfedsgpsm.thm1 [printed] one", found) == "another start"
    assert pins.reason_of("dfedsgpsm.thm1 [printed] other", found) is None
    page = pins.intended(VERIFY.parent / "docs" / "withdrawn.md")
    assert pins.reason_of("dfedsgpsm.lem5_mean [printed/sgp] one", page).startswith("false by line")
    assert pins.reason_of("pdbo.eq7 [printed] one", page) is None


def test_runs_differ_between_saves_and_between_threads(pins):
    runs = importlib.import_module("_pins_runs")
    one, two = {"kernel a": "1f", "exit code of b": "0"}, {"kernel a": "1f", "exit code of b": "2"}
    assert runs.differing({"1": one, "2": one}, {"1": one, "2": one}) == []
    assert runs.differing({"1": one, "2": one}, {"1": one, "2": two}) == [
        "exit code of b, 2 threads: it was 0, is 2",
        "exit code of b: 1 and 2 threads differ",
    ]


@pytest.mark.slow
def test_searches_kernels_and_exit_codes_are_the_same_at_one_and_at_two_threads(pins):
    runs = importlib.import_module("_pins_runs")
    found = runs.pinned(40)
    kinds = {name.partition(" ")[0] for name in found["1"]}
    assert kinds == {"kernel", "exit", "search", "replay"}
    assert {text for name, text in found["2"].items() if name.startswith("replay")} == {"same"}
    assert runs.differing(found, found) == []


def test_bad_input_is_one_line(pins, tmp_path, capsys):
    wrong = tmp_path / "list.txt"
    wrong.write_text("lem4: no id\n")
    file = tmp_path / "pins.json"
    for arguments, told in (
        (["save", str(file), "dfedsgpsm.lem4", "--sample", "0"], "--sample 0; need at least 1"),
        (["save", str(file), "no.such"], "no statement"),
        (["compare", str(file)], "No such file"),
        (["compare", str(file), "--intended", str(wrong)], "need ID [VERSION] CHECK: reason"),
    ):
        assert pins.main(arguments) == 2
        err = capsys.readouterr().err
        assert err.startswith("pins: ")
        assert told in err
        assert len(err.splitlines()) == 1
