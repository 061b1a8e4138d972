"""A run that takes long says what it costs before it starts, and then how far it is."""

import importlib

import pytest

RUN = ["dfedsgpsm", "--problem", "log-cosh", "--topology", "ring", "--clients", 3,
       "--rounds", 6, "--eta", 0.1, "--seeds", 2]  # fmt: skip
COST = 2 * 6 * 3  # gradients
LINE = f"2 runs x 6 rounds x 3 clients x 1 gradient cost {COST} gradients; Ctrl-C ends it"


@pytest.mark.parametrize(("most", "told"), [(COST - 1, True), (COST, False)])
@pytest.mark.parametrize("command", ["run", "compare"])
def test_a_dear_run_says_its_price_before_it_starts(run, monkeypatch, command, most, told):
    monkeypatch.setattr(importlib.import_module("theorylab.commands.run.work"), "_DEAR", most)
    done = run(command, *RUN)
    assert done.code == 0
    assert (LINE in done.err.partition("\n")[0]) == told
