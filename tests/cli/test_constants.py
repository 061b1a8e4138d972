"""``theorylab constants``: names, certificates, the slack table, its pictures, and refusals."""

import json
import math
import pathlib
import sys

import pytest

from theorylab.commands.constants import slack as command
from theorylab.topologies import names

WANTED = {
    *("lambda2", "spectral_gap", "sigma2", "diameter", "max_out_degree", "window", "delta"),
    *("C", "q", "C_sgp", "q_sgp", "p", "C_deprl", "q_deprl"),
    *("deprl_log10_step_cap", "deprl_log10_rounds"),
}
FIELDS = {"value", "lower", "upper", "log10", "how", "source"}
TIGHT = {"topology": "directed-ring", "envelope": "tight"}


def asked(run, *arguments):
    done = run("constants", *arguments, "--json", "-")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


@pytest.mark.parametrize(
    "name", ["directed-ring", "one-peer-exponential", "random-out", "complete"]
)
def test_every_wanted_name_is_there_with_its_fields(run, name):
    found = asked(run, name, "--clients", 8, "--horizon", 12)
    assert set(found["constants"]) >= WANTED
    assert all(set(constant) - {"within"} == FIELDS for constant in found["constants"].values())
    assert set(found) == {"topology", "clients", "constants"}


@pytest.mark.usefixtures("few_lags")
def test_a_thousand_clients_have_logarithms_where_floats_end(run):
    found = asked(run, "star", "--clients", 1000, "--horizon", 2)["constants"]
    N, p = 1000, 1 / 1000
    assert found["C_deprl"]["value"] is None
    # 1 + p^-N and 1 - p^N are p^-N and 1 to 3000 digits
    assert found["C_deprl"]["log10"] == pytest.approx(math.log10(2) - N * math.log10(p), rel=1e-12)
    gap = N * math.log10(p) - math.log10(N)
    cap = gap - math.log10(3 * math.sqrt(2) * N) - found["C_deprl"]["log10"]
    assert found["deprl_log10_step_cap"]["value"] == pytest.approx(cap, rel=1e-12)
    assert found["deprl_log10_rounds"]["value"] == pytest.approx(math.log10(N) - 2 * cap, rel=1e-12)


def test_certified_entries_replace_the_float_ones(run):
    plain = asked(run, "directed-ring", "--clients", 8)["constants"]
    sure = asked(run, "directed-ring", "--clients", 8, "--certify")["constants"]
    assert plain["lambda2"]["how"] == "estimate"
    assert sure["lambda2"]["how"] == "certified"
    exact = math.cos(math.pi / 8)  # |1 + e^(2 pi i/8)| / 2
    assert sure["lambda2"]["lower"] - 1e-15 <= exact <= sure["lambda2"]["upper"] + 1e-15
    assert set(sure) == set(plain)
    assert sure["C_sgp"] == plain["C_sgp"]


def test_the_slack_table_is_printed_and_is_in_the_json(run):
    ask = ["constants", "directed-ring", "--clients", 16, "--horizon", 30, "--compare"]
    done = run(*ask)
    assert done.code == 0
    for word in ("slack of the printed formulas", "tight", "|lambda_2|", "SGP lemma", "DePRL"):
        assert word in done.out
    found = json.loads(run(*ask, "--json", "-").out)
    rows = {row["envelope"]: row for row in found["compare"]}
    assert TIGHT.items() <= rows["tight"].items()
    constants = found["constants"]
    for row, C, gap in (("SGP lemma", "C_sgp", "gap_sgp"), ("DePRL", "C_deprl", "gap_deprl")):
        ratio = constants[C]["log10"] - constants[gap]["log10"]
        assert rows[row]["log10_ratio"] == pytest.approx(ratio, rel=1e-14)
        assert f"{ratio:.2f}" in done.out
        assert f"{rows[row]['orders']:.1f}" in done.out


