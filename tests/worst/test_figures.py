"""verify/worst.py counts what it says: few forgeries, and one case."""

import importlib.util
import pathlib
import sys

import pytest

VERIFY = pathlib.Path(__file__).resolve().parents[2] / "verify"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(VERIFY))
    spec = importlib.util.spec_from_file_location("verify_worst", VERIFY / "worst.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.modules.pop("worst_cases", None)


def test_forgeries_are_counted_by_kind_and_an_accepted_one_is_a_miss(script, monkeypatch, capsys):
    monkeypatch.setattr(script, "EACH", 2)
    assert script.main(["forged"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "every figure is reached"
    assert lines[-2] == "16 files in all"
    assert all("2 files: 0 accepted, 0 tracebacks" in line for line in lines[:-2])
    monkeypatch.setattr(script, "KINDS", {"nothing is changed": lambda c, draw: None})
    assert script.main(["forged"]) == 1
    assert "2 accepted" in capsys.readouterr().out


def test_a_case_is_proved_and_its_check_is_another_process(script, monkeypatch, capsys):
    first = script.cases()[:1]
    monkeypatch.setattr(script, "cases", lambda: first)
    monkeypatch.setattr(script, "PROVED", 1)
    monkeypatch.setattr(script, "TIGHT", 1)
    assert script.main(["cases"]) == 0
    assert "proved at 1e-6: 1 of 1; at 1e-9: 1" in capsys.readouterr().out
    assert script.main(["nothing"]) == 2
