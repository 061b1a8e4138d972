"""False claims of the literature: each holds on its benign check, and a witness refutes it."""

import dataclasses
import importlib
import json
import pathlib

import pytest

VERIFY = pathlib.Path(__file__).resolve().parents[2] / "verify"
FILES = sorted((VERIFY / "literature").glob("*.py"))
LONGEST = 90  # lines
DAILY = ("coordinates", "heavy_ball", "push_sum")
HEAVY = {"problem": {"name": "literature-bends", "low": 1.0, "high": 25.0}, "rounds": 60}
HEAVY |= {"algorithm": {"eta": 1 / 9, "beta": 4 / 9}, "x0": 3.2}
CLIP_BASE = {"name": "literature-clip-bowls", "curvatures": 1.0, "centers": 0.0}
SIGN_BASE = {"name": "literature-sign-bowls", "curvatures": 1.0, "centers": 0.0}
UNLIKE = {"curvatures": [1.0, 2.0, 1.0], "centers": [2.0, 0.0, -1.0]}
CENTERS = [[2.0, 1.5], [-1.0, 0.5], [-1.0, -2.0]]
WITNESSES = {  # what an instance has in place of the benign check's
    "adam": {"algorithm": {"a": 0.5, "beta2": 1 / 17}, "rounds": 300},
    "clipping": {
        "problem": {"name": "noisy", "base": CLIP_BASE, "field": "rademacher", "sigma": 4.0},
        "algorithm": {"eta": 0.005, "clip": 1.0},
        "rounds": 400,
    },
    "coordinates": {"problem": {"name": "literature-valley", "size": 3, "share": 0.75}},
    "delayed": {"algorithm": {"eta": 1.0, "delay": 2}, "rounds": 40},
    "dgd": {
        "problem": {"name": "literature-dgd-bowls", "centers": [1.0, 0.0, 1.0, 0.0]},
        "rounds": 40,
    },
    "extra": {"algorithm": {"eta": 1.5}, "x0": [[1.0], [-1.0], [1.0], [-1.0]], "rounds": 60},
    "heavy_ball": HEAVY,
    "local_sgd": {"problem": {"name": "literature-fedavg-bowls", **UNLIKE}, "rounds": 40},
    "push_sum": {"topology": {"name": "directed-ring", "self_loops": False}},
    "sam": {"rounds": 60},
    "sign_sgd": {
        "problem": {"name": "noisy", "base": SIGN_BASE, "field": "rademacher", "sigma": 1.2},
        "algorithm": {"eta_s": 0.5},
        "x0": 0.25,
        "rounds": 400,
    },
    "top1": {
        "problem": {"name": "literature-top-bowls", "centers": CENTERS},
        "rounds": 20,
    },
}


@pytest.fixture
def literature(monkeypatch, registries):
    monkeypatch.syspath_prepend(str(VERIFY))
    return importlib.import_module("quality_literature")


@pytest.mark.parametrize(
    "path",
    [p if p.stem in DAILY else pytest.param(p, marks=pytest.mark.slow) for p in FILES],
    ids=lambda path: path.stem,
)
def test_each_claim_holds_on_its_benign_check_and_a_witness_shows_it_false(literature, path):
    claim = literature.claim_in(path)
    judged = literature.verdict
    benign = dict(claim.benign.instance)
    assert judged(claim.statement, claim.version, benign, sure=False) == "HOLDS"
    witness = benign | WITNESSES[path.stem]
    assert judged(claim.statement, claim.version, witness, sure=True) == "VIOLATED"
    assert len(path.read_text().splitlines()) <= LONGEST


def rows(*kinds):
    """Two files, each searched with two seeds."""
    names = [("one", 0), ("one", 1), ("two", 0), ("two", 1)]
    return [
        {"name": f"{file} seed {seed}", "seed": seed, "kind": kind, "seconds": 1.0}
        for (file, seed), kind in zip(names, kinds, strict=True)
    ]


def test_a_share_is_a_mean_over_the_seeds_with_the_least_and_the_largest(literature):
    told = literature.table(rows("refuted", "refuted", "missed", "refuted"))
    assert told[1] == "literature: 3/4  75.0%  50.0% .. 100.0% of a seed, target 75%"
    assert "missed: two seed 0" in told
    assert "true versions broken by what was found: 0 " in told


def test_a_need_is_no_refutation_and_a_broken_true_version_is_told(literature):
    told = literature.table(rows("needs", "itself", "refuted", "refuted"))
    assert told[1].startswith("literature: 2/3")
    assert "told as a need: one seed 0" in told
    assert "true versions broken by what was found: 1 one seed 1" in told