def test_all_is_every_topology_that_fits(run, tmp_path):
    found = asked(run, "all", "--clients", 6, "--degree", 2, "--horizon", 8, "--compare",
                  "--out", tmp_path)  # fmt: skip
    compared = {row["topology"] for row in found["compare"]}
    assert compared | set(found["left_out"]) == set(names())
    assert found["left_out"]["hypercube"] == "hypercube: clients is 6; need a power of two"
    assert "constants" not in found
    assert {p.name for p in tmp_path.iterdir()} == {
        f"{name}-6.{kind}" for name in compared for kind in ("svg", "png")
    }
    text = run("constants", "all", "--clients", 6, "--horizon", 8, "--compare").out
    assert "complete, SGP lemma: Assran et al. 2019, Lemma 3 defines no constants" in text
    assert "hypercube is left out: " in text


def test_the_pictures_are_the_same_every_time(run, tmp_path):
    ask = ["constants", "random-out", "--clients", 8, "--degree", 2, "--horizon", 20, "--compare"]
    for folder in ("a", "b/c"):
        assert run(*ask, "--out", tmp_path / folder).code == 0
    first, second = ({p.name: p.read_bytes() for p in (tmp_path / folder).iterdir()}
                     for folder in ("a", "b/c"))  # fmt: skip
    assert set(first) == {"random-out-8.svg", "random-out-8.png"}
    assert first == second
    assert first["random-out-8.png"].startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rong", "--clients", "8", "--compare"], "topology: no 'rong'; did you mean ring"),
        (["random-out", "--clients", "4", "--degree", "9", "--compare"], "degree is 9"),
        (["all", "--clients", "4", "--degree", "9", "--compare"], "degree is 9"),
        (
            ["ring", "--clients", "8", "--horizon", "0", "--compare"],
            "horizon is 0; need at least 1",
        ),
        (["all", "--clients", "8"], "all without --compare"),
        (["all", "--compare"], "--clients is missing; all needs"),
        (["all", "--clients", "8", "--option", "odd=1", "--compare"], "takes the option 'odd'"),
        (["ring", "--clients", "8", "--out", "x"], "--out x without --compare"),
        (["ring", "--clients", "8", "--compare", "--out", "file"], "file is no directory"),
        (["ring", "--clients", "8", "--compare", "--out", "file/x"], "file is no directory"),
        (["directed-ring", "--clients", "3000", "--certify"], "clients is 3000; need at most"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(
    refused, tmp_path, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    assert message in refused("constants", *arguments)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_folder_that_cannot_be_written_is_refused(refused, tmp_path, monkeypatch):
    def denied(path):  # root, who runs some tests, may write everywhere
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(command, "check_writable", denied)
    ask = ["constants", "ring", "--clients", 4, "--compare", "--out", tmp_path / "x"]
    assert "permission denied; need a path that can be written" in refused(*ask)
    assert not (tmp_path / "x").exists()


def test_a_picture_that_fails_leaves_no_other_behind(run, tmp_path, monkeypatch):
    drawn = []

    def fails(*arguments):
        drawn.append(arguments)
        raise RuntimeError("no ink")

    monkeypatch.setattr(command, "png", fails)
    done = run("constants", "ring", "--clients", 4, "--compare", "--out", tmp_path / "out")
    assert (done.code, len(drawn)) == (3, 1)
    assert not (tmp_path / "out").exists()


def test_without_the_certifying_part_it_says_so(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "theorylab.constants.certified", None)
    assert "--certify: " in refused("constants", "ring", "--clients", 4, "--certify")


def test_its_page_shows_this_table(run):
    page = (pathlib.Path(__file__).resolve().parents[2] / "docs/constants.md").read_text()
    shown = page.split("<!-- constants -->\n```\n")[1].split("```")[0].splitlines()
    done = run("constants", "random-out", "--clients", 100, "--degree", 10, "--compare")
    printed = [line.split() for line in done.out.splitlines()]
    for line in (line for line in shown if "random-out" in line):
        assert line.split() in printed
