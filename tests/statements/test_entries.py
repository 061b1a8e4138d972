"""A paper's data in TOML: what an entry stands for, and what is told of a wrong one."""

import re
import threading
import tomllib
from concurrent.futures import ThreadPoolExecutor

import pytest

from theorylab import letters
from theorylab.statements import Cause, Line, Severity, _entries
from theorylab.statements._entries import Entries

PAPERS = ("deprl", "dfedalt", "dfedpgp", "dfedsalt", "dfedsgpsm", "pdbo")


def test_an_entry_like_another_changes_the_options_that_it_names():
    entries = Entries(
        "mine.toml",
        'A = { algorithm = { eta = 0.1, rho = 0.0 }, topology = "$RING", rounds = 3 }\n'
        'RING = { name = "ring" }\n'
        'B = { like = "A", "algorithm.eta" = 1e-3, x0 = [1, "$RING.name"] }\n',
    )
    ring = {"name": "ring"}
    assert entries["B"] == {
        "algorithm": {"eta": 1e-3, "rho": 0.0}, "topology": ring, "rounds": 3, "x0": [1, "ring"],
    }  # fmt: skip
    assert entries["A"] == {"algorithm": {"eta": 0.1, "rho": 0.0}, "topology": ring, "rounds": 3}
    assert entries["A"] is entries["A"]


def test_beside_a_set_of_a_sweep_keys_with_points_are_no_paths():
    entries = Entries(
        "mine.toml", 'A = { "algorithm.eta" = "1/T" }\nB = { like = "A", "at.0" = "T" }'
    )
    assert entries["B"] == {"algorithm.eta": "1/T", "at.0": "T"}


def test_scalars_are_one_quadratic_a_client():
    entries = Entries(
        "mine.toml", "A = { scalars = [2, 3.0, 1.0], a = [1.0, -1.0], sigma_u = 0.5 }"
    )
    assert entries["A"] == {
        "name": "coupled-quadratic",
        "A": [[[3.0]], [[3.0]]],
        "B": [[[1.0]], [[1.0]]],
        "C": [[[0.0]], [[0.0]]],
        "a": [[1.0], [-1.0]],
        "b": [[0.0], [0.0]],
        "sigma_u": 0.5,
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('A = { topology = "$RING" }', "mine.toml: A: there is no entry 'RING'"),
        ('A = { like = "B" }', "mine.toml: A: there is no entry 'B'"),
        ('A = { x0 = "$B.x0" }\nB = { rounds = 1 }', "mine.toml: A: there is no entry 'B.x0'"),
        ('A = { like = "B" }\nB = { like = "A" }', "mine.toml: A: it stands for itself"),
        (
            'A = { like = "B", "law.eta" = 1 }\nB = { rounds = 1 }',
            "mine.toml: A: 'law.eta' leads nowhere in 'B'",
        ),
        ("A = { like = 3 }", "mine.toml: A: 'int' object has no attribute 'rpartition'"),
    ],
)
def test_an_entry_that_names_what_is_not_there_is_told_in_a_line_each_time(text, told):
    entries = Entries("mine.toml", text)
    for _ in range(2):
        with pytest.raises(ValueError, match="mine") as error:
            entries["A"]
        assert str(error.value) == told


def test_two_threads_read_one_entry(monkeypatch):
    both = threading.Barrier(2, timeout=9)
    scalars = _entries.scalars

    def together(*numbers):
        both.wait()
        return scalars(*numbers)

    monkeypatch.setattr(_entries, "scalars", together)
    entries = Entries("mine.toml", "A = { scalars = [2, 3.0, 1.0] }")
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(entries.__getitem__, "AA")
    assert first is second


def test_a_file_that_is_no_toml_is_told_by_its_name():
    with pytest.raises(ValueError, match=r"^mine\.toml: .+"):
        Entries("mine.toml", "A = {")


