"""An instance that is none: one line that starts with ``verify:``, exit code 2, nothing run."""

import json
import pathlib

import pytest

from theorylab.commands.verify import judging

LEM1 = ("verify", "dfedsgpsm.lem1")
GOOD = {
    "problem": {"name": "quadratic", "dim": 1, "mu": 1.0, "L": 1.0},
    "topology": {"name": "ring"},
    "clients": 2,
    "rounds": 3,
    "algorithm": {"eta": 0.1},
}
OWN = (pathlib.Path(__file__).parents[1] / "verdicts" / "user_theorem.py").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["dfedsgpsm.lem0", "--clients", "2"], "no statement 'dfedsgpsm.lem0'; did you mean"),
        (["dfedsgpsm.lem1", "dfedsgpsm.thm1", "--clients", "2"], "given for 2 statements; need"),
        (["--clients", "2"], "statements; need one, by its id or FILE.py"),
        ([*LEM1[1:], "--version", "print"], "no version 'print'; need one of corrected, printed"),
        ([*LEM1[1:], "--check", "momentom"], "no check 'momentom'; need one of momentum, sam-m"),
        ([*LEM1[1:], "--clients", "0"], "--clients is 0; need at least 1"),
        ([*LEM1[1:], "--clients", "many"], "Invalid value for '--clients'"),
        ([*LEM1[1:], "--quick", "--clients", "2"], "--quick chooses checks; need it without"),
        ([*LEM1[1:], "--set", "rounds"], "--set is 'rounds'; need PATH=VALUE"),
        ([*LEM1[1:], "--set", "a b=1"], "--set is 'a b=1'; need PATH=VALUE"),
        ([*LEM1[1:], "--set", "0.a=1"], "--set is '0.a=1'; need PATH=VALUE"),
        ([*LEM1[1:], "--set", "rounds=3", "--set", "rounds=4"], "rounds comes twice"),
        ([*LEM1[1:], "--set", "round=3"], "no option 'round'; need one of problem, topology"),
        ([*LEM1[1:], "--set", "round=3"], "(did you mean rounds?)"),
        ([*LEM1[1:], "--set", "algorithm.eta.x=3"], "the instance has no 'algorithm.eta.x'; need"),
        ([*LEM1[1:], "--set", "algorithm.eto=3"], "unknown option 'eto'; need one of"),
        ([*LEM1[1:], "--set", "rounds=many"], "rounds: input should be a valid integer"),
        ([*LEM1[1:], "--set", "rounds=1.5"], "rounds: input should be a valid integer"),
        ([*LEM1[1:], "--set", "algorithm.eta=fast"], "'fast' is no number; need one of t"),
        ([*LEM1[1:], "--set", "problem=7"], "problem: input should be a valid dictionary"),
        ([*LEM1[1:], "--set", 'problem={"dim": 1}'], "problem has no name; need"),
        ([*LEM1[1:], "--set", "rounds=" + "9" * 5000], "rounds: Exceeds the limit"),
        ([*LEM1[1:], "--set", "x0=" + "[" * 60 + "1" + "]" * 60], "nested too deep; need at most"),
        ([*LEM1[1:], "--problem", "quadratik"], "quadratik"),
        ([*LEM1[1:], "--topology", "rong"], "topology: no 'rong'; did you mean ring"),
        ([*LEM1[1:], "--topology", "nowhere.json"], "--topology: no such file"),
        ([*LEM1[1:], "--instance", "none.json"], "--instance none.json: no such file or dir"),
        ([*LEM1[1:], "--instance", "."], "is a directory"),
        ([*LEM1[1:], "--instance", "x.json", "--check", "momentum"], "--check came with --inst"),
        (["pdbo.eq34", "--topology", "ring"], "no option 'topology'; need one of"),
        (["pdbo.eq34", "--set", "network=-1"], "no such instance"),
        (["pdbo.eq9", "--set", "reading=eq99"], "reading says what pdbo.eq9 claims, and not on"),
        (["dfedalt.eq19", "--set", "constants.dfedalt_unit=1e-9"], "constants says what"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(refused, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    line = refused("verify", *arguments)
    assert message in line
    assert line.startswith("theorylab: verify: ") or "did you mean" in line
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1 column 1"),
        ("{", "line 1 column 2"),
        ("[1]", "holds a list; need an object"),
        ("[" * 100000, "nested too deep; need an instance"),
        ('{"rounds": 1' + "0" * 5000 + "}", "need an instance"),
        ("\ud800", "not UTF-8 text"),
        (json.dumps({**GOOD, "rounds": "ten"}), "rounds: input should be a valid integer"),
        (json.dumps({k: v for k, v in GOOD.items() if k != "topology"}), "topology: field requ"),
        (json.dumps({**GOOD, "speed": 1}), "speed: extra inputs are not permitted"),
        (json.dumps({**GOOD, "problem": {"name": "\ud800"}}), "which is no text"),
        (json.dumps({**GOOD, "algorithm_name": "sgp"}), "is about the algorithm 'sgp'; dfedsgpsm"),
        (json.dumps({"instance": 7}), "instance is 7; need an object"),
        (json.dumps({"results": [{"instance": GOOD}, {"instance": {}}]}), "results of 2 instances"),
        (json.dumps({"results": []}), "holds results of 0 instances; need one"),
        (
            json.dumps({"theorylab": "0", "version": "printed", "statement": "deprl.thm1",
                        "instance": {"rounds": 3}}),
            "verify: ",
        ),
    ],
)  # fmt: skip
def test_a_file_that_holds_no_instance_is_refused(refused, tmp_path, text, message):
    path = tmp_path / "mine.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    line = refused(*LEM1, "--instance", path)
    assert message in line
    assert line.startswith("theorylab: verify: ")


