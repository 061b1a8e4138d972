"""Counterexamples from before sweeps were data are read as what they say now."""

import pathlib

import pytest

from theorylab.falsify import Counterexample, replay
from theorylab.falsify._older import OLDER, today
from theorylab.statements import BUILT_IN, Check
from theorylab.statements.deprl import _sweeps as deprl
from theorylab.statements.deprl._instances import RING_OF_FOUR
from theorylab.statements.dfedalt import _instances as alt
from theorylab.verdicts import judge_check

DEPRL = {
    **{key: deprl.RATE_RING_OF_FOUR[key] for key in ("problem", "topology", "clients", "x0")},
    **{"algorithm": {"tau": 2}, "sweep": "rounds", "values": [10**8, 10**9, 10**10, 10**11]},
    **{"fit": 4, "follow": 0.0, "exponent": 1.0, "rounds": 1},
}


def test_every_statement_of_the_table_is_there_and_stands_in_it_once():
    names = [name for group in OLDER for name in group]
    assert len(names) == len(set(names))
    assert set(names) <= set(BUILT_IN)


def test_deprls_old_counterexample_is_still_one():
    found = judge_check(
        BUILT_IN["deprl.cor1_rate"],
        "printed/no-self-loops",
        Check("old", today("deprl.cor1_rate", "printed/no-self-loops", DEPRL)),
    )
    assert found.verdict == "VIOLATED"
    assert found.measured == pytest.approx(3.1623336016975645, rel=1e-12)  # as it was then


def test_deprls_old_sweep_along_n_takes_k_with_it():
    old = {**DEPRL, "sweep": "clients", "values": [3, 4, 6], "rounds": 10**4, "follow": 8, "fit": 0}
    made = today("deprl.cor1_rate", "printed", old)
    assert made["sweep"]["set"]["rounds"] == "10000*(clients/3)**(8)"
    assert (made["rounds"], made["sweep"]["parameter"]) == (10**4, "clients")
    assert "follow" not in made


@pytest.mark.parametrize(
    ("rounds", "verdict"),  # Corollary 1 asks for 1.5e7 rounds on the ring of four
    [
        ([10**7], "ASSUMPTION_FAILS"),
        ([10**8], "VIOLATED"),
        ([10**7, 10**8], "ASSUMPTION_FAILS"),
        ([10**8, 10**9], "VIOLATED"),
    ],
)
def test_deprls_old_corollary_is_judged_at_each_of_its_rounds(rounds, verdict):
    old = {key: DEPRL[key] for key in ("problem", "topology", "clients")}
    old |= {"algorithm": {}, "rounds": rounds, "corollary": True}
    version = "printed/no-self-loops"
    made = today("deprl.cor1", version, old)
    found = judge_check(BUILT_IN["deprl.cor1"], version, Check("old", made))
    assert found.verdict == verdict, found.reason
    if verdict == "VIOLATED":
        # sigma^2 (K-1)/(2K); K products of matrices of norm 1, some roundings each
        assert found.measured == pytest.approx(0.5, rel=1e-14 * rounds[-1])
        assert found.place == f"rounds={rounds[-1]:g}, T={rounds[-1]}"


def test_a_control_of_then_is_refused_in_one_line():
    with pytest.raises(ValueError, match=r"to the power 1.5; need 1"):
        today("deprl.cor1_rate", "printed", {**DEPRL, "exponent": 1.5})


@pytest.mark.parametrize("name", ["dfedsgpsm.cor1_rate", "dfedsgpsm.cor1_growth", "dfedalt.thm1"])
def test_what_cannot_be_said_today_is_refused_in_one_line(name):
    with pytest.raises(ValueError, match=r"its own bracket .*, which is gone") as caught:
        today(name, "printed", {"sweep": "rounds", "bracket": "thm1", "values": [1, 2, 3, 4]})
    assert "\n" not in str(caught.value)


PGP = {
    **{"problem": {"name": "coupled-quadratic", "A": [[[1.0]]], "B": [[[1.0]]], "C": [[[0.0]]],
                   "a": [[0.0]], "b": [[0.0]], "sigma_u": 1.0}},
    **{"topology": {"name": "complete"}, "clients": 1, "rounds": [10, 10**5], "corollary": []},
    "algorithm": {"eta_u": 5e-4, "eta_v": 1 / 32, "steps_u": 40, "steps_v": 1},
}  # fmt: skip


