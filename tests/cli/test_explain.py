"""``theorylab explain``, and what ``verify ID`` ends with."""

from collections import namedtuple
from dataclasses import replace

import pytest

from theorylab import cli
from theorylab.commands.explain import Explain
from theorylab.commands.explain import work as explaining
from theorylab.commands.explain.claim import _telling, claimed, first_false
from theorylab.commands.explain.work import explain
from theorylab.report.faults import claims_of, faults, shown_by
from theorylab.report.tally import against, tally
from theorylab.statements import BUILT_IN

VERSION = BUILT_IN["dfedsgpsm.lem5_last"].versions["printed"]


def asked(name, version, check, **options):
    return Explain(name=name, version=version, check=check, **options)


def told(capsys, *arguments):
    assert explain(claimed(asked(*arguments))) == 0
    return " ".join(capsys.readouterr().out.split())


def test_a_false_line_is_explained_from_claim_to_repair(capsys):
    text = told(capsys, "dfedsgpsm.lem5_last", None, None)
    assert "dfedsgpsm.lem5_last [printed] momentum: VIOLATED, wrong order" in text
    assert "utilizing 0 < a~ < K/(1-alpha), we obtain the final result" in " ".join(text.split())
    assert "Instance: alphas = (.5, .9, .99)" in text
    assert "What fails:" in text
    assert "Repair: Use 1/a~ <= 1/K." in text
    assert "Rests on:" in text
    assert "In interval arithmetic: it stands (the script in Arb balls of 128 bits" in text
    assert "theorylab verify dfedsgpsm.lem5_last --check momentum" in text


def test_a_terminal_shows_the_judged_bound_by_terms_and_latex_only_where_asked(capsys):
    text = told(capsys, "dfedsgpsm.thm1", "printed", "worked-example")
    assert "squared_gradient (average) <= the sum of (2 - 2*alpha)*(f0 - f_star)/(K*T*eta)" in text
    assert "[optimisation = 0.1218]" in text
    assert "3*L^2*rho^2 [sharpness = 0]" in text
    assert "\\" not in text.partition("A script")[0]
    assert explain(claimed(asked("dfedsgpsm.thm1", "printed", "worked-example", latex=True))) == 0
    assert r"\frac{2(1-\alpha)" in capsys.readouterr().out


def test_what_nobody_satisfies_is_a_sentence_and_has_no_numbers(capsys):
    text = told(capsys, "pdbo.asm4", "printed", "sto-d-4b")
    assert "is empty as printed: no instance of SGP, Eq. (4a)/(4b), satisfies Assumption 4" in text
    assert "Left side" not in text
    assert "Script: none: nothing was measured." in text


def test_a_claim_that_holds_is_explained_without_a_fault(capsys):
    text = told(capsys, "dfedsgpsm.lem5_last", "corrected", None)
    assert "holds as corrected" in text
    assert "What fails" not in text
    assert "--version corrected" in text


def test_a_check_can_be_chosen_and_is_enclosed_in_balls(capsys):
    text = told(capsys, "dfedsgpsm.eq6", "printed", "one-moves")
    assert "f_i(x) = log cosh(x - c_i), c = (5, 0, 0), n = 3, directed ring" in text
    assert "In interval arithmetic: it stands (the script in Arb balls of 128 bits" in text


def test_an_order_shows_the_curve_of_its_ratio(capsys):
    text = told(capsys, "dfedsgpsm.cor1_growth", None, "momentum-to-one")
    assert "left side over bracket along inverse" in text
    assert "the growth per decade of squared_gradient (average) over " in text
    assert "1.94 2.93 3.92" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nosuch.thm1", None, None), "no statement"),
        (("dfedsgpsm.*", None, None), "need one"),
        (("dfedsgpsm.thm1", "nosuch", None), "no version"),
        (("dfedsgpsm.thm1", "printed", "nosuch"), "no check"),
    ],
)
def test_what_is_not_there_is_one_line(arguments, words):
    from theorylab.commands.refusal import Refused

    with pytest.raises(Refused, match=words) as refused:
        explain(claimed(asked(*arguments)))
    assert "\n" not in str(refused.value)


def test_the_first_reading_that_is_false_by_itself_is_chosen():
    assert first_false(BUILT_IN["dfedsgpsm.lem5_last"]) == "printed"
    assert first_false(BUILT_IN["dfedalt.eq8"]) == "printed/line-4"
    assert first_false(BUILT_IN["dfedsgpsm.asm1"]) == next(
        iter(BUILT_IN["dfedsgpsm.asm1"].versions)
    )


