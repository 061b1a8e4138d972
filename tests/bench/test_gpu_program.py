"""The GPU bench from its three doors: theorylab bench, python -m theorylab.bench, verify/."""

import dataclasses
import itertools
import json
import pathlib
import runpy
import sys

import pytest

from theorylab import cli
from theorylab.bench import __main__ as program
from theorylab.bench import gpu

VERIFY = pathlib.Path(__file__).resolve().parents[2] / "verify/kernels.py"


@pytest.fixture
def one_case(monkeypatch):
    """push_mix alone, one case and one trial of it."""
    kernel = gpu.KERNELS["push_mix"]
    small = dataclasses.replace(
        kernel,
        cases=kernel.cases[:1],
        trials=lambda *given: itertools.islice(kernel.trials(*given), 1),
    )
    monkeypatch.setattr(gpu, "KERNELS", {"push_mix": small})


@pytest.fixture
def no_gpu(monkeypatch):
    real = gpu.board

    def board(dry):
        if dry:
            return real(True)
        raise gpu.NoGpuError("torch sees no GPU")

    monkeypatch.setattr(gpu, "board", board)


@pytest.fixture
def door(monkeypatch, capsys):
    """``door(name, flags)`` -> exit code, stdout, stderr."""

    def through(name, *flags):
        if name == "theorylab":
            code = cli.run(["bench", *flags])
        elif name == "module":
            code = program.main(list(flags))
        else:
            monkeypatch.setattr(sys, "argv", [str(VERIFY), *flags])
            code = runpy.run_path(str(VERIFY))["main"]()
        return code, *capsys.readouterr()

    return through


DOORS = ("theorylab", "module", "verify")


@pytest.mark.parametrize("name", DOORS)
def test_without_a_gpu_every_door_says_so_in_one_line(name, door, no_gpu):
    code, out, err = door(name, "--gpu")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "bench: no GPU can be used (torch sees no GPU); need a driver" in err


@pytest.mark.parametrize("name", DOORS)
def test_where_no_gpu_can_be_emulated_every_door_says_how_to_build_it(name, door, monkeypatch):
    monkeypatch.setitem(sys.modules, "theorylab._emulated", None)
    code, out, err = door(name, "--gpu", "--dry-run")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.removeprefix("theorylab: ").startswith("bench: no GPU is emulated (")
    assert "python setup.py build_emulated" in err


@pytest.mark.parametrize("name", DOORS)
def test_the_dry_run_goes_through_every_door(name, door, no_gpu, one_case):
    code, out, err = door(name, "--gpu", "--dry-run")
    assert (code, err) == (0, "")
    assert "EMULATED on the host" in out
    assert "push_mix, headline: n=20 d=96 column=5" in out


def test_a_drawing_and_a_record_are_written(door, no_gpu, one_case, tmp_path):
    code, _, _ = door("verify", "--dry-run", "--out", str(tmp_path / "new"))
    assert code == 0
    (record,) = json.loads((tmp_path / "new/kernels-gpu.json").read_text())["benches"]
    assert record["emulated"]
    text = (tmp_path / "new/kernels-gpu.svg").read_text()
    assert len(text) > 1000
    code, _, _ = door("module", "--dry-run", "--seed", "4", "--json", str(tmp_path / "gpu.json"))
    assert json.loads((tmp_path / "gpu.json").read_text())["benches"][0]["seed"] == 4


def test_json_alone_is_all_that_is_printed(door, no_gpu, one_case):
    code, out, _ = door("theorylab", "--dry-run", "--json", "-")
    assert code == 0
    (record,) = json.loads(out)["benches"]
    assert [case["name"] for case in record["cases"]] == ["headline"]
    _, again, _ = door("theorylab", "--dry-run", "--json", "-")
    assert json.loads(again)["benches"][0]["seed"] != record["seed"]  # fresh inputs every time


def test_a_wrong_kernel_is_refused_with_the_near_one(door):
    code, _, err = door("theorylab", "--gpu", "push_mox")
    assert (code, err) == (2, "theorylab: bench: no kernel 'push_mox'; did you mean push_mix?\n")
    code, _, err = door("module", "--gpu", "engine")
    assert code == 2
    assert err.startswith("bench: no kernel 'engine'; need one of push_mix, ")
