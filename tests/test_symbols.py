"""Names and letters belong to the file that declares them; nothing is shadowed in silence."""

import copy
import pickle
import re
import sys

import pytest
import sympy as sp

from theorylab import cli, symbols
from theorylab.statements import BUILT_IN
from theorylab.symbols import L, Side, decay, latex_of, symbol
from theorylab.verdicts import jobs, judge
from theorylab.verdicts.evidence import check_meanings

FILE = """
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol

gamma = symbol("gamma", r"\\gamma", "{text}", {units})
Q2 = symbol("Q2", "Q^2", "{text}, squared", {units})
STATEMENT = Statement(
    id="{id}.thm1", source=Source("{id}", "1", "a bound"), algorithm="sgp",
    quantity=Quantity("{column}", "last", {units}, "a"),
    versions={{"claim": Version(
        {{"bound": gamma + Q2}}, (), (Check("one", {{
            "problem": {{"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]}},
            "topology": {{"name": "complete"}}, "clients": 1, "rounds": 1, "x0": 2.0,
            "algorithm": {{"eta": 0.5}}, "constants": {{"gamma": {level}, "Q2": 0.0}},
        }}, "{expect}"),),
    )}},
)
"""  # x^1 = 1: the loss is 1/2, |grad f|^2 is 1


def write(folder, name, column="loss", units=(1, 0), level=0.6, expect="HOLDS"):
    file = folder / f"{name}.py"
    file.write_text(
        FILE.format(id=name, text=f"of {name}", column=column, units=units, level=level,
                    expect=expect)
    )  # fmt: skip
    return str(file)


@pytest.fixture
def two(tmp_path):
    return [
        write(tmp_path, "first"),
        write(tmp_path, "second", "squared_gradient", (2, -2), 0.9, "VIOLATED"),
    ]


def test_two_files_use_one_name_and_one_letter_with_two_meanings(two):
    found = [judge(job) for job in [*jobs(two), *jobs(two[:1]), *jobs(two[::-1])]]
    assert [r.verdict for r in found] == [r.expected for r in found]
    assert [r.bound for r in found] == [0.6, 0.9, 0.6, 0.9, 0.6]


def test_two_files_are_judged_by_one_command_in_two_processes(two, tmp_path, capsys):
    assert cli.run(["verify", *two, "--jobs", "2", "--out", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().out
    assert "2 checks: 2 as expected" in shown


def test_a_file_that_is_read_again_may_have_changed_what_its_names_mean(tmp_path):
    (old,) = jobs([write(tmp_path, "own")])
    assert judge(old).verdict == "HOLDS"
    (new,) = jobs([write(tmp_path, "own", "squared_gradient", (2, -2), 0.9, "VIOLATED")])
    assert judge(new).verdict == "VIOLATED"


def test_symbols_of_one_letter_are_told_apart_and_survive_a_copy():
    own = symbol("test_gamma", r"\gamma", "of a test")
    assert own.name == decay.name
    assert own != decay
    assert sp.expand((own + decay) ** 2 - (own - decay) ** 2) == 4 * own * decay
    expr = sp.exp(-own * L) / (1 + decay)
    for made in (copy.deepcopy(expr), pickle.loads(pickle.dumps(expr))):
        assert made == expr
        assert made.free_symbols == {own, decay, L}
    assert sp.latex(own) == sp.latex(decay)
    assert symbols.name_of(pickle.loads(pickle.dumps(own))) == "test_gamma"
    assert symbols.meaning_of(own).text == "of a test"


def test_formulas_read_in_the_order_of_their_letters_whoever_declared_them():
    own = symbol("test_a", "a", "a number")
    assert sp.latex(own * L + L**2) == sp.latex(sp.Symbol("a") * L + L**2)


def test_a_name_that_theorylab_measures_cannot_mean_something_else():
    with pytest.raises(ValueError, match="'eta' is what theorylab measures as 'local step size'"):
        symbol("eta", r"\eta", "step size of the server", (0, 0))
    with pytest.raises(ValueError, match=r"units \(1, -2\), any number at most"):
        symbol("L", "L", "smoothness", (1, -2), Side.LOWER, positive=True)
    assert symbol("L", "L", "smoothness", (1, -2), Side.UPPER, positive=True) is L


def test_one_file_gives_a_name_one_meaning():
    here = sys._getframe().f_lineno + 1
    first = symbol("test_twice", "w", "a number")
    assert symbol("test_twice", "w", "a number") is first
    with pytest.raises(ValueError, match=f"declared on line {here} with another meaning"):
        symbol("test_twice", "w", "a length", (0, 1))


CLASH = """
gamma2 = symbol("gamma_2", r"\\gamma", "another", {units})
from dataclasses import replace
STATEMENT = replace(STATEMENT, versions={{"claim": replace(
    STATEMENT.versions["claim"], terms={{"bound": gamma + gamma2}})}})
"""


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (
            CLASH.format(units=(1, 0)),
            r"own.thm1 \[claim\]: 'gamma' and 'gamma_2' have one letter, \\gamma;",
        ),
        ('symbol("L", "L", "a length", (0, 1))', "symbols: 'L' is what theorylab measures as"),
        ('symbol("Q2", "R", "other")', "symbols: 'Q2' is declared on line 6 with another"),
    ],
)
def test_a_clash_inside_a_file_is_one_line(tmp_path, capsys, more, line):
    path = write(tmp_path, "own")
    with open(path, "a") as file:
        file.write(more)
    assert cli.run(["verify", path]) == 2
    (told,) = capsys.readouterr().err.strip().splitlines()
    assert re.search(r"own\.py, line \d+: ValueError: " + line, told)


def test_a_measured_constant_is_not_taken_for_another_of_its_name():
    own = symbol("kappa", r"\kappa", "a length of a test", (0, 1))
    check_meanings("here", {own: "kappa"}, {"L"})  # not measured here: it is the file's alone
    check_meanings("here", {own: "other"}, {"kappa", "other"})  # the version names its constant
    with pytest.raises(ValueError, match=r"here: kappa is measured here, as .* need another name"):
        check_meanings("here", {own: "kappa"}, {"kappa"})


def test_a_letter_that_is_a_formula_is_set_as_it_was_declared():
    bare = str.maketrans("", "", "{} ")
    letters = {s for claim in BUILT_IN.values() for v in claim.versions.values() for s in v.free}
    for letter in letters:
        assert latex_of(letter).translate(bare) == str(letter).translate(bare)
    (norm,) = (s for s in letters if str(s) == r"\|\nabla_vF_i(z_i^t,v_i^t)\|^2")
    assert latex_of(norm**2) == rf"\left({norm}\right)^{{2}}"


def test_a_letter_that_is_none_is_one_line_with_the_nearest(tmp_path, capsys):
    file = tmp_path / "typo.py"
    file.write_text("from theorylab.symbols import lamda2\n")
    assert cli.run(["verify", str(file)]) == 2
    told = "typo.py, line 1: theorylab.symbols has no 'lamda2'; did you mean lambda2?"
    assert told in capsys.readouterr().err
    file.write_text("from theorylab.symbols import wholly_unlike\n")
    assert cli.run(["verify", str(file)]) == 2
    assert "need a name that theorylab.symbols has" in capsys.readouterr().err