def test_dfedpgps_old_rows_are_still_a_counterexample():
    new = today("dfedpgp.thm1", "printed/eq32-line-4", PGP)
    found = judge_check(BUILT_IN["dfedpgp.thm1"], "printed/eq32-line-4", Check("old", new))
    assert (found.verdict, found.places, found.place) == ("VIOLATED", 2, "T=100000")
    assert found.measured == pytest.approx(0.00999971702424416, rel=1e-12)  # as it was then


def test_dfedpgps_old_steps_of_every_t_are_refused_in_one_line():
    with pytest.raises(ValueError, match="other step sizes at every T, which is gone") as caught:
        today("dfedpgp.cor1", "corrected", {**PGP, "corollary": [1.0, 0.125]})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "noise", "steps", "measured"),
    [  # as they were then
        ("dfedalt.thm1_bound", {"sigma_v": 1.0}, {"rho": 0.0}, 0.015319110667443328),
        ("dfedsalt.thm2_bound", {"sigma_v": 1.0}, {}, 0.015319110667443328),
        ("dfedsalt.thm2_bound", {"sigma_u": 1.0}, {"rho": 0.1}, 0.0006410190664036808),
    ],
)
def test_the_rounds_of_all_rows_were_one_list(name, noise, steps, measured):
    old = {
        "problem": alt.scalars(2, 1.0, 1.0, **noise), "topology": alt.pair(0.25), "clients": 2,
        "algorithm": {"eta_u": 0.05, "eta_v": 0.12, "steps_v": 2, **steps}, "x0": 0.0,
        "rounds": [10, 1000, 1000000], "scale": 0.0,
    }  # fmt: skip
    now = today(name, "corrected", old)
    assert (now["rounds"], now["at"]) == (10**6, [10, 1000, 10**6])
    found = judge_check(BUILT_IN[name], "corrected", Check("old", now))
    assert found.measured == pytest.approx(measured, rel=1e-12)
    with pytest.raises(ValueError, match=r"anew at every T \(scale 0.1\); need one file a T"):
        today(name, "corrected", {**old, "scale": 0.1})


FILES = sorted(pathlib.Path(__file__).with_name("counterexamples").glob("*.json"))


def test_there_are_twenty_files_of_an_older_version():
    assert len(FILES) >= 20


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_of_an_older_version_is_replayed(file):
    kept = Counterexample.parsed(file.read_text())
    found = replay(kept)
    assert found.verdict == kept.verdict == "VIOLATED"
    assert found.same, found.differences


def test_a_number_that_is_another_one_is_told_of_an_older_file():
    file = next(file for file in FILES if file.stem.startswith("dfedpgp.lem3"))
    kept = Counterexample.parsed(file.read_text())
    wrong = kept.model_copy(update={"bound_hex": (kept.bound * (1 + 1e-8)).hex()})
    found = replay(wrong)
    assert found.older
    assert [line.split(":")[0] for line in found.differences] == ["bound"]


@pytest.mark.parametrize(
    ("name", "version", "old", "verdict"),
    [
        ("deprl.eq8", "corrected", {"problem": {"name": "sin-sin", "seed": 2}}, "HOLDS"),
        (
            "deprl.thm1_mixing",
            "implied/no-self-loops",
            {"problem": {"name": "sin-sin"}, "topology": RING_OF_FOUR, "powers": 400},
            "VIOLATED",
        ),
        (
            "dfedpgp.eq6",
            "printed",
            {
                "problem": {"name": "sin-sin"},
                "topology": {"name": "random-in", "degree": 2, "seed": 1},
                "steps": [5],
            },
            "VIOLATED",
        ),
    ],
)
def test_probes_of_one_paper_are_points_or_networks_now(name, version, old, verdict):
    instance = today(name, version, {"topology": {"name": "ring"}, "clients": 4, **old})
    found = judge_check(BUILT_IN[name], version, Check("old", instance), seeds=16)
    assert found.verdict == verdict, found.reason