@pytest.mark.skipif(not pathlib.Path("/dev/zero").exists(), reason="needs a file without end")
def test_a_file_without_end_is_refused(refused):
    assert "more than 268435456 bytes" in refused(*LEM1, "--instance", "/dev/zero")


def test_hostile_text_is_shown_by_its_escapes(run, refused, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({**GOOD, "\x1b[31mred": 1}))
    line = refused(*LEM1, "--instance", path)
    assert "\\x1b[31mred" in line
    assert "\x1b" not in line
    own = tmp_path / "own.py"
    own.write_text(OWN.replace("(L,)),", '(L,)), Assumption("\\x1b[31m x", finite=(L,)),'))
    done = run("verify", own, "--set", "rounds=9")
    assert "\\x1b[31m x" in done.out
    assert "\x1b" not in done.out


def test_numbers_that_a_user_gave_for_one_instance_do_not_move_with_it(run, refused, tmp_path):
    own = tmp_path / "own.py"
    text = OWN.replace('"x0": 1.0,', '"x0": 1.0, "constants": {"own_gap": 100.0},')
    text = text.replace("2 * (f0 - f_star)", "own_gap")
    text = text.replace(
        "RUN =", 'own_gap = symbol("own_gap", "G", "a gap", (1, 0), Side.UPPER)\n\nRUN ='
    ).replace("import L, T, eta, f0, f_star", "import L, Side, T, eta, symbol")
    own.write_text(text)
    line = refused("verify", own, "--set", "x0=1e6")
    assert "constants.own_gap is a number that is known for the unchanged instance alone" in line
    more = ("--set", "x0=1e3", "--set", "constants.own_gap=1e8")
    done = run("verify", own, *more, "--json", "-")
    assert json.loads(done.out)["results"][0]["constants"]["own_gap"]["value"] == 1e8


def test_a_version_that_lacks_a_constant_is_named_and_the_others_are_judged(
    run, refused, monkeypatch
):
    judge = judging.judge

    def lacking(job, progress=None):
        if job.version == "printed":
            raise ValueError(f"{job.id} [printed] own: nothing defines the constant 'B'")
        return judge(job, progress)

    monkeypatch.setattr("theorylab.commands.verify.judging.judge", lacking)
    done = run(*LEM1, "--set", "rounds=5")
    assert done.code == 2
    assert "[printed] own: ERROR: nothing defines the constant 'B'" in " ".join(done.out.split())
    assert "2 versions: 1 ERROR, 1 HOLDS. Exit code 2: no version is VIOLATED, but one" in done.out
    line = refused(*LEM1, "--set", "rounds=5", "--version", "printed")
    assert line.startswith("theorylab: verify: dfedsgpsm.lem1 [printed] own: nothing defines")
    assert "the instance: that of the check " in line
