"""The GPU bench's roofline, its drawing, its quick form, and the page made of its record."""

import copy
import json
import pathlib

import numpy as np
import pytest

from theorylab.bench import __main__ as program
from theorylab.bench import _gpu_checks as checks
from theorylab.bench import gpu
from theorylab.bench._gpu_board import DryBoard

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/gpu.md"


@pytest.fixture(scope="module")
def record():
    """Quick: the first case of every kernel."""
    return gpu.run(dry=True, seed=4, quick=True, budget=1e9)  # nothing is late


@pytest.fixture
def measured(record):
    """As if it came from a card."""
    made = copy.deepcopy(record) | {"emulated": False, "board": "torch 2.x on Fake"}
    made["whole_run"] |= {"peak_bytes": 3 << 30, "host_round_ms": 8 * made["whole_run"]["round_ms"]}
    made["launches"] = [
        {"sizes": {"n": 16, "d": 100}, "step_ms": 0.3, "tape_ms": 0.04, "device_ms": 0.03}
        | {"settled": False}
    ]
    for row in made["rounds"]:  # jax is absent, be it installed here or not
        row["round_ms"].pop("jax scan", None)
        row["lacking"] |= {"jax scan": "no module named jax"}
        row["round_ms"] |= {"theorylab": 0.5, "torch eager": 3.5}
        row["settled"] |= {"theorylab": False, "torch eager": True}
    made["commit"] = "0123456789ab"
    made["facts"]["name"] = "Fake card"
    made["sanitizer"] = [{"tool": "memcheck", "clean": False, "why": "a / b"}]
    made["notes"] = ["the errors are mended"]
    return made


def test_quick_takes_one_case_of_each_kernel(record):
    assert record["quick"]
    firsts = [(name, kernel.cases[0].name) for name, kernel in gpu.KERNELS.items()]
    assert [(case["kernel"], case["name"]) for case in record["cases"]] == firsts
    assert gpu.QUICK_BUDGET < 120 < gpu.BUDGET <= 200


def test_the_roofline_is_counted_from_the_medians(record):
    assert len(record["roofline"]) == len(record["cases"])
    for row, case in zip(record["roofline"], record["cases"], strict=True):
        (own,) = case["ours"]
        seconds = case["seconds"][own]
        assert row["intensity"] == case["flops"] / case["bytes"]
        assert np.isclose(row["GB_s"] * seconds * 1e9, case["bytes"], rtol=1e-12)
        assert np.isclose(row["Gflop_s"] * seconds * 1e9, case["flops"], rtol=1e-12)
        assert np.isclose(row["GB_s"] / row["roof_GB_s"], row["share"], rtol=1e-12)
        assert case["memory"] > 0
    assert json.loads(json.dumps(record)) == record