def test_a_false_version_is_shown_false_though_no_quick_check_tells():
    slow = [replace(c, quick=c.expect == "HOLDS") for c in VERSION.checks]
    asked = replace(VERSION, checks=tuple(slow))
    jobs = [namedtuple("Job", "check")(c.name) for c in slow]
    quick = [job for job, check in zip(jobs, slow, strict=True) if check.quick]
    assert [job.check for job in _telling(asked, quick, jobs)] == against(asked)[:1]
    assert _telling(VERSION, jobs, jobs) is jobs


def test_no_more_checks_are_judged_than_may_say_more(monkeypatch, capsys):
    """The first that is expected to break the claim says all; of a true version all are judged."""
    judged, judge = [], explaining.judge
    monkeypatch.setattr(explaining, "judge", lambda job: judged.append(job.check) or judge(job))
    monkeypatch.setattr(explaining, "rechecked", lambda *_: None)
    text = told(capsys, "dfedsgpsm.lem5_last", "printed", None)
    assert judged == against(VERSION)[:1]
    assert f"[printed] {judged[0]}: VIOLATED" in text
    judged.clear()
    told(capsys, "dfedsgpsm.lem5_last", "corrected", None)
    assert len(judged) == len(BUILT_IN["dfedsgpsm.lem5_last"].versions["corrected"].checks)


def test_of_a_paper_every_fault_is_listed_with_what_it_refutes_and_its_command(capsys):
    assert cli.run(["explain", "DFedAlt"]) == 0
    text = capsys.readouterr().out
    count = tally(claims_of("dfedalt"))
    shown = f"{count.total} of {count.statements} statements are false as printed"
    assert text.startswith(f"DFedAlt. {shown}")
    own = [fault for fault in faults("dfedalt") if fault.kind == "own"]
    assert own
    for fault in own:
        assert shown_by(fault).command in text
        assert all(name in text for name, _ in fault.refutes)
    assert text.index("Wrong order: ") < text.index("Misprint: ")


def test_a_check_is_of_a_statement_and_not_of_a_paper(capsys):
    assert cli.run(["explain", "dfedalt", "--check", "ring"]) == 2
    assert "dfedalt names 28 statements; need one" in capsys.readouterr().err


OWN = """
from dataclasses import dataclass
from theorylab.algorithms import Algorithm
from theorylab.statements import Assumption, Check, Source, Statement, Version
from theorylab.symbols import f0, f_star, symbol

beta = symbol("beta", "b", "a share")


@dataclass(frozen=True)
class Descent(Algorithm, name="explain-descent"):
    eta: float
    beta: float = 0.75
    rho: float = 0.0

    def step(self, state, net):
        return net.next(state, x=state.x - self.eta * net.gradient(state.x))


RUN = {"problem": {"name": "log-cosh"}, "clients": 1, "topology": {"name": "complete"}}
RUN |= {"rounds": 2, "algorithm": {"eta": 0.1}, "x0": 1.0}
CLAIM = Version({"gap": f0 - f_star}, (Assumption("b", rule=beta < 1),), (Check("one", RUN),))
STATEMENT = Statement(
    "mine.defaults", Source("me", "1", "a"), "last_suboptimality", {"claim": CLAIM}, "NAME"
)
"""


@pytest.mark.parametrize(
    ("name", "options"),
    [("explain-descent", "eta = .1, beta = .75, rho = 0, T = 2"), ("sgp", "eta = .1, T = 2")],
)
def test_an_own_algorithm_s_options_are_told_where_they_stand_at_their_defaults(
    capsys, tmp_path, registries, name, options
):
    text = OWN.replace("NAME", name)
    if name == "sgp":  # theorylab's pages tell its defaults
        text = text.replace("beta < 1", "f0 >= f_star")
    (tmp_path / "own.py").write_text(text)
    said = told(capsys, str(tmp_path / "own.py"), "claim", None)
    assert f"n = 1, complete, {options}, x^0 = 1 " in said
    assert cli.run(["verify", str(tmp_path / "own.py")]) == 0
    assert f"n = 1, complete, {options}, x^0 = 1." in " ".join(capsys.readouterr().out.split())


def test_a_bibtex_entry_is_all_of_stdout(run, refused):
    done = run("explain", "dfedsgpsm.lem1", "--bibtex")
    assert done.code == 0
    assert done.out.startswith("@misc{theorylab:dfedsgpsm.lem1--")
    assert done.out.endswith("\n}\n")
    assert "need one statement" in refused("explain", "dfedsgpsm", "--bibtex")
    assert "need it alone" in refused("explain", "dfedsgpsm.lem1", "--bibtex", "--latex")
    assert "need it alone" in refused("explain", "found.json", "--bibtex")