CLAIM = """
from theorylab.statements import Check, Source, Statement, Version
from theorylab.symbols import f0, f_star

FALSE = "printed"
RUN = {"problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]}, "clients": 1}
RUN |= {"topology": {"name": "complete"}, "rounds": 3, "algorithm": {"eta": 0.5}, "x0": 1.0}
BOUND = {"start": f0 - f_star}
SOURCE = Source("nobody", "Lemma 1", "any step will do")
PRINTED, TRUE = Version(BOUND, (), (Check("small", RUN),)), Version({"more": 100 * (f0 - f_star)})
STATEMENT = Statement("own.claim", SOURCE, "last_suboptimality", {"printed": PRINTED}, "sgp")
"""


def test_a_search_begins_from_the_benign_check_of_the_false_version(literature, tmp_path):
    path = tmp_path / "claim.py"
    path.write_text(CLAIM)
    row = literature.searched(path, 5.0, 1)
    assert (row["name"], row["kind"]) == ("claim seed 1", "refuted")
    found = row["instance"]
    assert found["algorithm"]["eta"] * found["problem"]["H"][0][0][0] > 2  # where x^T grows


@pytest.mark.parametrize(("words", "kind"), [("", "needs"), ('NEEDS = "no noise"', "refuted")])
def test_a_need_counts_where_the_file_names_it(literature, tmp_path, monkeypatch, words, kind):
    path = tmp_path / "claim.py"
    path.write_text(f"{CLAIM}{words}\n")
    found = literature.falsify(literature.claim_in(path).statement, "printed", budget=2.0)
    told = dataclasses.replace(found, refuted=False, needs=("one client", "no noise"))
    monkeypatch.setattr(literature, "falsify", lambda *of, **given: told)
    row = literature.searched(path, 1.0, 0)
    assert (row["kind"], row["needs"]) == (kind, "one client, no noise")


def test_what_refutes_a_true_version_too_is_told_apart(literature, tmp_path):
    path = tmp_path / "claim.py"
    path.write_text(CLAIM.replace('{"printed": PRINTED}', '{"printed": PRINTED, "true": PRINTED}'))
    assert literature.searched(path, 5.0, 0)["kind"] == "itself"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('FALSE = "printed"', "", "claim.py has no FALSE; need FALSE = the version that is false"),
        ('FALSE = "printed"', 'FALSE = "other"', "claim.py: 0 statements have 'other'; need one"),
        ('"eta": 0.5', '"eta": 3.0', "its benign check is VIOLATED"),
        (
            'Check("small", RUN)',
            'Check("small", RUN, "VIOLATED")',
            "claim.py has 0 benign checks of 'printed'; need one",
        ),
    ],
)
def test_a_file_that_is_no_row_says_why(literature, tmp_path, old, new, why):
    path = tmp_path / "claim.py"
    path.write_text(CLAIM.replace(old, new))
    row = literature.searched(path, 1.0, 0)
    assert (row["kind"], row["why"]) == ("refused", why)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--seeds", "0"], "need 0 < --budget < inf, --jobs >= 1 and --seeds >= 1"),
        (["--resume"], "--resume needs the file of --json"),
        (["--only", "none"], "has no file that --only 'none' matches"),
    ],
)
def test_bad_requests_are_one_line_and_exit_2(literature, options, line, capsys):
    assert literature.main(options) == 2
    told = capsys.readouterr().err
    assert line in told
    assert told.count("\n") == 1


def test_what_an_earlier_run_has_is_not_searched_again(literature, tmp_path, capsys):
    path, kept = tmp_path / "claim.py", tmp_path / "rows.json"
    path.write_text(CLAIM)
    row = {"name": "claim seed 0", "kind": "missed", "seed": 0, "seconds": 2.0}
    options = {"budget": 9.0, "folder": str(tmp_path)}
    kept.write_text(json.dumps({"options": options, "rows": [row]}))
    asked = ["--folder", str(tmp_path), "--budget", "9", "--json", str(kept), "--resume"]
    assert literature.main([*asked, "--least", "0.5"]) == 1
    assert "literature: 0/1   0.0%, target 75%" in capsys.readouterr().out


def test_the_help_of_quality_names_the_other_benchmarks_and_what_a_file_needs(literature, capsys):
    quality = importlib.import_module("quality")
    for options, words in (
        (["--help"], ("--stripped", "--literature", "--folder DIR")),
        (["--literature", "--help"], ("FALSE = the version", "one benign check", "BENIGN =")),
    ):
        with pytest.raises(SystemExit) as ended:
            quality.main(options)
        told = " ".join(capsys.readouterr().out.split())
        assert (ended.value.code, [word for word in words if word not in told]) == (0, [])