@pytest.mark.parametrize("paper", PAPERS[:-1])  # PDBO's instances are a call each, in Python
def test_every_entry_of_a_paper_is_resolved_and_named_elsewhere(paper):
    package = f"{_entries.__package__}.{paper}"
    homes = [_entries.files(f"{_entries.__package__}.{each}").iterdir() for each in PAPERS]
    text = "".join(p.read_text() for home in homes for p in home if p.name.endswith(("py", "toml")))
    for name in tomllib.loads(_entries.files(package).joinpath(_entries.FILE).read_text("utf-8")):
        assert _entries.entry_of(package, name)
        assert re.search(rf"(?m)(?!^{name} =)\b{name}\b", text), f"{paper}: {name} is not used"
    with pytest.raises(AttributeError, match=rf"^{paper}/instances\.toml has no 'NOWHERE'$"):
        _entries.entry_of(package, "NOWHERE")


CAUSE = """
id = "mine/lost-factor"
severity = "wrong constant"
clause = "a factor 2 is lost"
fails = '''(3) bounds |a + b|^2  by
|a|^2 + \\beta.'''
repair = "Write the factor 2."
lines."mine.eq3" = { place = "Eq. (3)", words = "a bound" }
"""


def test_a_record_is_a_cause_whose_texts_have_single_blanks():
    assert _entries.cause("mine.toml", "LOST", tomllib.loads(CAUSE)) == Cause(
        id="mine/lost-factor",
        clause="a factor 2 is lost",
        fails="(3) bounds |a + b|^2 by |a|^2 + \\beta.",
        repair="Write the factor 2.",
        severity=Severity.WRONG_CONSTANT,
        lines=(Line("mine.eq3", "Eq. (3)", words="a bound"),),
    )


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("wrong constant", "worse", "'worse' is not a valid Severity"),
        ("repair =", "mend =", "unexpected keyword argument 'mend'"),
        ('clause = "a factor 2 is lost"', "", "missing 1 required positional argument: 'clause'"),
        ("words =", "word =", "unexpected keyword argument 'word'"),
        ('"mine.eq3" = {', '"eq3" = {', "line of 'eq3'"),
        ('"Write the factor 2."', "2", "2 came; need a text"),
        ("lines.", "line.", "came; need a text"),
        ('lines."mine.eq3" =', "lines = 3 #", "'int' object has no attribute 'items'"),
    ],
)
def test_a_record_that_is_no_cause_is_told_by_file_and_name(old, new, told):
    record = tomllib.loads(CAUSE.replace(old, new))
    with pytest.raises(ValueError, match=rf"^mine\.toml: LOST: .*({told})"):
        _entries.cause("mine.toml", "LOST", record)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_cause_of_a_paper_refutes_a_version(paper):
    causes = _entries.causes_of(f"{_entries.__package__}.{paper}")
    homes = [_entries.files(f"{_entries.__package__}.{each}").iterdir() for each in PAPERS]
    text = "".join(p.read_text() for home in homes for p in home if p.name.endswith(".py"))
    assert not [name for name in causes if not re.search(rf"\b{name}\b", text)]
    with pytest.raises(AttributeError, match=rf"^{paper}/causes\.toml has no 'NOWHERE'$"):
        _entries.cause_of(f"{_entries.__package__}.{paper}", "NOWHERE")


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"latex": "x", "text": "x", "side": "left"}, "'LEFT'"),
        ({"latex": "x", "text": "x", "units": [1]}, "need two whole numbers"),
        ({"latex": "x"}, "missing 1 required positional argument: 'text'"),
        ({"latex": "x", "text": "x", "real": True}, "unexpected keyword argument 'real'"),
    ],
)
def test_a_letter_that_is_none_is_told_by_file_and_key(record, told):
    with pytest.raises(ValueError, match=rf"^mine\.toml: x: .*{told}"):
        _entries._symbol("mine.toml", "mine_", "x", record)


def test_a_letter_has_its_paper_before_its_name_and_the_side_it_is_known_from():
    L = _entries.symbol_of(f"{_entries.__package__}.deprl", "L")
    assert (letters.name_of(L), L.is_positive) == ("deprl_L", True)
    meaning = letters.meaning_of(L)
    assert (meaning.units, meaning.side) == ((1, -2), letters.Side.UPPER)
    with pytest.raises(AttributeError, match=r"^deprl/symbols\.toml has no 'NOWHERE'$"):
        _entries.symbol_of(f"{_entries.__package__}.deprl", "NOWHERE")