def test_the_drawing_is_a_picture_with_every_case(record, tmp_path):
    gpu.plot(record, tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(ValueError, match="no case was measured"):
        gpu.plot(record | {"cases": []}, tmp_path / "b.png")
    assert not (tmp_path / "b.png").exists()


def test_the_page_and_readme_are_those_of_the_record_at_hand():
    file = ROOT / "verify/gpu.json"
    record = json.loads(file.read_text())["benches"][0] if file.exists() else None
    assert PAGE.read_text() == gpu.page(record)
    assert f"\n{gpu.sentence(record)}\n" in (ROOT / "README.md").read_text()
    if record is not None:
        assert record["commit"] in PAGE.read_text()
        assert record["facts"]["name"] in gpu.sentence(record)


def test_without_a_record_no_card_was_met():
    assert "[No card](docs/gpu.md) has met" in gpu.sentence(None)
    assert "No card has been met yet" in gpu.page(None)


def test_readmes_line_has_the_card_its_day_its_commit_and_little_room(measured):
    headline = next(case for case in measured["cases"] if case["name"] == "headline")
    headline["share"] = dict.fromkeys(headline["share"], 0.854)
    measured["facts"]["name"] = "NVIDIA H100 80GB HBM3"
    sizes = ((100, 1000), (100, 1_000_000), (1000, 100_000), (16, 100))
    (row,) = measured["rounds"]
    row["round_ms"]["torch.compile, graph"] = 0.25
    measured["rounds"] = [row | {"sizes": {"n": n, "d": d, "K": 5}} for n, d in sizes]
    assert gpu.sentence(measured) == (
        f"On one [NVIDIA H100 80GB HBM3](docs/gpu.md) ({measured['date']}, 01234567) push_mix has "
        "0.85 of a copy's speed; rounds' speed over eager torch's, the fastest peer's: "
        "7, 0.5 (n=100 d=1e3); 7, 0.5 (n=100 d=1e6); 7, 0.5 (n=1000 d=1e5)."
    )
    assert len(gpu.sentence(measured)) <= 240
    bare = measured | {"cases": [], "rounds": []}
    assert gpu.sentence(bare).endswith("01234567) no case was timed.")


def test_the_page_shows_the_numbers_of_a_record(measured):
    text = gpu.page(measured)
    assert "No card" not in text
    assert "## torch 2.x on Fake" in text
    assert f"Measured on {measured['date']} at commit 0123456789ab on one Fake card:" in text
    assert "| 4 | 6 | 0.05 | 0.1 | theorylab | 0.5 ~ | 1.00 |" in text
    assert "| 4 | 6 | 0.05 | 0.1 | torch eager | 3.5 | 7.00 |" in text
    assert "- Left out: jax scan: " in text
    assert "| push_mix | n = 100, d = 1000, column = 11 | theorylab, prepared, out= | " in text
    for row in measured["roofline"]:
        assert f"| {row['case']} | {row['dtype']} | {row['way']} |" in text
        assert f"| {row['share']:.2f}{'' if row['settled'] else ' ~'} |" in text
    own = measured["cases"][0]
    peer, ratio = (
        "torch csr out=",
        own["seconds"]["torch csr out="] / own["seconds"][own["ours"][0]],
    )
    still = "" if own["settled"][peer] else " ~"
    assert f"| {peer} | {own['seconds'][peer] * 1e3:.3f}{still} | {ratio:.2f} |" in text
    assert "| 16 | 100 | 300.0 | 40.0 | 30.0 ~ | 25 % |" in text
    assert "at most 3.00 GiB" in text
    assert "A round on the host takes 8.0 times as long." in text
    assert "- memcheck: errors: a / b\n\nSince then:\n\n- the errors are mended\n" in text
    assert "0 with a wrong answer" in text


def test_only_a_record_of_a_card_makes_a_page(record, measured, tmp_path, capsys):
    for wrong, why in ((record, "a dry run came"), ({"bench": "engine"}, "need one of --gpu")):
        with pytest.raises(ValueError, match=why):
            gpu.page(wrong)
    file = tmp_path / "gpu.json"
    assert program.main(["--page", str(file)]) == 2
    for text in ("[]", "{", json.dumps({"benches": [record]})):
        file.write_text(text)
        assert program.main(["--page", str(file)]) == 2
    assert capsys.readouterr().err.count("bench: --page ") == 4
    file.write_text(json.dumps({"benches": [measured]}))
    assert program.main(["--page", str(file)]) == 0
    assert capsys.readouterr().out == gpu.page(measured)


def test_the_sanitizer_alone_is_one_option(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(checks.shutil, "which", lambda name: None)
    target = tmp_path / "a.json"
    assert program.main(["--gpu", "--dry-run", "--sanitize", "--json", str(target)]) == 0
    assert "not run: not found on PATH" in capsys.readouterr().out
    (record,) = json.loads(target.read_text())["benches"]
    assert record["checks"] == record["cases"] == []
    assert [tool["tool"] for tool in record["sanitizer"]] == ["compute-sanitizer"]
    assert {"memcheck", "racecheck"} <= set(checks.TOOLS)


def test_a_drawing_is_asked_for_by_name(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(gpu, "KERNELS", {"draws": gpu.KERNELS["draws"]})
    target = tmp_path / "a.svg"
    assert program.main(["--dry-run", "--quick", "draws", "--plot", str(target)]) == 0
    assert "roofline" in capsys.readouterr().out
    assert "</svg>" in target.read_text()
    assert DryBoard().peak() is None
